# SPDX-License-Identifier: Apache-2.0
"""Recordings of torch 2.11 with what it did not write: the pool of every event, as known from the true program."""
import json
import lzma
import pickle

from heap_rules import DEFAULT
from pools import PoolHeap


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
