#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Would it run?  As torch did under other settings and limits, and the peaks
# that it reached.
. tests/support.sh

replay() {	# replay STATUS ARGUMENTS...: the report is in $tmp/out
	wanted=$1
	shift
	status=0
	allocctl replay "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "exit status of replay $*" "$status" "$wanted"
}

tab=$(printf '\t')
while IFS="$tab" read -r cap outcome setting; do
	status=0
	[ "$outcome" = runs ] || status=1
	replay "$status" tests/data/big_random.11.base.pickle.xz \
		--limit "$cap" --setting "$setting"
done <tests/data/remedy.tsv

# As recorded: the run failed.
replay 1 tests/data/gnn.oom.pickle.xz
replay 0 tests/data/big_random.default.pickle.xz
# A full card: torch got past the request under max_split_size_mb:128.
replay 0 tests/data/card.pickle.xz --setting max_split_size_mb:128
grep -q 'card of 9.12 GiB, from the OOM event of a full card' "$tmp/out" ||
	fail 'the limit of a full card'

# The peak of the same program, run by torch under another setting.
replay 0 tests/data/big_random.default.pickle.xz --format json \
	--setting max_split_size_mb:128
grep -q '"peak_reserved":27680309248,' "$tmp/out" || fail 'peak of split128'
replay 0 tests/data/big_random.default.pickle.xz --format json \
	--setting roundup_power2_divisions:4
grep -q '"peak_reserved":12515803136,' "$tmp/out" || fail 'peak of roundup4'
