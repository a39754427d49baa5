#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Settings that were given to the setter, before the events before which they
# were: then, and only then, all is reproduced.
. tests/support.sh
file=tests/data/setters.s2016.pickle.xz
gc=garbage_collection_threshold:0.5
chains=expandable_segments:True

allocctl replay $file --verify --set-at 219:$chains --set-at 134:$gc \
	>"$tmp/out" || fail 'not reproduced'
grep -q 'self-check  exact: 315 of 315 placements, 99 of 99 segment events, 5 of 5 OOMs' \
	"$tmp/out" || fail "the self-check: $(cat "$tmp/out")"
allocctl replay $file --set-at 134:$gc --set-at 219:$chains --format json \
	>"$tmp/out" || fail 'it does not run'
grep -q '"exact":true,"placements":315,' "$tmp/out" || fail 'JSON'

# Too late, and the two of them exchanged.
differs() {	# differs WORDS OPTIONS
	words=$1 status=0
	shift
	allocctl replay $file --verify "$@" >"$tmp/out" || status=$?
	equal "status, $words" $status 1
}
differs 'too late' --set-at 134:$gc --set-at 400:$chains
differs exchanged --set-at 134:$chains --set-at 219:$gc

# Behind the last event one may be made, but not beyond that.
last=$(allocctl replay $file --format json | sed 's/.*"events":\([0-9]*\).*/\1/')
allocctl replay $file --set-at "$last:$chains" >/dev/null 2>"$tmp/err" || :
! grep -q 'there is no event' "$tmp/err" || fail 'at the end'
allocctl replay $file --set-at "$((last + 1)):$chains" 2>"$tmp/err" &&
	fail 'beyond the end'
grep -q "there is no event $((last + 1)) " "$tmp/err" ||
	fail "the reason: $(cat "$tmp/err")"
