#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Settings as people write them: verdicts by release, and corrections that
# the model of torch's parsers accepts.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
[ -e "$SHARED/reports/settings.jsonl" ] || skip "no reports in $SHARED"
[ -e "$SHARED/oracle/conf_parser_model.py" ] || skip "no model in $SHARED"

PYTHONDONTWRITEBYTECODE=1 python3 tests/shared/reports-settings.py "$SHARED"
