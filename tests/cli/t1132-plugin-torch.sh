#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The plug-in in the PyTorch at hand (TORCH_PYTHON, or python3), without a GPU:
# hooks are taken, and what it throws is the type that programs catch.
. tests/support.sh
python=${TORCH_PYTHON:-python3}
"$python" -c 'import torch; assert torch.version.cuda' 2>/dev/null ||
	skip 'no torch with CUDA'
[ -e "$O/lib/liballoc-torch.so" ] || skip 'no liballoc-torch.so'
case ${SANITIZE-} in ?*) skip 'a sanitizer would have to be loaded first' ;; esac
export LIBALLOC_TORCH="$O/lib/liballoc-torch.so" PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=liballoc/torch/python "$python" -W ignore - <<'END' || fail 'not so'
import torch
import liballoc_torch as la

for act, kind, text in (
        (la.memory_stats, RuntimeError, "not enabled"),
        (la.disable, RuntimeError, "cannot be disabled"),
        (lambda: la.enable("best"), ValueError, "policy wants"),
        (lambda: la.enable(record="a,b"), ValueError, "comma")):
    try:
        act()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
la.enable("torch")
la.enable("torch")
assert la.is_enabled()
la.library().la_torch_trial()
try:
    torch._C._cuda_emptyCache()
except torch.cuda.OutOfMemoryError as error:
    assert type(error) is torch.cuda.OutOfMemoryError
    assert str(error).startswith("CUDA out of memory. Tried to allocate ")
else:
    raise AssertionError("nothing was thrown")
torch._C._cuda_emptyCache()
END
