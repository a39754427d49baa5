#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check predictions: record a program without a limit, let allocctl tune recommend a setting, and run the program again
under that setting and two others, each at the memory that it is said to need and a little below.

Each run is compared with allocctl replay of the first recording: whether it ran, peak reserved, and all segment
events, in order. Status 1 if one differs.
"""
import argparse
import json
import os
import sys

import runs

BELOW = .99             # of the minimum memory: here the replay expects an OOM, as a rule
GRANULE = 2 << 20       # what is reserved is a multiple of it


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", help="folder for recordings and report.json")
    parser.add_argument("--program", default="moe", help="one of programs.py (default moe)")
    parser.add_argument("--steps", type=int, help="steps to run (default: the program's own number)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--allocctl", default="allocctl", help="the program to check")
    return parser.parse_args()


def choose(report):
    """Rows of the recommendation, of torch's defaults, and of what needs least memory beside them."""
    rows = [row for row in report["settings"] if row["minimum_memory"]]
    winner = next(row for row in rows if row["setting"] == report["winner"])
    rest = sorted((row for row in rows if row is not winner), key=lambda row: row["minimum_memory"])
    default = next((row for row in rest if not row["setting"]), None)
    others = [default] if default else []
    others += [row for row in rest if row is not default][:2 - len(others)]
    return [winner, *others]


def check(args, base, setting, cap):
    """One run under a setting and a cap, beside what replay says of it."""
    name = os.path.join(args.out, f"run-{setting or 'default'}-{cap}".replace(":", "_").replace(",", "-"))
    made = runs.record(args.program, name, setting, cap, args.seed, args.steps)
    said = runs.allocctl(args.allocctl, "replay", base, "--setting", setting, "--limit", str(cap))
    got = runs.recorded_segments(name + ".pickle")
    expected = runs.replayed_segments(args.allocctl, base, setting, cap)
    return {"setting": setting, "cap": cap, "recording": os.path.basename(name) + ".pickle", "seconds": made["seconds"],
            "outcome": ["oom" if made["err"] else "runs", said["outcome"]],
            "peak_reserved": [made["stats"]["reserved_bytes.all.peak"], said["peak_reserved"]],
            "segment_events": [runs.counts(got), runs.counts(expected)],
            "segments_in_order": got == expected, "error": made["err"]}


def is_right(row):
    """A run as replayed; an answer that leaves the outcome open is not wrong."""
    measured, said = row["outcome"]
    return said.startswith("depends") or (measured == said and row["peak_reserved"][0] == row["peak_reserved"][1]
                                          and row["segments_in_order"])


def print_row(row):
    print(f"'{row['setting']}', limit {row['cap']}: {'as replayed' if is_right(row) else 'DIFFERS'}")
    for key in ("outcome", "peak_reserved", "segment_events"):
        print(f"  {key.replace('_', ' '):15} torch {row[key][0]}  replay {row[key][1]}")
    print(f"  {'in order':15} {'equal' if row['segments_in_order'] else 'not equal'}", flush=True)


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, "base")
    made = runs.record(args.program, path, "", 0, args.seed, args.steps)
    base = path + ".pickle"
    report = runs.allocctl(args.allocctl, "tune", base)
    stats = made["stats"]
    print(f"{args.program}: peak live {stats['allocated_bytes.all.peak']}, reserved {stats['reserved_bytes.all.peak']} "
          f"without a limit; tune recommends '{report['winner']}'", flush=True)
    rows = []
    for row in choose(report):
        need = row["minimum_memory"]
        for cap in (need, int(need * BELOW) // GRANULE * GRANULE):
            rows.append(check(args, base, row["setting"], cap))
            print_row(rows[-1])
    with open(os.path.join(args.out, "report.json"), "w") as file:
        json.dump({"base": made, "winner": report["winner"], "runs": rows}, file, indent=1)
    right = sum(map(is_right, rows))
    print(f"{right} of {len(rows)} runs as replayed")
    return 0 if right == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
