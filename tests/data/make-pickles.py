# SPDX-License-Identifier: Apache-2.0
"""Write one small snapshot as pickles that differ in form, not in content.

usage: make-pickles.py FOLDER

tests/unit/test-pickle.c holds the content, and reads every file of FOLDER:
modern-*.pickle have all that torch 2.11 writes and more, legacy-*.pickle what
torch 2.0 wrote, segments-*.pickle are the bare lists of torch 1.13.
"""
import io
import pickle
import pickletools
import struct
import sys

A, B, C = 0x7F0000000000, 0x7F0040000000, 0xFFFF800000000000


FRAME = {"name": "f", "filename": "x.py", "line": 3}
FRAMES = [FRAME, {"name": "g", "filename": "x.py", "line": 4}]


def block(address, size, requested, state, frames, form):
    if form != "modern":
        return {"size": size, "state": state}
    return {"address": address, "size": size, "requested_size": requested,
            "state": state, "frames": frames}


def segment(device, address, kind, stream, pool, expandable, blocks, frames, form):
    out = {"device": device, "address": address,
           "total_size": sum(b["size"] for b in blocks),
           "allocated_size": 7, "active_size": 7, "stream": stream,
           "segment_type": kind, "blocks": blocks}
    if form == "modern":
        out.update(segment_pool_id=pool, is_expandable=expandable,
                   requested_size=7, frames=frames)
    return out


def segments(form):
    return [
        segment(0, B, "large", 0x5555AAAA0010, (0, 1), True, [
            block(B, 2097152, 2000000, "active_pending_free", FRAMES, form),
        ], [], form),
        segment(1, C, "small", 0, (0, 0), False, [
            block(C, 2097152, 1, "inactive", list(FRAMES), form),
        ], [], form),
        segment(0, A, "small", 0, (0, 0), False, [
            block(A, 512, 17, "active_allocated", FRAMES, form),
            block(A + 512, 1024, 1000, "inactive", [], form),
            block(A + 1536, 2095616, 99, "active_allocated", [FRAME], form),
        ], [dict(f) for f in FRAMES], form),
    ]


SHARED_POOL = (7, 1 << 40)


def pool_of(action):
    if action.startswith("free"):
        return tuple([0, 1])  # a new one each time
    return SHARED_POOL if action in ("oom", "segment_free") else (0, 0)


def event(action, addr, size, stream, time, frames, form):
    out = {"action": action}
    out["device_free" if action == "oom" else "addr"] = addr
    out.update(size=size, stream=stream)
    if form == "modern":
        out.update(time_us=time, compile_context="N/A", user_metadata="",
                   pool_id=pool_of(action))
    if frames is not None:
        out["frames"] = frames
    return out


def traces(form):
    t = 1795960675402702
    zero = [
        event("segment_alloc", A, 2097152, 0, t, FRAMES, form),
        event("alloc", A, 17, 0, t + 1, FRAMES, form),
        event("workspace_snapshot", A, 1, 0, t + 2, None, form),
        event("free_requested", A, 17, 0, t + 3, [FRAME], form),
        event("free_completed", A, 17, 0, t + 3, [], form),
        event("oom", 4096, 1 << 40, 0x5555AAAA0010, t + 4, FRAMES, form),
        event("snapshot", 0, 3584, 0, t + 5, None, form),
    ]
    one = [
        event("segment_map", C, 2097152, 0, t, FRAMES, form),
        event("segment_unmap", C, 2097152, 0, t + 300, FRAMES, form),
        event("segment_free", C, 2097152, 0, t + 301, None, form),
    ]
    return [zero, one, []]


def settings():
    return {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:128",
            "max_split_size": 134217728, "garbage_collection_threshold": 0.5,
            "expandable_segments": False,
            "roundup_power2_divisions": {"1": 0, "2": 4}}


def snapshot(form):
    out = {"segments": segments(form), "device_traces": traces(form)}
    if form == "modern":
        out["allocator_settings"] = settings()
        out["external_annotations"] = [
            {"name": "x", "stage": "START", "device": 0, "time_us": 5}]
    return out


def backwards(value):
    """The same with the keys of every dict in reverse."""
    if isinstance(value, dict):
        return {k: backwards(value[k]) for k in reversed(value)}
    if isinstance(value, (list, tuple)):
        return type(value)(backwards(v) for v in value)
    return value


def crowded(form):
    """With keys that no release has, of every type."""
    nested = [{"blocks": [{"size": -1}], 5: [{"action": 1.5}], (1, 2): None}]
    extra = {"segments ": {"segments": {"a": [1]}, "device_traces": 3},
             "numbers": [-1, 1 << 80, -(1 << 70), float("nan"), 1.5, 0],
             "others": (None, True, b"bytes", "x" * 300, {1, 2},
                        frozenset([3]), (), (1,), (1, 2, 3), (1, 2, 3, 4)),
             "nested": nested, "again": [nested, nested]}
    out = {"first": extra, "empty": {}}
    out.update(snapshot(form))
    out["host_segments"] = segments(form)
    out["host_traces"] = traces(form)
    for part in out["segments"] + out["device_traces"][0]:
        part["extra"] = extra
    return out


def shared(form):
    """The second event once more at the end of its trace; one trace twice."""
    out = snapshot(form)
    out["device_traces"][0].append(out["device_traces"][0][1])
    out["device_traces"][2] = out["device_traces"][1]
    out["elsewhere"] = [out["device_traces"][0][1], out["segments"][0],
                        out["device_traces"]]
    return out


class OneByOne(pickle._Pickler):
    """SETITEM and APPEND for every item."""
    _BATCHSIZE = 1


class TwoByTwo(pickle._Pickler):
    _BATCHSIZE = 2


def dump(pickler, value, protocol, fast=False):
    out = io.BytesIO()
    p = pickler(out, protocol)
    p.fast = fast
    p.dump(value)
    return out.getvalue()


class Untagged:
    """The form of torch's own pickler: protocol 2, no dict in the memo,
    strings in it once, wide integers of 8 bytes, no batches."""

    def __init__(self):
        self.out = io.BytesIO()
        self.memo = {}

    def dump(self, value):
        self.out.write(b"\x80\x02")
        self.push(value)
        self.out.write(b".")
        return self.out.getvalue()

    def push(self, value):
        if isinstance(value, bool):
            self.out.write(b"\x88" if value else b"\x89")
        elif isinstance(value, int):
            self.integer(value)
        elif isinstance(value, float):
            self.out.write(b"G" + struct.pack(">d", value))
        elif isinstance(value, str):
            self.string(value)
        elif isinstance(value, dict):
            self.out.write(b"}(")
            for k, v in value.items():
                self.push(k)
                self.push(v)
            self.out.write(b"u")
        else:
            self.items(value)

    def items(self, value):
        self.out.write(b"(" if isinstance(value, tuple) else b"](")
        for v in value:
            self.push(v)
        self.out.write(b"t" if isinstance(value, tuple) else b"e")

    def integer(self, value):
        if 0 <= value < 256:
            self.out.write(b"K" + bytes([value]))
        elif -(1 << 31) <= value < 1 << 31:
            self.out.write(b"J" + struct.pack("<i", value))
        else:
            size = 8 if value < 1 << 63 else 9
            self.out.write(b"\x8a" + bytes([size]) +
                           value.to_bytes(size, "little", signed=True))

    def string(self, value):
        if value in self.memo:
            self.out.write(b"h" + bytes([self.memo[value]]))
            return
        data = value.encode()
        self.memo[value] = len(self.memo)
        self.out.write(b"X" + struct.pack("<I", len(data)) + data +
                       b"q" + bytes([self.memo[value]]))


def twice(form):
    """Every key of the top dict twice; what comes first is wrong."""
    wrong = snapshot(form)
    wrong["segments"].pop()
    wrong["device_traces"].insert(0, [wrong["device_traces"][0][0]])
    if form == "modern":
        wrong["allocator_settings"]["PYTORCH_CUDA_ALLOC_CONF"] = "wrong"
    out = io.BytesIO()
    p = pickle._Pickler(out, 4)
    p.write(b"\x80\x04}")
    for k, v in list(wrong.items()) + list(snapshot(form).items()):
        p.save(k)
        p.save(v)
        p.write(b"s")
    p.write(b".")
    return out.getvalue()


def forms(form):
    plain = snapshot(form) if form != "segments" else segments("legacy")
    for protocol in (2, 3, 4, 5):
        yield "p%d" % protocol, pickle.dumps(plain, protocol)
    yield "backwards", pickle.dumps(backwards(plain), 4)
    yield "optimized", pickletools.optimize(pickle.dumps(plain, 4))
    yield "fast", dump(pickle._Pickler, plain, 4, fast=True)
    yield "one", dump(OneByOne, plain, 4)
    yield "two", dump(TwoByTwo, plain, 3)
    yield "untagged", Untagged().dump(plain)
    if form != "segments":
        yield "crowded", pickle.dumps(crowded(form), 4)
        yield "crowded-one", dump(OneByOne, crowded(form), 4)
        yield "crowded-backwards", pickle.dumps(backwards(crowded(form)), 4)
        yield "twice", twice(form)


def main():
    for form in ("modern", "legacy", "segments"):
        for name, data in forms(form):
            with open("%s/%s-%s.pickle" % (sys.argv[1], form, name),
                      "wb") as f:
                f.write(data)
    with open("%s/shared.pickle" % sys.argv[1], "wb") as f:
        f.write(pickle.dumps(shared("modern"), 4))


if __name__ == "__main__":
    main()
