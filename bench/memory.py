#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recordings need by replay: native, expandable segments, policy compact and what guides recommend.

Nothing here is timed on a GPU: times are estimates by conf/device-costs.yaml.
"""
import glob
import os
import statistics
from concurrent.futures import ThreadPoolExecutor

import measure
from measure import MIB

SHOWN = ["varlen_gpt", "gnn", "big_random", "graphs", "seed_squares", "streams"]
LARGE, SMALL_SHARE = 3584 * MIB, 50     # as tests/tools/compact-bounds.awk has them
RATIO = 1.1
SETTINGS = {"": "native", "expandable_segments:True": "expandable", "compact": "compact",
            **{f"max_split_size_mb:{mb}": "" for mb in (32, 64, 128, 256, 512, 4096)},
            "garbage_collection_threshold:0.8": "", "roundup_power2_divisions:4": "",
            "max_split_size_mb:128,garbage_collection_threshold:0.6": "",
            "max_split_size_mb:128,expandable_segments:True": ""}


def recordings(quick):
    """Recordings of workloads; random/ and setters/ are made to reach every rule, by requests most of which fail."""
    folder = os.path.join(measure.SHARED, "traces")
    if quick or not os.path.isdir(folder):
        return [measure.trace("streams.default"), measure.trace("recapture.default")]
    found = glob.glob(os.path.join(folder, "**/*.pickle.xz"), recursive=True)
    found += glob.glob(os.path.join(measure.ROOT, "tests/data/**/*.pickle.xz"), recursive=True)
    named = {os.path.basename(path): path for path in found if "/random/" not in path and "/setters/" not in path
             and not os.path.basename(path).startswith(("setters.", "oom_fragmentation_small."))}
    return [named[name] for name in sorted(named)]


def lines(command, paths):
    """What a program prints of each recording, two at a time, in order; lines are parted by tabs."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda path: measure.Run([*command, path], status=(0, 1)), paths))
    return [line.split("\t") for run in runs for line in run.out.splitlines()]


def ratio(part, whole):
    return f"{int(part) / whole:.4f}" if int(part) else "-"


def compact(results, paths):
    """The table of default recordings, and what README says of all."""
    found = lines([measure.program("compact-figures")], paths)
    rows = []
    for name in SHOWN:
        for f in found:
            if f[0] == name + ".default.pickle.xz":
                live = int(f[2])
                rows.append([name + (" (pools kept)" if int(f[18]) else ""), f"{live / MIB:,.0f}", ratio(f[4], live),
                             ratio(f[5], live), ratio(f[6], live), f"{(int(f[6]) - live) / MIB:.1f}", f[9],
                             *(f"{a} + {b}" if float(a) >= 0 else "out of memory" for a, b in ((f[10], f[11]), (f[13], f[14])))])
    results.table("compact", ["recording", "live, MiB", "native", "expandable", "compact", "compact, MiB more",
                              "calls in the second half", "ms in 1.03 x live: first + later", "1.01: first + later"], rows)
    free = [f for f in found if not int(f[18]) and int(f[6])]
    large = [[int(f[i]) / int(f[2]) for i in (6, 4, 5)] for f in free if int(f[2]) >= LARGE]
    more = {small: [(int(f[6]) - int(f[2])) / MIB for f in free if int(f[2]) < LARGE and (int(f[16]) >= SMALL_SHARE) == small]
            for small in (False, True)}
    results.figure(**{"compact.recordings": len(found), "compact.large": len(large)})
    if large:
        results.figure(**{"compact.worst": max(r[0] for r in large), "compact.median": statistics.median(r[0] for r in large),
                          "compact.native": max(r[1] for r in large), "compact.expandable": max(r[2] for r in large)})
    results.figure(**{name: max(more[small]) for small, name in ((False, "compact.more"), (True, "compact.more_small"))
                      if more[small]})


def settings(results, paths):
    found = {}
    for line in lines([measure.program("bench-memory"), str(RATIO), *SETTINGS, "--"], paths):
        found.setdefault(line[1], []).append([line[0], *map(float, line[2:])])
    rows = []
    for setting, label in SETTINGS.items():
        of = found[setting]
        fits = [f for f in of if f[2]]
        ran = [f for f in of if f[6] >= 0]
        rows.append([label or f"`{setting}`", measure.spread([f[2] / f[1] for f in fits]),
                     measure.spread([f[3] / f[1] for f in of]), f"{len(ran)} of {len(of)}",
                     measure.spread([f[5] for f in of], "{:.0f}"),
                     measure.spread([f[6] for f in ran], "{:.0f}") if ran else "-"])
    results.table("settings", ["setting", "needs, x live", "reserves without a limit, x live", f"runs in {RATIO} x live",
                               "estimated ms without a limit", "and in that limit, if it runs"], rows)


def run(results):
    paths = recordings(results.quick)
    results.note(f"{len(paths)} recordings; median (lowest to highest) of them. Random programs and such that change their "
                 "setting are left out; of the table of settings also what begins late or ends as memory runs out.")
    if len(paths) < 3 and not results.quick:
        results.skip("most recordings", "they are not in SHARED/traces")
    compact(results, paths)
    settings(results, paths)


measure.main("memory", run, __doc__)
