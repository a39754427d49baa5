#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that start others: what the analyser tells is what the last one got.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

while IFS='	' read -r program line; do
	! command -v "$program" >/dev/null || printf '%s\n' "$line"
done <tests/shells/launchers.txt >"$tmp/lines"
python3 tests/shells/shells.py lines "$tmp/lines" bash ||
	fail 'a value that no program got'
