#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stub-cudart.sh FOLDER: beside libc10_cuda.so, a CUDA runtime of the name and
# with the functions that it wants, all of which say yes and do nothing.
set -eu
library=$1/libc10_cuda.so
name=$(objdump -p "$library" | awk '/NEEDED.*cudart/ { print $2 }')
[ "$name" ] || exit 0
nm -D --undefined-only "$library" |
	awk '$2 ~ /^cuda/ { sub(/@.*/, "", $2); print $2 }' | sort -u |
	awk '
	$1 == "cudaDriverGetVersion" {
		print "int " $1 "(int *v) { *v = 13000; return 0; }"; next
	}
	{ print "int " $1 "(void) { return 0; }" }' >"$1/stub.c"
version=$(objdump -p "$library" | awk '/required from libcudart/ { on = 1; next }
	on { print $4; exit }')
echo "$version { global: *; };" >"$1/stub.map"
${CC:-cc} -shared -fPIC -o "$1/$name" -Wl,-soname,"$name" \
	-Wl,--version-script="$1/stub.map" "$1/stub.c"
