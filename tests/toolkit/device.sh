#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the library's device declares of the CUDA driver, and calibrate of the
# CUDA runtime, against headers of NVIDIA's: those of $CUDA_HOME, if there are any, and of the wheels of 11, 12
# and 13.  What an older one lacks is fine; what differs is not.
. tests/support.sh
. tests/toolkit/wheels.sh
abi=liballoc/device/cuda-abi.h

# OUR NUMBER and its name in cuda.h, where another than the one with CUDA_ERROR.
cat >"$tmp/names" <<'END'
LA_CU_SUCCESS CUDA_SUCCESS
LA_CU_CAPTURE_FIRST CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
LA_CU_CAPTURE_IMPLICIT CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
LA_CU_CAPTURE_LAST CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
LA_CU_LOCATION_DEVICE CU_MEM_LOCATION_TYPE_DEVICE
LA_CU_PINNED CU_MEM_ALLOCATION_TYPE_PINNED
LA_CU_FILE_DESCRIPTOR CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
LA_CU_READ_WRITE CU_MEM_ACCESS_FLAGS_PROT_READWRITE
LA_CU_GRANULARITY_MINIMUM CU_MEM_ALLOC_GRANULARITY_MINIMUM
LA_CU_ATTRIBUTE_RDMA CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
LA_CU_DISABLE_TIMING CU_EVENT_DISABLE_TIMING
LA_CU_MODE_RELAXED CU_STREAM_CAPTURE_MODE_RELAXED
LA_CU_LEGACY_STREAM CU_GET_PROC_ADDRESS_LEGACY_STREAM
END

numbers() {	# every number of the header: OURS THEIRS
	sed -n 's/^\t\(LA_CU_[A-Z_]*\) = [0-9].*/\1/p' $abi |
		while read -r ours; do
			theirs=$(sed -n "s/^$ours //p" "$tmp/names")
			echo "$ours" \
				"${theirs:-CUDA_ERROR_${ours#LA_CU_}}"
		done
}

# Errors of which cuda.h says that nothing else comes after them.
fatal() {
	awk '/\/\*\*/ { text = "" }
	{ text = text $0 " " }
	/^ *CUDA_ERROR_[A-Z_]* *=/ {
		gsub(/[ *]+/, " ", text)
		if (text ~ /must be terminated and relaunched/)
			print $1
		text = ""
	}' "$1/cuda.h"
}

check() {	# check FOLDER
	version=$(awk '/^#define CUDA_VERSION/ {
		print int($3 / 1000) "." int($3 % 1000 / 10) }' "$1/cuda.h")
	numbers | while read -r ours theirs; do
		if grep -q -w "$theirs" "$1/cuda.h"; then
			echo "NUMBER($ours, $theirs)"
		else
			echo "$theirs" >>"$tmp/absent"
		fi
	done >"$tmp/numbers.h"
	${CXX:-c++} -std=c++11 -w -I"$tmp" -Iliballoc -Iallocctl -I"$1" \
		-fsyntax-only tests/toolkit/device.cc ||
		fail "$version: not as cuda-abi.h says"
	fatal "$1" | while read -r theirs; do
		grep -q "LA_CU_${theirs#CUDA_ERROR_}," \
			liballoc/device/cuda-driver.c ||
			fail "$version: $theirs is not known as fatal"
	done || exit 1
	echo "$version: $(wc -l <"$tmp/numbers.h") numbers, $(fatal "$1" |
		wc -l) fatal errors, all functions are the same; not there:" \
		"$(tr '\n' ' ' <"$tmp/absent")"
	checked=$((checked + 1))
	: >"$tmp/absent"
}

command -v "${CXX:-c++}" >/dev/null || skip 'no C++ compiler'
checked=0
: >"$tmp/absent"
home=${CUDA_HOME:-/usr/local/cuda}
if [ -e "$home/include/cuda.h" ]; then
	check "$home/include"
fi
for n in 11 12 13.0 13; do
	if ! wheels_of $n; then
		echo "no wheels of $n: $(tail -n 1 "$tmp/pip")"
		continue
	fi
	# shellcheck disable=SC2154 # of wheels.sh
	check "$(dirname "$wheels/$n"/nvidia/*/include/cuda.h)"
done
[ $checked -gt 0 ] || skip 'neither a toolkit nor wheels'
