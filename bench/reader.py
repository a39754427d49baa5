#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader against CPython's pickle.load(), on the same unpacked bytes, in turns.

Times are of the processor, so that other programs disturb them little.
"""
import os
import pickle
import random
import statistics
import subprocess
import tempfile
import time

import measure

SEED = 1
RECORDINGS = ["varlen_gpt.default", "gnn.default", "seed_squares.default", "windows/gnn.frames"]


def made_up(count, path):
    rng = random.Random(SEED)
    t = 1795960675402702
    actions = ("alloc", "free_requested", "free_completed")
    # as torch makes them: words and keys are shared, the rest is not
    trace = [{"action": actions[i % 3],
              "addr": 140677459476480 + 512 * rng.randrange(1 << 26),
              "size": rng.randrange(1 << 24), "stream": 0, "time_us": t + i,
              "compile_context": b"N/A".decode(), "user_metadata": ""}
             for i in range(count)]
    with open(path, "wb") as file:
        pickle.dump({"segments": [], "device_traces": [trace]}, file, 4)


def load_seconds(path):
    with open(path, "rb") as file:
        start = time.process_time()
        value = pickle.load(file)
        took = time.process_time() - start
    del value
    return took


def compare(path, rounds, loads):
    """Rows of a table, the median ratio, bytes an event."""
    ratios, ours, theirs = [], [], []
    for _ in range(rounds):
        theirs.append(statistics.median(load_seconds(path) for _ in range(loads)))
        done = subprocess.run([measure.program("bench-reader"), path, str(3 * loads)], check=True, capture_output=True,
                              text=True).stdout.split()
        ours.append(float(done[1]))
        ratios.append(theirs[-1] / ours[-1])
    events, memory = int(done[2]), int(done[3])
    row = [f"{events:,}", f"{os.path.getsize(path) / 1e6:.1f}", measure.spread([1e3 * s for s in theirs]),
           measure.spread([1e3 * s for s in ours]), measure.spread(ratios, "{:.1f}"), f"{memory / max(events, 1):.0f}"]
    return row, statistics.median(ratios)


def log(results):
    """What triage takes for a log without a message."""
    rng, size = random.Random(SEED), (4 << 20) if results.quick else 1000000000
    lines = "".join(f"2026-11-30 01:02:03,{i % 1000:03} INFO [trainer.py:{i % 700}] epoch {i // 1000} step {i}/40000 loss "
                    f"{rng.random():.4f} mem {rng.random() * 80:.2f} GiB allocated, {rng.random():.1f} it/s\n"
                    for i in range(40000)).encode()
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        while file.tell() < size:
            file.write(lines)
        file.flush()
        seconds = [measure.Run([measure.program("allocctl"), "triage", file.name], status=(0, 1, 2, 3)).seconds
                   for _ in range(1 if results.quick else 3)]
    results.table("log", ["log, MB", "triage, s", "MB/s"],
                  [[f"{size / 1e6:.0f}", measure.spread(seconds), f"{size / 1e6 / statistics.median(seconds):.0f}"]])
    results.figure(**{"log.seconds": statistics.median(seconds)})


def run(results):
    log(results)
    rounds, loads = (1, 1) if results.quick else (7, 3)
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        paths = {"made up": os.path.join(folder, "made-up.pickle")}
        made_up(1000 if results.quick else 500000, paths["made up"])
        for name in RECORDINGS:
            found = measure.trace(name)
            if found:
                paths[name] = measure.unpacked(found, folder)
            else:
                results.skip(name, "no such recording")
        for name, path in paths.items():
            row, ratio = compare(path, rounds, loads)
            rows.append([name, *row])
            ratios.append(ratio)
    results.table("reader", ["recording", "events", "MB", "pickle.load, ms", "reader, ms", "ratio", "bytes an event"], rows)
    results.figure(**{"reader.least": min(ratios), "reader.most": max(ratios)})
    results.note(f"`made up`: seed {SEED}. {rounds} rounds of both in turn, of each round the median of {loads} loads and "
                 f"{3 * loads} reads.")


measure.main("reader", run, __doc__)
