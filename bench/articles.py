#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Experiments that articles describe, answered by replay. What wants a GPU is in bench/gpu/articles.py."""
import json
import os
import subprocess
import sys
import tempfile

import measure
from measure import GIB, MIB

BY_GPU = {"V100": (128, 256), "A100": (64, 128), "RTX": (32, 64), "24 GB": (4096, 4608, 5120)}
SIX = ["big_random.default", "big_random.11.base", "gnn.oom", "remedy-gnn.12.oom", "seed_squares.cap_gc_split",
       "streams.default"]       # of tests/data: those of conf/presets.yaml
CARD = 24 << 10                 # MiB
TURNS = 10                      # of varlen_gpt's 40 steps


def split(mb):
    return f"max_split_size_mb:{mb}"


def ask(paths, settings, ratio=1.1):
    """{(file, setting): [live, needs, reserves, calls, ms, ms under the limit, ms of the run]}"""
    out = measure.Run([measure.program("bench-memory"), str(ratio), *settings, "--", *paths]).out
    return {tuple(line.split("\t")[:2]): list(map(float, line.split("\t")[2:])) for line in out.splitlines()}


def allocctl(*arguments):
    out = measure.Run([measure.program("allocctl"), *arguments, "--format", "json"], status=(0, 1, 3)).out
    return json.loads(out)


def stepwise(results, names):
    """One sixth of the card, then 512 MB less each time that memory runs out, until a run fits."""
    values, rows = range(CARD // 6, 0, -512), []
    for name in names:
        path = measure.trace(name)
        tuned = allocctl("tune", path, "--limit", "none", "--method", "guide")
        found = ask([path], ["", *map(split, values)])
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
    ratios, values = {}, sorted({mb for recommended in BY_GPU.values() for mb in recommended})
    for name in SIX:
        path = os.path.join(measure.ROOT, "tests/data", name + ".pickle.xz")
        tuned = allocctl("tune", path, "--limit", "64GiB", *(w for mb in values for w in ("--setting", split(mb))))
        found = {s["setting"]: s for s in tuned["settings"]}
        for mb in values:
            for key in ("minimum_memory", "peak_reserved"):
                if found[split(mb)].get(key):
                    ratios.setdefault((mb, key), []).append(found[split(mb)][key] / found[""][key])
    results.table("by-gpu", ["GPU", "recommended", "needs, x default", "reserves without a limit, x default"],
                  [[gpu, f"`{split(mb)}`", *(f"{min(r):.2f} to {max(r):.2f}" for r in
                                             (ratios[mb, "minimum_memory"], ratios[mb, "peak_reserved"]))]
                   for gpu, recommended in BY_GPU.items() for mb in recommended])


def empty_cache(results, folder):
    path, name = measure.trace("varlen_gpt.default"), os.path.join(folder, "long.pickle")
    if not path:
        results.skip("empty_cache", "no recording of varlen_gpt")
        return
    turns = 1 if results.quick else TURNS
    subprocess.run([sys.executable, os.path.join(measure.HERE, "long-recording.py"), path, str(87200 * turns), name, "--keep"],
                   check=True, stdout=subprocess.DEVNULL)
    rows = []
    for setting in ("", split(64), "expandable_segments:True"):
        for every in (0, 100, 10, 1):
            options = ["--setting", setting, *(["--empty-cache-every", str(every)] if every else [])]
            answer = allocctl("replay", name, *options)
            done, put = answer["device_operations"], answer["empty_cache"]["calls"] if every else 0
            rows.append([f"`{setting}`" if setting else "default", f"each {every} steps: {put} calls" if every else "never",
                         f"{answer['peak_reserved'] / MIB:,.0f}", f"{100 * answer['peak_live'] / answer['peak_reserved']:.0f} %",
                         f"{done['mallocs'] + done['frees']:,}",
                         f"{answer['seconds_estimated']:.2f}"])
    results.table("empty-cache", ["setting", "empty_cache()", "peak reserved, MiB", "peak live / peak reserved",
                                  "cudaMalloc and cudaFree", "estimated s"], rows)
    results.note(f"empty_cache: varlen_gpt {turns} times over, {40 * turns} steps; what is left at the end of each 40 steps is "
                 "freed there.")


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
    with tempfile.TemporaryDirectory() as folder:
        empty_cache(results, folder)
    sweep(results, ["seed_squares.default", "seed_squares.expandable", "streams.default", "streams.expandable"])
    ledger(results, [f"{n}.default" for n in ("varlen_gpt", "gnn", "big_random", "seed_squares", "graphs", "streams")])


measure.main("articles", run, __doc__)
