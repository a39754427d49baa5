#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replay says what torch did under other settings, limits and full cards.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/remedy.py allocctl "$SHARED/traces"
