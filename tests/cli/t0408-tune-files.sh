#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several recordings at once: one setting for all, the worst one decides.
. tests/support.sh
. tests/tune.sh

a=tests/data/big_random.default.pickle.xz
b=tests/data/big_random.11.base.pickle.xz
tune 0 "$a" "$b" --format json
cp "$tmp/out" "$tmp/both"
winner=$(member winner | tr -d '"')

# The rows of all files together are the worst of each alone.
for file in "$a" "$b"; do
	tune 0 "$file" --format json
	for setting in '' max_split_size_mb:128 roundup_power2_divisions:4; do
		figure peak_reserved "$setting"
	done >"$tmp/${file##*/}"
done
paste "$tmp/${a##*/}" "$tmp/${b##*/}" |
	awk '{ print ($1 > $2 ? $1 : $2) }' >"$tmp/worst"
sed 's/"files":\[.*\],"settings"/"settings"/' "$tmp/both" >"$tmp/out"
for setting in '' max_split_size_mb:128 roundup_power2_divisions:4; do
	figure peak_reserved "$setting"
done >"$tmp/got"
cmp -s "$tmp/worst" "$tmp/got" || fail "$(paste "$tmp/worst" "$tmp/got")"

# The winner runs in every file under the limit that is told.
limit=$(member winner_limit | tr -dc 0-9)
for file in "$a" "$b"; do
	allocctl replay "$file" --setting "$winner" --limit "$limit" \
		>"$tmp/replay" || fail "'$winner' fails in $file"
done
command -v python3 >/dev/null || skip 'no python3 to read the report with'
python3 - "$tmp/both" <<'EOF' || fail 'the report of two files'
import json
import sys

report = json.load(open(sys.argv[1]))
files = report["files"]
assert [f["file"].split("/")[-1] for f in files] == [
    "big_random.default.pickle.xz", "big_random.11.base.pickle.xz"]
assert report["peak_live"] == max(f["peak_live"] for f in files)
assert report["plan"] == max(f["plan"] for f in files)
for i, row in enumerate(report["settings"]):
    each = [f["settings"][i] for f in files]
    assert all(e["setting"] == row["setting"] for e in each)
    needs = [e["minimum_memory"] for e in each]
    if row["minimum_memory"]:
        assert row["minimum_memory"] == max(needs), row
        assert row["estimated_seconds"] == max(
            e["estimated_seconds"] for e in each)
EOF
tune 0 "$a" "$b" --card 9GiB
grep -q '^    one setting for all of them; the worst file decides$' "$tmp/out" ||
	fail 'no table of files'
equal 'rows of files' "$(grep -c 'tests/data/big_random.*pickle.xz$' "$tmp/out")" 2
tune 3 "$a" tests/data/none.pickle
