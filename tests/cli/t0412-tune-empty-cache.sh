#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls of empty_cache() that tune puts in are those of replay.
. tests/support.sh
. tests/tune.sh

file=tests/data/gnn.oom.pickle.xz
unit=2097152
for policy in --empty-cache-every=1 --empty-cache-above=0.5; do
	tune 0 "$file" --limit none "$policy" --format json
	for setting in '' max_split_size_mb:128; do
		peak=$(figure peak_reserved "$setting")
		least=$(figure minimum_memory "$setting")
		allocctl replay "$file" --setting "$setting" --limit none \
			"$policy" --format json >"$tmp/replay" || true
		grep -q "\"peak_reserved\":$peak," "$tmp/replay" ||
			fail "peak of '$setting' with $policy is not $peak"
		allocctl replay "$file" --setting "$setting" "$policy" \
			--limit "$least" >"$tmp/replay" ||
			fail "'$setting' with $policy fails in $least"
		! allocctl replay "$file" --setting "$setting" "$policy" \
			--limit $((least - unit)) >"$tmp/replay" ||
			fail "'$setting' with $policy needs less than $least"
	done
done
grep -q '"empty_cache":{"above":0.5,' "$tmp/out" || fail 'no word on it'
tune 2 "$file" --empty-cache-above 2
tune 2 "$file" --empty-cache-every 1 --empty-cache-above 0.5
