#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Batch files made at random: what their reader tells is what a child of wine's
# cmd gets, or it says why it does not tell.
. tests/support.sh
. tests/wine/support.sh
command -v python3 >/dev/null || skip 'no python3'

mkdir "$tmp/lines"
"$cross" -O2 -o "$tmp/lines/probe.exe" tests/wine/cmd-probe.c || fail 'probe'
unset PYTORCH_CUDA_ALLOC_CONF
python3 tests/wine/cmd-lines.py random 7 100 "$tmp/lines" read-script ||
	fail 'the reader tells what no child of wine got'
