#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""replay.py ALLOCCTL TRACES TMP: recordings against replays, event by event.

For each recording of TRACES that changes no setting while it runs: `replay --verify` is exact; the
events that are emitted are those of the pickle, read here by Python; torch's own statistics agree; and all that holds
without the companion file too, where the limit has to be found.  The recordings are our own, so unpickling is safe."""
import json
import lzma
import os
import pickle
import subprocess
import sys

ALLOCCTL, TRACES, TMP = sys.argv[1:4]
SEGMENT_EVENTS = {"segment_alloc", "segment_free", "segment_map", "segment_unmap"}
# Recordings in which flushes of the program read as well as the allocator's own.
FLUSHES_UNDECIDED = {"streams.cap", "random/r1029", "random/r1072", "random/r1123"}
# ... and whose limit is not found without companion: age collection and private pools hide it.
LIMIT_UNDECIDED = {"random/r1077", "random/r1109", "random/r1122"}


def recordings():
    for folder, _, names in sorted(os.walk(TRACES)):
        for name in sorted(names):
            if name.endswith(".pickle.xz") and not folder.endswith("setters"):
                yield os.path.join(folder, name)


def run(path, *args):
    done = subprocess.run([ALLOCCTL, "replay", path, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def wanted(trace, device):
    """The recorded events in the form of --emit-events."""
    return [{"action": e["action"], "device": device, "addr": e.get("addr"), "size": e["size"], "stream": e["stream"]}
            for e in trace if e["action"] in SEGMENT_EVENTS | {"alloc", "oom"}]


def check_device(path, device, trace, stats, name, pools):
    wrong = []
    status, out, err = run(path, "--verify", "--device", str(device), "--format", "json")
    check = json.loads(out)["self_check"] if status in (0, 1) else {"exact": False, "error": err}
    if status or not check["exact"]:
        return [f"--verify: status {status} {check}"]
    events = os.path.join(TMP, "events.jsonl")
    status, out, err = run(path, "--device", str(device), "--emit-events", events, "--format", "json")
    with open(events) as file:
        got = [json.loads(line) for line in file]
    want = wanted(trace, device)
    if got != want:
        wrong.append(f"emitted events differ from event {next(i for i, (a, b) in enumerate(zip(got, want)) if a != b)}"
                     if len(got) == len(want) else f"{len(got)} events emitted, {len(want)} recorded")
    failed = any(e["action"] == "oom" for e in trace) and last_request(trace) == "oom"
    if status != (1 if failed else 0):
        wrong.append(f"status {status}, though the run {'failed' if failed else 'ended well'}")
    if stats:
        answer = json.loads(out)
        operations = answer["device_operations"]
        pairs = {"reserved_bytes.all.peak": answer["peak_reserved"],
                 "num_device_alloc": operations["mallocs"] + operations["maps"],
                 "num_device_free": operations["frees"] + operations["unmaps"], "num_ooms": answer["ooms"]}
        if name not in FLUSHES_UNDECIDED and not pools:
            pairs["num_alloc_retries"] = answer["retries"]
        wrong += [f"{key}: torch {stats[key]}, replayed {value}" for key, value in pairs.items()
                  if stats.get(key, value) != value]
    return wrong


def last_request(trace):
    return next((e["action"] for e in reversed(trace) if e["action"] in ("alloc", "oom")), None)


def check(path, failures):
    with lzma.open(path) as file:
        snapshot = pickle.load(file)
    companion = path.replace(".pickle.xz", ".json")
    meta = {}
    if os.path.exists(companion):
        with open(companion) as file:
            meta = json.load(file)
    bare = os.path.join(TMP, "bare.pickle.xz")
    with open(path, "rb") as source, open(bare, "wb") as target:
        target.write(source.read())
    name = os.path.relpath(path, TRACES).removesuffix(".pickle.xz")
    full = "windows" not in name                # else torch's counters go further back than the history
    for device, trace in enumerate(snapshot["device_traces"]):
        if not trace:
            continue
        stats = meta.get("stats", {})
        stats = stats[device] if isinstance(stats, list) else stats
        for where, file in (("", path), (" without companion", bare)):
            if where and name in LIMIT_UNDECIDED:
                continue
            for line in check_device(file, device, trace, stats if full and not where else {}, name,
                                     meta.get("pools")):
                failures.append(f"{name} device {device}{where}: {line}")
    return 1


seen, problems = 0, []
for recording in recordings():
    seen += check(recording, problems)
print(*problems, sep="\n")
print(f"{seen} recordings, {len(problems)} problems")
sys.exit(bool(problems) or not seen)
