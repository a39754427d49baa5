# SPDX-License-Identifier: Apache-2.0
"""Start record.py in a fresh process, and ask allocctl."""
import collections
import json
import os
import pickle
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SEGMENT_EVENTS = ("segment_alloc", "segment_free", "segment_map", "segment_unmap")


def record(program, out, setting="", cap=0, seed=0, steps=None, history=True, fill=0, cold=False):
    """The companion of a run in a process of its own."""
    command = [sys.executable, os.path.join(HERE, "record.py"), program, out, "--setting", setting, "--cap", str(cap),
               "--seed", str(seed)]
    command += ["--steps", str(steps)] if steps else []
    command += [] if history else ["--no-history"]
    command += ["--cold"] if cold else []
    command += ["--fill", str(fill)] if fill else []
    subprocess.run(command, check=True)
    with open(out + ".json") as file:
        return json.load(file)


def allocctl(program, *arguments):
    """The JSON that a command of allocctl prints; None where it has no answer."""
    done = subprocess.run([program, *arguments, "--format", "json"], capture_output=True, text=True)
    if not done.stdout.strip():
        sys.exit(f"{' '.join([program, *arguments])}: {done.stderr.strip() or f'status {done.returncode}'}")
    return json.loads(done.stdout)


def recorded_segments(path):
    """(action, bytes) of the segment events of a snapshot that one has made oneself."""
    with open(path, "rb") as file:
        traces = pickle.load(file)["device_traces"]
    return [(e["action"], e["size"]) for e in max(traces, key=len) if e["action"] in SEGMENT_EVENTS]


def replayed_segments(program, path, setting, cap):
    """The same of a replay."""
    done = subprocess.run([program, "replay", path, "--setting", setting, "--limit", str(cap), "--emit-events", "-"],
                          capture_output=True, text=True)
    events = map(json.loads, done.stdout.splitlines())
    return [(e["action"], e["size"]) for e in events if e["action"] in SEGMENT_EVENTS]


def counts(segments):
    found = collections.Counter(action for action, _ in segments)
    return {action: found[action] for action in SEGMENT_EVENTS}


def other_processes():
    """Processes that use the card now, as nvidia-smi knows them."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"],
                              capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return done.stdout.split()
