#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Triage names the causes that were arranged, of messages and of snapshots.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/tools/ooms.py allocctl tests/data/ooms
