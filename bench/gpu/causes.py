# SPDX-License-Identifier: Apache-2.0
"""Programs that end in an OutOfMemoryError whose cause is arranged. Each is a function that raises it, with the truth,
the setting, the cap in MiB (0: none), and how history is kept; its documentation says how the cause is arranged.

`alone` marks those that want the card for themselves. Sizes are in MiB.
"""
import ctypes

import torch
from torch import nn

from filler import Driver, Filler

CAUSES = {}
MIB = 1 << 20
CU_LIMIT_STACK_SIZE = 0


def cause(truth, setting="", cap=0, history=True, frames=False, entries=None, alone=False, snapshot=True):
    def add(function):
        function.how = {"truth": truth, "setting": setting, "cap": cap * MIB, "history": history, "frames": frames,
                        "entries": entries, "alone": alone, "snapshot": snapshot}
        CAUSES[function.__name__] = function
        return function
    return add


def take(size):
    return torch.empty(int(size * MIB), dtype=torch.uint8, device="cuda")


def fill(leave):
    """All of the card but `leave`."""
    torch.cuda.init()
    take(1)
    return take(torch.cuda.mem_get_info()[0] // MIB - leave)


def holes(count, wide, narrow):
    """`count` segments of `wide`, of each of which only `narrow` is in use."""
    kept, rest = [], []
    for _ in range(count):
        take(wide)
        kept.append(take(narrow))
        rest.append(take(wide - narrow))
    return kept


def every(step, count, size):
    """Of `count` blocks in a row every `step`-th."""
    return [take(size) for _ in range(count)][::step]


class Layers(nn.Sequential):
    def __init__(self, width, count):
        super().__init__(*(part for _ in range(count) for part in (nn.Linear(width, width), nn.GELU())))
        self.to("cuda")


def train_step(model, optimizer, x):
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


# -- free bytes that do not help ---------------------------------------------------------------------------------------

@cause("FRAGMENTATION with FRACTION_CAP", cap=2048)
def fragmentation_cap():
    """Four segments, each mostly free; no hole is large enough."""
    held = take(100), holes(4, 480, 40)
    return held, take(600)


@cause("FRAGMENTATION with FRACTION_CAP", cap=3072, history=False)
def fragmentation_no_history():
    """Twelve segments, each mostly free; no history."""
    held = take(100), holes(12, 240, 16)
    return held, take(400)


@cause("FRAGMENTATION with FRACTION_CAP", cap=2048, frames=True, entries=2000)
def fragmentation_growing():
    """Batches grow, and what outlives a step is cut from the segment of its batch."""
    kept = []
    for step in range(60):
        take(100 + 8 * step)
        kept.append(take(60 + 8 * step))


@cause("FRAGMENTATION with FRACTION_CAP", cap=512, entries=5000)
def fragmentation_small():
    """The free bytes are in the small pool, an eighth of each of its segments in use."""
    held = every(8, 2040, .25)
    return held, take(64)


@cause("FRAGMENTATION with FRACTION_CAP", "max_split_size_mb:64", cap=1000)
def fragmentation_split():
    """Holes below the largest size that may be split."""
    held = holes(19, 50, 12)
    return held, take(100)


@cause("FRAGMENTATION", alone=True)
def fragmentation_card():
    """The process fills the card; the rest of it in holes."""
    held = fill(4096), holes(7, 520, 40)
    return held, take(700)


@cause("FRAGMENTATION", "garbage_collection_threshold:0.8", frames=True, alone=True)
def fragmentation_card_frames():
    """As fragmentation_card, with a threshold, and frames."""
    held = fill(5000), holes(9, 510, 25)
    return held, take(900)


@cause("PAGE_FRAGMENTATION with FRACTION_CAP", "expandable_segments:True", cap=2048)
def page_fragmentation():
    """Each page of 20 MiB holds one block of 1.5 MiB."""
    held = every(13, 1300, 1.5)
    return held, take(300)


@cause("PAGE_FRAGMENTATION with FRACTION_CAP", "expandable_segments:True", cap=512, frames=True, entries=2000)
def page_fragmentation_small():
    """Each page of 2 MiB holds one block of 256 KiB."""
    held = every(8, 2000, .25)
    return held, take(64)


@cause("PAGE_FRAGMENTATION", "expandable_segments:True", alone=True)
def page_fragmentation_card():
    """As page_fragmentation, on a card that the process fills."""
    held = fill(2100), every(13, 1300, 1.5)
    return held, take(300)


@cause("CROSS_STREAM with FRACTION_CAP", cap=2048)
def cross_stream():
    """Large holes, but in segments of another stream."""
    weights = take(700)
    with torch.cuda.stream(torch.cuda.Stream()):
        held = holes(3, 400, 30)
    return weights, held, take(300)


@cause("CROSS_STREAM with FRACTION_CAP", cap=2048, frames=True)
def cross_stream_pieces():
    """Small holes in segments of another stream."""
    weights = take(700)
    with torch.cuda.stream(torch.cuda.Stream()):
        held = holes(10, 120, 20)
    return weights, held, take(300)


@cause("CROSS_STREAM with FRACTION_CAP", cap=4096, history=False)
def cross_stream_no_history():
    """Large holes in segments of two other streams; no history."""
    held = [take(1500)]
    for _ in range(2):
        with torch.cuda.stream(torch.cuda.Stream()):
            held.append(holes(2, 600, 50))
    return held, take(500)


@cause("CROSS_STREAM", alone=True)
def cross_stream_card():
    """As cross_stream, on a card that the process fills."""
    weights = fill(2000)
    with torch.cuda.stream(torch.cuda.Stream()):
        held = holes(4, 450, 30)
    return weights, held, take(400)


@cause("CROSS_STREAM with FRACTION_CAP", cap=1024)
def record_stream_pending():
    """The block that would fit waits for a kernel on another stream; after the wait torch does not try again."""
    weights = take(500)
    take(480)
    kept, batch = take(40), take(440)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(4_000_000_000)
    batch.record_stream(side)
    del batch
    return weights, kept, take(420)


@cause("GRAPH_POOL_HOLD with FRACTION_CAP", cap=2048)
def memory_pool():
    """A MemPool that is kept holds free segments."""
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        blocks = [take(200) for _ in range(4)]
        del blocks
    weights = take(1100)
    return pool, weights, take(300)


def capture(size):
    """A CUDA graph with two temporaries of `size`; its input and output."""
    (take(1) * 2 + 1)[:1].clone()             # kernels cannot be loaded while a graph is captured
    source, graph = take(size), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = (source * 2 + 1)[:1].clone()
    return graph, source, result


@cause("GRAPH_POOL_HOLD with FRACTION_CAP", cap=4096)
def graph_pool():
    """The pool of a CUDA graph holds its temporaries."""
    graph, weights = capture(500), take(2200)
    return graph, weights, take(900)


@cause("GRAPH_POOL_HOLD with FRACTION_CAP", cap=4096, frames=True)
def graph_pools_many():
    """One graph for each batch size, each with a pool of its own."""
    graphs, weights = [capture(size) for size in (32, 64, 96, 128, 192, 256)], take(1400)
    return graphs, weights, take(900)


@cause("GRAPH_POOL_HOLD with FRACTION_CAP", "expandable_segments:True", cap=4096, history=False)
def graph_pool_expandable():
    """The pool of a CUDA graph, in expandable segments; no history."""
    graph, weights = capture(500), take(2200)
    return graph, weights, take(900)


@cause("GRAPH_POOL_HOLD", alone=True)
def graph_pool_card():
    """As graph_pool, on a card that the process fills."""
    held = capture(700), fill(500)
    return held, take(900)


@cause("ROUNDING with FRACTION_CAP", "roundup_power2_divisions:2", cap=5120)
def rounding_half():
    """1,075 MiB become 1,536 MiB, four times."""
    held = [take(1075) for _ in range(3)]
    return held, take(1075)


@cause("ROUNDING with FRACTION_CAP", "roundup_power2_divisions:4", cap=8192, frames=True)
def rounding_quarter():
    """1,034 MiB become 1,280 MiB, seven times."""
    held = [take(1034) for _ in range(6)]
    return held, take(1034)


@cause("ROUNDING with FRACTION_CAP", cap=20, entries=5000)
def rounding_tiny():
    """20,000 tensors of 8 bytes take 512 bytes each."""
    held = [take(8 / MIB) for _ in range(20000)]
    return held, take(12)


@cause("COMBINED", alone=True)
def combined():
    """Neither the holes nor what another process holds would do alone."""
    with Filler("take", 5120 * MIB):
        held = fill(5120), holes(9, 540, 40)
        return held, take(8192)


# -- limits, sizes, neighbours -----------------------------------------------------------------------------------------

@cause("FRACTION_CAP", cap=3000)
def fraction():
    """Live tensors fill the fraction that torch.cuda.set_per_process_memory_fraction() set."""
    held = [take(500) for _ in range(5)]
    return held, take(600)


@cause("FRACTION_CAP", "per_process_memory_fraction:0.02")
def fraction_setting():
    """The same with the fraction in the setting."""
    held = [take(500) for _ in range(5)]
    return held, take(600)


@cause("FRACTION_CAP", "expandable_segments:True", cap=3000, frames=True)
def fraction_expandable():
    """The same with expandable segments."""
    held = [take(500) for _ in range(5)]
    return held, take(600)


@cause("FRACTION_CAP", cap=3072, frames=True)
def optimizer_state():
    """The first step of Adam makes its state: growth, but no leak."""
    model = Layers(4096, 14)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    train_step(model, optimizer, torch.randn(64, 4096, device="cuda"))


@cause("FRACTION_CAP", cap=2048)
def graph_capture():
    """The temporaries of a CUDA graph do not fit while it is captured."""
    return capture(800)


@cause("REQUEST_TOO_LARGE")
def too_large():
    """200 GiB of 140."""
    return take(200 << 10)


@cause("REQUEST_TOO_LARGE", cap=4096)
def too_large_cap():
    """The same under a cap."""
    held = take(500)
    return held, take(200 << 10)


@cause("REQUEST_TOO_LARGE", alone=True)
def too_large_by_little():
    """As large as the card, of which the context takes a part."""
    return take(torch.cuda.get_device_properties(0).total_memory // MIB - 64)


@cause("ABSURD_SIZE")
def absurd():
    """2^50 bytes."""
    return take(1 << 30)


@cause("ABSURD_SIZE")
def absurd_exabytes():
    """2^61 bytes, which torch refuses before it looks at the card."""
    return take(1 << 41)


@cause("OTHER_PROCESS", alone=True)
def other_process():
    """Another process holds all but 6 GiB."""
    with Filler("leave", 6144 * MIB):
        held = [take(1000) for _ in range(4)]
        return held, take(4096)


@cause("OTHER_PROCESS", frames=True, alone=True)
def other_processes():
    """Two other processes share most of the card."""
    with Filler("take", 60 << 30), Filler("leave", 3000 * MIB):
        held = take(1000)
        return held, take(2500)


@cause("OTHER_ALLOCATOR", alone=True)
def other_allocator():
    """A library in the process took 90 GiB from the driver."""
    held = take(30 << 10)
    Driver(own_context=False).take(90 << 30)
    return held, take(25 << 10)


@cause("OTHER_ALLOCATOR", alone=True)
def jax_preallocated():
    """JAX in the process preallocates three quarters of the card."""
    import jax.numpy

    zeros = jax.numpy.zeros(8).block_until_ready()
    held = take(20 << 10)
    return zeros, held, take(25 << 10)


@cause("DRIVER_OVERHEAD", alone=True)
def stack_limit():
    """The driver keeps a stack of 128 KiB for each thread that the card can run."""
    held = take(1 << 10)
    driver = Driver(own_context=False)
    driver.call("cuCtxSetLimit", CU_LIMIT_STACK_SIZE, ctypes.c_size_t(128 << 10))
    take(1).fill_(1)
    torch.cuda.synchronize()
    held = held, fill(2000)
    return held, take(6000)


# -- growth ------------------------------------------------------------------------------------------------------------

def kept_losses(width=1024, rows=4096):
    model = Layers(width, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    losses = []
    while True:
        train_step(model, optimizer, torch.randn(rows, width, device="cuda"))
        losses.append(model(torch.randn(rows, width, device="cuda")).square().mean())


def growing_batches(rows):
    model = Layers(1024, 6)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(1000):
        train_step(model, optimizer, torch.randn(rows * (step + 1), 1024, device="cuda"))


@cause("LEAK with FRACTION_CAP", cap=4096, frames=True)
def leak_losses():
    """Each step keeps a loss of the validation, and with it the graph."""
    kept_losses()


@cause("LEAK", alone=True)
def leak_losses_card():
    """As leak_losses, on a card that the process fills; no frames."""
    weights = fill(4096)
    kept_losses()
    return weights


@cause("LEAK with FRACTION_CAP", cap=2048, entries=2000)
def leak_outputs():
    """Each step keeps its output; the ring holds only the last 2,000 events."""
    model = Layers(1024, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    outputs = []
    while True:
        x = torch.randn(3072, 1024, device="cuda")
        train_step(model, optimizer, x)
        outputs.append(model(x).detach())


@cause("LEAK with FRACTION_CAP", "expandable_segments:True", cap=1024, frames=True, entries=20000)
def leak_cache():
    """Features of every sample are cached for ever."""
    model, cache = Layers(512, 4), {}
    for sample in range(10000):
        with torch.no_grad():
            cache[sample] = model(torch.randn(1000 + sample % 7 * 100, 512, device="cuda"))


@cause("FRACTION_CAP", "expandable_segments:True", cap=3072, frames=True)
def growing_cap():
    """Batches grow, nothing is kept: no leak."""
    growing_batches(1500)


@cause("CAPACITY", "expandable_segments:True", alone=True)
def growing_card():
    """Batches grow on a card that the process fills."""
    weights = fill(3072)
    growing_batches(1500)
    return weights


@cause("CAPACITY", alone=True)
def capacity_card():
    """Live tensors fill the card."""
    held = [take(10 << 10) for _ in range(13)]
    return held, take(12 << 10)


@cause("CAPACITY", frames=True, alone=True)
def first_step_card():
    """The activations of the first step do not fit."""
    model = Layers(8192, 20)
    return model(torch.randn(200_000, 8192, device="cuda"))


@cause("CAPACITY", frames=True, alone=True, entries=20000)
def loading_card():
    """Weights of a model that is too large are loaded one by one: growth, but no leak."""
    weights = []
    while True:
        weights += [take(size) for size in (900, 300, 40)]


# -- caught ------------------------------------------------------------------------------------------------------------

def halve(size):
    """Try `size`, and half of it while there is no room; the messages of what failed."""
    failed = []
    while True:
        try:
            return take(size), failed
        except torch.OutOfMemoryError as error:
            failed.append(error)
            size /= 2


@cause("FRACTION_CAP", cap=2048)
def survived():
    """The program catches the error and goes on with half the batch; it ends well."""
    held = take(1200)
    batch, failed = halve(1600)
    del batch, held
    take(300)
    raise failed[-1]


@cause("FRAGMENTATION with FRACTION_CAP", cap=2048)
def survived_then_failed():
    """Two errors are caught; what ends the run is fragmentation."""
    weights = take(100)
    batch, _ = halve(6000)
    del batch
    torch.cuda.empty_cache()
    held = holes(4, 480, 40)
    return weights, held, take(600)
