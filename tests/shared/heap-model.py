# SPDX-License-Identifier: Apache-2.0
"""heap-model.py N [SEED]: N random programs on the heap and on heap_rules.Heap; events and statistics must agree."""
import random
import sys

from cheap import CHeap, SimDevice, NONE, STATISTICS
from heap_rules import DEFAULT, HUGE, LAYOUTS, MIB, OutOfMemory, Settings
from pools import PoolHeap

STREAMS = (0, 0x55d0c0de40, 0x1000, 0x7f0000001230)
EDGES = [1, 511, 512, 513, 1024, 8 * 512 + 1, MIB - 512, MIB - 1, MIB, MIB + 1, MIB + 513, 2 * MIB, 3 * MIB + 1,
         10 * MIB - 512, 10 * MIB - 511, 10 * MIB - 1, 10 * MIB, 10 * MIB + 1, 12 * MIB, 19 * MIB, 19 * MIB - 512,
         20 * MIB, 20 * MIB + 1]


OWNERS = [(0, k) for k in range(1, 12)] + [(k, 0) for k in range(7, 16)]


class Card:
    """A device of heap_rules that holds no more than a number of bytes."""

    def __init__(self, device, total):
        self.device, self.left = device, total
        self.reserve, self.unreserve = device.reserve, device.unreserve

    def map(self, size):
        if size > self.left:
            return False
        self.left -= size
        return True

    def unmap(self, size):
        self.left += size

    def malloc(self, size):
        if size > self.left:
            return None
        self.left -= size
        return self.device.malloc(size)

    def free(self, addr, size):
        self.left += size
        self.device.free(addr, size)


def random_setting(rng):
    parts = []
    if rng.random() < .4:
        parts.append("expandable_segments:" + rng.choice(("True", "True", "False")))
    largest = 20
    if rng.random() < .25:
        largest = rng.choice((20, 24, 32, 64, 200))
        parts.append(f"large_segment_size_mb:{largest}")
    if rng.random() < .5:           # below the large segment torch would free parts of segments: not defined
        parts.append(f"max_split_size_mb:{rng.choice([m for m in (20, 21, 22, 32, 64, 65, 128, 200) if m >= largest])}")
    if rng.random() < .3:
        parts.append(f"max_non_split_rounding_mb:{rng.choice((20, 21, 40, 100))}")
    if rng.random() < .5:
        parts.append(f"garbage_collection_threshold:{rng.choice((.05, .3, .5, .6, .8, .95))}")
    if rng.random() < .3:
        parts.append("roundup_power2_divisions:" + rng.choice(
            ("1", "2", "4", "8", "16", "64", "[1:8,16:4,>:1]", "[256:1,512:2,1024:4,>:8]", "[2:16]", "[>:4]",
             "[1:64,4:2,32:1,64:8]")))
    return ",".join(parts)


class Program:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.text = random_setting(rng)
        settings = Settings(self.text)
        self.limit = rng.choice((None, None, *(rng.randrange(20, 1000) * MIB + rng.randrange(-1, 2) for _ in "1234")))
        self.card = rng.choice((NONE, NONE, rng.randrange(20, 1000) * MIB))
        self.layout = rng.randrange(len(LAYOUTS))
        self.strict = not seed % 4
        device = Card(LAYOUTS[self.layout](), self.card)
        total = rng.choice((1 << 30, 24 << 30, 80 << 30))
        self.model = PoolHeap(settings, self.limit, device, total)
        self.model.gave = self.gave
        self.heap = CHeap(settings, self.limit, SimDevice(self.layout, self.card), total, self.strict)
        self.owners = [DEFAULT, *rng.sample(OWNERS, rng.choice((0, 0, 1, 3, 8, 16)))]
        self.edges = list(EDGES)
        if settings.max_split != HUGE:
            self.edges += [settings.max_split + d for d in (-2 * MIB, -MIB, -513, -512, -511, 0, 1, MIB)]
        self.edges += [settings.large_segment + d for d in (-MIB - 512, -MIB, -512, 0)]
        self.streams = STREAMS[:rng.choice((1, 1, 2, 3, 4))]
        self.few = rng.sample(self.edges, 3)        # sizes that come again and again: ties
        self.top = rng.choice((20, 22, 25, 27.5))   # log2 of the largest size
        self.fill = rng.uniform(.3, .7)

    def gave(self, action, block):
        """The card of the model has room again."""
        PoolHeap.gave(self.model, action, block)
        if action == "segment_unmap":
            self.model.device.unmap(block.size)

    def size(self):
        kind = self.rng.random()
        if kind < .25:
            return self.rng.choice(self.edges)
        if kind < .6:
            return self.rng.choice(self.few)
        return int(2 ** self.rng.uniform(6, self.top)) + 1

    def step(self):
        kind, rng, heaps = self.rng.random(), self.rng, (self.model, self.heap)
        live = self.heap.live
        if kind < .01:
            for heap in heaps:
                heap.flush()
        elif kind < .015:
            self.change(random_setting(rng))
        elif kind < .025 and len(self.owners) > 1:
            owner, call = rng.choice(self.owners[1:]), rng.choice(("give_up", "drop_pool"))
            for heap in heaps:
                getattr(heap, call)(owner)
        elif kind < .1 and self.heap.pending:
            addr = rng.choice(list(self.heap.pending))
            for heap in heaps:
                heap.complete_free(addr)
        elif kind < self.fill or not live:
            self.allocate(self.size(), rng.choice(self.streams), rng.choice(self.owners))
        else:
            self.free(rng.choice(list(live)))

    def change(self, text):
        settings = self.model.settings.changed_to(text)
        if settings.max_split < max(settings.large_segment, self.model.settings.max_split):
            return              # torch would free parts of segments: not defined
        for heap in (self.model, self.heap):
            heap.change(settings)

    def allocate(self, n, stream, owner):
        served = []
        for heap in (self.model, self.heap):
            try:
                heap.allocate(n, stream, owner)
                served.append(True)
            except OutOfMemory:
                served.append(False)
        assert served[0] == served[1], f"served {served}"

    def free(self, addr):
        self.model.request_free(addr)
        if self.rng.random() < .15:
            self.heap.request_free(addr)
        else:
            self.model.complete_free(addr)
            self.heap.release(addr)

    def compare(self):
        assert self.heap.out == self.model.out, f"heap {self.heap.out[-4:]} model {self.model.out[-4:]}"
        self.heap.out.clear()
        self.model.out.clear()

    def run(self):
        """Words for what differs, or None."""
        for at in range(self.rng.choice((50, 200, 600))):
            try:
                self.step()
                self.compare()
            except AssertionError as error:
                return f"step {at}: {error}"
        ours = self.heap.statistics()
        wrong = [f"{name}: heap {ours[name]} model {getattr(self.model, name)}" for name in STATISTICS
                 if ours[name] != getattr(self.model, name)]
        return ", ".join(wrong) or None


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    totals, wrong = dict.fromkeys(STATISTICS, 0), 0
    for seed in range(first, first + count):
        program = Program(seed)
        different = program.run()
        for name, value in program.heap.statistics().items():
            totals[name] += value
        if different:
            wrong += 1
            print(f"seed {seed}: {program.text!r} limit {program.limit} card {program.card} "
                  f"layout {program.layout}: {different}")
            if wrong == 10:
                break
    reached = ", ".join(f"{totals[name]} {name}" for name in ("device_allocs", "device_frees", "retries", "ooms"))
    print(f"{count} programs, {wrong} differ; {reached}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
