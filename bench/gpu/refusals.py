# SPDX-License-Identifier: Apache-2.0
"""Failures outside torch's caching allocator, in the manner of causes.py. Where torch keeps no snapshot, or none of the
failure, there is only the message."""
import os
import resource

import torch

from causes import MIB, cause, fill, take
from filler import Filler


def fill_up():
    """All of the card, to the last segment that the driver gives."""
    held = [fill(64)]
    for size in (20, 2, .5):
        try:
            while True:
                held.append(take(size))
        except torch.OutOfMemoryError:
            pass
    return held


@cause("FRACTION_CAP", "backend:cudaMallocAsync", cap=3072, snapshot=False)
def async_cap():
    """cudaMallocAsync under a fraction."""
    held = [take(500) for _ in range(5)]
    return held, take(700)


@cause("CAPACITY", "backend:cudaMallocAsync", alone=True, snapshot=False)
def async_card():
    """cudaMallocAsync on a card that the process fills."""
    held = [take(10 << 10) for _ in range(13)]
    return held, take(12 << 10)


@cause("OTHER_PROCESS", alone=True, snapshot=False)
def context():
    """Too little is free to create a context: the bare error of the runtime."""
    with Filler("leave", 100 * MIB):
        return take(1)


@cause("NOT_THIS_ALLOCATOR", alone=True, snapshot=False)
def cublas():
    """cuBLAS finds no memory for its handle on a full card."""
    a = torch.ones(8, 8, device="cuda")
    held = fill_up()
    return held, a @ a


@cause("NOT_THIS_ALLOCATOR", alone=True, snapshot=False)
def cudnn():
    """A convolution on a full card."""
    x, w = torch.ones(1, 8, 32, 32, device="cuda"), torch.ones(8, 8, 3, 3, device="cuda")
    held = fill_up()
    return held, torch.conv2d(x, w)


@cause("DRIVER_OVERHEAD", alone=True, snapshot=False)
def nccl():
    """NCCL creates a communicator on a full card."""
    from torch import distributed

    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29611", "RANK": "0", "WORLD_SIZE": "1"}
    x = torch.ones(1024, device="cuda")
    held = fill_up()
    distributed.init_process_group("nccl")
    distributed.all_reduce(x)
    torch.cuda.synchronize()
    return held


@cause("CAPACITY", "expandable_segments:True", alone=True)
def expandable_card():
    """Expandable segments find no memory to map."""
    held = [take(10 << 10) for _ in range(13)]
    return held, take(12 << 10)


@cause("HOST_PINNED", snapshot=False)
def pinned():
    """Page-locked memory beyond the limit of the process's addresses."""
    take(1)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 256 * MIB, resource.RLIM_INFINITY))
    return torch.empty(8 << 30, dtype=torch.uint8, pin_memory=True)


@cause("HOST_MEMORY", snapshot=False)
def host():
    """A tensor of 1 PiB in the host's memory."""
    return torch.empty(1 << 50, dtype=torch.uint8)


@cause("NOT_THIS_ALLOCATOR", snapshot=False)
def cupy_pool():
    """CuPy's pool at its limit."""
    import cupy

    cupy.get_default_memory_pool().set_limit(size=1 << 30)
    return cupy.empty(3 << 29, dtype="uint8")


@cause("NOT_THIS_ALLOCATOR", snapshot=False)
def jax_limit():
    """JAX within a fraction of the card."""
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = ".02"
    import jax.numpy

    return jax.numpy.zeros(8 << 30, dtype="uint8").block_until_ready()


@cause("NOT_THIS_ALLOCATOR", snapshot=False)
def triton_shared():
    """A kernel that wants more shared memory than a multiprocessor has."""
    from shared_memory import launch

    return launch()
