#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The front ends with their own core: a program and its children are as they
# were, and one file is left of the process that used the driver.
# Promise: unchanged.
. tests/support.sh
. tests/probe.sh
library=$O/lib/libcupti-probe.so
[ -e "$library" ] || skip 'no libcupti-probe.so'
CUPTI_PROBE_DIR=$tmp/files CUPTI_PROBE_REPORT=off CUPTI_PROBE_SIZE=4M
export CUPTI_PROBE_DIR CUPTI_PROBE_REPORT CUPTI_PROBE_SIZE

left() {	# left WHAT COUNT: so many files, for their owner alone
	equal "$1: files" "$(find "$tmp/files" -name '*.cpr' -perm 600 |
		wc -l)" "$2"
	rm -rf "$tmp/files"
	mkdir "$tmp/files"
}

mkdir "$tmp/files"
operations='init;begin;alloc 2M;alloc 4M;free 0;oom;pitch 1M;async 3M;
	asyncfree 3;reserve 4M;create 4M;map 4 5;info;release 5;info;unmap 4;
	unreserve 4;module;pool;capture;graph;host 4K;hostfree 7;managed 1M;
	torchlimit 0;sleep 300;torch 100;torch 3M;torch 30G;torchfree 9;
	torchexpandable;torch 30M;reports;threads 64 100;profiler;sleep 300;
	profile;alloc 1M;
	profiled;alloc 1M;end;fork;exec true'
operations=$(echo "$operations" | tr -d '\n\t')
plain cuda-program dlsym "$operations"
for way in linked dlsym proc proc2 next default dlvsym; do
	for front in $fronts; do
		watched "$front" cuda-program $way "$operations"
		same "$front, $way"
		left "$front, $way" 1
	done
done

# The release of torch is that of its files.
mkdir -p "$tmp/torch/lib"
cp "$O"/mock/libc10*.so "$tmp/torch/lib"
printf '%s\n' 'from typing import Optional' "__version__ = '2.11.0+cu130'" \
	'debug = False' >"$tmp/torch/version.py"
for front in $fronts; do
	LD_LIBRARY_PATH=$tmp/torch/lib:$O/mock watched "$front" cuda-program \
		dlsym 'init;begin;torch 100;sleep 300'
	equal "$front: torch" "$(cupti-probe info --format json \
		"$tmp"/files/*.cpr | sed 's/.*"torch":"\([^"]*\)".*/\1/')" \
		2.11.0+cu130
	left "$front: torch" 1
done

# Killed, ended early, or never begun.
for last in kill 'exit 5' 'exec true'; do
	plain cuda-program dlsym "init;begin;alloc 1M;$last"
	for front in $fronts; do
		watched "$front" cuda-program dlsym "init;begin;alloc 1M;$last"
		same "$front, $last"
		left "$front, $last" 1
	done
done
plain cuda-program dlsym 'init;exit 0'
watched cupti cuda-program dlsym 'init;exit 0'
same 'no call'
left 'no call' 1

if [ -z "$runtime" ]; then
	watched preload cuda-program dlsym 'init;exit 0'
	same 'no call'
	left 'no call' 0
	plain sh -c 'echo a | cat; exit 4'
	watched preload sh -c 'echo a | cat; exit 4'
	same sh
	left sh 0
fi
