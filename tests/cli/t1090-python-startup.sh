#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The start-up of Python: what it hides runs, other programs see nothing of it,
# and at an OOM it leaves one snapshot with a companion that allocctl reads.
# torch is a stand-in of its own names; bench and GPU tests use the real one.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
shim=$PWD/liballoc/torch/python
out=$tmp/out
mkdir -p "$out" "$tmp/site/torch"
cat >"$tmp/site/torch/__init__.py" <<'END'
import types

__version__ = "2.11.0+cu130"
SNAPSHOT = {"segments": [], "device_traces": [[
    {"action": "oom", "device_free": 1048576, "size": 4194304, "stream": 0,
     "time_us": 1, "frames": []}]], "allocator_settings": {}}
observers, queued, history = [], [], []
cuda = types.SimpleNamespace(
    _lazy_call=queued.append, device_count=lambda: 1,
    get_device_properties=lambda d: types.SimpleNamespace(total_memory=1 << 30),
    get_per_process_memory_fraction=lambda d: 0.5,
    get_device_name=lambda d: "NVIDIA H200",
    memory=types.SimpleNamespace(
        _record_memory_history=lambda **how: history.append(how),
        _snapshot=lambda: SNAPSHOT))
_C = types.SimpleNamespace(
    _cuda_attach_out_of_memory_observer=observers.append)


def init():
    while queued:
        queued.pop(0)()


def run_out():
    for observer in observers:
        observer(0, 4194304, 1 << 30, 1048576)
END

python_with() {	# python_with PROGRAM, with the shim and what it hides
	PYTHONPATH=$shim:$tmp/site CUPTI_PROBE_SNAPSHOT=${folder-$out} \
		PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64 python3 -c "$1"
}
torch='import torch; torch.init(); torch.run_out(); torch.run_out()'

equal 'output of a program without torch' "$(python_with 'print(1)' 2>&1)" 1
equal 'its files' "$(ls "$out")" ''
equal 'output' "$(python_with "$torch" 2>&1)" ''
equal 'files' "$(ls "$out" | sed 's/.*oom/oom/' | tr '\n' ' ')" \
	'oom.json oom.pickle '
equal 'mode' "$(stat -c %a "$out"/*.pickle)" 600
equal 'history' "$(python_with 'import torch; torch.init()
print(torch.history)')" "[{'max_entries': 100000, 'stacks': 'python'}]"
allocctl triage --format json "$out"/*.pickle >"$tmp/told" || [ $? -eq 1 ]
python3 - "$tmp/told" "$out"/*.json <<'END' || fail 'the companion'
import json
import sys

told, companion = (json.load(open(path)) for path in sys.argv[1:])
assert companion["cap"] == [1 << 29] and companion["total"] == [1 << 30]
assert companion["conf"] == "max_split_size_mb:64"
assert "max_split_size_mb:64" in json.dumps(told)
END

# A child has a name of its own; a second process of that name loses nothing.
equal 'forked' "$(python_with "import os
if os.fork() == 0:
	$torch
	os._exit(0)
os.wait()" 2>&1)" ''

echo 'print("hidden")' >"$tmp/site/sitecustomize.py"
equal 'what it hides' "$(python_with "$torch" 2>&1)" hidden
echo 'raise SystemExit(7)' >"$tmp/site/sitecustomize.py"
equal 'status of what it hides' \
	"$(python_with 'print(1)' >/dev/null 2>&1; echo $?)" \
	"$(PYTHONPATH=$tmp/site python3 -c 'print(1)' >/dev/null 2>&1; echo $?)"
rm "$tmp/site/sitecustomize.py"

# Nothing that goes wrong is the program's business.
for folder in "$tmp/missing" /dev/null /proc; do
	equal "in $folder" "$(python_with "$torch; print('on')" 2>&1)" on
done
folder=$out
equal 'torch that lacks all' "$(python_with 'import sys
import types
sys.path.insert(0, sys.argv[0])
import torch
del torch.cuda
torch.init
print("on")' 2>&1)" on
equal 'asked for and not imported' "$(python_with '
import importlib.util
importlib.util.find_spec("torch")
import torch
print(len(torch.queued))')" 1
equal 'without the variable' "$(folder='' python_with "$torch
print(len(torch.observers))")" 0
