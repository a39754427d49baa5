# SPDX-License-Identifier: Apache-2.0
"""Compare recordings with what allocctl convert makes of them: CPython reads
the same from both pickles, the CSV has the same events, and the counters have
the peaks that torch's memory_stats() gave in the companion file.

usage: convert.py ALLOCCTL FILE|FOLDER...
"""
import csv
import io
import json
import lzma
import os
import pickle
import subprocess
import sys

# What is not kept.
DROPPED = ("compile_context",)


def convert(program, path, form):
    return subprocess.run([program, "convert", "--to", form, path, "-"],
                          check=True, stdout=subprocess.PIPE).stdout


def of_event(event):
    return {k: v for k, v in event.items() if k not in DROPPED}


def of_snapshot(snapshot):
    return {
        "segments": sorted(snapshot["segments"],
                           key=lambda s: (s["device"], s["address"])),
        "device_traces": [[of_event(e) for e in trace]
                          for trace in snapshot["device_traces"]],
        "allocator_settings": snapshot["allocator_settings"],
        "external_annotations": snapshot["external_annotations"],
    }


def line(device, index, event):
    frames = "; ".join("%s (%s:%d)" % (f["name"], f["filename"], f["line"])
                       for f in event.get("frames", ()))
    pool = "%d:%d" % event["pool_id"] if "pool_id" in event else ""
    return [str(device), str(index), str(event.get("time_us", "")),
            event["action"], str(event.get("addr", "")), str(event["size"]),
            str(event["stream"]), str(event.get("device_free", "")), pool,
            frames]


def counters(trace):
    """Peak and last value of each counter, by device."""
    found = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "C":
            key = event["pid"] - 1, event["name"]
            value = event["args"]["bytes"]
            peak = found.get(key, (0, 0))[0]
            found[key] = max(peak, value), value
        elif event["ph"] == "i":
            found.setdefault((event["pid"] - 1, "instants"), []).append(
                (event["name"], event["ts"], event["args"]["size"]))
        elif event["ph"] != "M":
            raise ValueError(event)
    return found


def trace_differs(trace, snapshot, stats, is_window):
    found = counters(trace)
    for device, events in enumerate(snapshot["device_traces"]):
        of = stats[device]
        want = {"reserved": of["reserved_bytes.all.peak"],
                "active": of["requested_bytes.all.peak"]}
        for name, peak in want.items():
            got = found[device, name][0]
            if got > peak or (got < peak and not is_window):
                return "peak of %s is %d, not %d" % (name, got, peak)
        last = sum(s["total_size"] for s in snapshot["segments"]
                   if s["device"] == device)
        if found[device, "reserved"][1] != last:
            return "other bytes reserved at the end"
        marks = [(e["action"], e["time_us"], e["size"]) for e in events
                 if e["action"] in ("oom", "snapshot")]
        if found.get((device, "instants"), []) != marks:
            return "other instants"
    return None


def stats_of(path):
    try:
        with open(path.replace(".pickle.xz", ".json")) as f:
            stats = json.load(f)["stats"]
    except (OSError, KeyError):
        return None
    return stats if isinstance(stats, list) else [stats]


def differs(program, path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        want = pickle.load(f)
    got = pickle.loads(convert(program, path, "pickle"))
    if repr(of_snapshot(want)["allocator_settings"]) != repr(
            got["allocator_settings"]):
        return "%s: allocator_settings" % path
    if of_snapshot(want) != got:
        return "%s: another snapshot" % path
    text = convert(program, path, "csv").decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    lines = [line(device, index, event)
             for device, trace in enumerate(want["device_traces"])
             for index, event in enumerate(trace)]
    if rows[1:] != lines or len(rows[0]) != 10:
        return "%s: another CSV" % path
    stats = stats_of(path)
    problem = stats and trace_differs(
        json.loads(convert(program, path, "perfetto")), want, stats,
        "windows" in path)
    return "%s: %s" % (path, problem) if problem else None


def recordings(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for where, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                if name.endswith(".pickle.xz"):
                    yield os.path.join(where, name)


def main():
    read = bad = 0
    for path in recordings(sys.argv[2:]):
        read += 1
        problem = differs(sys.argv[1], path)
        if problem:
            bad += 1
            print(problem)
    print("convert: %d recordings, %d differ" % (read, bad))
    return 1 if bad or not read else 0


if __name__ == "__main__":
    sys.exit(main())
