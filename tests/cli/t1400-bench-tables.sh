#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each table of bench/README.md is what the results say and has a script that
# makes it; figures that README and docs quote are those of the results.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
export PYTHONDONTWRITEBYTECODE=1
python3 bench/tables.py --check || fail 'bench'

# It sees what is wrong.
mkdir "$tmp/tree"
cp -R README.md docs bench "$tmp/tree"
check() {	# check WANTED: it finds that
	! python3 "$tmp/tree/bench/tables.py" --check >/dev/null 2>"$tmp/err" ||
		fail "not found: $1"
	grep -q -e "$1" "$tmp/err" || fail "$1: $(cat "$tmp/err")"
	cp bench/README.md "$tmp/tree/bench"
	cp README.md "$tmp/tree"
}
echo '| 1 | 2 |' >>"$tmp/tree/bench/README.md"
check 'a table that nothing makes'
sed -i 's/^| made up | 5/| made up | 6/' "$tmp/tree/bench/README.md"
check 'is not what bench/tables.py makes'
sed -i '/bench:reader\/reader/d' "$tmp/tree/bench/README.md"
check 'reader/reader is not shown'
sed -i 's,\* The reader takes 1/,* The reader takes 2/,' "$tmp/tree/README.md"
check 'README.md should say: The reader'
rm "$tmp/tree/bench/reader.py"
check 'there is no bench/reader.py'
