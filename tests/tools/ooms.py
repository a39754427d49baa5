#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ooms.py ALLOCCTL FOLDER...: does triage name the causes that were arranged?

FOLDER/messages.json has kind, truth, message; FOLDER/oom_KIND.pickle.xz is the snapshot right after it. A truth is
"VERDICT" or "VERDICT with CONTRIBUTING". Message and snapshot together must name it; each alone may be coarser, or
leave it open, but must not contradict it. Prints a line a disagreement, then counts; status 1 if one contradicts, or there is none."""
import collections
import json
import os
import subprocess
import sys
import tempfile

ALLOCCTL, FOLDERS = sys.argv[1], sys.argv[2:]
OPEN = {"CANNOT_TELL"}
# What each source cannot tell apart: a message names neither streams nor pages nor what was asked for nor libraries; a
# snapshot knows neither the card's size nor who else is on it, and the cap only as an interval.
COARSE = {
    "message": {"CROSS_STREAM": {"FRAGMENTATION"}, "PAGE_FRAGMENTATION": {"FRAGMENTATION"},
                "ROUNDING": {"FRACTION_CAP", "CAPACITY"}, "LEAK": {"FRACTION_CAP", "CAPACITY", "FRAGMENTATION"},
                "OTHER_ALLOCATOR": {"DRIVER_OVERHEAD"}, "HOST_PINNED": OPEN},
    "snapshot": {"OTHER_PROCESS": {"CAPACITY"}, "OTHER_ALLOCATOR": {"CAPACITY"}, "DRIVER_OVERHEAD": {"CAPACITY"},
                 "COMBINED": {"CAPACITY"}, "ROUNDING": {"FRACTION_CAP"}},
    "both": {}}
counts = collections.Counter()


def triage(*arguments):
    """Verdict, and what contributes, of the last OOM; None where there is none."""
    run = subprocess.run([ALLOCCTL, "triage", "--format", "json", *arguments], capture_output=True, text=True)
    if run.returncode not in (0, 1, 3) or not run.stdout.startswith("{"):
        sys.exit(f"{arguments}: {run.stderr}")
    ooms = json.loads(run.stdout)["ooms"]
    return (ooms[-1]["verdict"], set(ooms[-1]["contributing"]), ooms[-1]["grade"]) if ooms else ("none", set(), "")


def is_coarse(source, entry, verdict, said):
    """Less than the truth, but no contradiction: what leaks may contribute, and PyTorch sees one sum of all that lies
    beyond it."""
    if source == "snapshot" and said[0] == "none":
        return entry.get("event") is False
    return said[0] in COARSE[source].get(verdict, ()) or verdict in ("LEAK", "OTHER_ALLOCATOR") and verdict in said[1]


def check(source, entry, said):
    verdict, _, contributing = entry["truth"].partition(" with ")
    if said[0] == verdict and set(filter(None, [contributing])) <= said[1]:
        right = "right"
    elif said[0] == verdict or is_coarse(source, entry, verdict, said):
        right = "coarse"
    else:
        right = "open" if source != "both" and said[0] in OPEN else "wrong"
    counts[source, right] += 1
    if right != "right":
        print(f"{source} {entry['kind']}: said {said[0]} with {', '.join(sorted(said[1])) or 'nothing'} ({said[2]}), "
              f"truth {entry['truth']}: {right}")


def messages(folder):
    with open(os.path.join(folder, "messages.json")) as file:
        return json.load(file)


for folder in FOLDERS:
    for entry in messages(folder):
        snapshot = os.path.join(folder, f"oom_{entry['kind']}.pickle.xz")
        found = os.path.exists(snapshot)
        if entry["message"]:
            with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
                log.write(entry["message"] + "\n")
                log.flush()
                check("message", entry, triage(log.name))
                if found:
                    check("both", entry, triage(log.name, snapshot))
        if found:
            check("snapshot", entry, triage(snapshot))
for (source, right), n in sorted(counts.items()):
    print(f"{source}: {n} {right}")
sys.exit(not counts or any(right == "wrong" for _, right in counts))
