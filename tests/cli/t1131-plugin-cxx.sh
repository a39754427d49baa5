#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The plug-in and C++: exceptions with the names of torch's and without them, and
# filters of pools, with both ABIs of std::string.
. tests/support.sh
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null || skip "no $cxx"
[ -e "$O/lib/liballoc-torch.so" ] || skip 'no liballoc-torch.so'
case ${SANITIZE-} in ?*) skip 'a sanitizer would have to be loaded first' ;; esac
export MOCK_CUDA_TOTAL=8G LIBALLOC_CONF=policy:torch

build() {	# build ABI
	set -- "$cxx" -std=c++17 -O1 -Wall -Wextra -Werror -fPIC \
		"-D_GLIBCXX_USE_CXX11_ABI=$1" -Itests/plugin
	"$@" -shared -Wl,-soname,libc10.so -o "$tmp/libc10.so" \
		tests/plugin/c10.cpp
	"$@" -shared -DOUT_OF_MEMORY -Wl,-soname,libc10_cuda.so \
		-o "$tmp/libc10_cuda.so" tests/plugin/c10.cpp -L"$tmp" -lc10
	"$@" -o "$tmp/program" tests/plugin/program.cpp -L"$tmp" -lc10 -ldl \
		-pthread
}

for abi in 0 1; do
	build $abi
	for cuda in "$tmp/libc10_cuda.so" ''; do
		# shellcheck disable=SC2086 # none or one
		LD_LIBRARY_PATH="$tmp:$O/mock" timeout 60 "$tmp/program" \
			"$O/lib/liballoc-torch.so" "$tmp/libc10.so" $cuda ||
			fail "ABI $abi, '$cuda'"
	done
done

"$cxx" -std=c++17 -o "$tmp/alone" tests/plugin/alone.cpp -ldl
LD_LIBRARY_PATH="$O/mock" "$tmp/alone" "$O/lib/liballoc-torch.so" >"$tmp/out" ||
	fail "without torch: $? $(cat "$tmp/out")"

# Without a GPU, which the device tells in the words of its driver.
refuses() {	# refuses TEXT FOLDER
	MOCK_CUDA_DEVICES=0 LD_LIBRARY_PATH="$2" "$tmp/alone" \
		"$O/lib/liballoc-torch.so" >"$tmp/out" &&
		fail "$1: no exception"
	grep -q "^liballoc: $1" "$tmp/out" || fail "$1: $(cat "$tmp/out")"
}
refuses 'the CUDA driver sees no GPU' "$O/mock"
PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q libcuda.so.1 ||
	refuses "no NVIDIA driver: no 'libcuda.so.1'" "$tmp"
