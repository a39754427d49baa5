#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train a small transformer on sequences of unlike lengths, and print as JSON what each step took and what is held.

train.py [STEPS]: step n is as long in every run; with --profile the last steps run under torch.profiler, and the kernels that it saw are counted."""
import argparse
import json
import random
import resource
import time

import torch
from torch import nn

WIDTH, DEPTH, VOCABULARY = 1024, 4, 8192
LENGTHS = range(64, 512, 64)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, 16, 4 * WIDTH, 0.0, batch_first=True, norm_first=True)
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.TransformerEncoder(layer, DEPTH, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.layers(self.embed(tokens)))


def step(model, optimizer, length):
    tokens = torch.randint(VOCABULARY, (8, length), device="cuda")
    with torch.autocast("cuda", torch.bfloat16):
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def timed(model, optimizer, lengths):
    """Seconds of each step."""
    took = []
    for length in lengths:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        step(model, optimizer, length)
        torch.cuda.synchronize()
        took.append(time.perf_counter() - begin)
    return took


def profiled(model, optimizer):
    """Kernels that torch.profiler sees in three steps."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        for _ in range(3):
            step(model, optimizer, 256)
        torch.cuda.synchronize()
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in seen.events())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("steps", type=int, nargs="?", default=150)
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    torch.cuda.init()
    torch.empty(1, device="cuda")
    before = torch.cuda.mem_get_info()[0]
    with torch.device("cuda"):
        model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    timed(model, optimizer, [*LENGTHS, *LENGTHS])       # kernels are chosen and loaded
    lengths = random.Random(0).choices(LENGTHS, k=args.steps)
    result = {"steps": timed(model, optimizer, lengths), "free_at_start": before,
              "free_at_end": torch.cuda.mem_get_info()[0], "reserved": torch.cuda.memory_reserved()}
    if args.profile:
        result["kernels"] = profiled(model, optimizer)
    result["host"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
