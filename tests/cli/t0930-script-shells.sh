#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the readers of shells tell is what a child got: as it was recorded, and
# in the shells of this machine.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'

python3 tests/shells/shells.py recorded tests/data/shell-matrix.txt ||
	fail 'not what was recorded'
python3 tests/shells/shells.py live tests/data/shell-matrix.txt ||
	fail 'not what a child gets here'
