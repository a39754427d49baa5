#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real bash completes commands, options, values and files.
. tests/support.sh
. tests/complete.sh
command -v bash >/dev/null || skip 'no bash'
command -v python3 >/dev/null || skip 'no python3'

check_completions python3 tests/complete.py bash
