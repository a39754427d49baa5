#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heap's own paths: a pair of request and release, beside malloc() of others for scale; threads; setting; probe.

For scale only: malloc() knows no streams and may put its notes into the memory that it hands out, and for large blocks
asks the kernel. Others are used where their library is installed (Debian: libjemalloc2, libmimalloc2.0), or where
BENCH_PRELOAD names it. No package has TLSF.
"""
import ctypes.util
import os
import re
import statistics
import tempfile

import measure

LIBRARIES = {"jemalloc": "jemalloc", "mimalloc": "mimalloc"}


def preloads():
    """Of each peer its library, or None; '' is what the C library has."""
    named = {name: path for path in os.environ.get("BENCH_PRELOAD", "").split(":") for name in LIBRARIES if name in path}
    return {"malloc": "", **{name: named.get(name) or ctypes.util.find_library(short) for name, short in LIBRARIES.items()}}


def pairs(what, preload, rounds, times):
    """{load: nanoseconds of each round}"""
    found = {}
    for _ in range(rounds):
        environment = {**os.environ, **({"LD_PRELOAD": preload} if preload else {})}
        out = measure.Run([measure.program("bench-heap"), what, *times], env=environment).out
        for line in out.splitlines():
            load, median, *_ = line.split("\t")
            found.setdefault(load, []).append(float(median))
    return found


def heap(results, rounds, times):
    found = {name: pairs(name, "", rounds, times) for name in ("torch", "compact")}
    for name, preload in preloads().items():
        if preload is None:
            results.skip(name, f"lib{LIBRARIES[name]} is not installed")
        else:
            found[name] = pairs("malloc", preload, rounds, times)
    loads = list(found["torch"])
    names = {"torch": "liballoc, policy torch", "compact": "liballoc, policy compact", "malloc": "malloc (C library)"}
    results.table("heap", ["ns a pair", *loads],
                  [[names.get(name, name), *(measure.spread(ns[load], "{:.0f}") if load in ns else "-" for load in loads)]
                   for name, ns in found.items()])
    results.figure(**{"heap.torch": statistics.median(found["torch"][loads[0]]),
                      "heap.compact": statistics.median(found["compact"][loads[0]])})


def threads(results, quick):
    rows = []
    line = re.compile(r"(.*?) +(\d+) threads +allocator +([\d.]+) .*mutex +([\d.]+) .*ns +([\d.]+) ")
    for policy in ("torch", "compact"):
        out = measure.Run([measure.program("bench-allocator"), policy, *(["1"] if quick else [])]).out
        rows += [[policy, found[1], found[2], found[3], found[4], found[5]] for found in map(line.match, out.splitlines()) if found]
    results.table("allocator", ["policy", "bytes of a request", "threads", "allocator, ns", "heap and mutex, ns", "ratio"], rows)


def settings(results, times):
    rows = []
    for line in measure.Run([measure.program("bench-setting"), *times]).out.splitlines()[1:]:
        *times, text = re.sub(r"[\d.]+: +", "", line).split()
        rows.append([f"`{text}`", *times])
    results.table("setting", ["ns a parse", "rules of 2.6", "2.11", "2.15"], rows)


def probe(results, times):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CUPTI_PROBE_DIR": folder}
        for name in ("bench-probe-store", "bench-probe-hook"):
            out = measure.Run([measure.program(name), *times], env=environment).out
            rows += [[found[1].strip(), found[2]] for found in re.finditer(r"^(.+?)  +([\d.]+) ns", out, re.MULTILINE)]
    results.table("probe", ["of cupti-probe", "ns"], rows)


def run(results):
    times = ["1"] if results.quick else []
    heap(results, 1 if results.quick else 3, times)
    threads(results, results.quick)
    settings(results, times)
    probe(results, times)
    results.note("Heap: 3 runs, of each the median of 11 repetitions; random sizes with a fixed seed.")


measure.main("heap", run, __doc__)
