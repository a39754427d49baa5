# SPDX-License-Identifier: Apache-2.0
"""Write a recording as long as wanted: a recorded program again and again, played by the readable model.

usage: long-recording.py RECORDING EVENTS OUT, with the model's folder in PYTHONPATH
"""
import json
import pickle
import sys

from heap_model import DEFAULT, Recording, decode, fresh_device, play


def repeated(ops, times):
    """The ops so often; what is left at the end of each is freed."""
    for turn in range(times):
        held = {}
        for op in ops:
            name = (turn, op[1])
            yield (op[0], name if op[0] not in ("flush", "drop_pool") else op[1], *op[2:])
            if op[0] == "alloc":
                held[name] = True
            elif op[0] == "complete":
                held.pop(name, None)
        for name in held:
            yield ("request", name)
            yield ("complete", name)
    yield ("flush", DEFAULT)


source, events, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
recording = Recording(source)
program = decode(recording)
program.ops = list(repeated(program.ops, -(-events // len(recording.stream()))))
heap, failed = play(program, recording.settings, None, fresh_device(program))
assert failed is None
trace = [{"action": e[0], "addr": e[1], "size": e[2], "stream": e[3], "time_us": i, "frames": []}
         for i, e in enumerate(heap.out[:events + 100000])]
with open(out, "wb") as file:
    pickle.dump({"segments": [], "device_traces": [trace], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""}}, file)
with open(out.rsplit(".", 1)[0] + ".json", "w") as file:
    json.dump({"conf": "", "cap": 0, "total": recording.total}, file)
print(len(trace), "events", heap.peak_reserved, "peak reserved")
