#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files with variables: what python-dotenv, PyYAML, libpam and systemd read.
. tests/support.sh

command -v python3 >/dev/null || skip 'no python3'
python3 tests/data/read-files.py >"$tmp/out" 2>"$tmp/err" || {
	cat "$tmp/out" "$tmp/err" >&2
	fail 'a reader differs from the program that it stands for'
}
cat "$tmp/out"
grep -q ' lines agree' "$tmp/out" || skip 'none of the programs is here'
