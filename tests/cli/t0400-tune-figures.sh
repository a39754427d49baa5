#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Peaks are those that torch reached with the same program; minima those that
# an independent model found by bisection.
. tests/support.sh
. tests/tune.sh

peak() {	# peak SETTING BYTES
	equal "peak of '$1'" "$(figure peak_reserved "$1")" "$2"
}

minimum() {	# minimum SETTING BYTES
	equal "minimum of '$1'" "$(figure minimum_memory "$1")" "$2"
}

tune 0 tests/data/big_random.default.pickle.xz --format json
equal schema "$(member schema)" '"allocctl.tune/1"'
equal 'peak live' "$(member peak_live)" 9047822848
equal placements "$(member placements_right)" 1500
equal 'self-check' "$(member exact)" true
equal 'limit' "$(member limit)" '{"kind":"none","bytes":null}'
equal 'lower bound' "$(member lower_bound)" false
settings=$(grep -o '"policy":' "$tmp/out" | wc -l)
[ "$settings" -ge 40 ] || fail "only $settings settings"
peak '' 13157531648
peak max_split_size_mb:128 27680309248
peak roundup_power2_divisions:4 12515803136
minimum '' 11540627456
minimum roundup_power2_divisions:4 12314476544
minimum garbage_collection_threshold:0.8 11540627456
minimum garbage_collection_threshold:0.9 11540627456
minimum large_segment_size_mb:64 11540627456
minimum 'roundup_power2_divisions:[64:8,256:4,>:1]' 11928600576
equal 'at least' "$(figure minimum_memory_at_least '')" 9049210880
# The model's minima in its five layouts are these two.
equal 'range of the default' "$(figure minimum_memory_range '')" \
	'[11538530304,11540627456]'

# What was popular and hurts.
grep -q 'warnings":\[.*"max_split_size_mb:128 without a limit reserves 25.78 GiB where the default takes 12.25 GiB"' \
	"$tmp/out" || fail 'no warning of max_split_size_mb:128'

tune 0 tests/data/streams.default.pickle.xz --format json
peak '' 448790528
minimum '' 375390208
minimum max_split_size_mb:32 375390208

# The winner runs under exactly its limit.
winner=$(member winner | tr -d '"')
limit=$(member winner_limit | tr -dc 0-9)
allocctl replay tests/data/streams.default.pickle.xz --setting "$winner" \
	--limit "$limit" >"$tmp/replay" || fail "the winner '$winner' fails"

# However many threads.
cp "$tmp/out" "$tmp/first"
tune 0 tests/data/streams.default.pickle.xz --format json --jobs 1
cmp -s "$tmp/first" "$tmp/out" || fail '--jobs changes the report'
