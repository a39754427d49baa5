#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One PyTorch program under one allocator; prints as JSON what its steps took, what memory it held and what it computed.

torch_workloads.py NAME --policy native|expandable|async|torch|compact [--limit BYTES] [--steps N] [--seconds N]
Programs: see PROGRAMS below; step n does the same in every run. `checks`, `stress` (for
--seconds) and `mempool` are tests of liballoc, not of speed."""
import argparse
import ctypes
import hashlib
import json
import os
import random
import sys
import threading
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
NATIVE = {"native": "", "expandable": "expandable_segments:True", "async": "backend:cudaMallocAsync"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--policy", default="native")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--seconds", type=float, default=20)
    return parser.parse_args()


args = arguments()
if args.policy in NATIVE:
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = os.environ["PYTORCH_ALLOC_CONF"] = NATIVE[args.policy]
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

sys.path.insert(0, os.environ.get("LIBALLOC_PYTHON", "liballoc/torch/python"))
import liballoc_torch as la  # noqa: E402

OURS = args.policy not in NATIVE
dice = random.Random(7)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attend = nn.MultiheadAttention(width, width // 64, batch_first=True)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        y = self.first(x)
        x = x + self.attend(y, y, y, need_weights=False)[0]
        return x + self.feed(self.second(x))


class Text(nn.Module):
    def __init__(self, width=1024, depth=8, words=16000, save=False):
        super().__init__()
        self.embed, self.head = nn.Embedding(words, width), nn.Linear(width, words)
        self.blocks, self.save = nn.ModuleList(Block(width) for _ in range(depth)), save

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.save else block(x)
        return self.head(x)


def trainer(model, data, loss=lambda out, target: F.cross_entropy(out.flatten(0, -2).float(), target.flatten())):
    model = model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)

    def step(n):
        x, target = data(n)
        with torch.autocast("cuda", torch.bfloat16):
            error = loss(model(x), target)
        error.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return error
    return step


def words(*shape):
    tokens = torch.randint(16000, shape, device="cuda")
    return tokens, tokens


def varlen_gpt():
    return trainer(Text(), lambda n: words(16, dice.randrange(128, 1024, 16)))


def packed():
    return trainer(Text(depth=6), lambda n: words(dice.randrange(8, 40), dice.choice((256, 384, 512))))


def checkpointed():
    return trainer(Text(depth=16, save=True), lambda n: words(24, dice.randrange(512, 1024, 16)))


class Graph(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(6))
        self.out = nn.Linear(width, 40)

    def forward(self, data):
        x, source, target = data
        for layer in self.layers:
            x = F.relu(layer(x) + torch.zeros_like(x).index_add_(0, target, x[source]))
        return self.out(x)


def gnn():
    def data(n):
        nodes, degree = dice.randrange(100000, 400000), dice.randrange(3, 8)
        ends = torch.randint(nodes, (2, nodes * degree), device="cuda")
        return (torch.randn(nodes, 256, device="cuda"), *ends), torch.randint(40, (nodes,), device="cuda")
    step = trainer(Graph(), data)
    return step


def resnet():
    def conv(i, o, s):
        return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())
    sizes = (64, 128, 256, 512)
    model = nn.Sequential(conv(3, 64, 2), *(nn.Sequential(conv(a, b, 2), conv(b, b, 1), conv(b, b, 1))
                                            for a, b in zip((64,) + sizes, sizes)),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))

    def data(n):
        side = dice.randrange(160, 480, 32)
        return torch.randn(96, 3, side, side, device="cuda"), torch.randint(1000, (96,), device="cuda")
    return trainer(model, data, lambda out, target: F.cross_entropy(out.float(), target))


def generate():
    """Keys and values that grow by one token at a time, as models without static caches have them."""
    width, depth = 2048, 8
    layers = [torch.randn(width, 3 * width, device="cuda", dtype=torch.bfloat16) * 0.02 for _ in range(depth)]

    @torch.no_grad()
    def step(n):
        batch, length = dice.randrange(16, 64), dice.randrange(256, 768)
        cache = [torch.zeros(2, batch, length, width, device="cuda", dtype=torch.bfloat16) for _ in range(depth)]
        x = torch.randn(batch, 1, width, device="cuda", dtype=torch.bfloat16)
        for _ in range(24):
            for i, weight in enumerate(layers):
                q, k, v = (x @ weight).chunk(3, -1)
                cache[i] = torch.cat((cache[i], torch.stack((k, v))), 2)
                heads = [t.unflatten(-1, (16, -1)).transpose(1, 2) for t in (q, *cache[i])]
                x = x + F.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2)
            x = F.layer_norm(x, (width,))
        return x.float().mean()
    return step


PROGRAMS = {f.__name__: f for f in (varlen_gpt, gnn, packed, resnet, generate, checkpointed)}


def spin(stream, cycles=20_000_000):
    with torch.cuda.stream(stream):
        torch.cuda._sleep(cycles)


def check_graphs():
    x = torch.ones(1 << 20, device="cuda")
    for round_ in range(3):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = (x * 2 + 1).cumsum(0)[-1] + torch.zeros(4 << 20, device="cuda").sum()
        for n in range(20):
            junk = [torch.full((dice.randrange(1, 64) << 18,), float("nan"), device="cuda") for _ in range(4)]
            x.fill_(n)
            graph.replay()
            assert y.item() == (2 * n + 1) * (1 << 20), (round_, n, y.item())
            del junk
        graph.reset()
        del y, graph
        torch.cuda.empty_cache()


def check_streams():
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    for n in range(30):
        x = torch.full((16 << 20,), n, device="cuda", dtype=torch.int32)
        side.wait_stream(main)
        spin(side)
        with torch.cuda.stream(side):
            total = x.sum()
        x.record_stream(side)
        del x
        torch.full((16 << 20,), -1, device="cuda", dtype=torch.int32)
        main.wait_stream(side)
        assert total.item() == n * (16 << 20), n
    streams = [torch.cuda.Stream() for _ in range(4)]
    kept = []
    for n in range(400):
        with torch.cuda.stream(streams[n % 4]):
            kept.append((n, torch.full((dice.randrange(1, 1 << 22),), n, device="cuda", dtype=torch.int32)))
            if len(kept) > 60:
                number, tensor = kept.pop(dice.randrange(60))
                streams[n % 4].wait_stream(streams[number % 4])
                assert int(tensor.max()) == int(tensor.min()) == number
                tensor.record_stream(streams[n % 4])
    torch.cuda.synchronize()


def check_oom():
    total = torch.cuda.get_device_properties(0).total_memory
    try:
        torch.empty(total, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError as error:
        assert str(error).startswith("CUDA out of memory. Tried to allocate"), error
        return str(error)
    raise AssertionError("nothing was raised")


def look_at(value, owner, tensor, other, rng, failures):
    """Use a tensor for the last time, on its own stream or another."""
    use = owner if rng.random() < 0.5 else other
    use.wait_stream(owner)
    if use is not owner:
        tensor.record_stream(use)
    with torch.cuda.stream(use):
        spin(use, rng.randrange(100000))
        wrong = int((tensor != value).sum())
    if wrong:
        failures.append(f"{wrong} of {tensor.numel()} words of {value} lost")


def churn(number, deadline, failures):
    """Blocks of one thread and two streams hold what was written until they go; memory runs out now and then."""
    rng, kept = random.Random(number), []
    streams = [torch.cuda.Stream() for _ in range(2)]
    try:
        while time.monotonic() < deadline:
            stream, other = rng.sample(streams, 2)
            if rng.random() < 0.002:
                torch.cuda.empty_cache()
            try:
                value, size = rng.randrange(1 << 30), 1 << rng.randrange(2, 25)
                with torch.cuda.stream(stream):
                    tensor = torch.full((rng.randrange(size) + 1,), value, device="cuda", dtype=torch.int32)
                kept.append((value, stream, tensor))
                if len(kept) >= rng.randrange(120):
                    look_at(*kept.pop(rng.randrange(len(kept))), other, rng, failures)
            except torch.cuda.OutOfMemoryError:
                kept = kept[::2]
    except Exception as error:  # of a thread: tell the first one
        failures.append(repr(error))


def stress():
    """Several threads; the structure of the heap is checked all the time."""
    failures, deadline, checks = [], time.monotonic() + args.seconds, 0
    threads = [threading.Thread(target=churn, args=(n, deadline, failures)) for n in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.05)
        assert sound() is True, sound()
        checks += 1
    assert not failures, failures[:3]
    return {"checks": checks, "figures": la.figures()}


def pair_ns(size, rounds=100000):
    for _ in range(2):
        begin = time.perf_counter()
        for _ in range(rounds):
            torch.empty(size, device="cuda")
        took = time.perf_counter() - begin
    return took / rounds * 1e9


def checks():
    said = check_oom() if OURS else ""
    check_graphs()
    check_streams()
    return {"oom": said, "pair_ns": {str(n): pair_ns(n) for n in (100, 250000, 1 << 23)}}


def mempool():
    pool = la.mempool()
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)).cuda()
    fast = torch.compile(model, mode="reduce-overhead")
    with torch.cuda.use_mem_pool(pool), torch.no_grad():
        for n in range(20):
            x = torch.randn(64 + n % 2 * 64, 512, device="cuda")
            torch.testing.assert_close(fast(x), model(x), rtol=1e-3, atol=1e-3)
        nn.Conv2d(3, 16, 3).cuda()(torch.randn(8, 3, 64, 64, device="cuda")).sum().item()
    assert torch.cuda.memory_stats()["reserved_bytes.all.peak"] > 0
    return {"memory": la.library().la_torch_is_used()}


def sound():
    """True, or what is wrong with the heap."""
    why = ctypes.create_string_buffer(256)
    return la.library().la_torch_check(why, 256) == 0 or why.value.decode()


def measure(step):
    took, results, hooks = [], [], []
    for n in range(args.steps):
        before = la.figures()["time"] if OURS else 0
        torch.cuda.synchronize()
        begin = time.perf_counter()
        results.append(step(n).item().hex())
        torch.cuda.synchronize()
        took.append(time.perf_counter() - begin)
        hooks.append((la.figures()["time"] - before) / 1e9 if OURS else 0)
    return {"steps": took, "hooks": hooks, "figures": la.figures() if OURS else {},
            "results": hashlib.sha256(" ".join(results).encode()).hexdigest()}


def main():
    if OURS and args.name != "mempool":
        la.enable(args.policy, limit=args.limit or None)
    elif args.limit:
        torch.cuda.set_per_process_memory_fraction(args.limit / torch.cuda.get_device_properties(0).total_memory)
    torch.manual_seed(3)
    out = {"name": args.name, "policy": args.policy, "limit": args.limit, "error": None}
    try:
        if args.name in PROGRAMS:
            torch.use_deterministic_algorithms(True, warn_only=args.name in ("gnn", "resnet"))
            torch.backends.cuda.enable_cudnn_sdp(False)
            torch.backends.cuda.enable_mem_efficient_sdp(False)
            torch.utils.deterministic.fill_uninitialized_memory = False
            out.update(measure(PROGRAMS[args.name]()))
        else:
            out.update({"checks": checks, "stress": stress, "mempool": mempool}[args.name]())
    except torch.cuda.OutOfMemoryError as error:
        out["error"] = str(error)
    stats = torch.cuda.memory_stats() if args.policy != "async" else {
        "reserved_bytes.all.peak": torch.cuda.max_memory_reserved(),
        "allocated_bytes.all.peak": torch.cuda.max_memory_allocated()}
    out["reserved"], out["live"] = stats["reserved_bytes.all.peak"], stats["allocated_bytes.all.peak"]
    if la.is_enabled():
        out["sound"] = sound()
    print(json.dumps(out))


main()
