#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A replay can pass at one limit and fail above it.  The minimum has no such
# limit in the 3 % above it, as replays at every multiple of 2 MiB show.
. tests/support.sh
. tests/tune.sh

file=tests/data/big_random.cap.pickle.xz
setting=max_split_size_mb:64,large_segment_size_mb:32
unit=2097152

runs() {	# runs BYTES: under that cap, in the layout of minimum_memory
	allocctl replay "$file" --setting "$setting" --limit "$1" \
		--format json >"$tmp/replay" || true
	! grep -q '"layout":"rule"' "$tmp/replay"
}

tune 0 "$file" --format json
equal 'on the front' "$(figure pareto "$setting")" true
minimum=$(figure minimum_memory "$setting")

passed=0
bytes=$((minimum - 24 * unit))
while [ "$bytes" -lt "$minimum" ]; do
	! runs "$bytes" || passed=$((passed + 1))
	bytes=$((bytes + unit))
done
[ "$passed" -gt 0 ] || fail 'there is no island to pass by'
[ "$(figure islands "$setting")" -gt 0 ] || fail 'no island is told of'
! runs $((minimum - unit)) || fail 'a smaller limit would do'
while [ "$bytes" -le $((minimum + minimum * 3 / 100)) ]; do
	runs "$bytes" || fail "$bytes fails, above the minimum of $minimum"
	bytes=$((bytes + 2 * unit))
done
