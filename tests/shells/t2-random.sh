#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of shells made at random: what their readers tell is what a child got.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

python3 tests/shells/shells.py random 7 40 ||
	fail 'a value that no child got'
python3 tests/shells/shells.py random 8 40 ||
	fail 'a value that no child got'
