#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pool-ids.py ALLOCCTL DIR TMP: recordings whose events tell their pools, as from torch 2.12 on.

The pools of 2.11's recordings in DIR are known from their true programs (ops.jsonl.xz); they are written into the
events.  Then every event is reproduced, and torch's own count of retries too."""
import json
import lzma
import os
import subprocess
import sys

from heap_model import Recording
from play_ops import Player
from told import Owners, write

ALLOCCTL, FOLDER, TMP = sys.argv[1:4]


def check(program):
    """Words for what is wrong, or None."""
    recording = Recording(os.path.join(FOLDER, program["recording"] + ".pickle.xz"))
    recording.meta["ops"] = program["ops"]
    player = Player(recording)
    player.heap = Owners(recording.settings, recording.limit, player.driver, recording.total)
    stopped = player.run()
    if stopped or len(player.heap.out) != len(recording.events):
        return f"the model stops at {stopped}"
    path = os.path.join(TMP, "told.pickle")
    write(recording, player.heap.owners, path)
    done = subprocess.run([ALLOCCTL, "replay", path, "--verify", "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        return f"status {done.returncode} {done.stdout[:400]} {done.stderr}"
    return None


seen = wrong = 0
for line in lzma.open(os.path.join(FOLDER, "ops.jsonl.xz"), "rt"):
    program = json.loads(line)
    if any(op[0].startswith("set") for op in program["ops"]):
        continue
    problem = check(program)
    seen += 1
    if problem:
        wrong += 1
        print(program["recording"], problem)
print(f"{seen} recordings, {wrong} problems")
sys.exit(bool(wrong) or not seen)
