#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a recording as long as wanted: a recorded run without expandable segments again and again.

At the end of each turn what is left is freed and the cache emptied, so that the next one finds all as the first did.
Events are written one by one; memory does not grow with their number.

usage: long-recording.py RECORDING EVENTS OUT: of EVENTS or fewer events
"""
import json
import lzma
import pickle
import struct
import sys

SMALL_SEGMENT = 2 << 20
KEYS = ("action", "addr", "size", "stream", "time_us", "compile_context", "user_metadata")


def left(events):
    """What has to follow so that nothing is held."""
    live, segments, asked = {}, {}, set()
    for event in events:
        action, addr = event["action"], event["addr"]
        if action == "alloc":
            live[addr] = event
        elif action == "free_requested":
            asked.add(addr)
        elif action == "free_completed":
            live.pop(addr)
            asked.discard(addr)
        elif action == "segment_alloc":
            segments[addr] = event
        elif action == "segment_free":
            segments.pop(addr)
    for addr, event in live.items():
        if addr not in asked:
            yield {**event, "action": "free_requested"}
        yield {**event, "action": "free_completed"}
    # as torch empties its cache: large ones first, each by stream, size and address
    for event in sorted(segments.values(), key=lambda s: (s["size"] == SMALL_SEGMENT, s["stream"], s["size"], s["addr"])):
        yield {**event, "action": "segment_free"}


def text(value):
    return b"\x8c" + bytes([len(value)]) + value.encode() + b"\x94"


def integer(value):
    return b"\x8a\x08" + struct.pack("<q", value)


class Writer:
    """Pickles events as CPython does, words and keys shared, and each list and dictionary remembered."""

    def __init__(self, file):
        self.file, self.memo, self.count = file, {}, 0

    def word(self, value):
        if value not in self.memo:
            self.memo[value] = self.count
            self.count += 1
            return text(value)
        number = self.memo[value]
        return b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number)

    def event(self, event):
        """Its bytes, and where in them the time is."""
        self.count += 1
        out, at = b"}\x94(", 0
        for key in KEYS:
            out += self.word(key)
            value = event[key]
            at = len(out) + 2 if key == "time_us" else at
            out += self.word(value) if isinstance(value, str) else integer(value)
        return out + b"u", at

    def turn(self, events, shift):
        """The events of one turn, and where their times are."""
        out, places = bytearray(), []
        for event in events:
            data, at = self.event(event)
            places.append((len(out) + at, event["time_us"] + shift))
            out += data
        return out, places


def write(file, events, turns):
    writer, first = Writer(file), events[0]["time_us"]
    length = events[-1]["time_us"] - first + 1000
    file.write(b"\x80\x04}(" + writer.word("device_traces") + b"](](")
    file.write(writer.turn(events, 0)[0] + b"e")
    data, places = writer.turn(events, length)
    for number in range(1, turns):
        for at, time in places:
            struct.pack_into("<q", data, at, time + length * (number - 1))
        file.write(b"(" + data + b"e")
    file.write(b"e" + writer.word("segments") + b"]u.")


def main():
    source, wanted, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with lzma.open(source) as file:
        events = max(pickle.load(file)["device_traces"], key=len)
    turns = wanted // (len(events) + len(list(left(events))))
    if not turns:
        events, turns = events[:int(0.97 * wanted)], 1
    events += left(events)
    with open(out, "wb") as file:
        write(file, events, turns)
    with open(out.rsplit(".", 1)[0] + ".json", "w", encoding="utf-8") as file:
        json.dump({"conf": "", "cap": 0, "total": 150109880320, "torch": "2.11.0+cu130"}, file)
    print(turns * len(events))


main()
