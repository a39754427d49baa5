#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real zsh completes commands, options, values and files.
. tests/support.sh
. tests/complete.sh
command -v zsh >/dev/null || skip 'no zsh'
command -v python3 >/dev/null || skip 'no python3'

check_completions python3 tests/complete.py zsh
