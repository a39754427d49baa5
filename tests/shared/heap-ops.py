# SPDX-License-Identifier: Apache-2.0
"""heap-ops.py DIR...: play the true programs of the recordings in each DIR on the heap and compare every event and
torch's final statistics."""
import json
import lzma
import os
import sys
from itertools import takewhile

from cheap import CHeap, PythonDevice
from heap_model import Recording, ordered
from heap_rules import DEFAULT, OutOfMemory
from play_ops import COMPARED


class Driver:
    """Grants everything, at the recorded addresses, and elsewhere where the recording has no more."""

    def __init__(self, recorded):
        self.addrs = [e[1] for e in recorded if e[0] == "segment_alloc"]
        self.maps = [e[1] for e in recorded if e[0] == "segment_map"]
        self.given = self.mapped = 0

    def reserve(self, size):            # filled at once
        return self.maps[self.mapped] if self.mapped < len(self.maps) else self.mapped << 50

    def unreserve(self, addr, size):
        pass

    def map(self, size):
        self.mapped += 1
        return True

    def malloc(self, size):
        self.given += 1
        return self.addrs[self.given - 1] if self.given <= len(self.addrs) else self.given << 50

    def free(self, addr, size):
        pass


class Player:
    def __init__(self, recording, ops):
        self.recording, self.ops, self.recorded = recording, ops, recording.stream()
        self.shared = {}                # addr -> streams other than its own that use the block
        self.agreed = 0                 # events that are equal
        self.streams = {}               # addr -> stream
        self.restart([])

    def restart(self, calls):
        """A fresh heap that has seen these calls; the events that they give were compared before."""
        self.heap = CHeap(self.recording.settings, self.recording.limit, PythonDevice(Driver(self.recorded)),
                          self.recording.total)
        self.calls = []
        for call in calls:
            self.call(*call)

    def call(self, name, *args):
        self.calls.append((name, *args))
        try:
            return getattr(self.heap, name)(*args)
        except OutOfMemory:
            return None

    def run(self):
        """None, or the index of the first op whose events differ."""
        at = 0
        while at < len(self.ops):
            run = [op[1] for op in takewhile(lambda op: op[0] == "free", self.ops[at:])]
            if run:                     # frees by one Python statement: their order is Python's affair
                self.free_all(run)
                at += len(run)
            else:
                getattr(self, "do_" + self.ops[at][0])(*self.ops[at][1:])
                at += 1
            if self.differs():
                return at
            self.agreed = len(self.heap.out)
        self.complete(self.completions())
        return None

    def differs(self):
        got = self.heap.out
        return ordered(got[self.agreed:]) != ordered(self.recorded[self.agreed:len(got)])

    def completions(self):
        """Completions that the recording has next."""
        return [e[1] for e in takewhile(lambda e: e[0] == "free_completed", self.recorded[len(self.heap.out):])]

    def complete(self, addrs):
        for addr in addrs:
            if addr in self.heap.pending:
                self.call("complete_free", addr)

    def free_all(self, addrs):
        addrs = set(addrs)
        while addrs:
            n = len(self.heap.out)
            addr = self.recorded[n][1] if n < len(self.recorded) and self.recorded[n][1] in addrs else min(addrs)
            addrs.remove(addr)
            self.call("request_free" if self.shared.pop(addr, None) else "release", addr)

    def do_record_stream(self, addr, stream):
        if stream != self.streams[addr]:
            self.shared.setdefault(addr, set()).add(stream)

    def do_alloc(self, n, stream, owner, addr):
        owner = tuple(owner) if owner else DEFAULT
        done, before = self.completions() if owner == DEFAULT else [], list(self.calls)
        for late in range(len(done) + 1):       # the last ones may belong to a flush of the allocator's own
            if late:
                self.restart(before)
            self.complete(done[:len(done) - late])
            got = self.call("allocate", n, stream, owner)
            if not self.differs():
                break
        self.streams[got] = stream

    def do_empty_cache(self):
        self.call("flush")

    def do_drop_pool(self, owner):
        self.call("drop_pool", tuple(owner))

    def do_set(self, text):
        self.call("change", self.heap.settings.changed_to(text))

    def do_set_refused(self, text):     # the parser has started anew before it refuses
        self.do_set("")


def play(recording, ops):
    """Words for what differs, none if all is equal."""
    player = Player(recording, ops)
    stopped = player.run()
    got, want = ordered(player.heap.out), ordered(player.recorded)
    if stopped or got != want:
        at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
        return [f"op {stopped} event {at}: recorded {want[at:at + 3]}, heap {got[at:at + 3]}"]
    stats, ours = recording.meta["stats"], player.heap.statistics()
    return [f"{key}: torch {stats[key]}, heap {ours[name]}" for key, name in COMPARED.items()
            if key in stats and stats[key] != ours[name]]


def programs(folders):
    for folder in folders:
        for line in lzma.open(os.path.join(folder, "ops.jsonl.xz"), "rt"):
            yield folder, json.loads(line)


def main():
    played, events, wrong = 0, 0, 0
    for folder, program in programs(sys.argv[1:]):
        recording = Recording(os.path.join(folder, program["recording"] + ".pickle.xz"))
        played += 1
        events += len(recording.events)
        different = play(recording, program["ops"])
        wrong += bool(different)
        for text in different:
            print(f"{program['recording']} {recording.settings.text!r} {text}")
    print(f"{played} programs, {events} events, {wrong} programs differ")
    return 1 if wrong or not played else 0


if __name__ == "__main__":
    sys.exit(main())
