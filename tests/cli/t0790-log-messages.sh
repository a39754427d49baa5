#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Facts of real messages, wrapped, prefixed, coloured and cut in pieces.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/tools/messages.py "$O/bin/log-facts" tests/data/messages.jsonl
