#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Time of tune on the recording of a whole training run, unpacked before, with
# two threads; wanted: 12 seconds or less on two idle cores.
set -eu
file=${SHARED:-.}/traces/varlen_gpt.default
[ -r "$file.pickle.xz" ] || { echo 'skipped: no recordings in SHARED'; exit 0; }
command -v xz >/dev/null || { echo 'skipped: no xz'; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
xz -dc "$file.pickle.xz" >"$tmp/run.pickle"
cp "$file.json" "$tmp/run.json"

for _ in 1 2 3; do
	start=$(date +%s.%N)
	"$O/bin/allocctl" tune "$tmp/run.pickle" --jobs 2 --format json \
		>"$tmp/report"
	echo "$start $(date +%s.%N)" | awk '{ printf "%.2f\n", $2 - $1 }'
done | sort -n | awk '
	{ seconds[NR] = $1 }
	END { printf "tune: min %.2f s, median %.2f s", seconds[1], seconds[2] }'
grep -o '"policy":' "$tmp/report" | wc -l |
	awk '{ print ", " $1 " settings" }'
