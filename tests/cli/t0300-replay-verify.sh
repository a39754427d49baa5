#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recordings are reproduced to the byte; torch's own peak is the replay's.
. tests/support.sh

number() {	# number KEY FILE: of a member of a JSON object
	sed -n 's/.*"'"$1"'": *\([0-9]*\).*/\1/p' "$2"
}

exact() {	# exact NAME PLACEMENTS SEGMENT_EVENTS
	file=tests/data/$1.pickle.xz
	allocctl replay "$file" --verify --format json >"$tmp/out" ||
		fail "$1: exit status $?"
	equal "placements of $1" "$(number placements_right "$tmp/out")" "$2"
	equal "all placements of $1" "$(number placements "$tmp/out")" "$2"
	equal "segment events of $1" \
		"$(number segment_events_right "$tmp/out")" "$3"
	equal "adopted in $1" "$(number events_adopted "$tmp/out")" 0
	peak=$(number peak_reserved_replayed "$tmp/out")
	equal "peak of $1" "$peak" "$(number peak_reserved_recorded "$tmp/out")"
	case $1 in windows-* | oom_*) return ;; esac
	equal "peak of $1 in torch" "$peak" \
		"$(number reserved_bytes.all.peak "tests/data/$1.json")"
}

exact big_random.default 1500 33
exact big_random.cap 868 29
exact big_random.cap_gc_split 1500 613
exact big_random.split128 1500 108
exact big_random.roundup4 1500 34
exact big_random.oom 653 28
exact gnn.oom 2814 58
exact streams.default 692 237
exact streams.cap 190 105
exact streams.cap_gc_split 92 59
exact seed_squares.cap_gc_split 5599 103
exact windows-gnn.first 753 35
exact oom_capacity 27 27
exact oom_fraction 5 5
exact oom_too_large 0 0
