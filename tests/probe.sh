# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# What tests of cupti-probe's front ends share; after support.sh.
#
# The front ends run with a core that writes down what it is told
# (tests/mock/core.c), on a driver without a GPU (tests/mock/mock.h).
[ -d "$O/mock" ] || skip 'no stand-ins for CUDA here'
library=$O/mock/libcupti-probe.so

# The runtime of a sanitizer wants to be the first of all libraries.
runtime=$(ldd "$O/bin/cuda-program" |
	sed -n 's/.* => \([^ ]*lib[at]san[^ ]*\) .*/\1/p')
fronts='preload cupti'
LSAN_OPTIONS=detect_leaks=0
ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
LD_LIBRARY_PATH=$O/mock
export LSAN_OPTIONS ASAN_OPTIONS LD_LIBRARY_PATH

# Run a program: its output and status in $tmp/plain.
plain() {
	(status=0; "$@" 2>&1 || status=$?; echo "status $status") \
		>"$tmp/plain"
}

# Run it under a front end: the same in $tmp/watched, and what the front end
# tells in $tmp/log.
watched() {	# watched preload|cupti PROGRAM...
	rm -f "$tmp/log"
	: >"$tmp/log"
	case $1 in
	preload) set -- "LD_PRELOAD=$runtime $library" "$@" ;;
	cupti) set -- "CUDA_INJECTION64_PATH=$library" "$@" ;;
	esac
	variable=$1
	shift 2
	(status=0
	MOCK_CORE_LOG="$tmp/log" env "$variable" "$@" 2>&1 || status=$?
	echo "status $status") >"$tmp/watched"
}

same() {	# same WHAT: as it was without us
	diff "$tmp/plain" "$tmp/watched" >"$tmp/diff" ||
		fail "$1: the program differs: $(cat "$tmp/diff")"
}
