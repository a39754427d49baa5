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
WARM = 20                               # steps that are not compared: memory is mapped for the first time
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
        return self.finish(self.start(name, policy, limit))

    def start(self, name, policy, limit=0):
        command = [sys.executable, "-W", "ignore", os.path.join(HERE, "torch_workloads.py"), name, "--policy", policy,
                   "--limit", str(int(limit)), "--steps", str(self.options.steps), "--seconds", str(self.options.stress)]
        environment = {**os.environ, "LIBALLOC_TORCH": os.path.join(self.options.lib, "liballoc-torch.so")}
        key = f"{name}.{policy}{'.tight' if limit else ''}"
        return key, subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, started):
        key, process = started
        try:
            out, errors = process.communicate(timeout=180 + self.options.stress)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
        with open(os.path.join(self.options.out, f"{key}.{len(self.done.get(key, ()))}.json"), "w") as file:
            file.write(out + errors)
        try:
            answer = json.loads(out.splitlines()[-1])
        except (IndexError, ValueError):
            check(False, f"{key}: status {process.returncode}: {errors.strip()[-600:]}")
            return None
        self.done.setdefault(key, []).append(answer)
        return answer

    def median_steps(self, key):
        """Of each step the median of all runs."""
        return [statistics.median(s) for s in zip(*(a["steps"] for a in self.done[key]))]


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
    for policy in ("compact", "torch"):
        wild = runs.run("stress", policy, 2 * GIB)
        check(bool(wild) and not wild["error"] and wild["sound"] is True,
              f"{runs.options.stress} s of random use by 4 threads in 2 GiB, policy {policy}: all kept, heap sound"
              + (f" in {wild['checks']} checks, {wild['figures']['heap.ooms']} OutOfMemoryErrors" if wild else ""))


def check_hooks(name, answer, most, where):
    """Once memory is mapped; before that it costs time once."""
    once, steps = sum(answer["hooks"][:WARM]), answer["steps"][WARM:]
    share = sum(answer["hooks"][WARM:]) / sum(steps)
    check(share <= most, f"{name}: {100 * share:.2f} % of the time in hooks{where}, and {1e3 * once:.0f} ms in the first "
          f"{WARM} steps, which take {1e3 * sum(answer['steps'][:WARM]):.0f} ms")


def compare(name, runs):
    for _ in range(runs.options.rounds):
        for policy in ("native", "compact", "expandable"):
            runs.run(name, policy)
    runs.run(name, "async")
    ours, native = (runs.done.get(f"{name}.{policy}", [None])[0] for policy in ("compact", "native"))
    if not ours or not native or ours["error"]:
        check(False, f"{name}: {ours['error'] if ours else 'no answer'}")
        return
    known = len({a["results"] for a in runs.done[f"{name}.native"] + runs.done[f"{name}.expandable"]}) == 1
    if known:
        check(ours["results"] == native["results"], f"{name}: results equal native's to the bit")
    else:
        print(f"        {name}: results of native differ from run to run or from expandable's")
    check_hooks(name, ours, HOOKS_MOST, "")
    for policy in BASES:
        if f"{name}.{policy}" in runs.done:
            mean, half = ratio(runs.median_steps(f"{name}.compact"), runs.median_steps(f"{name}.{policy}"))
            print(f"        {name}: steps take {mean:+.1f} % +- {half:.1f} % against {policy}")
    if len(runs.done[f"{name}.native"]) > 1:
        mean, half = ratio(*(a["steps"] for a in runs.done[f"{name}.native"][:2]))
        print(f"        {name}: {mean:+.1f} % +- {half:.1f} % between two runs of native")
    compare_tight(name, runs, ours["live"], native["results"] if known else None)


def compare_tight(name, runs, live, results):
    limit = (int(1.02 * live) >> 21) << 21
    tight = runs.run(name, "compact", limit)
    if tight and live >= LEAST_LIVE:
        check(tight["error"] is None and tight.get("sound") is True, f"{name}: runs in 1.02 x live ({live / GIB:.2f} GiB)"
              + (f": {tight['error']}" if tight["error"] else ""))
    if tight and not tight["error"]:
        check_hooks(name, tight, TIGHT_MOST, " in 1.02 x live")
        if results:
            check(tight["results"] == results, f"{name}: the same results in 1.02 x live")
    for started in [runs.start(name, policy, limit) for policy in BASES[:2]]:
        runs.finish(started)


def cell(runs, key):
    if key not in runs.done:
        return "-"
    if runs.done[key][0]["error"]:
        return "out of memory"
    return f"{statistics.median(runs.median_steps(key)[WARM:]) * 1e3:.1f} ms"


def table(runs):
    print("\n| program | live | reserved: native | expandable | async | compact | step: native | expandable | async | compact "
          "| in 1.02 x live: native | expandable | compact |")
    print("|---" * 13 + "|")
    for name in PROGRAMS:
        keys = [f"{name}.{policy}" for policy in BASES + ["compact"]]
        if keys[-1] not in runs.done:
            continue
        reserved = [f"{runs.done[key][0]['reserved'] / GIB:.2f}" if key in runs.done else "-" for key in keys]
        tight = [cell(runs, f"{name}.{policy}.tight") for policy in ("native", "expandable", "compact")]
        print("| " + " | ".join([name, f"{runs.done[keys[-1]][0]['live'] / GIB:.2f} GiB", *reserved,
                                 *(cell(runs, key) for key in keys), *tight]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lib", default="build/release/lib")
    parser.add_argument("--out", default=".")
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--stress", type=int, default=20, help="seconds of random use by four threads")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    options.lib = os.path.abspath(options.lib)
    runs = Runs(options)
    if options.stress:
        correctness(runs)
    for name in options.programs:
        compare(name, runs)
    table(runs)
    print(f"{len(failures)} not as they must be")
    sys.exit(bool(failures))


main()
