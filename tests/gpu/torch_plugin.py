#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""liballoc-torch.so on a GPU, within --seconds: correctness, then PyTorch programs under torch's allocators and policy
compact, with all memory and with 1.02 x live. Prints the table of bench/README. Status 1 if something is not as it must be.
Wants torch with CUDA and one GPU with nothing else on it; answers of all runs stay in --out."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["varlen_gpt", "gnn", "packed", "resnet", "generate", "checkpointed"]
BASES = ["native", "expandable", "async"]
GIB = 1 << 30
LEAST_LIVE = 3.5 * GIB
HOOKS_MOST, TIGHT_MOST = 0.01, 0.02     # of the time of all steps
WARM = 5                                # steps that are not compared
failures = []


def check(right, text):
    print(("ok      " if right else "WRONG   ") + text, flush=True)
    if not right:
        failures.append(text)


class Runs:
    def __init__(self, options):
        self.options, self.end, self.done = options, time.monotonic() + options.seconds, {}

    def run(self, name, policy, limit=0):
        """The answer of one run; None: no time is left, or it broke."""
        if time.monotonic() > self.end:
            return None
        command = [sys.executable, "-W", "ignore", os.path.join(HERE, "torch_workloads.py"), name, "--policy", policy,
                   "--limit", str(int(limit)), "--steps", str(self.options.steps)]
        environment = {**os.environ, "LIBALLOC_TORCH": os.path.join(self.options.lib, "liballoc-torch.so")}
        key = f"{name}.{policy}{'.tight' if limit else ''}"
        got = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
        with open(os.path.join(self.options.out, key + ".json"), "w") as file:
            file.write(got.stdout + got.stderr)
        try:
            answer = json.loads(got.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            check(False, f"{key}: status {got.returncode}: {got.stderr.strip()[-300:]}")
            return None
        self.done[key] = answer
        return answer


def ratio(steps, base):
    """Of step times, pair by pair: the mean and half of its 95 % interval, in per cent."""
    logs = [math.log(a / b) for a, b in zip(steps[WARM:], base[WARM:])]
    half = 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
    return 100 * (math.exp(statistics.mean(logs)) - 1), 100 * half


def correctness(runs):
    native, ours = runs.run("checks", "native"), runs.run("checks", "compact")
    if ours:
        check(ours["error"] is None and ours["sound"] is True, "graphs, streams and record_stream: right results, sound heap")
        print(f"        an OOM says: {ours['oom']}")
    for size in ours["pair_ns"] if ours and native else ():
        print(f"        torch.empty({size}) and del: {ours['pair_ns'][size]:.0f} ns, native {native['pair_ns'][size]:.0f} ns")
    pool = runs.run("mempool", "compact")
    check(bool(pool) and pool["memory"] == 1, "reduce-overhead and cudnn.benchmark in a mempool()")


def compare(name, runs):
    bases = {policy: runs.run(name, policy) for policy in BASES}
    ours = runs.run(name, "compact")
    native = bases["native"]
    if not ours or not native or ours["error"]:
        check(False, f"{name}: {ours['error'] if ours else 'no answer'}")
        return
    check(ours["results"] == native["results"], f"{name}: results equal native's to the bit")
    check(ours["in_hooks"] <= HOOKS_MOST * ours["wall"],
          f"{name}: {100 * ours['in_hooks'] / ours['wall']:.2f} % of the time in hooks")
    for policy, base in bases.items():
        if base and not base["error"]:
            mean, half = ratio(ours["steps"], base["steps"])
            print(f"        {name}: steps take {mean:+.1f} % +- {half:.1f} % against {policy}")
    live = ours["live"]
    limit = (int(1.02 * live) >> 21) << 21
    tight = runs.run(name, "compact", limit)
    if tight and live >= LEAST_LIVE:
        check(tight["error"] is None and tight.get("sound") is True, f"{name}: runs in 1.02 x live ({live / GIB:.2f} GiB)"
              + (f": {tight['error']}" if tight["error"] else ""))
    if tight and not tight["error"]:
        check(tight["in_hooks"] <= TIGHT_MOST * tight["wall"],
              f"{name}: {100 * tight['in_hooks'] / tight['wall']:.2f} % of the time in hooks in 1.02 x live")
        check(tight["results"] == native["results"], f"{name}: the same results in 1.02 x live")
    for policy in BASES[:2]:
        runs.run(name, policy, limit)


def cell(answer):
    if not answer:
        return "-"
    if answer["error"]:
        return "out of memory"
    return f"{statistics.median(answer['steps'][WARM:]) * 1e3:.1f} ms"


def table(runs):
    print("\n| program | live | reserved: native | expandable | async | compact | step: native | expandable | async | compact "
          "| in 1.02 x live: native | expandable | compact |")
    print("|---" * 13 + "|")
    for name in PROGRAMS:
        got = {p: runs.done.get(f"{name}.{p}") for p in BASES + ["compact"]}
        if not got["compact"]:
            continue
        reserved = [f"{a['reserved'] / GIB:.2f}" if a else "-" for a in got.values()]
        tight = [cell(runs.done.get(f"{name}.{p}.tight")) for p in ("native", "expandable", "compact")]
        print("| " + " | ".join([name, f"{got['compact']['live'] / GIB:.2f} GiB", *reserved,
                                 *map(cell, got.values()), *tight]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lib", default="build/release/lib")
    parser.add_argument("--out", default=".")
    parser.add_argument("--seconds", type=int, default=450)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    options.lib = os.path.abspath(options.lib)
    runs = Runs(options)
    correctness(runs)
    for name in options.programs:
        compare(name, runs)
    table(runs)
    print(f"{len(failures)} not as they must be")
    sys.exit(bool(failures))


main()
