#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What Python gives a child, against a Python that runs the same lines.
. tests/support.sh

command -v python3 >/dev/null || skip 'no python3'
python3 tests/data/read-python.py "$tmp" >"$tmp/out" || {
	cat "$tmp/out" >&2
	fail 'Python does something else'
}
cat "$tmp/out"
