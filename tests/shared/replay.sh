#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every recording without private pools and expandable segments is replayed
# to the byte, with and without its companion file.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/replay.py allocctl "$SHARED/traces" "$tmp"
