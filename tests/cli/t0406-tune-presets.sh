#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl tune --preset: the guides' settings, their search, and that the
# figures of conf/presets.yaml are what replay gives.
. tests/support.sh

tune() {	# tune WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl tune "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of tune $*" "$status" "$want"
}

data=tests/data
file=$data/big_random.default.pickle.xz
tune 0 "$file" --card 12GiB --preset stepwise --preset v100
grep -q -x -F 'guides      stepwise: 1 of 4 tried, max_split_size_mb:2048, needs 10.75 GiB (winner 10.75 GiB)' "$tmp/out" ||
	fail "$(grep guides "$tmp/out")"
grep -q '^guides      v100: 1 of 2 tried, max_split_size_mb:128, needs 8.89 GiB' \
	"$tmp/out" || fail 'v100'
# What the guides' search finds is what replay says, one after the other.
for mb in 2048 1536 1024; do
	! allocctl replay "$file" --setting "max_split_size_mb:$mb" \
		--card 10.5GiB >/dev/null || fail "$mb fits"
done
allocctl replay "$file" --setting max_split_size_mb:512 --card 10.5GiB \
	>/dev/null || fail '512 does not fit'
tune 0 "$file" --card 10.5GiB --preset stepwise --format json
grep -q '"guides":\[{"preset":"stepwise","tried":4,"setting":"max_split_size_mb:512"}\]' \
	"$tmp/out" || fail "$(grep -o '"guides[^]]*' "$tmp/out")"
tune 0 "$file" --card 10GiB --preset stepwise
grep -q -x 'guides      stepwise: none of 3 fits' "$tmp/out" ||
	fail "$(grep guides "$tmp/out")"
tune 2 "$file" --preset best
equal 'no such preset' "$(cat "$tmp/err")" \
	"allocctl: no preset 'best'; see allocctl explain presets"

command -v python3 >/dev/null || skip 'no python3 to compare figures with'
settings=$(sed -n 's/^  - setting: /--setting /p' conf/presets.yaml)
for r in big_random.default big_random.11.base gnn.oom remedy-gnn.12.oom \
		seed_squares.cap_gc_split streams.default; do
	# shellcheck disable=SC2086 # a list
	tune 0 "$data/$r.pickle.xz" --limit 64GiB --format json $settings
	cat "$tmp/out" >>"$tmp/all"
done
python3 - "$tmp/all" conf/presets.yaml <<'EOF' || fail 'figures'
import json
import re
import sys

ratios = {}
for line in open(sys.argv[1]):
    settings = {s["setting"]: s for s in json.loads(line)["settings"]}
    for name, s in settings.items():
        for i, key in enumerate(("minimum_memory", "peak_reserved")):
            if s.get(key):
                ratios.setdefault(name, ([], []))[i].append(
                    s[key] / settings[""][key])
text = open(sys.argv[2]).read().split("replays:")[1]
rows = re.findall(r"setting: (\S+)\s+needs: (\S+) (\S+)\s+"
                  r"reserves: (\S+) (\S+)", text)
assert len(rows) == 8, rows
for name, *told in rows:
    needs, reserves = ratios[name]
    assert len(needs) == 6, name
    found = ["%.3f" % f for f in
             (min(needs), max(needs), min(reserves), max(reserves))]
    assert found == told, (name, found, told)
EOF
