# SPDX-License-Identifier: Apache-2.0
"""Compare the reader with pickle.load(), line by line, on every recording.

usage: reader.py DUMP-RECORDING FOLDER
"""
import json
import lzma
import os
import pickle
import subprocess
import sys

UNKNOWN = 2**64 - 1
STATES = {"inactive": 0, "active_allocated": 1, "active_pending_free": 2}


def of_device(value, device, default):
    if isinstance(value, list):
        value = value[device]
    return default if value is None else value


def frames_of(value):
    if "frames" not in value:
        return ""
    return " frames" + ",".join(
        " %s %s %d" % (f["name"], f["filename"], f["line"])
        for f in value["frames"])


def pool_of(event):
    return " pool %d %d" % event["pool_id"] if "pool_id" in event else ""


def device_lines(snapshot, companion, device):
    setting = snapshot["allocator_settings"]["PYTORCH_CUDA_ALLOC_CONF"]
    yield "device %d setting %s cap %d total %d unknown 0" % (
        device,
        of_device(companion.get("conf"), device, setting),
        of_device(companion.get("cap"), device, UNKNOWN),
        of_device(companion.get("total"), device, 0),
    )
    for s in sorted(snapshot["segments"], key=lambda s: s["address"]):
        if s["device"] != device:
            continue
        yield "segment %d %d %d %d %d %d %d%s" % (
            s["address"], s["total_size"], *s["segment_pool_id"],
            s["stream"], s["segment_type"] == "small", s["is_expandable"],
            frames_of(s))
        for b in s["blocks"]:
            yield "block %d %d %d%s" % (
                b["size"], b["requested_size"], STATES[b["state"]],
                frames_of(b))
    for e in snapshot["device_traces"][device]:
        addr = e["device_free"] if e["action"] == "oom" else e["addr"]
        yield "event %s %d %d %d %d%s%s" % (
            e["action"], addr, e["size"], e["stream"], e["time_us"],
            pool_of(e), frames_of(e))


def expected(path):
    snapshot = pickle.loads(lzma.open(path).read())
    companion = {}
    if os.path.exists(path.replace(".pickle.xz", ".json")):
        with open(path.replace(".pickle.xz", ".json")) as f:
            companion = json.load(f)
    yield "torch %s partial 0" % companion.get("torch", "(none)")
    for device in range(len(snapshot["device_traces"])):
        yield from device_lines(snapshot, companion, device)


def differs(program, path):
    got = subprocess.run([program, path], capture_output=True, text=True)
    if got.returncode:
        return got.stderr.strip()
    lines = got.stdout.splitlines()
    want = list(expected(path))
    for number, (a, b) in enumerate(zip(lines, want), 1):
        if a != b:
            return "%s: line %d: '%s', not '%s'" % (path, number, a, b)
    if len(lines) != len(want):
        return "%s: %d lines, not %d" % (path, len(lines), len(want))
    return None


def main():
    program, folder = sys.argv[1:]
    read = bad = 0
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(".pickle.xz"):
                continue
            read += 1
            problem = differs(program, os.path.join(where, name))
            if problem:
                bad += 1
                print(problem)
    print("reader: %d recordings, %d differ" % (read, bad))
    return 1 if bad or not read else 0


if __name__ == "__main__":
    sys.exit(main())
