#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without the companion file the limit is learnt from the events: the interval
# holds the cap that torch had, which the companion tells.
. tests/support.sh

number() {	# number KEY FILE: of a member of a JSON object
	sed -n 's/.*"'"$1"'": *\([0-9]*\).*/\1/p' "$2"
}

inside() {	# inside NAME
	cp "tests/data/$1.pickle.xz" "$tmp/alone.pickle.xz"
	allocctl replay "$tmp/alone.pickle.xz" --verify --format json \
		>"$tmp/out" || fail "$1: exit status $?"
	grep -q '"limit":{"kind":"cap","bytes":[0-9]*},"limit_source":"the events"' \
		"$tmp/out" || fail "$1: where the limit comes from"
	range=$(sed -n 's/.*"limit_range":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/p' \
		"$tmp/out")
	cap=$(number cap "tests/data/$1.json")
	[ "${range% *}" -le "$cap" ] && [ "$cap" -le "${range#* }" ] ||
		fail "$1: $cap is not in '$range'"
	# A fifth of the cap is what the widest of them leaves open.
	[ "$((${range#* } - ${range% *}))" -lt "$((cap / 5))" ] ||
		fail "$1: '$range' is too wide"
}

# What was refused is an upper bound.
inside big_random.cap
inside big_random.oom
inside streams.cap
inside gnn.oom
# What age collection gave back, and when.
inside big_random.cap_gc_split
inside streams.cap_gc_split
inside seed_squares.cap_gc_split
