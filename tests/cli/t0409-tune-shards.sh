#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shards of a search, and that merging them gives what one run gives.
. tests/support.sh
. tests/tune.sh

a=tests/data/streams.default.pickle.xz
b=tests/data/graphs.default.pickle.xz
shards() {	# shards N ARGUMENTS: $tmp/1 to $tmp/N
	count=$1
	shift
	for i in $(seq "$count"); do
		allocctl tune "$@" --shard "$i/$count" >"$tmp/$i" ||
			fail "shard $i of $count of $*"
	done
}

shards 3 "$a"
if ! allocctl tune --merge "$tmp/1" "$tmp/2" "$tmp/3" >"$tmp/out" 2>"$tmp/err"
then
	grep -q 'made without jansson' "$tmp/err" && skip 'no jansson'
	fail "$(cat "$tmp/err")"
fi
for format in text json; do
	allocctl tune "$a" --format $format >"$tmp/one"
	allocctl tune --merge "$tmp/2" "$tmp/3" "$tmp/1" --format $format \
		>"$tmp/merged" || fail 'merge'
	cmp "$tmp/one" "$tmp/merged" || fail "merged $format differs"
done

# What shards found is not replayed again: a peak that one of them made up.
sed 's/\(\["[0-9a-f]*",0,0,0,0,1,\)448790528,/\1448790529,/g' "$tmp/1" >"$tmp/odd"
! cmp -s "$tmp/1" "$tmp/odd" || fail 'no such fact'
for i in 2 3; do
	sed 's/\(\["[0-9a-f]*",0,0,0,0,1,\)448790528,/\1448790529,/g' \
		"$tmp/$i" >"$tmp/odd$i"
done
tune 0 --merge "$tmp/odd" "$tmp/odd2" "$tmp/odd3" --format json
equal 'a fact' "$(figure peak_reserved '')" 448790529

# Of several recordings, for any number of shards.
allocctl tune "$a" "$b" --limit 1GiB --format json >"$tmp/one" || true
for count in 1 2 5; do
	shards $count "$a" "$b" --limit 1GiB
	files=$(for i in $(seq $count); do echo "$tmp/$i"; done)
	# shellcheck disable=SC2086 # a list of files
	allocctl tune --merge $files --format json >"$tmp/merged" || true
	cmp "$tmp/one" "$tmp/merged" || fail "merged $count of two files differ"
done

# With all that a request can say.
set -- "$a" "$b" --limit 512MiB --setting max_split_size_mb:77 --torch 2.12 \
	--preset consumer --method guide
shards 2 "$@"
allocctl tune "$@" --format json >"$tmp/one" || true
allocctl tune --merge "$tmp/1" "$tmp/2" --format json >"$tmp/merged" || true
cmp "$tmp/one" "$tmp/merged" || fail 'merged with options differs'
grep -q '"setting":"max_split_size_mb:77"' "$tmp/merged" || fail 'no options'

says() {	# says STATUS TEXT ARGUMENTS
	want=$1
	text=$2
	shift 2
	tune "$want" "$@"
	equal 'standard error' "$(cat "$tmp/err")" "allocctl: $text"
}

says 3 'shard 2 of 2 is missing' --merge "$tmp/1"
says 3 'shard 1 of 2 is missing' --merge "$tmp/2" "$tmp/2"
shards 3 "$a"
cp "$tmp/1" "$tmp/3of3"
shards 2 "$a" --limit 1GiB
says 3 "'$tmp/1' and '$tmp/3of3' are of different searches" \
	--merge "$tmp/1" "$tmp/3of3"
sed 's/"version":"[^"]*"/"version":"0.0.1"/' "$tmp/1" >"$tmp/old"
says 3 "'$tmp/old' is not what 'allocctl tune --shard' wrote: it is of another version" \
	--merge "$tmp/old" "$tmp/2"
echo '{"schema":"allocctl.tune/1"}' >"$tmp/other"
says 3 "'$tmp/other' is not what 'allocctl tune --shard' wrote: it has another schema" \
	--merge "$tmp/other"
sed 's/"recordings":\[\[[0-9]*/"recordings":[[1/' "$tmp/1" >"$tmp/a"
sed 's/"recordings":\[\[[0-9]*/"recordings":[[1/' "$tmp/2" >"$tmp/b"
says 3 "'$a' is not what the shards have read" --merge "$tmp/a" "$tmp/b"
sed 's/"facts":\[\["[^"]*"/"facts":[[7/' "$tmp/1" >"$tmp/damaged"
says 3 "'$tmp/damaged' is not what 'allocctl tune --shard' wrote: a fact is damaged" \
	--merge "$tmp/damaged" "$tmp/2"
tune 3 --merge "$tmp/none"

for shard in 0/2 3/2 1 1/0 a/b 1/2x; do
	says 2 '--shard wants I/N, I from 1 to N' "$a" --shard $shard
done
says 2 '--merge takes --jobs and --format alone: the rest is in the shards' \
	--merge "$tmp/1" "$tmp/2" --card 1GiB
