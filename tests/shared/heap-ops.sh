#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heap plays the true programs of recordings made on a GPU: every event
# and torch's final statistics are the same.
set -eu
. tests/shared/heap.sh
python3 tests/shared/heap-ops.py "$SHARED/traces/random" "$SHARED/traces/setters"
