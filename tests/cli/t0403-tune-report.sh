#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The report for people: what stands in it, and the lines to paste.
. tests/support.sh
. tests/tune.sh

has() {	# has TEXT
	grep -q -F -e "$1" "$tmp/out" || fail "no '$1'"
}

tune 0 tests/data/big_random.oom.pickle.xz
has 'exact: 653 of 653 placements, 28 of 28 segment events'
has 'limit       cap of 7.59 GiB (8149763635 bytes), from the companion file'
has 'the recording ends in an OOM'
has 'replayed under exactly a cap of 7.59 GiB (8149763635 bytes) in all 5 layouts: runs'
[ "$(wc -l <"$tmp/out")" -lt 60 ] || fail 'the report is long'
LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" && fail 'colours in a file'
[ ! -s "$tmp/err" ] || fail 'progress in a file'

# The line for bash sets what torch takes.
line=$(sed -n 's/^  bash  *//p' "$tmp/out")
value=$(sh -c "$line"'; printf %s "$PYTORCH_CUDA_ALLOC_CONF"')
allocctl check "$value" >"$tmp/check" || fail "torch refuses '$value'"

# A minimum only holds under a cap, which the line brings along.
tune 0 tests/data/big_random.default.pickle.xz
line=$(sed -n 's/^  bash  *//p' "$tmp/out")
value=$(sh -c "$line"'; printf %s "$PYTORCH_CUDA_ALLOC_CONF"')
allocctl check "$value" >"$tmp/check" || fail "torch refuses '$value'"
fraction=${value##*per_process_memory_fraction:}
limit=$(sed -n 's/.*replayed under exactly a cap of .*(\([0-9]*\) bytes).*/\1/p' \
	"$tmp/out")
awk -v f="$fraction" -v limit="$limit" 'BEGIN {
	cap = int(f * 150109880320)
	exit !(cap >= limit && cap < limit + 4096)
}' || fail "a fraction of $fraction is not $limit"
allocctl replay tests/data/big_random.default.pickle.xz --setting "$value" \
	>"$tmp/replay" || fail "'$value' does not run"

# Where the default wins there is nothing to set.
tune 0 tests/data/big_random.default.pickle.xz --card H200
has 'nothing to set'
