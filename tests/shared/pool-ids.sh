#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recordings whose events tell their pools are reproduced to the last event.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
PYTHONPATH=$SHARED/oracle:tests/shared PYTHONDONTWRITEBYTECODE=1 \
	python3 tests/shared/pool-ids.py allocctl "$SHARED/traces/random" "$tmp"
