#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What replay tells of an OOM is the readable model's heap at that moment.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/oom.py allocctl "$SHARED"
