#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""triage-remedies.py TRIAGE-RECORDING TRACES TMP: facts and remedies of failed runs.

Facts: each number of torch's message is the recording's, rounded; what does not leak is not said to.  Remedies: what
torch did under other settings, from the whole history (right, or open where placement decides) and from rings that hold
its last events (right or open).  Prints what differs, then counts; status 1 if anything differs."""
import collections
import glob
import json
import lzma
import os
import pickle
import re
import shutil
import subprocess
import sys

TOOL, TRACES, TMP = sys.argv[1:4]
UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
PRINTED = {
    "segment": r"Tried to allocate (\S+ \w+)\.", "free": r"of which (\S+ \w+) is free", "allowed": r"(\S+ \w+) allowed;",
    "allocated": r"memory (\S+ \w+) is allocated by", "private": r"with (\S+ \w+) allocated in private",
    "unallocated": r"and (\S+ \w+) is reserved by PyTorch"}
RINGS = (5000, 2000, 1000, 500)
counts = collections.Counter()
wrong = 0


def triage(path, *args):
    run = subprocess.run([TOOL, path, *args], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{path}: {run.stderr}")
    return json.loads(run.stdout)


def differ(*what):
    global wrong
    wrong += 1
    print(*what)


def companion(path):
    name = path.replace(".pickle.xz", ".json")
    if not os.path.exists(name):
        return {}
    with open(name) as file:
        return json.load(file)


def messages():
    with open(os.path.join(TRACES, "ooms", "messages.json")) as file:
        told = {f"oom_{m['kind']}.pickle.xz": m["message"] for m in json.load(file)}
    for path in sorted(glob.glob(os.path.join(TRACES, "**", "*.pickle.xz"), recursive=True)):
        yield path, told.get(os.path.basename(path)) or companion(path).get("err") or ""


def compare(path, text, amounts):
    private = amounts["private"]
    # Torch counts what private pools have free among the allocated.
    amounts["allocated"] = [a + p for a, p in zip(amounts["allocated"][:2], private)]
    for name, pattern in PRINTED.items():
        said = re.search(pattern, text)
        if not said:
            continue
        value, unit = said[1].split()
        slack = 0.005 * UNITS[unit] + 1 if unit != "bytes" else 0
        low, high = amounts.get(name, [0, -1])[:2]
        counts["facts"] += 1
        if low > float(value) * UNITS[unit] + slack or high < float(value) * UNITS[unit] - slack:
            differ(os.path.basename(path), name, low, high, "message", said[1])


def facts():
    for path, text in messages():
        seen = triage(path)
        counts["recordings"] += 1
        if seen["growth"]["grows"]:
            differ(os.path.basename(path), "grows", seen["growth"])
        if "Tried to allocate" in text:
            compare(path, text, seen["amounts"])


def rows(folder):
    """By name of the failed run: its allocations, and what torch did under each setting."""
    truth = collections.defaultdict(dict)
    with open(os.path.join(TRACES, folder, "remedy.jsonl")) as file:
        for row in map(json.loads, file):
            name = os.path.join(TRACES, folder, f"{row['program']}.{row['seed']}.{row['factor']}.default.pickle.xz")
            if not os.path.exists(name):
                continue
            made = companion(name)["stats"]["allocation.all.allocated"]
            past = not row["oom"] or row["stats"]["allocation.all.allocated"] > made
            truth[name][row["setting"]] = "past" if past else "stuck", "stuck" if row["oom"] else "past"
    return truth


def judge(kind, path, said, truth):
    right = "right" if said == truth else "open" if said in ("depends", "unknown") else "wrong"
    counts[kind, right] += 1
    if right == "wrong" or (right == "open" and kind == "history"):
        differ(kind, os.path.basename(path), "said", said, "torch", truth)


def ring(path, events):
    """The same with the last events alone; None if it holds them all."""
    with lzma.open(path) as file:
        snapshot = pickle.load(file)
    if max(map(len, snapshot["device_traces"])) <= events:
        return None
    snapshot["device_traces"] = [trace[-events:] for trace in snapshot["device_traces"]]
    cut = os.path.join(TMP, f"{events}.{os.path.basename(path)[:-3]}")
    with open(cut, "wb") as file:
        pickle.dump(snapshot, file, 4)
    shutil.copy(path.replace(".pickle.xz", ".json"), cut.replace(".pickle", ".json"))
    return cut


def remedies(folder):
    for path, truth in rows(folder).items():
        base = os.path.join(TRACES, "remedy", ".".join(os.path.basename(path).split(".")[:2]) + ".base.pickle.xz")
        table = {row["setting"]: row for row in triage(path, base)["trials"] if row["kind"] == 0}
        for setting, (past, whole) in truth.items():
            judge("history", path, table[setting]["past"], past)
            judge("whole run", path, table[setting]["whole"], whole)
        for cut in filter(None, (ring(path, events) for events in RINGS)):
            table = {row["setting"]: row for row in triage(cut, "-")["trials"] if row["kind"] == 0}
            for setting, (past, _) in truth.items():
                judge("ring", cut, table[setting]["past"], past)


facts()
remedies("remedy")
remedies("card")
for what, number in counts.items():
    print(*(what if isinstance(what, tuple) else [what]), number)
sys.exit(wrong > 0)
