# SPDX-License-Identifier: Apache-2.0
"""Programs to record. Each is a function of a random.Random and yields its steps, functions without arguments.

The same seed makes the same requests in every run: shapes come from Python's generator, never from results.
"""
import torch
import torch.nn.functional as F
from torch import nn

from loops import phases, prefetch, replay_buffer, serving
from vision import detection, unet

DEVICE = "cuda"
VOCABULARY = 16000


class Attention(nn.Module):
    """Causal self-attention with its norm, added to what comes in."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))


def feed_forward(width):
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class Experts(nn.Module):
    """Feed-forward experts; how many tokens each gets is drawn anew for every call."""

    def __init__(self, width, count, rng):
        super().__init__()
        self.experts, self.rng = nn.ModuleList(feed_forward(width) for _ in range(count)), rng

    def share(self, tokens):
        weights = [self.rng.expovariate(1) for _ in self.experts]
        counts = [int(tokens * w / sum(weights)) for w in weights]
        counts[0] += tokens - sum(counts)
        return counts

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        order = torch.randperm(len(flat), device=DEVICE)
        parts = flat[order].split(self.share(len(flat)))
        done = torch.cat([expert(part) for expert, part in zip(self.experts, parts)])
        return x + torch.empty_like(done).index_copy(0, order, done).view_as(x)


class Language(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.embed, self.layers = nn.Embedding(VOCABULARY, width), nn.ModuleList(layers)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def train(model, rng, steps, shape):
    """Steps of training on tokens of the shape that shape() draws."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        tokens = torch.randint(0, VOCABULARY, shape(rng), device=DEVICE)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            logits = model(tokens)
        F.cross_entropy(logits.float().view(-1, VOCABULARY), tokens.view(-1)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(steps):
        yield step


def moe(rng, steps=24):
    """Mixture of experts: 4 layers of 8 experts, batches of unlike length, tokens shared out unevenly."""
    layers = [part for _ in range(4) for part in (Attention(768, 12), Experts(768, 8, rng))]
    model = Language(768, layers).to(DEVICE)
    return train(model, rng, steps, lambda rng: (8, rng.randint(64, 1536)))


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x + self.inner(x)


def gpt(rng, steps=30):
    """Dense transformer, 8 layers, sequences of 32 to 1,024 tokens."""
    layers = [part for _ in range(8) for part in (Attention(1024, 16), Residual(feed_forward(1024)))]
    model = Language(1024, layers).to(DEVICE)
    return train(model, rng, steps, lambda rng: (8, rng.randint(32, 1024)))


def graph_network(rng, steps=40):
    """Message passing over graphs of 1,000 to 120,000 nodes."""
    layers = [nn.Linear(256, 256).to(DEVICE) for _ in range(6)]
    optimizer = torch.optim.Adam([p for layer in layers for p in layer.parameters()])

    def step():
        nodes = rng.randint(1000, 120000)
        edges = nodes * rng.randint(3, 12)
        x = torch.randn(nodes, 256, device=DEVICE)
        source, target = torch.randint(0, nodes, (2, edges), device=DEVICE)
        for layer in layers:
            x = F.relu(layer(torch.zeros_like(x).index_add_(0, target, x[source])))
        x.mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(steps):
        yield step


def tensors(rng, steps=1500):
    """Tensors of 1 KiB to 750 MiB that live for a random while, written once; at most 8 GiB."""
    live = []

    def step():
        live.append(torch.zeros(int(2 ** rng.uniform(10, 29.5)), dtype=torch.uint8, device=DEVICE))
        while sum(t.numel() for t in live) > 8 << 30 or (live and rng.random() < .45):
            live.pop(rng.randrange(len(live)))

    for _ in range(steps):
        yield step


PROGRAMS = {program.__name__: program for program in
            (moe, gpt, graph_network, tensors, unet, detection, replay_buffer, prefetch, serving, phases)}
