# SPDX-License-Identifier: Apache-2.0
"""heap_rules.Heap with pools that are given up while blocks of them are in use: every flush takes from them, in the order
of torch's hash table, until they hold nothing any more.  The programs of recordings agree with it."""
from heap_rules import DEFAULT, Heap

FIBONACCI, MASK = 11400714819323198485, (1 << 64) - 1


class Table:
    """Open addressing with Robin Hood probing; slots: (distance, key) or None."""

    def __init__(self):
        self.slots, self.capacity, self.count, self.probes = [], 0, 0, 4

    def wanted(self, key):
        return (FIBONACCI * (key[0] or key[1]) & MASK) >> (64 - (self.capacity.bit_length() - 1))

    def distance(self, at):
        return self.slots[at][0] if self.slots[at] else -1

    def grow(self):
        old = [slot[1] for slot in self.slots if slot]
        self.capacity, self.count = max(4, 2 * self.capacity), 0
        self.probes = max(4, self.capacity.bit_length() - 1)
        self.slots = [None] * (self.capacity + self.probes + 1)
        for key in old:
            self.insert(key)

    def insert(self, key):
        if not self.capacity:
            self.grow()
        at, distance = self.wanted(key), 0
        while self.distance(at) >= distance:
            if self.slots[at][1] == key:
                return
            at, distance = at + 1, distance + 1
        if distance == self.probes or 2 * (self.count + 1) > self.capacity:
            self.grow()
            self.insert(key)
            return
        first = at
        while self.slots[at]:
            if self.distance(at) < distance:
                (distance, key), self.slots[at] = self.slots[at], (distance, key)
            at, distance = at + 1, distance + 1
            if self.slots[at] and self.distance(at) >= distance and distance + 1 == self.probes:
                own, other = self.slots[first]
                self.slots[first] = own, key
                self.grow()
                self.insert(other)
                return
        self.slots[at] = distance, key
        self.count += 1

    def remove(self, key):
        at = next((i for i, slot in enumerate(self.slots) if slot and slot[1] == key), None)
        if at is None:
            return
        while self.distance(at + 1) > 0:
            self.slots[at] = self.distance(at + 1) - 1, self.slots[at + 1][1]
            at += 1
        self.slots[at] = None
        self.count -= 1

    def copy(self):
        twin = Table()
        twin.slots, twin.capacity, twin.count, twin.probes = list(self.slots), self.capacity, self.count, self.probes
        return twin

    def keys(self):
        return [slot[1] for slot in self.slots if slot]


class PoolHeap(Heap):
    def __init__(self, *args):
        super().__init__(*args)
        self.table, self.growths = Table(), {}

    def grow(self, pool, r, s, stream):
        block = super().grow(pool, r, s, stream)
        if block:
            self.growths[pool.owner] = self.growths.get(pool.owner, 0) + 1
        return block

    def gave(self, action, block):
        self.growths[block.pool.owner] = self.growths.get(block.pool.owner, 0) - 1
        super().gave(action, block)

    def sweep(self, owner):
        self.flush_private(owner)
        if not self.growths.get(owner):
            self.table.remove(owner)

    def flush(self):
        super().flush()
        for owner in self.table.keys():
            self.sweep(owner)

    def give_up(self, owner):
        self.table.insert(owner)

    def drop_pool(self, owner):
        self.table.insert(owner)
        self.syncs += 1
        for addr, block in list(self.pending.items()):
            if block.pool.owner == owner:
                self.complete_free(addr)
        self.sweep(owner)

    def allocate(self, n, stream, owner=DEFAULT):
        self.table.remove(owner)        # it is in use again; torch has no such thing
        return super().allocate(n, stream, owner)

    def change(self, settings):
        self.settings = settings
