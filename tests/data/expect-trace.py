# SPDX-License-Identifier: Apache-2.0
"""Print what tests/unit/test-trace.c expects of the recordings, by pickle.

usage: expect-trace.py RECORDING...  >trace.expected
"""
import lzma
import os
import pickle
import sys
from functools import reduce
from operator import xor


def events_line(name, device, action, events):
    addr = "device_free" if action == "oom" else "addr"
    return "events %s %d %s %d %d %d %d %d" % (
        name, device, action, len(events), sum(e["size"] for e in events),
        reduce(xor, (e[addr] for e in events)),
        reduce(xor, (e["stream"] for e in events)),
        reduce(xor, (e["time_us"] for e in events)))


def segments_line(name, device, segments):
    blocks = [b for s in segments for b in s["blocks"]]
    return "segments %s %d %d %d %d %d %d %d %d" % (
        name, device, len(segments), sum(s["total_size"] for s in segments),
        reduce(xor, (s["address"] for s in segments), 0), len(blocks),
        sum(b["size"] for b in blocks),
        sum(b["requested_size"] for b in blocks),
        sum(b["state"] == "active_allocated" for b in blocks))


def main():
    print("# made by expect-trace.py")
    for path in sys.argv[1:]:
        name = os.path.basename(path).replace(".pickle.xz", "")
        snapshot = pickle.loads(lzma.open(path).read())
        for device, events in enumerate(snapshot["device_traces"]):
            print(segments_line(name, device, [
                s for s in snapshot["segments"] if s["device"] == device]))
            for action in sorted({e["action"] for e in events}):
                print(events_line(name, device, action, [
                    e for e in events if e["action"] == action]))


if __name__ == "__main__":
    main()
