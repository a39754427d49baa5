#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of the guides end and print as the guides show.
. tests/support.sh
. tests/guide.sh
[ -z "${SANITIZE:-}" ] || skip 'takes minutes; other tests run each command'
command -v allocctl >/dev/null || skip 'no allocctl'
command -v cupti-probe >/dev/null || skip 'no cupti-probe'
command -v xz >/dev/null || skip 'no xz'
[ -r /proc/self/environ ] || skip 'no /proc'
allocctl check --policy conf/policy.example.yaml '' >"$tmp/out" 2>&1 || :
! grep -q 'no YAML reader' "$tmp/out" || skip 'built without libyaml'
allocctl replay tests/data/big_random.oom.pickle.xz >"$tmp/out" 2>&1 || :
grep -q 'from the companion file' "$tmp/out" ||
	skip 'built without liblzma or jansson'
for guide in oom settings cluster; do
	check_run $guide
done
