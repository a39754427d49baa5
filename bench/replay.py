#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The replay engine against play() of a readable model, on one decoded program without a limit, in turns.

The model is heap_model.py in SHARED/oracle; without it only the engine is timed. Times are of the processor.
"""
import os
import statistics
import subprocess
import sys
import time

import measure

RECORDINGS = ["varlen_gpt.default", "gnn.default", "seed_squares.default", "varlen_gpt.expandable", "gnn.expandable",
              "streams.expandable"]


def model():
    """A function of a recording that gives a function to play it, or None."""
    folder = os.path.join(measure.SHARED, "oracle")
    if not os.path.exists(os.path.join(folder, "heap_model.py")):
        return None
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    from heap_model import Recording, decode, fresh_device, play

    def player(path):
        recording = Recording(path)
        program = decode(recording)
        return lambda: play(program, recording.settings, None, fresh_device(program), record=False)
    return player


def seconds_of(play):
    start = time.process_time()
    play()
    return time.process_time() - start


def engine(path, times):
    out = subprocess.run([measure.program("bench-replay"), path, str(times)], check=True, capture_output=True, text=True).stdout
    _, median, events = out.split()
    return float(median), int(events)


def compare(path, play, rounds, times):
    ours, theirs = [], []
    for _ in range(rounds):
        seconds, events = engine(path, times)
        ours.append(seconds)
        if play:
            theirs.append(seconds_of(play))
    ratios = [b / a for a, b in zip(ours, theirs)]
    return events, ours, theirs, ratios


def run(results):
    rounds, times = (1, 1) if results.quick else (7, 9)
    rows, rates, player = [], [], model()
    if not player:
        results.skip("model", "no heap_model.py in SHARED/oracle")
    for name in RECORDINGS[-1:] if results.quick else RECORDINGS:
        path = measure.trace(name)
        if not path:
            results.skip(name, "no such recording")
            continue
        events, ours, theirs, ratios = compare(path, player and player(path), rounds, times)
        rates.append(events / statistics.median(ours) / 1e6)
        rows.append([name, f"{events:,}", *(measure.spread([1e3 * s for s in what]) if what else "-"
                                            for what in (theirs, ours)),
                     measure.spread(ratios, "{:.1f}") if ratios else "-", f"{rates[-1]:.0f}"])
    results.table("replay", ["recording", "events", "model, ms", "engine, ms", "ratio", "engine, million events/s"], rows)
    if rates:
        results.figure(**{"replay.least": min(rates), "replay.most": max(rates), "replay.median": statistics.median(rates)})
    results.note(f"{rounds} rounds of both in turn; of each round the engine's median of {times} replays.")


measure.main("replay", run, __doc__)
