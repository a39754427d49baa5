#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How tune searches: what is cut off, lower bounds, and the guides' procedure.
. tests/support.sh
. tests/tune.sh

file=tests/data/streams.default.pickle.xz
tune 0 tests/data/big_random.default.pickle.xz --format json
cp "$tmp/out" "$tmp/report"
equal partial "$(member partial | tail -n 1)" false

# What an independent plan of the same kind takes: tests/data/README.md.
plan=9691764224
equal plan "$(member plan)" $plan
live=$(member peak_live)
equal 'gap to the plan' "$(figure gap_to_plan '')" \
	$(($(figure minimum_memory '') - plan))
equal 'gap to what is live' "$(figure gap_to_peak_live '')" \
	$(($(figure minimum_memory '') - live))
tune 0 "$file" --format json
equal 'plan of streams' "$(member plan)" 283890688

# A setting that was cut off does not run under the limit that it failed, and
# the front is not better for it.
cp "$tmp/report" "$tmp/out"
sed 's/{"setting":/\n&/g' "$tmp/out" | grep '"cut":true' |
	sed 's/{"setting":"\([^"]*\)".*"minimum_memory":null.*"minimum_memory_at_least":\([0-9]*\).*/\2 \1/' \
	>"$tmp/cut"
[ "$(wc -l <"$tmp/cut")" -ge 50 ] || fail "only $(wc -l <"$tmp/cut") cut off"
[ "$(grep -c '"pareto":true' "$tmp/cut")" = 0 ] || fail 'a front that was cut'
count=0
while read -r least setting; do
	count=$((count + 1))
	[ $((count % 9)) = 0 ] || continue
	limit=$((least - 2097152))
	! allocctl replay tests/data/big_random.default.pickle.xz \
		--setting "$setting" --limit "$limit" >"$tmp/replay" ||
		fail "'$setting' runs under $limit, needs >= $least"
done <"$tmp/cut"

# The default grid is large.
settings=$(grep -o '"policy":' "$tmp/out" | wc -l)
[ "$settings" -ge 200 ] || fail "only $settings settings"
for setting in max_split_size_mb:48 expandable_segments:True,large_segment_size_mb:32 \
		max_split_size_mb:64,roundup_power2_divisions:4; do
	grep -q "\"setting\":\"$setting\"," "$tmp/out" ||
		fail "'$setting' is not tried"
done

# The guides' procedure: with a limit the first that runs, as replay says.
base=tests/data/big_random.default.pickle.xz
tune 0 "$base" --limit 10700000000 --method guide --format json
for setting in '' max_split_size_mb:24064; do
	! allocctl replay "$base" --setting "$setting" --limit 10700000000 \
		>"$tmp/replay" || fail "'$setting' runs"
done
guide=$(member guide)
setting=$(echo "$guide" | sed 's/.*"setting":"\([^"]*\)".*/\1/')
allocctl replay "$base" --setting "$setting" --limit 10700000000 \
	>"$tmp/replay" || fail "what the guides chose does not run: '$setting'"
replays=$(echo "$guide" | sed 's/.*"replays":\([0-9]*\).*/\1/')
mb=${setting#max_split_size_mb:}
# One for the default, one a step of 512 MiB from one sixth of the card.
first=$(allocctl explain presets --memory 150109880320 | sed -n \
	's/.*max_split_size_mb:\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
[ "$mb" -lt "$first" ] || fail "the guides begin at $first"
[ "$replays" -ge $(((first - mb) / 512 + 1)) ] || fail "$replays replays"
tune 0 "$base" --method guide
grep -q '^guide       one option after the other, 11 replays: ' "$tmp/out" ||
	fail "$(grep '^guide' "$tmp/out")"
grep -q '^search      [0-9]* replays: ' "$tmp/out" || fail 'no comparison'
