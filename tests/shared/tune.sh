#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tune agrees with the GPU and with the readable model.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
PYTHONPATH=$SHARED/oracle PYTHONDONTWRITEBYTECODE=1 \
	python3 tests/shared/tune.py allocctl "$SHARED/traces"
