#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with private pools: what torch did, and what it would have done.
. tests/support.sh
data=tests/data

figure() {	# figure KEY: of the last answer
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$tmp/out"
}

for name in recapture.default recapture.expandable mempools.default \
		compiled.default; do
	allocctl replay $data/$name.pickle.xz --verify >"$tmp/out" ||
		fail "$name is not exact: $(cat "$tmp/out")"
done

# The same program under expandable segments; the figures are torch's own, in
# the companion of recapture.expandable.
allocctl replay $data/recapture.default.pickle.xz --limit none \
	--setting expandable_segments:True --format json >"$tmp/out"
equal 'peak reserved' "$(figure peak_reserved)" 788529152
