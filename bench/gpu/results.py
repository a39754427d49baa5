#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of what run.sh left in a folder: results.py OUT [--results FOLDER]. A part that is not there is left alone."""
import argparse
import glob
import json
import math
import os
import platform
import re
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from measure import GIB, MIB, Results, spread  # noqa: E402 pylint: disable=wrong-import-position

WARM = 20
PROGRAMS = ["varlen_gpt", "gnn", "packed", "checkpointed", "resnet", "generate"]
POLICIES = ["native", "expandable", "async", "compact"]


def machine(out):
    """What run.sh wrote down."""
    path = os.path.join(out, "machine.json")
    if not os.path.exists(path):
        return {"gpu": "unknown", "kernel": f"{platform.system()} {platform.release()}"}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def hooks(out):
    path = os.path.join(out, "hooks.txt")
    if not os.path.exists(path):
        return None
    rows = []
    pattern = re.compile(r"(.+?) +(\d+) threads: liballoc +(\d+) ns \((\d+) to (\d+)\), torch +(\d+) ns \((\d+) to (\d+)\), ratio ([\d.]+)")
    with open(path, encoding="utf-8") as file:
        for found in filter(None, map(pattern.match, file)):
            load, threads, a, a_low, a_high, b, b_low, b_high, ratio = found.groups()
            rows.append([load, threads, f"{int(a):,} ({a_low} to {a_high})", f"{int(b):,} ({b_low} to {b_high})", ratio])
    columns = ["bytes of a request", "threads", "liballoc", "torch", "ratio"]
    return {"hooks": {"columns": columns, "rows": rows}}, {}


def answers(out):
    """{program.policy[.tight]: [answer of each run]} of tests/gpu/torch_plugin.py."""
    found = {}
    for path in sorted(glob.glob(os.path.join(out, "programs", "*.json"))):
        key = os.path.basename(path).rsplit(".", 2)[0]
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for line in lines:
            if line.startswith("{"):
                found.setdefault(key, []).append(json.loads(line))
                break
    return found


def steps(found, key):
    """Of each step the median of all runs, once memory is mapped."""
    if key not in found or found[key][0]["error"]:
        return None
    return [statistics.median(s) for s in zip(*(a["steps"] for a in found[key]))][WARM:]


def step_ms(found, key):
    took = steps(found, key)
    if key in found and found[key][0]["error"]:
        return "out of memory"
    return f"{1e3 * statistics.median(took):.1f}" if took else "-"


def difference(ours, base):
    """Of step times, pair by pair: the mean and half of its 95 % interval, in per cent."""
    logs = [math.log(a / b) for a, b in zip(ours, base)]
    half = 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
    return 100 * (math.exp(statistics.mean(logs)) - 1), 100 * half


def in_hooks(answer):
    return f"{100 * sum(answer['hooks'][WARM:]) / sum(answer['steps'][WARM:]):.1f} %"


def programs(out):
    found = answers(out)
    names = [name for name in PROGRAMS if f"{name}.compact" in found]
    if not names:
        return None
    rows, tight, changes = [], [], []
    for name in names:
        ours, key = found[f"{name}.compact"][0], f"{name}.compact.tight"
        reserved = [f"{found[f'{name}.{p}'][0]['reserved'] / GIB:.2f}" if f"{name}.{p}" in found else "-" for p in POLICIES]
        change = "-"
        if steps(found, f"{name}.compact") and steps(found, f"{name}.native"):
            mean, half = difference(steps(found, f"{name}.compact"), steps(found, f"{name}.native"))
            change = f"{mean:+.1f} ± {half:.1f} %"
            changes.append(mean)
        rows.append([name, f"{ours['live'] / GIB:.2f}", *reserved, *(step_ms(found, f"{name}.{p}") for p in POLICIES), change])
        if key in found:
            limited = found[key][0]
            share = in_hooks(limited) if not limited["error"] else "-"
            first = f"{1e3 * sum(limited['hooks'][:WARM]):.0f} ms" if not limited["error"] else "-"
            tight.append([name, *(step_ms(found, f"{name}.{p}.tight") for p in ("native", "expandable", "compact")), share,
                          in_hooks(ours), first])
    columns = ["program", "live", *(f"reserved: {p}" if p == "native" else p for p in POLICIES),
               *(f"step, ms: {p}" if p == "native" else p for p in POLICIES), "compact's step against native's"]
    return ({"programs": {"columns": columns, "rows": rows},
             "tight": {"columns": ["program", "native: step, ms", "expandable", "compact", "in hooks", "without a limit",
                                   "first 20 steps"], "rows": tight}},
            {"gpu.less": -min(changes), "gpu.more": max(changes)} if changes else {})


def articles(out):
    path = os.path.join(out, "articles.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    tables = {}
    if "cache" in found:
        own, drivers = (found["cache"].get(k, [{}])[0].get("sizes", []) for k in ("/0", "backend:cudaMallocAsync/0"))
        tables["cache"] = {"columns": ["bytes", "torch's cache, us", "cudaMalloc and cudaFree each time, us", "ratio",
                                       "cudaMallocAsync, us"],
                           "rows": [[f"{row['size']:,}", f"{row['cached']:.1f}", f"{row['emptied']:.1f}",
                                     f"{row['emptied'] / row['cached']:.0f}",
                                     f"{drivers[i]['cached']:.1f}" if i < len(drivers) else "-"] for i, row in enumerate(own)]}
    for part in ("empty", "squares"):
        if part in found:
            tables[part] = timed(found[part])
    if "ledger" in found:
        tables["ledger"] = {"columns": ["setting", "when", "allocated, MiB", "reserved", "nvidia-smi shows", "of the card in use"],
                            "rows": [[key[:-2] or "default", row["when"], *(f"{row[k] / MIB:,.0f}" for k in ("allocated", "reserved")),
                                      "-" if row["shown"] is None else f"{row['shown']:,}", f"{row['card'] / MIB:,.0f}"]
                                     for key, runs in found["ledger"].items() for row in runs[0]["rows"]]}
    return tables, {}


def timed(cases):
    def rates(runs):
        return [rate for answer in runs for rate in answer["rates"]]
    rows, base = [], statistics.median(rates(next(iter(cases.values()))))
    for key, runs in cases.items():
        setting, every = key.rsplit("/", 1)
        rows.append([f"`{setting}`" if setting else "default", "never" if every == "0" else f"every {every}",
                     f"{runs[0]['allocated'] / MIB:,.0f}", f"{runs[0]['reserved'] / MIB:,.0f}",
                     spread([100 * a["share"] for a in runs], "{:.0f}"), spread(rates(runs)),
                     spread([rate / base for rate in rates(runs)])])
    return {"columns": ["setting", "empty_cache()", "allocated at most, MiB", "reserved at most, MiB",
                        "allocated / reserved on the mean, %", "steps a second", "against the first row"], "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--results", default=os.path.join(HERE, "../results"))
    options = parser.parse_args()
    made = 0
    for part in (hooks, programs, articles):
        answer = part(options.out)
        if not answer:
            print(f"SKIP {part.__name__}: not in {options.out}")
            continue
        results = Results(f"gpu-{part.__name__}", options.results)
        results.tables, results.figures = answer
        results.write("bench/gpu/run.sh", machine(options.out), 0)
        made += 1
    sys.exit(not made)


main()
