#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Time and memory of tune with two threads, on the recording of a whole
# training run and on one ten times as long; wanted, on two idle cores and of
# 200 settings or more: 10 and 60 seconds, 64 bytes an event and 64 MiB.
set -eu
name=varlen_gpt.default
file=${SHARED:-.}/traces/$name
[ -r "$file.pickle.xz" ] || { echo 'skipped: no recordings in SHARED'; exit 0; }
command -v xz >/dev/null || { echo 'skipped: no xz'; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
xz -dc "$file.pickle.xz" >"$tmp/$name.pickle"
cp "$file.json" "$tmp/$name.json"

run() {	# run RECORDING TIMES
	for _ in $(seq "$2"); do
		start=$(date +%s.%N)
		"$O/bin/allocctl" tune "$1" --jobs 2 --format json \
			>"$tmp/report" &
		pid=$!
		peak=0
		while kill -0 $pid 2>/dev/null; do
			now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\).*/\1/p' \
				/proc/$pid/status 2>/dev/null || true)
			[ "${now:-0}" -le "$peak" ] || peak=$now
			sleep 0.1
		done
		wait $pid
		echo "$start $(date +%s.%N) $peak" |
			awk '{ printf "%.2f %d\n", $2 - $1, $3 }'
	done | sort -n | awk '
		{ seconds[NR] = $1; if ($2 > peak) peak = $2 }
		END {
			printf "tune: min %.2f s, median %.2f s, %d KiB",
			       seconds[1], seconds[int((NR + 1) / 2)], peak
		}'
	grep -o '"policy":\|"replays":[0-9]*\|"events":[0-9]*' "$tmp/report" |
		awk -F : '
		/policy/ { settings++ }
		/replays/ { replays = $2 }
		/events/ { events = $2 }
		END {
			printf ", %d events, %d settings, %d replays\n",
			       events, settings, replays
		}'
}

run "$tmp/$name.pickle" 3
if [ -d "$SHARED/oracle" ] && command -v python3 >/dev/null; then
	PYTHONPATH=$SHARED/oracle PYTHONDONTWRITEBYTECODE=1 python3 \
		bench/long-recording.py "$file.pickle.xz" 800000 \
		"$tmp/long.pickle" >/dev/null
	run "$tmp/long.pickle" 1
else
	echo 'skipped: no model in SHARED to make a long recording with'
fi
