#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The probe beside real torch on a real GPU: causes, profiler, cost.
. tests/support.sh
command -v nvidia-smi >/dev/null || skip 'no nvidia-smi'
nvidia-smi >/dev/null 2>&1 || skip 'no GPU'
python3 -c 'import torch; torch.cuda.init()' 2>/dev/null ||
	skip 'no torch that finds a GPU'
python3 tests/gpu/probe.py --bin "$O/bin" --lib "$O/lib" \
	--out "${OUT:-$tmp}/probe-gpu" || fail 'not as it must be'
