#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is understood only in part gets no answer.
. tests/support.sh
. tests/tune.sh

# gnn.oom under a cap that was not in force: it held more.
cp tests/data/gnn.oom.pickle.xz "$tmp/wrong.pickle.xz"
echo '{"conf": "", "cap": 8300000000}' >"$tmp/wrong.json"
tune 3 "$tmp/wrong.pickle.xz" --format json
equal 'the answer' "$(cat "$tmp/out")" null
grep -q 'only 5,482 of its 8,495 events are understood' "$tmp/err" ||
	fail "message: $(cat "$tmp/err")"
status=0
allocctl replay "$tmp/wrong.pickle.xz" >"$tmp/out" || status=$?
equal 'exit status of replay' "$status" 3
