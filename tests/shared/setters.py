#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""setters.py ALLOCCTL DIR TMP: recordings of programs that change their setting while they run.

The recording does not say when: the true programs do (ops.jsonl.xz).  Told with --set-at, every event is reproduced
where the recording has no private pools; with them where their events tell the pools.  Untold, what is found is
checked against the truth."""
import json
import lzma
import os
import subprocess
import sys

from heap_model import Recording
from told import Owners, write
from play_ops import Player

ALLOCCTL, FOLDER, TMP = sys.argv[1:4]


class Setters(Player):
    """Notes before which event each setting was made."""

    def __init__(self, recording):
        super().__init__(recording)
        self.heap = Owners(recording.settings, recording.limit, self.driver, recording.total)
        self.set_at = []

    def do_set(self, text):
        self.set_at.append((len(self.heap.out), text))
        super().do_set(text)


def verify(path, *args):
    done = subprocess.run([ALLOCCTL, "replay", path, "--verify", "--format", "json", *args], capture_output=True,
                          text=True)
    return done.returncode, done.stdout[:300] + done.stderr


def check(program):
    recording = Recording(os.path.join(FOLDER, program["recording"] + ".pickle.xz"))
    recording.meta["ops"] = program["ops"]
    player = Setters(recording)
    stopped = player.run()
    if stopped or len(player.heap.out) != len(recording.events):
        return f"the model stops at {stopped}"
    path = os.path.join(TMP, "told.pickle")
    write(recording, player.heap.owners, path)
    told = [arg for event, text in player.set_at for arg in ("--set-at", f"{event}:{text}")]
    status, words = verify(path, *told)
    return f"told: status {status} {words}" if status else None


seen = wrong = 0
for line in lzma.open(os.path.join(FOLDER, "ops.jsonl.xz"), "rt"):
    program = json.loads(line)
    if not any(op[0].startswith("set") for op in program["ops"]):
        continue
    problem = check(program)
    seen += 1
    wrong += bool(problem)
    if problem:
        print(program["recording"], problem)
print(f"{seen} recordings, {wrong} problems")
sys.exit(bool(wrong) or not seen)
