#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The front end of CUPTI with the real libraries of 11 to 13 on a driver that
# is none: they refuse, the front end says so, the program sees nothing.
. tests/support.sh
. tests/probe.sh
. tests/toolkit/wheels.sh

mkdir "$tmp/driver"
cp "$O/mock/libcuda.so.1" "$tmp/driver/"
asked=0
for library_of in 11:18 12:28 13.0:130001 13:0; do
	n=${library_of%:*}
	if ! wheels_of "$n"; then
		echo "no wheels of $n: $(tail -n 1 "$tmp/pip")"
		continue
	fi
	LD_LIBRARY_PATH=$(echo "$wheels/$n"/nvidia/cu*/lib | tr ' ' '\n' |
		grep -v runtime):$tmp/driver
	MOCK_CUDA_DRIVER=${n%.*}080
	export LD_LIBRARY_PATH MOCK_CUDA_DRIVER
	plain cuda-program dlsym 'init;begin;alloc 1M'
	watched cupti cuda-program dlsym 'init;begin;alloc 1M'
	same "CUPTI $n"
	grep -q -x "version ${library_of#*:}" "$tmp/log" ||
		fail "CUPTI $n: $(cat "$tmp/log")"
	grep -q '^note driver not seen: CUPTI ' "$tmp/log" ||
		fail "CUPTI $n: $(cat "$tmp/log")"
	asked=$((asked + 1))
done
[ $asked -gt 0 ] || skip 'no wheels'
