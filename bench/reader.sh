#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reader against CPython's pickle.load(); wanted: a ratio of 4 or more.
set -eu
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 0; }
python3 bench/reader.py "$O/bin/bench-reader"
set -- "${SHARED:-.}"/traces/varlen_gpt.default.pickle.xz
[ ! -e "$1" ] || python3 bench/reader.py "$O/bin/bench-reader" "$@"
