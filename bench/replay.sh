#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The engine against play() of the readable model; wanted: a ratio of 14 or
# more, under expandable segments of 7 or more.
set -eu
[ -d "${SHARED:-.}/oracle" ] || { echo 'skipped: no model in SHARED'; exit 0; }
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 0; }
PYTHONPATH=$SHARED/oracle PYTHONDONTWRITEBYTECODE=1 python3 bench/replay.py \
	"$O/bin/bench-replay" "$SHARED"/traces/varlen_gpt.default.pickle.xz \
	"$SHARED"/traces/gnn.default.pickle.xz \
	"$SHARED"/traces/seed_squares.default.pickle.xz \
	"$SHARED"/traces/varlen_gpt.expandable.pickle.xz \
	"$SHARED"/traces/gnn.expandable.pickle.xz \
	"$SHARED"/traces/streams.expandable.pickle.xz
