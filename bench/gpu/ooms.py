#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make OutOfMemoryErrors whose cause is known: OUT/oom_NAME.pickle.xz, the snapshot right after it, and
OUT/messages.json, a list of what torch said and what the truth is.

Every cause (causes.py, refusals.py) runs in a process of its own. Those under a cap run beside each other; those that
fill the card run alone.
"""
import argparse
import json
import lzma
import os
import pickle
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 45            # for one cause


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", help="folder to write to")
    parser.add_argument("name", nargs="*", help="causes to make (default: all)")
    parser.add_argument("--jobs", type=int, default=8, help="causes under a cap that run at once (default 8)")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def causes():
    import refusals                     # adds its own
    from causes import CAUSES

    assert refusals
    return CAUSES


def shorten(snapshot):
    """Keep the last part of file names."""
    entries = [e for trace in snapshot["device_traces"] for e in trace]
    entries += [b for segment in snapshot["segments"] for b in segment["blocks"]] + snapshot["segments"]
    for entry in entries:
        for frame in entry.get("frames", ()):
            frame["filename"] = os.path.basename(frame["filename"])
    return snapshot


def keep_snapshot(path):
    """Write the snapshot; whether it has an OOM's event."""
    import torch

    snapshot = shorten(torch.cuda.memory._snapshot())
    with lzma.open(path, "wb") as file:
        pickle.dump(snapshot, file)
    return any(entry["action"] == "oom" for trace in snapshot["device_traces"] for entry in trace)


def raised(error):
    """The error that says most: an out-of-memory one that a later error hides, or else the error itself."""
    import torch

    one = error
    while one:
        if isinstance(one, torch.OutOfMemoryError):
            return one
        one = one.__context__
    return error


def make(name, out):
    """Run one cause in this process, and write what it left."""
    import torch

    function = causes()[name]
    how = function.how
    if how["cap"]:
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(how["cap"] / total)
    if how["history"] and how["snapshot"]:
        options = {"max_entries": how["entries"]} if how["entries"] else {}
        torch.cuda.memory._record_memory_history(context="all" if how["frames"] else None, stacks="python", **options)
    try:
        function()
    except Exception as error:
        text = "".join(traceback.format_exception_only(raised(error))).strip()
        event = how["snapshot"] and keep_snapshot(os.path.join(out, f"oom_{name}.pickle.xz"))
    else:
        sys.exit(f"{name} did not fail")
    entry = {"kind": name, "truth": how["truth"], "message": text, "how": " ".join(function.__doc__.split()),
             "setting": how["setting"], "cap": how["cap"], "event": event, "entries": how["entries"],
             "frames": how["frames"], "torch": torch.__version__}
    with open(os.path.join(out, f"{name}.json"), "w") as file:
        json.dump(entry, file)


def start(name, how, out):
    """Make one cause in a process of its own; its entry, or None."""
    environment = os.environ | {"PYTORCH_CUDA_ALLOC_CONF": how["setting"]}
    command = [sys.executable, __file__, "--one", out, name]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S)
        problem = done.stderr.strip() if done.returncode else ""
    except subprocess.TimeoutExpired:
        problem = f"took more than {LIMIT_S} s"
    print(f"{name}: {problem or 'made'}", flush=True)
    if problem:
        return None
    path = os.path.join(out, f"{name}.json")
    with open(path) as file:
        entry = json.load(file)
    os.remove(path)
    return entry


def write(entries, out):
    with open(os.path.join(out, "messages.json"), "w") as file:
        json.dump(sorted(filter(None, entries), key=lambda entry: entry["kind"]), file, indent=1)


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    if args.one:
        return make(args.name[0], args.out)
    wanted = {name: f.how for name, f in causes().items() if not args.name or name in args.name}
    alone = {name: how for name, how in wanted.items() if how["alone"]}
    shared = {name: how for name, how in wanted.items() if not how["alone"]}
    entries = []
    for group, jobs in ((shared, args.jobs), (alone, 1)):
        with ThreadPoolExecutor(jobs) as pool:
            for entry in pool.map(lambda name: start(name, wanted[name], args.out), group):
                entries.append(entry)
                write(entries, args.out)
    return 0 if all(entries) else 1


if __name__ == "__main__":
    sys.exit(main())
