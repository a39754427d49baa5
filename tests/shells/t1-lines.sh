#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of shells: what their readers tell is what a child got.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

python3 tests/shells/shells.py lines tests/shells/lines.txt ||
	fail 'a value that no child got'
