# SPDX-License-Identifier: Apache-2.0
"""Programs to record (programs.py) in whose loops something outlives a step: buffers, batches ahead, caches, phases."""
import torch
import torch.nn.functional as F
from torch import nn

DEVICE, TYPE = "cuda", torch.bfloat16


def perceptron(*widths):
    parts = [part for a, b in zip(widths, widths[1:]) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*parts[:-1]).to(DEVICE, TYPE)


def random_rows(count):
    return torch.randn(count, 1024, dtype=TYPE, device=DEVICE)


def learn(model, optimizer, x):
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def replay_buffer(rng, steps=500):
    """Reinforcement learning: episodes of 50 to 4,000 steps in a buffer that forgets at random, and batches of them."""
    model = perceptron(1024, 2048, 1024)
    optimizer, buffer = torch.optim.Adam(model.parameters()), []

    def step():
        buffer.append(random_rows(rng.randint(50, 4000) * rng.randint(1, 6)))
        while sum(map(len, buffer)) > 1 << 20:
            buffer.pop(rng.randrange(len(buffer)))
        chosen = [rng.choice(buffer) for _ in range(min(8, len(buffer)))]
        learn(model, optimizer, torch.cat(chosen))

    for _ in range(steps):
        yield step


def prefetch(rng, steps=120):
    """Batches of 500 to 30,000 rows are copied on a stream of their own, one ahead of the step that learns them."""
    model = perceptron(1024, 4096, 4096, 1024)
    optimizer, side = torch.optim.AdamW(model.parameters()), torch.cuda.Stream()
    rows = torch.zeros(30000, 1024, dtype=TYPE, pin_memory=True)

    def fetch():
        with torch.cuda.stream(side):
            batch = rows[:rng.randint(500, 30000)].to(DEVICE, non_blocking=True)
            return F.normalize(batch * 2 + 1)

    ahead = [fetch()]

    def step():
        torch.cuda.current_stream().wait_stream(side)
        batch = ahead.pop()
        batch.record_stream(torch.cuda.current_stream())
        ahead.append(fetch())
        learn(model, optimizer, batch)
        del batch
        torch.cuda.synchronize()        # the same frees at the same place in every run

    for _ in range(steps):
        yield step


def serving(rng, steps=1200):
    """Requests of 100 to 4,000 tokens whose caches grow 64 tokens at a time, 8 layers each."""
    live = []

    def grow(cache):
        return torch.cat([cache, torch.zeros(2, 64, 1024, dtype=TYPE, device=DEVICE)], 1)

    @torch.no_grad()
    def step():
        if len(live) < 20:
            start = rng.randint(100, 4000)
            live.append([torch.zeros(2, start, 1024, dtype=TYPE, device=DEVICE) for _ in range(8)])
        request = live[rng.randrange(len(live))]
        request[:] = map(grow, request)
        if rng.random() < .12:
            live.pop(rng.randrange(len(live)))

    for _ in range(steps):
        yield step


def phases(rng, steps=90):
    """Training with small batches, evaluation with large ones in between, and the best weights kept aside."""
    model = perceptron(1024, 4096, 4096, 4096, 1024)
    optimizer, best = torch.optim.Adam(model.parameters()), []

    @torch.no_grad()
    def evaluate():
        scores = [model(random_rows(rng.randint(8000, 60000))).argmax(1) for _ in range(6)]
        best.append({name: value.clone() for name, value in model.state_dict().items()})
        del best[:-rng.randint(1, 3)]
        return torch.cat(scores)

    def step():
        learn(model, optimizer, random_rows(rng.randint(2000, 24000)))
        if rng.random() < .15:
            evaluate()

    for _ in range(steps):
        yield step
