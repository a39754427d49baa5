#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the manual promises of the library as it is installed: it can be turned
# off, it does without a place to write to, it leaves signals alone, it keeps
# to itself what is none of its business, and many ranks share a folder.
# Promise: unchanged, disk-full, no-handlers, private.
. tests/support.sh
. tests/probe.sh
library=$O/lib/libcupti-probe.so
[ -e "$library" ] || skip 'no libcupti-probe.so'
files=$tmp/files
CUPTI_PROBE_DIR=$files CUPTI_PROBE_REPORT=off CUPTI_PROBE_SIZE=4M
export CUPTI_PROBE_DIR CUPTI_PROBE_REPORT CUPTI_PROBE_SIZE
untested=

count() {	# count WHAT NUMBER: so many recordings
	equal "$1: files" "$(find "$files" -name '*.cpr' | wc -l)" "$2"
}

renew() {	# an empty folder
	rm -rf "$files"
	mkdir "$files"
}

# No handler, nothing blocked or ignored, before and after a failure.
operations='signals;init;begin;signals;alloc 1M;oom;torch 3M;torch 30G;sleep 150
	signals;end'
operations=$(echo "$operations" | tr '\n' ';')
plain cuda-program dlsym "$operations"
equal 'lines about signals' "$(grep -c ^Sig "$tmp/plain")" 12
for front in $fronts; do
	renew
	watched "$front" cuda-program dlsym "$operations"
	same "$front: signals"
	count "$front: signals" 1
done
if command -v nm >/dev/null && [ -z "$runtime" ]; then
	nm -D --undefined-only "$library" >"$tmp/needed"
	! grep -w -E 'sigaction|signal|sigaltstack|signalfd' "$tmp/needed" ||
		fail 'handlers of signals'
	! grep -w -E 'socket|connect|send|sendto|sendmsg|getaddrinfo' \
		"$tmp/needed" || fail 'it can send'
fi

# Of the environment what the manual says, of the command line nothing.
for front in $fronts; do
	renew
	TOKEN=secret-4711 RANK=3 PYTORCH_ALLOC_CONF=max_split_size_mb:77 \
		watched "$front" cuda-program dlsym "$operations"
	! grep -q -a 'secret-4711' "$files"/*.cpr || fail 'a secret is told'
	! grep -q -a 'torch 30G' "$files"/*.cpr || fail 'arguments are told'
	grep -q -a 'max_split_size_mb:77' "$files"/*.cpr || fail 'no setting'
	grep -q -a 'RANK=3' "$files"/*.cpr || fail 'no rank'
	renew
	CUPTI_PROBE_ARGUMENTS=on watched "$front" cuda-program dlsym \
		"$operations"
	grep -q -a 'torch 30G' "$files"/*.cpr || fail 'no arguments'
done

# Turned off.
for front in $fronts; do
	renew
	CUPTI_PROBE=off watched "$front" cuda-program dlsym "$operations"
	same "$front: off"
	count "$front: off" 0
done

# No place: a folder that is not there, a file, one that nobody may write to,
# a disk that is full, another user's.
echo text >"$tmp/file"
for front in $fronts; do
	renew
	for place in "$tmp/none/none" "$tmp/file" /proc /sys; do
		CUPTI_PROBE_DIR=$place watched "$front" cuda-program dlsym \
			"$operations"
		same "$front: $place"
	done
	equal 'the file' "$(cat "$tmp/file")" text
	CUPTI_PROBE_NODE_SIZE=1M watched "$front" cuda-program dlsym \
		"$operations"
	same "$front: no room"
	count "$front: no room" 0
	if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
		for options in size=1M size=8M,ro; do
			watched "$front" unshare -m sh -c '
				mount -t tmpfs -o "$1" none "$2" && shift 2 &&
				exec "$@"' - "$options" "$files" \
				cuda-program dlsym "$operations"
			same "$front: disk of $options"
		done
	else
		untested='a full and a read-only disk'
	fi
done

# Without CUPTI it says so, sees the allocator, and asks the driver itself.
mkdir "$tmp/driver"
cp "$O"/mock/libcuda.so.1 "$O"/mock/libc10*.so "$tmp/driver/"
blocks='init;begin;torch 100;sleep 300;torch 3M;sleep 150;torch 100'
LD_LIBRARY_PATH=$tmp/driver plain cuda-program dlsym "$blocks"
renew
LD_LIBRARY_PATH=$tmp/driver watched cupti cuda-program dlsym "$blocks"
same 'no CUPTI'
if command -v cupti-probe >/dev/null; then
	cupti-probe info --format json "$files"/*.cpr >"$tmp/info" ||
		fail info
	grep -q 'driver not seen' "$tmp/info" || fail "$(cat "$tmp/info")"
	grep -q '"free":[1-9]' "$tmp/info" || fail "$(cat "$tmp/info")"
fi

# Ranks of one job begin together.
renew
ranks=32
n=0
while [ $n -lt $ranks ]; do
	RANK=$n CUDA_INJECTION64_PATH=$library cuda-program dlsym \
		'init;begin;alloc 1M;sleep 500;end' >"$tmp/rank.$n" 2>&1 &
	n=$((n + 1))
done
wait
count 'ranks' $ranks
equal 'what ranks print' "$(cat "$tmp"/rank.* | sort -u | wc -l)" 5
if command -v cupti-probe >/dev/null; then
	cupti-probe list "$files" >"$tmp/list" || fail 'list'
	equal 'ranks in the list' "$(grep -c ' ended ' "$tmp/list")" $ranks
fi
[ -z "$untested" ] || echo "not tried: $untested"
