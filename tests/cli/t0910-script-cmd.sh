#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of cmd: what their reader tells is what a child got.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

python3 tests/wine/cmd-lines.py read tests/data/cmd-lines.jsonl read-script ||
	fail 'a value that no child got'
