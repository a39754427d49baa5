#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reader against CPython's pickle.load(); wanted: a ratio of 4 or more.
set -eu
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 0; }
python3 bench/reader.py "$O/bin/bench-reader"
for name in varlen_gpt.default gnn.default seed_squares.default \
	windows/gnn.frames; do
	file=${SHARED:-.}/traces/$name.pickle.xz
	[ ! -e "$file" ] || python3 bench/reader.py "$O/bin/bench-reader" "$file"
done
