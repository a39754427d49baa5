#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the cost model: time a program under settings A and B in turn (A B A B ...), and print what it really lost
beside what allocctl tune estimates from one recording of it.

Every run is a fresh process with the same seed; the card should be idle.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

import runs
from record import size

NO_LIMIT = "1TiB"       # more than any card has; tune has no word for it


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="one of programs.py")
    parser.add_argument("a", help="setting A")
    parser.add_argument("b", help="setting B")
    parser.add_argument("--cap", type=size, default=0, help="most bytes to reserve under both (default: no limit)")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--steps", type=int, help="steps to run (default: the program's own number)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--allocctl", default="allocctl", help="the program to check")
    parser.add_argument("--costs", help="costs of device operations, for allocctl tune")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser.parse_args()


def measure(args, folder):
    """Companions of the runs under A and those under B."""
    done = {args.a: [], args.b: []}
    for _ in range(args.pairs):
        for setting in done:
            made = runs.record(args.program, os.path.join(folder, "timed"), setting, args.cap, args.seed, args.steps,
                               history=False)
            if made["err"]:
                sys.exit(f"paired.py: OOM under '{setting}': {made['err'].split(' GPU ')[0]}")
            done[setting].append(made)
    return done[args.a], done[args.b]


def estimate(args, folder):
    """Rows of allocctl tune for A and B, from a recording under A without a limit."""
    path = os.path.join(folder, "recording")
    runs.record(args.program, path, args.a, 0, args.seed, args.steps)
    limit = str(args.cap) if args.cap else NO_LIMIT
    costs = ["--costs", args.costs] if args.costs else []
    report = runs.allocctl(args.allocctl, "tune", path + ".pickle", "--limit", limit, "--setting", args.a,
                           "--setting", args.b, *costs)
    rows = {row["setting"]: row for row in report["settings"]}
    return rows[args.a], rows[args.b]


def side(setting, made, row):
    seconds = [one["seconds"] for one in made]
    stats = made[0]["stats"]
    operations = row["device_operations"] or {}
    return {"setting": setting, "seconds": seconds, "median": statistics.median(seconds),
            "estimated_seconds": row["estimated_seconds"],
            "device_allocs": stats["num_device_alloc"], "device_frees": stats["num_device_free"],
            "synchronisations": stats["num_sync_all_streams"], "replayed": operations}


def compare(args, a, b):
    """B - A: each pair's, and what the estimates say."""
    pairs = [y - x for x, y in zip(a["seconds"], b["seconds"])]
    known = a["estimated_seconds"] is not None and b["estimated_seconds"] is not None
    return {"schema": "liballoc.paired/1", "program": args.program, "cap": args.cap, "seed": args.seed, "a": a, "b": b,
            "pairs": pairs, "difference": statistics.median(pairs), "range": [min(pairs), max(pairs)],
            "error": statistics.stdev(pairs) / len(pairs) ** .5 if len(pairs) > 1 else None,
            "estimated_difference": b["estimated_seconds"] - a["estimated_seconds"] if known else None}


def print_text(result):
    for name in "ab":
        one = result[name]
        print(f"{name.upper()}  '{one['setting']}'")
        print(f"   measured   median {one['median']:.4f} s of {len(one['seconds'])}, {min(one['seconds']):.4f} to "
              f"{max(one['seconds']):.4f} s; {one['device_allocs']} device allocs, {one['device_frees']} frees, "
              f"{one['synchronisations']} synchronisations")
        print(f"   replayed   {one['estimated_seconds']} s in {one['replayed']}")
    error = "" if result["error"] is None else f", standard error of the mean {result['error']:.4f} s"
    print(f"B - A measured   median {result['difference']:+.4f} s, {result['range'][0]:+.4f} to "
          f"{result['range'][1]:+.4f} s over {len(result['pairs'])} pairs{error}")
    estimated = result["estimated_difference"]
    print("B - A estimated  " + ("not known" if estimated is None else f"{estimated:+.4f} s"))


def main():
    args = arguments()
    if args.a == args.b:
        sys.exit("paired.py: A and B are the same setting")
    if runs.other_processes():
        print("paired.py: warning: other processes use the card", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        rows = estimate(args, folder)
        made = measure(args, folder)
    result = compare(args, *(side(*one) for one in zip((args.a, args.b), made, rows)))
    if args.format == "json":
        print(json.dumps(result))
    else:
        print_text(result)


if __name__ == "__main__":
    main()
