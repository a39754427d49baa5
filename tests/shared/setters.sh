#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that change their setting are reproduced if told when.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
PYTHONPATH=$SHARED/oracle:tests/shared PYTHONDONTWRITEBYTECODE=1 \
	python3 tests/shared/setters.py allocctl "$SHARED/traces/setters" "$tmp"
