#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oom.py ALLOCCTL SHARED: what replay tells of an OOM, against the readable model's heap at that moment.

Recordings of SHARED/traces are replayed under limits that do not suffice, and some as they failed.  Request, holes by
place and size, sums and holders are compared.  Status 1 if anything differs."""
import collections
import json
import os
import subprocess
import sys

ALLOCCTL, SHARED = sys.argv[1:3]
sys.path.insert(0, os.path.join(SHARED, "oracle"))
from heap_model import Answers, Recording, decode, fresh_device, load  # noqa: E402
from heap_rules import FREE, Heap, OutOfMemory, Settings  # noqa: E402

EXPANDABLE = "expandable_segments:True"


def play(program, settings, limit, device):
    """To the first OOM that ends the run; returns the heap, the op, and the event of each address."""
    heap = Heap(settings, limit, device, program.recording.total)
    load(heap, program.start)
    at = {("before", addr): addr for addr in (*heap.live, *heap.pending)}
    last = max((i for i, op in enumerate(program.ops) if op[0] in ("alloc", "place")), default=-1)
    for i, op in enumerate(program.ops):
        kind = op[0]
        if kind == "request":
            heap.request_free(at[op[1]])
        elif kind == "complete":
            addr = at.pop(op[1])
            if addr in heap.pending:
                heap.complete_free(addr)
        elif kind in ("flush", "drop_pool"):
            getattr(heap, kind)(op[1])
        else:
            try:
                addr = heap.allocate(op[2], op[3], op[4]).addr
            except OutOfMemory:
                if kind != "fail" or i > last:
                    return heap, op, {addr: event for event, addr in at.items()}
                continue
            if kind == "fail":
                heap.request_free(addr)
                heap.complete_free(addr)
            else:
                at[op[1]] = addr
    return heap, None, {}


def blocks(heap):
    seen = {}
    for pool in heap.pools.values():
        for entries in pool.free.values():
            for _, _, block in entries:
                seen[block.addr] = block
    return [*seen.values(), *heap.live.values(), *heap.pending.values()]


def holes(found):
    sizes = [block.size for block in found]
    bins = collections.Counter(size.bit_length() - 1 for size in sizes)
    return {"bytes": sum(sizes), "count": len(sizes), "largest": max(sizes, default=0),
            "histogram": [{"from": 1 << k, "count": bins[k],
                           "bytes": sum(size for size in sizes if size.bit_length() - 1 == k)} for k in sorted(bins)]}


def wanted(heap, op, events):
    small = heap.settings.round(op[2]) <= 1 << 20
    places = collections.defaultdict(list)
    for block in blocks(heap):
        if block.state is not FREE:
            continue
        place = ("other_pools" if block.pool.owner != op[4] else "other_class" if block.pool.small != small else
                 "own" if block.stream == op[3] else "other_streams")
        places[place].append(block)
    groups = collections.defaultdict(list)
    for block in (*heap.live.values(), *heap.pending.values()):
        groups[(block.asked + 511) // 512 * 512].append(block)
    holders = [{"frames": None, "bytes": sum(b.size for b in group), "blocks": len(group), "size": size,
                "event": min((e for e in (events.get(b.addr) for b in group) if isinstance(e, int)), default=None)}
               for size, group in groups.items()]
    holders.sort(key=lambda h: (-h["bytes"], -h["size"]))
    return {"event": op[1], "size": op[2], "rounded": heap.settings.round(op[2]),
            "segment": heap.settings.segment(heap.settings.round(op[2])), "stream": op[3], "small": small,
            "reserved": heap.reserved, "allocated": heap.allocated, "active": heap.active,
            "free": {place: holes(places[place]) for place in ("own", "other_streams", "other_class", "other_pools")},
            "holder_count": len(holders), "holders": holders[:100]}


def compare(path, setting, limit):
    recording = Recording(path)
    program = decode(recording)
    recorded = setting is None and limit is None
    settings = recording.settings if setting is None else Settings(setting)
    limit = recording.limit if limit is None else limit
    device = Answers(program.answers) if recorded else fresh_device(program)
    heap, op, events = play(program, settings, limit, device)
    args = [] if recorded else ["--setting", settings.text, "--limit", str(limit)]
    done = subprocess.run([ALLOCCTL, "replay", path, "--format", "json", *args], capture_output=True, text=True)
    name = f"{os.path.basename(path)} '{settings.text}' {limit}"
    if not done.stdout.startswith("{"):
        return name, [f"status {done.returncode}: {done.stderr}"]
    answer = json.loads(done.stdout)
    if not answer["self_check"]["exact"]:
        return name, None
    told = answer["oom"]
    if op is None or told is None:
        return name, [] if op is None and told is None else [f"model {op}, told {told and told['event']}"]
    want = wanted(heap, op, events)
    held = told["held"]
    wrong = [f"{key}: model {value}, told {told[key]}" for key, value in want.items() if told[key] != value]
    total = {"reserved": heap.reserved, "live": sum(b.size for b in heap.live.values()),
             "pending": sum(b.size for b in heap.pending.values()),
             "requested": sum(b.asked for b in (*heap.live.values(), *heap.pending.values()))}
    wrong += [f"held {key}: model {value}, told {held[key]}" for key, value in total.items() if held[key] != value]
    return name, wrong


def cases():
    traces = os.path.join(SHARED, "traces")
    for name in ("gnn.oom", "big_random.oom", "varlen_gpt.oom", "streams.cap"):
        path = os.path.join(traces, name + ".pickle.xz")
        yield path, None, None
        for setting in ("max_split_size_mb:64", "roundup_power2_divisions:4", EXPANDABLE):
            yield path, setting, 1 << 28
            yield path, setting, 3 << 30
    for name in ("big_random.default", "gnn.expandable", "streams.expandable", "graphs.default", "graphs.expandable"):
        path = os.path.join(traces, name + ".pickle.xz")
        for setting in ("", EXPANDABLE):
            for limit in (200 << 20, 2 << 30, 5 << 30):
                yield path, setting, limit
    for name in sorted(os.listdir(os.path.join(traces, "random"))):
        path = os.path.join(traces, "random", name)
        if name.endswith(".pickle.xz"):
            yield path, None, None
            yield path, "", 48 << 20
            yield path, EXPANDABLE, 64 << 20


seen, differing, inexact = 0, 0, 0
for case in cases():
    name, wrong = compare(*case)
    seen += 1
    inexact += wrong is None
    wrong = wrong or []
    differing += bool(wrong)
    for line in wrong:
        print(f"{name}: {line}"[:400])
print(f"{seen} replays, {differing} differ; {inexact} of recordings that are not reproduced")
sys.exit(bool(differing) or inexact > seen // 10)
