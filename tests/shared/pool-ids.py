#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pool-ids.py ALLOCCTL DIR TMP: recordings whose events tell their pools, as from torch 2.12 on.

The pools of 2.11's recordings in DIR are known from their true programs (ops.jsonl.xz); they are written into the
events.  Then every event is reproduced, and torch's own count of retries too."""
import json
import lzma
import os
import pickle
import subprocess
import sys

from heap_model import Recording
from heap_rules import DEFAULT
from play_ops import Player
from pools import PoolHeap

ALLOCCTL, FOLDER, TMP = sys.argv[1:4]


class Owners(PoolHeap):
    """Notes the owner of each event."""

    def __init__(self, *args):
        super().__init__(*args)
        self.owners, self.owner_at, self.current = [], {}, DEFAULT

    def allocate(self, n, stream, owner=DEFAULT):
        self.current = owner
        try:
            return super().allocate(n, stream, owner)
        finally:
            self.current = DEFAULT

    def emit(self, action, addr, size, stream):
        super().emit(action, addr, size, stream)
        if action in ("alloc", "oom", "segment_alloc", "segment_map"):
            owner = self.current
            self.owner_at[addr] = owner
        else:
            owner = self.giving if action in ("segment_free", "segment_unmap") else self.owner_at[addr]
        self.owners.append(owner)

    def gave(self, action, block):
        self.giving = block.pool.owner
        super().gave(action, block)

    def clone(self):
        twin = super().clone()
        twin.owners, twin.owner_at, twin.growths = list(self.owners), dict(self.owner_at), dict(self.growths)
        twin.table = self.table.copy()
        return twin


def write(recording, owners, path):
    with lzma.open(recording.name + ".pickle.xz") as file:
        snapshot = pickle.load(file)
    trace = max(snapshot["device_traces"], key=len)
    for event, owner in zip(trace, owners, strict=True):
        event["pool_id"] = owner
    with open(path, "wb") as file:
        pickle.dump(snapshot, file)
    with open(path.replace(".pickle", ".json"), "w") as file:
        json.dump({key: recording.meta[key] for key in ("conf", "cap", "total")}, file)


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
