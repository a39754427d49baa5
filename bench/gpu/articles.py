#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Experiments that articles describe, measured: articles.py PART... of

  cache    one cudaMalloc and cudaFree against torch's cache and cudaMallocAsync, by size
  empty    empty_cache() every N batches on text of unlike lengths: utilisation and steps a second
  squares  many s x s matrices under none, max_split_size_mb of 32, 128 and 512, expandable and cudaMallocAsync
  ledger   allocated, reserved, what nvidia-smi shows, and what makes up the difference

Wants torch with CUDA and one GPU with nothing else on it. Each measurement is a process of its own, in two
turns; answers go to OUT/articles.json, which bench/gpu/results.py makes tables of. Without PART all of them, within
--seconds.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

SEED, ROUNDS = 7, 2
MIB = 1 << 20
SETTINGS = ["", "max_split_size_mb:32", "max_split_size_mb:128", "max_split_size_mb:512", "expandable_segments:True",
            "backend:cudaMallocAsync"]
SIZES = [1 << 10, 256 << 10, 2 * MIB, 20 * MIB, 256 * MIB, 1024 * MIB]
# setting, empty_cache() every so many batches
EMPTY = [("", 0), ("", 100), ("max_split_size_mb:64", 0), ("max_split_size_mb:64", 100), ("max_split_size_mb:64", 10),
         ("expandable_segments:True", 0)]
BATCHES = 240
CASES = {"cache": [("", 0), ("backend:cudaMallocAsync", 0)], "ledger": [("", 0), ("expandable_segments:True", 0)],
         "empty": EMPTY, "squares": [(s, 0) for s in SETTINGS]}


def microseconds(function, times):
    """Median of one call."""
    import torch
    took = []
    for _ in range(times):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        function()
        took.append(1e6 * (time.perf_counter() - begin))
    return statistics.median(took)


def cache(setting, _):
    import torch
    found = []
    for size in SIZES:
        def cached():
            torch.empty(size, dtype=torch.uint8, device="cuda")

        def fresh():
            cached()
            torch.cuda.empty_cache()
        cached()
        row = {"size": size, "cached": microseconds(cached, 200)}
        if not setting:
            row["emptied"] = microseconds(fresh, 20)
        found.append(row)
    return {"sizes": found}


def text(rng):
    """A step of training a small language model on a batch of unlike length."""
    import torch
    from torch import nn
    layers = [nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0) for _ in range(4)]
    model = nn.Sequential(nn.Embedding(16000, 512), *layers, nn.Linear(512, 16000)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)

    def step():
        tokens = torch.randint(16000, (24, rng.randrange(32, 1024)), device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            out = model(tokens)
        nn.functional.cross_entropy(out.float().flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return step


def squares(rng):
    """Matrices of random sides, every third freed, some kept."""
    import torch
    kept = []

    def step():
        made = [torch.randn(side, side, device="cuda") for side in (rng.randrange(64, 2048) for _ in range(60))]
        total = sum(m.sum() for m in made[::3])
        del made[::3]
        kept.extend(made[:2])
        del kept[:-20]
        return total.item()
    return step


def memory():
    import torch
    return torch.cuda.memory_allocated(), torch.cuda.memory_reserved()


def timed(step, every, batches):
    """Steps a second in each third, allocated and reserved at most."""
    import torch
    for _ in range(10):
        step()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    rates, begin = [], time.perf_counter()
    for n in range(1, batches + 1):
        step()
        if every and n % every == 0:
            torch.cuda.empty_cache()
        if n % (batches // 3) == 0:
            torch.cuda.synchronize()
            rates.append(batches // 3 / (time.perf_counter() - begin))
            begin = time.perf_counter()
    return {"rates": rates, "allocated": torch.cuda.max_memory_allocated(),
            "reserved": torch.cuda.max_memory_reserved()}


def empty(_, every):
    return timed(text(random.Random(SEED)), every, BATCHES)


def squares_case(_, every):
    return timed(squares(random.Random(SEED)), every, 150)


def shown():
    """MiB that nvidia-smi shows of this process."""
    out = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"],
                         capture_output=True, text=True, check=False).stdout
    for line in out.splitlines():
        pid, used = line.split(", ")
        if int(pid) == os.getpid():
            return int(used)
    return None


def ledger(*_):
    import torch
    rows = []

    def row(what):
        torch.cuda.synchronize()
        free, total = torch.cuda.mem_get_info()
        allocated, reserved = memory()
        rows.append({"when": what, "allocated": allocated, "reserved": reserved, "shown": shown(), "card": total - free})
    torch.cuda.init()
    torch.empty(1, device="cuda")
    row("CUDA started, 4 bytes allocated")
    step = text(random.Random(SEED))
    for _ in range(60):
        step()
    row("after 60 batches")
    torch.cuda.empty_cache()
    row("after empty_cache()")
    return {"rows": rows}


FUNCTIONS = {"cache": cache, "ledger": ledger, "empty": empty, "squares": squares_case}


def measure(options, part, case):
    """One process; None: no time is left, or it broke, which is said."""
    setting, every = case
    if time.monotonic() > options.end:
        print(f"SKIP {part} {setting}: no time is left")
        return None
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTORCH_")}
    environment["PYTORCH_CUDA_ALLOC_CONF"] = setting
    done = subprocess.run([sys.executable, "-W", "ignore", os.path.abspath(__file__), part, "--one", f"{setting}/{every}"],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"WRONG {part} {setting}: {done.stderr.strip()[-300:]}")
        options.failed = True
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*")
    parser.add_argument("--out", default=".")
    parser.add_argument("--seconds", type=int, default=500)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        setting, every = options.one.rsplit("/", 1)
        print(json.dumps(FUNCTIONS[options.part[0]](setting, int(every))))
        return
    for part in options.part:
        if part not in FUNCTIONS:
            parser.error(f"no part {part!r}")
    options.end, options.failed, found = time.monotonic() + options.seconds, False, {}
    for turn in range(ROUNDS):
        for part in options.part or FUNCTIONS:
            for case in CASES[part] if part in ("empty", "squares") or not turn else ():
                answer = measure(options, part, case)
                if answer:
                    found.setdefault(part, {}).setdefault("/".join(map(str, case)), []).append(answer)
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "articles.json"), "w", encoding="utf-8") as file:
        json.dump(found, file)
    sys.exit(options.failed)


main()
