#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was recorded of lines of cmd is what wine's cmd gives a child now.
. tests/support.sh
. tests/wine/support.sh
command -v python3 >/dev/null || skip 'no python3'

mkdir "$tmp/lines"
"$cross" -O2 -o "$tmp/lines/probe.exe" tests/wine/cmd-probe.c || fail 'probe'
unset PYTORCH_CUDA_ALLOC_CONF
python3 tests/wine/cmd-lines.py run tests/data/cmd-lines.jsonl "$tmp/lines" ||
	fail 'wine differs from what was recorded'
