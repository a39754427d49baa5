#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""remedy.py ALLOCCTL TRACES: does allocctl say what torch did?

Truth: TRACES/remedy (limits), TRACES/card (full cards), TRACES/same (peaks).
Prints a line a disagreement,
then counts; status 1 if there was a disagreement."""
import json
import os
import subprocess
import sys

ALLOCCTL, TRACES = sys.argv[1:3]
OUTCOMES = {0: "runs", 1: "oom", 3: "open"}
counts = {}


def replay(path, *args):
    run = subprocess.run([ALLOCCTL, "replay", path, "--format", "json", *args], capture_output=True, text=True)
    if run.returncode not in OUTCOMES or not run.stdout.startswith("{"):
        sys.exit(f"{path} {args}: {run.stderr}")
    return OUTCOMES[run.returncode], json.loads(run.stdout)


def count(kind, what, said, truth):
    right = "open" if said == "open" else "right" if said == truth else "wrong"
    counts.setdefault(kind, {"right": 0, "open": 0, "wrong": 0})[right] += 1
    if right != "right":
        print(kind, what, "said", said, "torch", truth)


def rows(folder):
    with open(os.path.join(TRACES, folder, "remedy.jsonl")) as file:
        return list(map(json.loads, file))


def whole_runs():
    """From the run without a limit: would it run under another setting and limit?"""
    for row in rows("remedy"):
        path = os.path.join(TRACES, "remedy", f"{row['program']}.{row['seed']}.base.pickle.xz")
        said, _ = replay(path, "--setting", row["setting"], "--limit", str(row["cap"]))
        count("whole run", row_name(row), said, "oom" if row["oom"] else "runs")


def row_name(row):
    return f"{row['program']}.{row['seed']} x{row['factor']} '{row['setting']}'"


def past_the_failure(folder):
    """From the run that failed: does another setting get past the failed request?"""
    allocations = {}
    for row in rows(folder):
        name = f"{row['program']}.{row['seed']}.{row['factor']}.default"
        path = os.path.join(TRACES, folder, name + ".pickle.xz")
        if not os.path.exists(path):
            continue
        if name not in allocations:
            with open(path.replace(".pickle.xz", ".json")) as file:
                allocations[name] = json.load(file)["stats"]["allocation.all.allocated"]
        past = not row["oom"] or row["stats"]["allocation.all.allocated"] > allocations[name]
        said, _ = replay(path, "--setting", row["setting"])
        count("past the failure, " + folder, row_name(row), said, "runs" if past else "oom")


def peaks():
    """The same program under another setting: peak reserved, to the byte."""
    for name in sorted(os.listdir(os.path.join(TRACES, "same"))):
        if not name.endswith(".json"):
            continue
        with open(os.path.join(TRACES, "same", name)) as file:
            meta = json.load(file)
        path = os.path.join(TRACES, name.split(".")[0] + ".default.pickle.xz")
        _, answer = replay(path, "--setting", meta["conf"])
        count("peak reserved", name, answer["peak_reserved"], meta["stats"]["reserved_bytes.all.peak"])


whole_runs()
past_the_failure("remedy")
past_the_failure("card")
peaks()
for kind, seen in counts.items():
    print(kind + ":", ", ".join(f"{n} {what}" for what, n in seen.items()))
sys.exit(any(seen["wrong"] for seen in counts.values()))
