#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of what run.sh left in a folder: results.py OUT [--results FOLDER]. A part that is not there is left alone."""
import argparse
import glob
import json
import math
import os
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
    with open(os.path.join(out, "machine.json"), encoding="utf-8") as file:
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
            rows.append([load, threads, spread([int(n) for n in (a_low, a, a_high)], "{:,}"),
                         spread([int(n) for n in (b_low, b, b_high)], "{:,}"), ratio])
    columns = ["bytes of a request", "threads", "liballoc", "torch", "ratio"]
    return {"hooks": {"columns": columns, "rows": rows}}, {}


PROBE = {"causes": re.compile(r"(ok|WRONG) +(\w+) under (\w+): (\w+) \(\w+\), truth (\w+)"),
         "kernels": re.compile(r"(?:ok|WRONG) +torch.profiler sees (\d+) kernels under '(\w*)', (\d+) without"),
         "step": re.compile(r"(?:ok|WRONG) +(\w+): step time (.+?) \(95 %, (\d+) pairs, median step ([\d.]+) ms\)"),
         "hooks": re.compile(r"(?:ok|WRONG) +(\w+): ([\d.]+ %) of the step time in hooks"),
         "memory": re.compile(r"(?:ok|WRONG) +(\w+): ([-+\d.]+) MiB of (GPU|host) memory"),
         "replay": re.compile(r"(?:ok|WRONG) +the recording of a training is replayed: (\d+) of (\d+) placements")}


def probe(out):
    """Of what tests/gpu/probe.py prints."""
    path = os.path.join(out, "probe.txt")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    seen = {name: [found.groups() for found in map(pattern.match, lines) if found] for name, pattern in PROBE.items()}
    rows, figures = [], {}
    for front, step, pairs, milliseconds in seen["step"]:
        named = [right == "ok" for right, _, under, _, _ in seen["causes"] if under == front]
        kernels = [f"{int(n):,} of {int(without):,}" for n, under, without in seen["kernels"] if under == front]
        memory = {where: mib for under, mib, where in seen["memory"] if under == front}
        rows.append([front, f"{sum(named)} of {len(named)}", *(kernels or ["-"]), f"{step} of {milliseconds} ms, {pairs} pairs",
                     *([share for under, share in seen["hooks"] if under == front] or ["-"]), memory.get("GPU", "-"),
                     memory.get("host", "-")])
    for right, all_ in seen["replay"]:
        figures.update({"probe.placements": int(right), "probe.placements.all": int(all_)})
    if seen["kernels"]:
        figures["probe.kernels"] = min(int(n) for n, _, _ in seen["kernels"])
    return {"probe": {"columns": ["front end", "causes named", "kernels that torch.profiler sees", "step time", "in hooks",
                                  "GPU memory, MiB", "host memory, MiB"], "rows": rows}}, figures


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
    return tables, emptied(found["empty"]) if "empty" in found else {}


def rates(runs):
    return [rate for answer in runs for rate in answer["rates"]]


def emptied(cases):
    """What an article claims of its first two cases, in per cent: utilisation, and speed against the default."""
    base = statistics.median(rates(cases["/0"]))
    names = {"default": "/0", "advice": "max_split_size_mb:64/100", "expandable": "expandable_segments:True/0"}
    figures = {}
    for name, key in names.items():
        if key in cases:
            figures[f"empty.{name}"] = 100 * cases[key][0]["allocated"] / cases[key][0]["reserved"]
            figures[f"empty.{name}_speed"] = 100 * statistics.median(rates(cases[key])) / base
    return figures


def timed(cases):
    rows, base = [], statistics.median(rates(next(iter(cases.values()))))
    for key, runs in cases.items():
        setting, every = key.rsplit("/", 1)
        rows.append([f"`{setting}`" if setting else "default", "never" if every == "0" else f"every {every}",
                     f"{runs[0]['allocated'] / MIB:,.0f}", f"{runs[0]['reserved'] / MIB:,.0f}",
                     f"{100 * runs[0]['allocated'] / runs[0]['reserved']:.0f} %", spread(rates(runs), "{:.1f}"),
                     spread([rate / base for rate in rates(runs)])])
    return {"columns": ["setting", "empty_cache()", "allocated at most, MiB", "reserved at most, MiB",
                        "utilisation: one by the other", "steps a second", "against the first row"], "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--results", default=os.path.join(HERE, "../results"))
    options = parser.parse_args()
    made = 0
    for part in (hooks, programs, articles, probe):
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
