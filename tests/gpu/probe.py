#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cupti-probe on a GPU: probe.py CHECK... of

  causes    OutOfMemoryErrors of known cause under each front end: is the cause named?
  profiler  does torch.profiler still see kernels, as many as without the probe?
  replay    is the recording of a training replayed to the byte?
  cost      step times in pairs, time in hooks by the probe's own counters, memory of GPU and host

Wants torch with CUDA, one GPU with nothing else on it, and cupti-probe with libcupti-probe.so beside it (--bin, --lib).
Status 1 if something is not as it must be. Recordings and reports stay in --out."""
import argparse
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# name in bench/gpu/causes.py: what the first cause must be
KINDS = {"capacity_card": "CAPACITY", "other_process": "OTHER_PROCESS", "fraction": "FRACTION_CAP",
         "fragmentation_card": "FRAGMENTATION", "too_large": "REQUEST_TOO_LARGE", "graph_pool_card": "GRAPH_POOL_HOLD",
         "page_fragmentation_card": "PAGE_FRAGMENTATION"}
FRONTS = ["preload", "cupti"]
LEAST_PAIRS = 3
HOOKS_MOST = 0.005      # of the step time
GPU_MOST, HOST_MOST = 16 << 20, 80 << 20
# Of Student's t, two-sided 95 %, by degrees of freedom
STUDENT = [math.nan, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13]
failures = []


def check(right, text):
    print(("ok      " if right else "WRONG   ") + text, flush=True)
    if not right:
        failures.append(text)


def under(args, front, folder, command, setting=""):
    """Run a command of Python under a front end ('': none); the finished process."""
    block = {k: v for k, v in os.environ.items() if not k.startswith(("PYTORCH_", "CUPTI_PROBE", "CUDA_INJECTION"))}
    command = [sys.executable, *command]
    if setting:
        block["PYTORCH_CUDA_ALLOC_CONF"] = setting
    if front:
        os.makedirs(folder, exist_ok=True)
        block["CUPTI_PROBE_DIR"] = folder
    if front == "preload":
        command = [os.path.join(args.bin, "cupti-probe"), "run", "--", *command]
    if front == "cupti":
        block["CUDA_INJECTION64_PATH"] = os.path.join(os.path.abspath(args.lib), "libcupti-probe.so")
    return subprocess.run(command, env=block, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def tell(args, *what):
    """JSON that cupti-probe prints."""
    done = subprocess.run([os.path.join(args.bin, "cupti-probe"), *what, "--format", "json"], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout.strip():
        return {"error": done.stderr.strip()}
    return json.loads(done.stdout)


def recording(args, folder):
    """The file of the process that ran out of memory, or of the first one; None: there is none."""
    listed = tell(args, "list", folder).get("recordings", [])
    listed.sort(key=lambda one: (-one["ooms"], one["began"]))
    return os.path.join(folder, listed[0]["name"]) if listed else None


def causes(args):
    truths = json.loads(subprocess.run([sys.executable, HERE + "/cause.py", "--list"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    for name in args.kind or KINDS:
        for front in args.front or FRONTS:
            folder = os.path.join(args.out, name + "." + front)
            done = under(args, front, folder, [HERE + "/cause.py", name], truths[name]["setting"])
            path = recording(args, folder)
            if not path or "OutOfMemoryError" not in done.stderr:
                check(False, f"{name} under {front}: no recording or no error: {done.stderr[-300:]}")
                continue
            report = tell(args, "report", path)
            with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
            wanted = KINDS.get(name) or truths[name]["truth"].split(" with ")[0]
            written = glob.glob(folder + "/*.report.txt")
            check(report.get("verdict") == wanted,
                  f"{name} under {front}: {report.get('verdict')} ({report.get('grade')}), truth {wanted}")
            check(bool(written), f"{name} under {front}: a report was left")


def profiler(args):
    seen = {}
    for front in ["", *(args.front or FRONTS)]:
        done = under(args, front, os.path.join(args.out, "profiler." + front), [HERE + "/train.py", "5", "--profile"])
        try:
            seen[front] = json.loads(done.stdout)["kernels"]
        except ValueError:
            check(False, f"profiler under '{front}': {done.stderr[-300:]}")
            continue
        check(seen[front] > 0 and seen[front] == seen.get("", 0),
              f"torch.profiler sees {seen[front]} kernels under '{front}', {seen.get('')} without")


def replay(args):
    folder = os.path.join(args.out, "replay")
    under(args, "preload", folder, [HERE + "/train.py", str(args.steps)])
    done = subprocess.run([os.path.join(args.bin, "allocctl"), "replay", "--verify", "--format", "json",
                           recording(args, folder) or folder], check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    found = json.loads(done.stdout)["self_check"] if done.returncode in (0, 1) else {"exact": False}
    check(found["exact"], f"the recording of a training is replayed: {found.get('placements_right')} of "
          f"{found.get('placements')} placements, {done.stderr.strip()[-200:]}")


def interval(values):
    """Mean and half of its 95 % interval."""
    spread = statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), STUDENT[min(len(values) - 1, len(STUDENT) - 1)] * spread


def train(args, front, name, steps):
    """What a training tells, and the seconds that the probe counted in its hooks."""
    folder = os.path.join(args.out, f"cost.{front}.{name}")
    run = json.loads(under(args, front, folder, [HERE + "/train.py", str(steps)]).stdout)
    if front:
        run["hooks"] = tell(args, "info", recording(args, folder))["hook_time"] / 1e9
    return run


def cost(args):
    """As many rounds as there is time for; the first ones fill caches of the disk and count nothing but hooks."""
    end = time.monotonic() + args.seconds
    fronts = args.front or FRONTS
    short = {front: train(args, front, "short", args.steps // 5) for front in fronts}
    runs = {front: [] for front in ["", *fronts]}
    longest = 0
    for pair in range(args.pairs):
        begin = time.monotonic()
        if pair >= LEAST_PAIRS and begin + longest > end:
            break
        for front in sorted(runs, reverse=pair % 2 == 1):
            runs[front].append(train(args, front, pair, args.steps))
        longest = max(longest, time.monotonic() - begin)
    for front in fronts:
        compare(front, runs[""], runs[front], short[front])
    print(f"        {args.seconds + time.monotonic() - end:.0f} s, of which the longest round took {longest:.0f} s")


def compare(front, plain, probed, short):
    """short: a run of fewer steps, which begins alike."""
    # Steps of one number are alike; what differs between processes the interval over pairs must show.
    differences = [statistics.median(y / x - 1 for x, y in zip(a["steps"], b["steps"])) for a, b in zip(plain, probed)]
    mean, half = interval(differences)
    check(mean - half <= 0, f"{front}: step time {100 * mean:+.2f} % ± {100 * half:.2f} % (95 %, {len(differences)} pairs,"
          f" median step {1e3 * statistics.median(plain[0]['steps']):.2f} ms)")
    share = statistics.median((run["hooks"] - short["hooks"]) / (sum(run["steps"]) - sum(short["steps"]))
                              for run in probed)
    check(share <= HOOKS_MOST, f"{front}: {100 * share:.3f} % of the step time in hooks")
    gpu = statistics.median(a["free_at_start"] for a in plain) - statistics.median(b["free_at_start"] for b in probed)
    check(gpu <= GPU_MOST, f"{front}: {gpu / 2**20:+.1f} MiB of GPU memory")
    host = statistics.median(b["host"] for b in probed) - statistics.median(a["host"] for a in plain)
    check(host <= HOST_MOST, f"{front}: {host / 2**20:+.1f} MiB of host memory")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    checks = {"causes": causes, "profiler": profiler, "replay": replay, "cost": cost}
    parser.add_argument("check", nargs="*", default=list(checks), help="default: all")
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--lib", default="build/release/lib")
    parser.add_argument("--out", default="probe-gpu")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seconds", type=int, default=220, help="that cost may take, but for the fewest pairs")
    parser.add_argument("--front", action="append", choices=FRONTS, help="only this front end")
    parser.add_argument("--kind", action="append", help="only this cause (also one of the others in bench/gpu/causes.py)")
    args = parser.parse_args()
    for name in args.check:
        checks[name](args)
    print(f"{len(failures)} wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
