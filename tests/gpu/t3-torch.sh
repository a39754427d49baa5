#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# liballoc-torch.so in real torch on a real GPU: right results, memory, time.
# SECONDS_MOST bounds it (900).
. tests/support.sh
command -v nvidia-smi >/dev/null || skip 'no nvidia-smi'
nvidia-smi >/dev/null 2>&1 || skip 'no GPU'
python3 -c 'import torch; torch.cuda.init()' 2>/dev/null ||
	skip 'no torch that finds a GPU'
python3 tests/gpu/torch_plugin.py --lib "$O/lib" \
	--out "${OUT:-$tmp}/torch-gpu" --seconds "${SECONDS_MOST:-900}" ||
	fail 'not as it must be'
