# SPDX-License-Identifier: Apache-2.0
"""A second model of what the page shows: plain lists and dictionaries, and
pages with its data, written by the page's contract (docs of allocctl-report)."""
import base64
import bisect
import fractions
import functools
import html
import json
import random
import struct

ALLOC, FREE_REQUESTED, FREE_COMPLETED, SEGMENT_ALLOC, SEGMENT_FREE, \
    SEGMENT_MAP, SEGMENT_UNMAP, OOM, SNAPSHOT, ANNOTATE = range(10)
SIZED_ALLOC = 10
NAMES = ("alloc free_requested free_completed segment_alloc segment_free "
         "segment_map segment_unmap oom snapshot annotate").split()
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class Event:
    """One event; of a free, addr says which block; block: bytes of that of an
    alloc, if not the request's, rounded up."""

    def __init__(self, action, addr=0, size=0, stream=0, stack=0, pool=0,
                 time=0, block=None):
        self.action, self.addr, self.size = action, addr, size
        self.stream, self.stack, self.pool = stream, stack, pool
        self.time = time
        self.block = block or rounded(size)


def size_text(size):
    if size <= KIB:
        return "%d bytes" % size
    for unit, name in ((KIB, "KiB"), (MIB, "MiB"), (GIB, "GiB")):
        if size <= unit * 1024 or unit == GIB:
            # Fractions round to even, as streams of C++ do.
            return "%.2f %s" % (float(round(fractions.Fraction(
                size, unit), 2)), name)


def count_text(number):
    return format(number, ",")


def plural(number, noun):
    return count_text(number) + " " + noun + ("" if number == 1 else "s")


def rounded(size):
    return max((size + 511) // 512, 1) * 512


def sized(event):
    return event.action == ALLOC and event.block != rounded(event.size)


class Heap:
    """What is there after events."""

    def __init__(self):
        self.segments = {}  # addr: Event
        self.ranges = []    # [addr, end, stream, pool] of mapped memory
        self.blocks = {}    # addr: [Event, number of the event, pending]
        self.live = self.reserved = 0

    def apply(self, event, number):
        getattr(self, "do_" + NAMES[event.action], lambda *_: None)(
            event, number)

    def do_alloc(self, event, number):
        self.blocks[event.addr] = [event, number, False]
        self.live += rounded(event.size)

    def do_free_requested(self, event, _):
        self.blocks[event.addr][2] = True

    def do_free_completed(self, event, _):
        self.live -= rounded(self.blocks.pop(event.addr)[0].size)

    def do_segment_alloc(self, event, _):
        self.segments[event.addr] = event
        self.reserved += event.size

    def do_segment_free(self, event, _):
        self.reserved -= self.segments.pop(event.addr).size

    def do_segment_map(self, event, _):
        self.ranges.append([event.addr, event.addr + event.size,
                            event.stream, event.pool])
        self.reserved += event.size

    def do_segment_unmap(self, event, _):
        start, end, kept = event.addr, event.addr + event.size, []
        for a, b, *owner in self.ranges:
            if a < start:
                kept.append([a, min(b, start), *owner])
            if b > end:
                kept.append([max(a, end), b, *owner])
        self.ranges = kept
        self.reserved -= event.size

    def whole_segments(self):
        """[addr, end, stream, pool, expandable], ranges joined."""
        joined = []
        for piece in sorted(self.ranges):
            if joined and joined[-1][1] == piece[0] and \
                    joined[-1][2:] == piece[2:]:
                joined[-1][1] = piece[1]
            else:
                joined.append(list(piece))
        return sorted([j + [True] for j in joined] + [
            [s.addr, s.addr + s.size, s.stream, s.pool, False]
            for s in self.segments.values()])

    def pieces(self):
        """(addr, size, state, block or None, segment), by address."""
        found, addresses = [], sorted(self.blocks)
        for segment in self.whole_segments():
            at = segment[0]
            for addr in addresses[bisect.bisect_left(addresses, segment[0]):
                                  bisect.bisect_left(addresses, segment[1])]:
                block = self.blocks[addr]
                if addr > at:
                    found.append((at, addr - at, "free", None, segment))
                size = block[0].block
                found.append((addr, size, "pending" if block[2] else "live",
                              block, segment))
                at = addr + size
            if at < segment[1]:
                found.append((at, segment[1] - at, "free", None, segment))
        return found

    def summary(self):
        def of(state):
            return [p[1] for p in pieces if p[2] == state]
        pieces = self.pieces()
        live, pending, free = of("live"), of("pending"), of("free")
        text = "%s live in %s" % (size_text(sum(live)),
                                  plural(len(live), "block"))
        if pending:
            text += ", %s pending in %s" % (size_text(sum(pending)),
                                            plural(len(pending), "block"))
        unused = sum(p[1] - p[3][0].size for p in pieces if p[3])
        if unused:
            text += ", %s of these unused" % size_text(unused)
        text += ", %s free in %s" % (size_text(sum(free)),
                                     plural(len(free), "hole"))
        if free:
            text += " (largest %s)" % size_text(max(free))
        return text + ", of %s in %s" % (
            size_text(self.reserved),
            plural(len(self.whole_segments()), "segment"))


class Recording:
    """What was there at the start, and events."""

    def __init__(self, start, events, **view):
        self.start, self.events = start, events
        self.names = dict(
            {"name": "golden", "file": "golden.pickle", "streams": ["0"],
             "pools": [[0, 0]], "frames": [], "stacks": [[]], "phases": [],
             "limit": {"kind": "cap", "bytes": 64 * MIB}}, **view)

    def heap(self, number):
        """The heap before an event."""
        heap = Heap()
        for i, event in enumerate(self.start):
            heap.apply(event, i - len(self.start))
        for i, event in enumerate(self.events[:number]):
            heap.apply(event, i)
        return heap

    @functools.cached_property
    def curve(self):
        """(live, reserved) before each event, and at the end."""
        heap = self.heap(0)
        found = [(heap.live, heap.reserved)]
        for i, event in enumerate(self.events):
            heap.apply(event, i)
            found.append((heap.live, heap.reserved))
        return found

    def peak(self):
        live = [l for l, _ in self.curve]
        return live.index(max(live))

    def ooms(self):
        return [i for i, e in enumerate(self.events) if e.action == OOM]

    def high(self):
        """Bytes of the highest that is drawn, as the command writes it."""
        most, limit = max(max(pair) for pair in self.curve), self.names["limit"]
        return max(most, limit["bytes"] if limit["bytes"] <= 2.5 * most else 0)

    def view(self, complete=True):
        timed = any(e.time for e in self.events)
        return dict(
            self.names, device=0, torch="2.11.0", gpu="a GPU", setting="",
            policy="torch", total=80 * GIB, events=len(self.events),
            complete=complete, high=self.high(),
            peak={"event": self.peak(), "live": self.curve[self.peak()][0],
                  "reserved": max(r for _, r in self.curve)},
            time=[self.events[0].time, self.events[-1].time] if timed else
            None, ooms=[{"event": i, "size": self.events[i].size}
                        for i in self.ooms()],
            **(self.whole() if complete else self.parts()))

    def whole(self):
        return {"log": base64.b64encode(self.encoded(
            self.start, self.events)).decode()}

    def parts(self, per=7):
        """What stands in the page where the log would be too long."""
        curve, columns, count = self.curve, b"", 0
        for at in range(1, len(curve), per):
            part = curve[at:at + per]
            columns += struct.pack(
                "<5d", at + len(part) - 1, *(
                    pick(values) for values in zip(*part)
                    for pick in (min, max)))
            count += 1
        moments = [(self.peak(), "peak")] + [
            (i, "OOM %d" % (n + 1)) for n, i in enumerate(self.ooms())] + [
            (len(self.events), "end")]
        return {"log": None, "points": {
            "count": count, "events_per_point": per,
            "columns": base64.b64encode(columns).decode()},
            "moments": [{"event": at, "label": label, "log":
                         base64.b64encode(self.moment(at)).decode()}
                        for at, label in moments]}

    def moment(self, number):
        heap = self.heap(number)
        start = [Event(SEGMENT_MAP if expandable else SEGMENT_ALLOC, a, b - a,
                       stream, 0, pool)
                 for a, b, stream, pool, expandable in heap.whole_segments()]
        pending = []
        for addr, (event, _, waits) in sorted(heap.blocks.items()):
            start.append(event)
            if waits:
                pending.append(Event(FREE_REQUESTED, addr))
        return self.encoded(start + pending, [])

    @staticmethod
    def encoded(start, events):
        writer = Writer(events[0].time if events else 0)
        for event in start:
            writer.add(event, False)
        writer.out.append(SNAPSHOT | 0x10)
        writer.varint(0xffffffff)
        for event in events:
            writer.add(event, True)
        return bytes(writer.out)


class Writer:
    """The binary log."""

    def __init__(self, time):
        self.out, self.addr, self.time = bytearray(), 0, time
        self.sticky = [0, 0, 0]
        self.order, self.allocs = {}, 0

    def varint(self, value):
        while value > 127:
            self.out.append(value & 127 | 128)
            value >>= 7
        self.out.append(value)

    def add(self, event, timed):
        op, extra = event.action, []
        if sized(event):
            op = SIZED_ALLOC
        for i, value in enumerate((event.stream, event.stack, event.pool)):
            if value != self.sticky[i] and event.action != SNAPSHOT:
                op |= 0x10 << i
                extra.append(value)
                self.sticky[i] = value
        if timed and event.time != self.time:
            op |= 0x80
            extra.append(event.time - self.time)
            self.time = event.time
        self.out.append(op)
        for value in extra:
            self.varint(value)
        self.body(event)

    def body(self, event):
        if event.action in (FREE_REQUESTED, FREE_COMPLETED):
            self.varint(self.allocs - 1 - self.order[event.addr])
        elif event.action == OOM:
            self.varint(event.size)
            self.varint(event.addr)
        elif event.action < OOM:
            by = event.addr - self.addr
            self.varint(by * 2 if by >= 0 else -by * 2 - 1)
            self.addr = event.addr
            self.varint(event.size)
            if sized(event):
                self.varint(event.block)
            if event.action == ALLOC:
                self.order[event.addr] = self.allocs
                self.allocs += 1


# A page as the command writes one, as far as the script looks at it.
SECTION = """<section id="%s" aria-labelledby="%s-h"><h2 id="%s-h">%s</h2>
<div class="compare">%s</div></section>
"""
FIGURE = """<figure data-view="%d"><figcaption>%s</figcaption>
<svg viewBox="0 0 800 60" width="800" height="60" role="img"><title>static
picture</title><rect width="800" height="60" fill="#ccc"/></svg></figure>
"""
TABLE = """<section id="settings" aria-labelledby="settings-h">
<h2 id="settings-h">Settings</h2><div class="scroll"><table><thead><tr>
<th>setting<th class="number">memory<th class="number">time</tr></thead><tbody>
<tr><td><code>default</code><td class="number">1.50 GiB<td>4 ms
<tr><td><code>expandable_segments:True</code><td class="number">900.00 MiB<td>20 ms
<tr><td><code>max_split_size_mb:64</code><td class="number">1,020 bytes<td>1 s
</tbody></table></div></section>
"""
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s</title><style>%(style)s</style></head><body>
<header><h1>%(title)s</h1></header><main>%(body)s</main>
<script type="application/json" id="data">%(data)s</script>
<script>%(script)s</script></body></html>
"""


def page(views, script, style):
    figures = "".join(FIGURE % (i, html.escape(v["name"]))
                      for i, v in enumerate(views))
    body = "".join(SECTION % (name, name, name, title, figures)
                   for name, title in (("timeline", "Memory over time"),
                                       ("map", "Address map")))
    data = {"schema": "allocctl.report/1", "program": "allocctl",
            "views": views, "tune": None, "triage": None}
    return PAGE % {"title": html.escape(views[0]["name"]), "style": style,
                   "body": body + TABLE, "script": script,
                   "data": json.dumps(data).replace("<", "\\u003c")}


BASE = 0x7f2000000000


def golden():
    """A bit of everything, small enough to think through."""
    e, far = Event, BASE + (1 << 34)
    start = [e(SEGMENT_ALLOC, BASE, 2 * MIB), e(ALLOC, BASE + 4096, 1000),
             e(ALLOC, BASE + 65536, 100, 1, 2)]
    events = [
        e(SEGMENT_ALLOC, BASE + 2 * MIB, 20 * MIB, 0, 0, 0, 100),
        e(ALLOC, BASE + 2 * MIB, 3 * MIB + 1, 0, 1, 0, 110),
        e(ALLOC, BASE + 5 * MIB + 512, 5 * MIB, 0, 2, 0, 130, 5 * MIB + 699904),
        e(FREE_REQUESTED, BASE + 2 * MIB, 0, 0, 0, 0, 1500),
        e(FREE_COMPLETED, BASE + 2 * MIB, 0, 0, 0, 0, 1500),
        e(SEGMENT_MAP, far, 2 * MIB, 1, 0, 1, 2000),
        e(SEGMENT_MAP, far + 2 * MIB, 4 * MIB, 1, 0, 1, 2100),
        e(ALLOC, far, 3 * MIB, 1, 3, 1, 2500),
        e(FREE_REQUESTED, BASE + 65536, 0, 1, 0, 0, 2600),
        e(ANNOTATE, 0, 0, 0, 0, 0, 2600),
        e(OOM, 5 * MIB, 40 * MIB, 0, 1, 0, 3000),
        e(SEGMENT_UNMAP, far + 4 * MIB, 2 * MIB, 1, 0, 1, 3100),
        e(FREE_COMPLETED, BASE + 65536, 0, 1, 0, 0, 4000),
        e(FREE_REQUESTED, BASE + 5 * MIB + 512, 0, 0, 0, 0, 5000),
        e(SNAPSHOT, 0, 0, 0, 0, 0, 5000),
        e(FREE_COMPLETED, BASE + 5 * MIB + 512, 0, 0, 0, 0, 6000),
        e(SEGMENT_FREE, BASE + 2 * MIB, 20 * MIB, 0, 0, 0, 7000),
        e(OOM, 0, 65 * MIB, 0, 2, 0, 8000),
        # Down to 1024 bytes, so that no byte hides behind decimals.
        e(FREE_REQUESTED, far, 0, 0, 0, 0, 8100),
        e(FREE_COMPLETED, far, 0, 0, 0, 0, 8200),
        # A gap within mapped memory, and its end.
        e(SEGMENT_UNMAP, far + MIB, MIB, 1, 0, 1, 8300),
        e(SEGMENT_MAP, far + MIB, MIB, 1, 0, 1, 8500),
    ]
    return Recording(
        start, events, streams=["0", "0x5581aa"], pools=[[0, 0], [3, 7]],
        frames=[["forward", "train.py", 12], ["linear",
                "/usr/lib/python3/site-packages/torch/nn/linear.py", 125],
                ["backward", "train.py", 40]],
        stacks=[[], [1, 0], [0], [2]],
        phases=[[1, 5, "forward"], [5, 12, "backward"], [2, 4, "layer 1"]])


def grown(count, seed, **view):
    """A long random run: blocks of many sizes in slots of segments."""
    rng, events, addr = random.Random(seed), [], BASE
    slots, held, time = {}, [], 1000000
    sizes = [512, 5000, 100000, 700000, 3 * MIB, 9 * MIB, 40 * MIB]
    while len(events) < count:
        time += rng.choice((0, 1, 5, 30))
        if held and rng.random() < (0.35 if len(events) % 20000 < 14000
                                    else 0.6):
            at = rng.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            kind, block = held.pop()
            events.append(Event(FREE_REQUESTED, block, time=time))
            events.append(Event(FREE_COMPLETED, block, time=time))
            slots[kind].append(block)
            continue
        kind = rng.randrange(len(sizes))
        if not slots.setdefault(kind, []):
            size = rounded(sizes[kind])
            span = max(20 * MIB // size, 1) * size
            events.append(Event(SEGMENT_ALLOC, addr, span, time=time))
            slots[kind] = [addr + i * size for i in range(span // size)]
            addr += span + (rng.randrange(3) << 21)
        block = slots[kind].pop()
        events.append(Event(ALLOC, block, sizes[kind] -
                            rng.randrange(sizes[kind] // 8 + 1), 0,
                            1 + kind % 5, 0, time))
        held.append((kind, block))
    return Recording([], events[:count], **view)
