#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random programs given to the allocators of torch's wheels, on a CUDA without
# a GPU, and to our heap: the same answers.  TORCH lists the wheels, PROGRAMS
# how many programs (300); WHEELS keeps what is taken from the wheels; RECORD
# is a folder for answers, as tests/data has them.
. tests/support.sh
. tests/wheels.sh

cuda=${CUDA_HOME:-/usr/local/cuda}/include
[ -e "$cuda/cuda_runtime_api.h" ] || skip "no headers of CUDA"

# Functions of a library that other ones are asked for by name: they do nothing
# and say yes.
stub() {	# stub LIBRARY PREFIX
	strings "$1" | grep -E "^$2[A-Z][A-Za-z0-9_]*\$" | sort -u |
		awk '{ print "__attribute__((weak)) int " $1 "(void)" \
			"{ return 0; }" }'
}

build() {	# build VERSION, in its folder
	folder=$wheels/$1
	library=$folder/libc10_cuda.so
	stub_cudart "$folder"
	stub "$library" cu >"$tmp/cu.c"
	stub "$library" nvml >"$tmp/nvml.c"
	${CC:-cc} -shared -fPIC -o "$folder/libnvidia-ml.so.1" "$tmp/nvml.c"
	${CC:-cc} -shared -fPIC -o "$folder/libcuda.so.1" \
		-Wl,-soname,libcuda.so.1 -Iliballoc/include \
		tests/wheels/fake-cuda.c "$tmp/cu.c" \
		-L"$O/lib" -l:liballoc.so.0 -Wl,-rpath,"$(realpath "$O/lib")"
	set -- -D_GLIBCXX_USE_CXX11_ABI="$abi"
	grep -qs init_p2p_access_cache \
		"$folder/torch/include/c10/cuda/PeerToPeerAccess.h" &&
		set -- "$@" -DP2P
	g++ -std=c++20 -w -O1 "$@" -DRELEASE="$release" \
		-I"$folder/torch/include" -I"$cuda" -o "$folder/torch-heap" \
		tests/wheels/torch-heap.cpp -L"$folder" -lc10_cuda -lc10 \
		-l:"$name" -Wl,--allow-shlib-undefined
}

for version in $TORCH; do
	fetch "$version" || skip "no torch $version: $(tail -n 1 "$tmp/pip")"
	# The wheel of 1.13 has the CUDA runtime inside.
	objdump -p "$wheels/$version/libc10_cuda.so" | grep -q 'NEEDED.*cudart' ||
		continue
	abi=1
	case $version in 1.*|2.[0-6].*) abi=0 ;; esac
	release=$(echo "$version" | awk -F. '{ print $1 * 100 + $2 }')
	build "$version"
	RECORD=${RECORD:+$RECORD/heap-torch-${version%.*}} \
		python3 tests/wheels/heap.py "${version%.*}" 0 \
		"${PROGRAMS:-300}" env LD_LIBRARY_PATH="$wheels/$version" \
		LD_PRELOAD="$wheels/$version/libcuda.so.1" \
		"$wheels/$version/torch-heap" || fail "torch $version"
	[ -n "${WHEELS-}" ] || rm -r "${wheels:?}/$version"
done
