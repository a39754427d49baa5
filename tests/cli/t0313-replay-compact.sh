#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Policy compact: what it needs of memory, see compact-bounds.awk; the report;
# what it refuses.
. tests/support.sh
data=tests/data

# What is live is torch's own count, in the companion: no limit below it.
compact-figures -q $data/gnn.oom.pickle.xz $data/big_random.default.pickle.xz \
	$data/graphs.default.pickle.xz $data/streams.default.pickle.xz \
	$data/windows-varlen_gpt.late.pickle.xz $data/two.pickle.xz \
	$data/compiled.default.pickle.xz $data/ooms/oom_leak_cache.pickle.xz \
	>"$tmp/figures" || fail 'figures'
awk -v least=9 -f tests/tools/compact-bounds.awk "$tmp/figures" ||
	fail 'out of bounds'

allocctl replay $data/big_random.default.pickle.xz --policy compact \
	--limit 8800M >"$tmp/out" || fail 'at 1.02 of what is live'
grep -q '^replayed    policy compact, limit cap of 8.59 GiB$' "$tmp/out" ||
	fail "what was replayed: $(cat "$tmp/out")"
grep -q '^minimum     8\.5[0-9] GiB' "$tmp/out" || fail 'the minimum'
status=0
allocctl replay $data/big_random.default.pickle.xz --policy compact \
	--limit 8600M --format json >"$tmp/out" || status=$?
equal 'status below what is live' "$status" 1
grep -q '"outcome":"oom"' "$tmp/out" || fail 'the outcome in JSON'
grep -q '"compact":{"creates":[1-9]' "$tmp/out" || fail 'figures in JSON'

status=0
allocctl replay $data/streams.default.pickle.xz --policy compact --verify \
	>"$tmp/out" 2>"$tmp/err" || status=$?
equal 'status of --verify' "$status" 2
