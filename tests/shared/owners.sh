#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the events of recordings with private pools say of the pools, and the
# owners that follow from it, are those of the model.  OWNERS_STEP=1 takes all
# recordings, in some minutes.
set -eu
. tests/shared/heap.sh
python3 tests/shared/owners.py dump-owners "${OWNERS_STEP:-4}" \
	"$SHARED/traces/random" "$SHARED/traces"
