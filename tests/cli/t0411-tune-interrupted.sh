#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C prints what is known so far.
. tests/support.sh
. tests/tune.sh

# Long enough to be interrupted: the same recording many times.
set -- tests/data/seed_squares.cap_gc_split.pickle.xz
while [ $# -lt 20 ]; do
	set -- "$@" "$1"
done
for format in json text; do
	allocctl tune "$@" --format $format --jobs 1 >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep 1
	kill -INT $pid
	status=0
	wait $pid || status=$?
	equal "status, $format" $status 130
	[ ! -s "$tmp/err" ] || fail "$(cat "$tmp/err")"
	[ "$format" = text ] ||
		grep -q '"lower_bound":[a-z]*,"files":' "$tmp/out" ||
		fail 'no report'
	[ "$format" = text ] || grep -q '"partial":true,"limit"' "$tmp/out" ||
		fail 'it does not say that it is partial'
done
grep -q '^interrupted ' "$tmp/out" || fail 'nothing about the interruption'
