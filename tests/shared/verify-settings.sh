#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl verify: the value that a program sees of lines that people wrote,
# and the slip in each.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
[ -e "$SHARED/reports/settings.jsonl" ] || skip "no reports in $SHARED"

PYTHONDONTWRITEBYTECODE=1 python3 tests/shared/verify-settings.py \
	"$SHARED/reports/settings.jsonl"
