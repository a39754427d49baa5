#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every recording comes back from convert as it was.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
python3 tests/shared/convert.py "$O/bin/allocctl" "$SHARED/traces"
