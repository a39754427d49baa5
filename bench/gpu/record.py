#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run one program under a setting and a limit, and write its snapshot OUT.pickle and the companion OUT.json.

The program runs once unrecorded first, unless --cold says otherwise, so that libraries and kernels are loaded; then
all memory is given back, the limit is set, and the recording and the clock start.
"""
import argparse
import contextlib
import gc
import json
import os
import random
import re
import sys
import time

from filler import Filler

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
STATISTICS = re.compile(r"(allocated|reserved|requested|active|inactive_split)_bytes\.all\.|"
                        r"(segment|allocation)\.all\.|"
                        r"num_(alloc_retries|ooms|device_alloc|device_free|sync_all_streams)$")


def size(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]iB)?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is no size, like 10GiB or 10737418240")
    return int(float(match[1]) * UNITS[match[2] or ""])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="one of programs.py")
    parser.add_argument("out", help="OUT.pickle and OUT.json are written")
    parser.add_argument("--setting", default="", help="PYTORCH_CUDA_ALLOC_CONF of the run")
    parser.add_argument("--cap", type=size, default=0, help="most bytes to reserve (default: no limit)")
    parser.add_argument("--fill", type=size, default=0, metavar="BYTES",
                        help="let another process fill the card, but for so much (default: no)")
    parser.add_argument("--steps", type=int, help="steps to run (default: the program's own number)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--frames", action="store_true", help="record Python frames")
    parser.add_argument("--cold", action="store_true", help="do not run it unrecorded first")
    parser.add_argument("--no-history", action="store_true", help="time it: no history, no snapshot")
    return parser.parse_args()


def run(args):
    """All steps; the text of the OOM that ended them, or None."""
    import torch
    from programs import PROGRAMS

    torch.manual_seed(args.seed)
    options = {"steps": args.steps} if args.steps else {}
    try:
        for step in PROGRAMS[args.program](random.Random(args.seed), **options):
            step()
    except torch.OutOfMemoryError as error:
        return str(error)
    finally:
        torch.cuda.synchronize()
    return None


def give_back():
    """Leave the allocator as it is before the first request."""
    import torch

    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()
    if torch.cuda.memory_reserved():
        print(f"record.py: warning: {torch.cuda.memory_reserved()} bytes are still held from the first run",
              file=sys.stderr)
    torch.cuda.reset_accumulated_memory_stats()
    torch.cuda.reset_peak_memory_stats()


def measured(args, filler):
    """Run and time it; the companion of the recording."""
    start = time.perf_counter()
    error = run(args)
    made = companion(args, time.perf_counter() - start, error)
    if filler:
        made["free_before"] = filler.free
    return made


def companion(args, seconds, error):
    import torch

    card = torch.cuda.get_device_properties(0)
    stats = {key: value for key, value in torch.cuda.memory_stats().items() if STATISTICS.match(key)}
    return {"program": args.program, "seed": args.seed, "steps": args.steps, "conf": args.setting, "cap": args.cap,
            "total": card.total_memory, "gpu": card.name, "torch": torch.__version__, "seconds": seconds,
            "err": error, "stats": stats}


def main():
    args = arguments()
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = args.setting      # read when torch first allocates
    import torch

    if not args.cold:
        run(args)
        give_back()
    if args.cap:
        torch.cuda.set_per_process_memory_fraction(args.cap / torch.cuda.get_device_properties(0).total_memory)
    if not args.no_history:
        torch.cuda.memory._record_memory_history(context="all" if args.frames else None, stacks="python")
    with Filler("leave", args.fill) if args.fill else contextlib.nullcontext() as filler:
        made = measured(args, filler)
    if not args.no_history:
        torch.cuda.memory._dump_snapshot(args.out + ".pickle")
    with open(args.out + ".json", "w") as file:
        json.dump(made, file)


if __name__ == "__main__":
    main()
