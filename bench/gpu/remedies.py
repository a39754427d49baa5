#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make the truth for "which setting would have avoided this OOM": run programs under limits between what lives at most
and what torch reserves at most, under several settings.

OUT/remedy gets PROGRAM.SEED.base, a run without a limit, PROGRAM.SEED.FACTOR.default, the runs that failed under a
limit of FACTOR x peak live, and remedy.jsonl, what torch did under each limit and setting. OUT/card gets the same of a
card that another process filled, for the programs of --card.
"""
import argparse
import json
import lzma
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import runs

SETTINGS = ("", "expandable_segments:True", "max_split_size_mb:128", "garbage_collection_threshold:0.8",
            "roundup_power2_divisions:4", "expandable_segments:True,garbage_collection_threshold:0.8")
FACTORS = {"remedy": (1.01, 1.03, 1.06, 1.1, 1.15, 1.2, 1.3), "card": (1.04, 1.12)}
STATISTICS = ("allocation.all.allocated", "allocated_bytes.all.peak", "reserved_bytes.all.peak")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", help="folder to write to")
    parser.add_argument("program", nargs="*", help="PROGRAM.SEED to run under limits")
    parser.add_argument("--card", nargs="*", default=[], help="PROGRAM.SEED to run on a filled card")
    parser.add_argument("--limits", type=int, default=3, help="limits a program, of those that fail (default 3)")
    parser.add_argument("--jobs", type=int, default=8, help="runs at once (default 8); all must fit on the card")
    return parser.parse_args()


def compress(path):
    with open(path, "rb") as file, lzma.open(path + ".xz", "wb") as compressed:
        compressed.write(file.read())
    os.remove(path)


def discard(path):
    for suffix in (".pickle", ".json"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)


class Truth:
    """Runs of one folder, and its remedy.jsonl."""

    def __init__(self, out, kind, pool):
        self.folder, self.kind, self.pool = os.path.join(out, kind), kind, pool
        os.makedirs(self.folder, exist_ok=True)
        self.rows = []

    def limit(self, live, factor):
        """Options of a run under a limit; on a filled card kernels are to be loaded before it is full."""
        limit = int(live * factor)
        return {"cap": limit, "cold": True} if self.kind == "remedy" else {"fill": limit >> 21 << 21}

    def run(self, run, factor, live, setting, keep):
        """One run under a limit; its companion."""
        program, seed = run
        name = f"{program}.{seed}.{factor}.{'default' if not setting else setting.translate(str.maketrans(':,', '__'))}"
        path = os.path.join(self.folder, name)
        made = runs.record(program, path, setting, seed=seed, history=keep, **self.limit(live, factor))
        limit = {"cap": made["cap"]} if self.kind == "remedy" else {"free_before": made["free_before"]}
        self.rows.append({"program": program, "seed": seed, "factor": factor, **limit, "setting": setting,
                          "oom": made["err"], "stats": made["stats"]})
        if keep and made["err"]:
            compress(path + ".pickle")
        else:
            discard(path)
        return made

    def base(self, run):
        """The run without a limit: peaks of live and reserved bytes."""
        program, seed = run
        path = os.path.join(self.folder, f"{program}.{seed}.base")
        made = runs.record(program, path, seed=seed, cold=True)
        if self.kind == "remedy":
            compress(path + ".pickle")
        else:
            discard(path)
        stats = made["stats"]
        print(f"{program}.{seed}: {made['seconds']:.1f} s, " + ", ".join(f"{k} {stats[k]}" for k in STATISTICS),
              flush=True)
        return run, stats["allocated_bytes.all.peak"], stats["reserved_bytes.all.peak"]

    def failed(self, found, limits):
        """Runs with torch's defaults that failed: (run, factor, live), `limits` a program."""
        tried = [(run, factor, live) for run, (live, reserved) in found.items() for factor in FACTORS[self.kind]
                 if live * factor < reserved]
        made = list(self.pool.map(lambda one: self.run(*one, "", True), tried))
        failing = [one for one, companion in zip(tried, made) if companion["err"]]
        return [one for run in found for one in spread([one for one in failing if one[0] == run], limits)]

    def make(self, names, limits):
        wanted = [(program, int(seed)) for program, seed in (name.split(".") for name in names)]
        found = {run: peaks for run, *peaks in self.pool.map(self.base, wanted)}
        todo = [(*one, setting, False) for one in self.failed(found, limits) for setting in SETTINGS[1:]]
        list(self.pool.map(lambda one: self.run(*one), todo))
        self.write(sorted({one[:2] for one in todo}))

    def write(self, chosen):
        """remedy.jsonl, of the limits that were chosen; recordings of others go."""
        rows = [row for row in self.rows if ((row["program"], row["seed"]), row["factor"]) in chosen]
        for row in self.rows:
            if row not in rows:
                path = os.path.join(self.folder, f"{row['program']}.{row['seed']}.{row['factor']}.default")
                for suffix in (".json", ".pickle.xz"):
                    if os.path.exists(path + suffix):
                        os.remove(path + suffix)
        rows.sort(key=lambda row: (row["program"], row["seed"], row["factor"], SETTINGS.index(row["setting"])))
        with open(os.path.join(self.folder, "remedy.jsonl"), "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        for row in rows:
            print(f"{self.kind} {row['program']}.{row['seed']} x{row['factor']} '{row['setting']}': "
                  f"{'OOM' if row['oom'] else 'runs'} after {row['stats']['allocation.all.allocated']} allocations")


def spread(items, count):
    """`count` of the items, first and last among them."""
    if len(items) <= count:
        return items
    return [items[round(i * (len(items) - 1) / max(1, count - 1))] for i in range(count)]


def main():
    args = arguments()
    with ThreadPoolExecutor(args.jobs) as pool:
        if args.program:
            Truth(args.out, "remedy", pool).make(args.program, args.limits)
    with ThreadPoolExecutor(1) as pool:
        if args.card:
            Truth(args.out, "card", pool).make(args.card, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
