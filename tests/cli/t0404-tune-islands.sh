#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A replay can pass at one limit and fail above it.  The minimum has no such
# limit in the 3 % above it, as replays at every multiple of 2 MiB show.
. tests/support.sh
. tests/tune.sh

file=tests/data/streams.cap_gc_split.pickle.xz
setting=garbage_collection_threshold:0.9
unit=2097152

runs() {	# runs BYTES: under that cap, in the layout of minimum_memory
	allocctl replay "$file" --setting "$setting" --limit "$1" \
		--format json >"$tmp/replay" || true
	! grep -q '"layout":"rule"' "$tmp/replay"
}

tune 0 "$file" --limit 1GiB --format json
minimum=$(figure minimum_memory "$setting")

islands=0
bytes=$(figure minimum_memory_at_least "$setting")
while [ "$bytes" -lt "$minimum" ]; do
	! runs "$bytes" || islands=$((islands + 1))
	bytes=$((bytes + unit))
done
equal 'limits below the minimum that pass' \
	"$(figure islands "$setting")" "$islands"
! runs $((minimum - unit)) || fail 'a smaller limit would do'
while [ "$bytes" -le $((minimum + minimum * 3 / 100)) ]; do
	runs "$bytes" || fail "$bytes fails, above the minimum of $minimum"
	bytes=$((bytes + unit))
done
