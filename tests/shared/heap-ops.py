# SPDX-License-Identifier: Apache-2.0
"""heap-ops.py DIR: play the true programs of the recordings in DIR, as far as they use neither pools nor expandable
segments, on the heap and compare every event and torch's final statistics."""
import json
import lzma
import os
import sys
from itertools import takewhile

from cheap import CHeap, PythonDevice
from heap_model import Recording, ordered
from heap_rules import OutOfMemory
from play_ops import COMPARED


class Driver:
    """Grants everything, at the recorded addresses, and elsewhere where the recording has no more."""

    def __init__(self, recorded):
        self.addrs = [e[1] for e in recorded if e[0] == "segment_alloc"]
        self.given = 0

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
        self.heap = CHeap(self.recording.settings, self.recording.limit, PythonDevice(Driver(self.recorded)))
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
        done, before = self.completions(), list(self.calls)
        for late in range(len(done) + 1):       # the last ones may belong to a flush of the allocator's own
            if late:
                self.restart(before)
            self.complete(done[:len(done) - late])
            got = self.call("allocate", n, stream)
            if not self.differs():
                break
        self.streams[got] = stream

    def do_empty_cache(self):
        self.call("flush")


def in_scope(recording, ops):
    return not recording.settings.expandable and not any(
        op[0] == "drop_pool" or op[0] == "alloc" and op[3] for op in ops)


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


def main():
    folder, played, events, wrong = sys.argv[1], 0, 0, 0
    for line in lzma.open(os.path.join(folder, "ops.jsonl.xz"), "rt"):
        program = json.loads(line)
        recording = Recording(os.path.join(folder, program["recording"] + ".pickle.xz"))
        if not in_scope(recording, program["ops"]):
            continue
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
