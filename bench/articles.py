#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Experiments that articles describe, answered by replay. What wants a GPU is in bench/gpu/articles.py."""
import json
import os
import re

import measure
from measure import GIB, MIB

BY_GPU = {"V100": (128, 256), "A100": (64, 128), "RTX": (32, 64), "24 GB": (4096, 4608, 5120)}
SIX = ["big_random.default", "big_random.11.base", "gnn.oom", "remedy-gnn.12.oom", "seed_squares.cap_gc_split",
       "streams.default"]       # of tests/data: those of conf/presets.yaml
TUNED = "varlen_gpt.default"
CARD = 24 << 10                 # MiB


def split(mb):
    return f"max_split_size_mb:{mb}"


def ask(paths, settings, ratio=1.1):
    """{(file, setting): [live, needs, reserves, calls, ms, ms under the limit, ms of the run]}"""
    out = measure.Run([measure.program("bench-memory"), str(ratio), *settings, "--", *paths]).out
    return {tuple(line.split("\t")[:2]): list(map(float, line.split("\t")[2:])) for line in out.splitlines()}


def allocctl(*arguments):
    """The JSON that a command prints, and what it took."""
    done = measure.Run([measure.program("allocctl"), *arguments, "--format", "json"], status=(0, 1, 3))
    return {**json.loads(done.out), "processor_seconds": done.seconds}


def stepwise(results, names):
    """One sixth of the card, then 512 MB less each time that memory runs out, until a run fits."""
    values, rows = range(CARD // 6, 0, -512), []
    for name in names:
        path = measure.trace(name)
        tuned = allocctl("tune", path, "--limit", "none", "--method", "guide")
        found = ask([path], ["", *map(split, values)])
        if name == TUNED:
            results.figure(**{"tune.settings": len(tuned["settings"]), "tune.seconds": tuned["processor_seconds"],
                              "tune.events": tuned["recorded"]["events"]})
        file = os.path.basename(path)
        needs = [found[file, split(mb)][1] for mb in values]
        winner = next(s for s in tuned["settings"] if s["setting"] == tuned["winner"])["minimum_memory"]
        room = 1.02 * winner
        runs = next((n for n, least in enumerate(needs, 1) if least <= room), None)
        best = min(needs)
        rows.append([name, f"{found[file, ''][1] / MIB:,.0f}", f"{best / MIB:,.0f}", str(needs.index(best) + 1),
                     f"yes, after {runs}" if runs else f"no, after {len(values)}", f"{winner / MIB:,.0f}",
                     f"1, and {tuned['replays']:,} replays", f"`{tuned['winner']}`"])
    results.table("stepwise", ["recording", "default needs, MiB", "least of its steps, MiB", "found in training run",
                               "fits in tune's memory + 2 %", "tune's winner needs, MiB", "training runs", "winner"], rows)


def by_gpu(results):
    """What conf/presets.yaml says, from the recordings again."""
    with open(os.path.join(measure.ROOT, "conf/presets.yaml"), encoding="utf-8") as file:
        settings = re.findall(r"^  - setting: (\S+)", file.read(), re.MULTILINE)
    ratios = {}
    for name in SIX:
        path = os.path.join(measure.ROOT, "tests/data", name + ".pickle.xz")
        tuned = allocctl("tune", path, "--limit", "64GiB", *(w for s in settings for w in ("--setting", s)))
        found = {s["setting"]: s for s in tuned["settings"]}
        for setting in settings:
            for key in ("minimum_memory", "peak_reserved"):
                if found[setting].get(key):
                    ratios.setdefault((setting, key), []).append(found[setting][key] / found[""][key])
    results.table("by-gpu", ["GPU", "recommended", "needs, x default", "reserves without a limit, x default"],
                  [[gpu, f"`{split(mb)}`", *(f"{min(r):.3f} to {max(r):.3f}" for r in
                                             (ratios[split(mb), "minimum_memory"], ratios[split(mb), "peak_reserved"]))]
                   for gpu, recommended in BY_GPU.items() for mb in recommended])


def empty_cache(results):
    path = measure.trace("varlen_gpt.default")
    if not path:
        results.skip("empty_cache", "no recording of varlen_gpt")
        return
    rows = []
    for setting in ("", split(64), "expandable_segments:True"):
        for every in (0, 20, 10, 1):
            answer = allocctl("replay", path, "--setting", setting, *(["--empty-cache-every", str(every)] if every else []))
            done, put = answer["device_operations"], answer["empty_cache"]["calls"] if every else 0
            rows.append([f"`{setting}`" if setting else "default", f"every {every} steps: {put} calls" if every else "never",
                         f"{answer['peak_reserved'] / MIB:,.0f}", f"{100 * answer['peak_live'] / answer['peak_reserved']:.0f} %",
                         f"{done['mallocs'] + done['frees']:,}", f"{answer['seconds_estimated']:.2f}"])
    results.table("empty-cache", ["setting", "empty_cache()", "peak reserved, MiB", "utilisation: peak live / peak reserved",
                                  "cudaMalloc and cudaFree", "estimated s"], rows)


def sweep(results, names):
    rows = []
    for name in names:
        path = measure.trace(name)
        if not path:
            results.skip(name, "no such recording")
            continue
        settings = ["", *map(split, (32, 128, 512)), "expandable_segments:True"]
        for (_, setting), (live, least, reserved, calls, *_) in ask([path], settings).items():
            rows.append([name, f"`{setting}`" if setting else "none", f"{live / MIB:,.1f}", f"{reserved / MIB:,.1f}",
                         f"{least / MIB:,.1f}", f"{calls:.0f}"])
    results.table("sweep", ["recording", "setting", "allocated, MiB", "reserved, MiB", "least memory, MiB",
                            "driver calls without a limit"], rows)


def ledger(results, names):
    rows = []
    for name in names:
        path = measure.trace(name)
        if not path:
            results.skip(name, "no such recording")
            continue
        answer = allocctl("replay", path)
        end = answer["held_at_end"]
        rows.append([name, f"{answer['peak_live'] / GIB:.2f}", f"{answer['peak_reserved'] / GIB:.2f}",
                     f"{answer['peak_reserved'] / answer['peak_live']:.2f}", f"{end['live'] / GIB:.2f}",
                     f"{end['reserved'] / GIB:.2f}", f"{end['releasable'] / GIB:.2f}"])
    results.table("ledger", ["recording", "allocated at most, GiB", "reserved at most", "ratio", "allocated at the end",
                             "reserved at the end", "of that empty_cache() gives back"], rows)


def run(results):
    quick = results.quick
    stepwise(results, ["streams.default"] if quick else [n for n in ("varlen_gpt.default", "gnn.default", "big_random.default")
                                                          if measure.trace(n)])
    by_gpu(results)
    empty_cache(results)
    sweep(results, ["seed_squares.default", "seed_squares.expandable", "streams.default", "streams.expandable"])
    ledger(results, [f"{n}.default" for n in ("varlen_gpt", "gnn", "big_random", "seed_squares", "graphs", "streams")])


measure.main("articles", run, __doc__)
