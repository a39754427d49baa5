#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What check says against a setting in a release is never recommended.
. tests/support.sh
. tests/tune.sh

file=tests/data/streams.default.pickle.xz

warned() {	# warned RELEASE SETTING: does check object to it?
	allocctl check --torch "$1" "$2" >"$tmp/check" || return 0
	grep -q '^warning: ' "$tmp/check"
}

for release in 1.12 2.0 2.6 2.9 2.11 2.12; do
	for limit in none 1GiB; do
		tune 0 "$file" --torch $release --limit $limit --format json
		equal "release" "$(member release)" "\"$release\""
		winner=$(member winner | tr -d '"')
		! warned $release "$winner" ||
			fail "'$winner' is recommended for $release"
		value=$(sed 's/.*"paste":{"value":"\([^"]*\)".*/\1/' "$tmp/out")
		! warned $release "$value" ||
			fail "'$value' is to be set for $release"
	done
	# Rows that are marked are those that check objects to.
	for setting in '' max_split_size_mb:128 expandable_segments:True \
			large_segment_size_mb:64 \
			garbage_collection_threshold:0.8 \
			expandable_segments:True,max_split_size_mb:128; do
		want=no
		! warned $release "$setting" || want=yes
		got=yes
		[ "$(figure objection "$setting")" != null ] || got=no
		equal "objection to '$setting' in $release" $got $want
	done
done

# Replays follow the release: what 2.3 lacks changes nothing there.
replayed() {	# replayed SETTING: its peak
	figure peak_reserved "$1"
}

file=tests/data/big_random.default.pickle.xz
slack=max_split_size_mb:128,max_non_split_rounding_mb:128
tune 0 "$file" --limit none --format json
[ "$(replayed $slack)" != "$(replayed max_split_size_mb:128)" ] ||
	fail 'the recording does not tell the releases apart'
tune 0 "$file" --torch 2.3 --limit none --format json
equal 'peak without slack' "$(replayed $slack)" \
	"$(replayed max_split_size_mb:128)"
equal 'peak without large segments' "$(replayed large_segment_size_mb:128)" \
	"$(replayed '')"

file=tests/data/streams.default.pickle.xz
tune 0 "$file" --torch 2.0
grep -q '^  *not recommended: Unrecognized CachingAllocator option: expandable_segments$' \
	"$tmp/out" || fail 'no word on an unknown option'
tune 2 "$file" --torch new
