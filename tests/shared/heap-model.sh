#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heap and the readable model of torch's allocator do the same on random
# programs under random settings, limits and layouts.
set -eu
. tests/shared/heap.sh
python3 tests/shared/heap-model.py "${PROGRAMS:-3000}"
