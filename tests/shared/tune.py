#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tune.py ALLOCCTL TRACES: are the figures of tune those of the GPU and of the readable model?

The model's folder is in PYTHONPATH.  Prints a line for each comparison; status 1 if one fails."""
import json
import os
import subprocess
import sys

from heap_model import Recording, decode, fresh_device, minimum_memory, play
from heap_rules import Settings

ALLOCCTL, TRACES = sys.argv[1:3]
UNIT = 2 << 20
failures = 0


def check(right, *what):
    global failures
    failures += not right
    print("ok  " if right else "FAIL", *what, flush=True)


def tune(path, *args):
    run = subprocess.run([ALLOCCTL, "tune", os.path.join(TRACES, path + ".pickle.xz"), "--format", "json", *args],
                         capture_output=True, text=True)
    if run.returncode > 1:
        sys.exit(f"{path} {args}: {run.stderr}")
    report = json.loads(run.stdout)
    return report, {entry["setting"]: entry for entry in report["settings"]}


def bisected_on_the_gpu():
    """Minimum memory as a ratio of peak live, found by running the program on the card."""
    brackets = {"varlen_gpt.default": {"": (1.091, 1.104), "expandable_segments:True": (1.010, 1.024)},
                "gnn.default": {"": (1.024, 1.037), "expandable_segments:True": (0.997, 1.010)}}
    for name, known in brackets.items():
        report, settings = tune(name)
        for setting, (low, high) in known.items():
            ratio = settings[setting]["minimum_memory"] / report["peak_live"]
            check(low <= ratio <= high, f"{name} '{setting}': minimum {ratio:.4f} x peak live, GPU {low} to {high}")
        if name.startswith("varlen"):
            peaks = [settings[s]["peak_reserved"] / 2**30 for s in ("", "max_split_size_mb:128")]
            check(len(settings) >= 200 and report["self_check"]["exact"], f"{name}: {len(settings)} settings, exact")
            check(abs(peaks[0] - 16.08) < 0.01 and 58.3 <= peaks[1] < 58.4, f"{name}: peaks {peaks} GiB")


def peaks_of_the_same_program():
    """traces/same: what torch reserved."""
    for workload in ("big_random", "gnn"):
        _, settings = tune(f"{workload}.default")
        for name, setting in (("roundup4", "roundup_power2_divisions:4"), ("split128", "max_split_size_mb:128"),
                              ("expandable", "expandable_segments:True")):
            with open(os.path.join(TRACES, "same", f"{workload}.same_{name}.json")) as file:
                torch = json.load(file)["stats"]["reserved_bytes.all.peak"]
            check(settings[setting]["peak_reserved"] == torch, f"{workload} '{setting}': peak {torch}")


def whole_runs():
    """traces/remedy: what ran in torch under a limit."""
    with open(os.path.join(TRACES, "remedy", "remedy.jsonl")) as file:
        rows = [json.loads(line) for line in file]
    reports = {}
    wrong = unsure = 0
    for row in rows:
        key = f"remedy/{row['program']}.{row['seed']}.base", str(row["cap"])
        if key not in reports:
            reports[key] = tune(key[0], "--limit", key[1])[1]
        fits = reports[key][row["setting"]]["fits"]
        unsure += fits is None
        wrong += fits is not None and fits != (row["oom"] is None)
    check(not wrong, f"remedy: {len(rows)} rows, {wrong} wrong, {unsure} hang on placement")


def fits_in_model(program, setting, limit):
    return play(program, Settings(setting), limit, fresh_device(program), record=False)[1] is None


def minima_of_the_model():
    """Bisection finds the model's minimum, unless probes showed it to be an island, or the model began too high."""
    for name in ("big_random.default", "streams.default", "gnn.default", "seed_squares.default"):
        program = decode(Recording(os.path.join(TRACES, name + ".pickle.xz")))
        _, settings = tune(name)
        for setting in ("", "expandable_segments:True", "max_split_size_mb:64", "max_split_size_mb:256",
                        "garbage_collection_threshold:0.9", "roundup_power2_divisions:8", "large_segment_size_mb:64",
                        "max_split_size_mb:512,max_non_split_rounding_mb:512"):
            entry = settings[setting]
            model, free_run = minimum_memory(program, Settings(setting))
            check(entry["peak_reserved"] == free_run.peak_reserved, f"{name} '{setting}': peak without a limit")
            ours, right, what = entry["minimum_memory"], True, "equal"
            if ours > model and entry["islands"]:
                what = "above an island"
                right = not fits_in_model(program, setting, ours - UNIT)
            elif ours < model:
                what = "below where the model began"
                right = fits_in_model(program, setting, ours)
            else:
                right = ours == model
            check(right, f"{name} '{setting}': minimum {ours}, model {model}, {what}")


bisected_on_the_gpu()
peaks_of_the_same_program()
whole_runs()
minima_of_the_model()
sys.exit(failures != 0)
