# SPDX-License-Identifier: Apache-2.0
"""The plug-in in one release of torch, on GPUs that are not there: what it
does is what the program sees.  Prints one line of a table.  Arguments: the
folder of liballoc_torch.py; a file with the keys of torch's own statistics; a
folder to write to; the policy.
"""
import ctypes
import json
import os
import pickle
import sys
import warnings

import torch

sys.path.insert(0, sys.argv[1])
import liballoc_torch as la  # noqa: E402

GIB = 1 << 30
POLICY = sys.argv[4]
warnings.simplefilter("ignore", la.LiballocWarning)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def raises(kind, act, text):
    try:
        act()
    except kind as error:
        expect(type(error) is kind, f"{type(error)} for {kind}")
        expect(text in str(error), f"{error}: no '{text}'")
        return str(error)
    raise AssertionError(f"nothing raised: {text}")


def new(size, **options):
    return torch.empty(size, dtype=torch.uint8, device="cuda", **options)


def before_use():
    raises(RuntimeError, la.memory_stats, "not enabled")
    raises(ValueError, lambda: la.enable("best"), "policy wants")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        la.enable(POLICY, limit="20GiB", history=1000)
    # Only what every program hears: the trial was of the right type.
    expect(len(heard) == 1 and "mempool()" in str(heard[0].message), heard)
    la.enable(POLICY, limit="20GiB", history=1000)
    raises(RuntimeError, lambda: la.enable(POLICY), "already")
    raises(RuntimeError, la.disable, "cannot be disabled")
    raises(RuntimeError, la.mempool, "enabled for all")
    expect(torch.cuda.memory_allocated() == 0, "nothing is used")
    la.library().la_torch_trial()
    return raises(torch.cuda.OutOfMemoryError, torch._C._cuda_emptyCache,
                  "CUDA out of memory. Tried to allocate 0 bytes.")


def statistics(keys):
    tensor = new(3 << 20)
    expect(tensor.data_ptr() % 512 == 0, "aligned")
    for function in (torch.cuda.memory_allocated, la.memory_allocated,
                     torch.cuda.memory.memory_allocated):
        expect(function() == 3 << 20, function())
    second = new(1 << 20)
    del second
    expect(torch.cuda.max_memory_allocated() == 4 << 20, "peak")
    torch.cuda.reset_peak_memory_stats()
    expect(torch.cuda.max_memory_allocated() == 3 << 20, "peak after reset")
    expect(torch.cuda.memory_reserved() >= 4 << 20, "reserved")
    stats = torch.cuda.memory_stats()
    missing = set(keys) - set(stats)
    expect(not missing, f"no {missing}")
    expect(stats["allocation.all.allocated"] == 2, stats)
    expect("GPU reserved memory" in la.memory_summary(), "summary")
    torch.cuda.reset_accumulated_memory_stats()
    expect(torch.cuda.memory_stats()["allocation.all.allocated"] == 0, "anew")
    return tensor


def out_of_memory():
    heard = []
    la.on_oom(lambda *facts: heard.append(facts))
    text = raises(torch.cuda.OutOfMemoryError, lambda: new(30 * GIB),
                  "CUDA out of memory. Tried to allocate 30.00 GiB. GPU 0 has ")
    expect("20.00 GiB allowed" in text, text)
    expect("Cause: the request alone is larger than what is allowed" in text,
           text)
    expect(len(heard) == 1 and heard[0][:2] == (0, 30 * GIB), heard)
    torch.cuda.set_per_process_memory_fraction(0.125)
    share = torch.cuda.get_per_process_memory_fraction() if hasattr(
        torch.cuda, "get_per_process_memory_fraction") else 0.125
    expect(share == 0.125, share)
    raises(torch.cuda.OutOfMemoryError, lambda: new(11 * GIB), "10.00 GiB")
    torch.cuda.set_per_process_memory_fraction(1.0)
    new(11 * GIB)


def streams(tensor):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        other = new(5 << 20)
    other.record_stream(torch.cuda.current_stream())
    tensor.record_stream(side)
    del other
    torch.cuda.empty_cache()


def pools():
    pool = torch.cuda.graph_pool_handle()
    end = getattr(torch._C, "_cuda_endAllocateToPool", None) or \
        torch._C._cuda_endAllocateCurrentStreamToPool
    with torch.cuda.stream(torch.cuda.Stream()):
        torch._C._cuda_beginAllocateCurrentStreamToPool(0, pool)
        inside = new(3 << 20)
    outside = new(3 << 20)
    end(0, pool)
    ids = {block["address"]: segment["segment_pool_id"]
           for segment in torch.cuda.memory_snapshot()
           for block in segment["blocks"]}
    expect(ids[inside.data_ptr()] == tuple(pool), ids)
    expect(ids[outside.data_ptr()] == (0, 0), ids)
    del inside
    torch._C._cuda_releasePool(0, pool)


def snapshot(folder):
    path = os.path.join(folder, "plugin.pickle")
    la.dump_snapshot(path)
    with open(path, "rb") as file:
        found = pickle.load(file)
    actions = [entry["action"] for entry in found["device_traces"][0]]
    expect("alloc" in actions and "oom" in actions, actions)
    with open(os.path.join(folder, "plugin.json")) as file:
        expect(json.load(file)["cap"] == [20 * GIB], "companion")


def child():
    pid = os.fork()
    if pid == 0:
        try:
            raises(RuntimeError, lambda: new(1), "fork")
        except BaseException:
            os._exit(1)
        os._exit(0)
    expect(os.waitpid(pid, 0)[1] == 0, "a forked child")


def mempool():
    """The other level: torch's allocator on segments of ours."""
    if not hasattr(torch.cuda, "MemPool"):
        return raises(RuntimeError, la.mempool, "torch 2.5")
    pool = la.mempool(limit="1GiB", policy="torch")
    with torch.cuda.use_mem_pool(pool):
        first, second = new(3 << 20), new(3 << 20)
        raises(torch.cuda.OutOfMemoryError, lambda: new(2 * GIB),
               "CUDA out of memory. Tried to allocate 2.00 GiB")
    found = {block[0] for block in la.blocks(0)}
    expect(first.data_ptr() in found, found)
    expect(second.data_ptr() == first.data_ptr() + (3 << 20), "one segment")
    expect(torch.cuda.memory_stats()["allocation.all.current"] == 2, "torch's")
    raises(RuntimeError, lambda: la.mempool(limit="2GiB"), "first pool")
    la.mempool()
    del first, second
    return None


def main():
    if POLICY == "mempool":
        mempool()
        return
    with open(sys.argv[2]) as file:
        keys = json.load(file)
    before_use()
    tensor = statistics(keys)
    out_of_memory()
    streams(tensor)
    pools()
    snapshot(sys.argv[3])
    child()
    why = ctypes.create_string_buffer(256)
    expect(la.library().la_torch_check(why, 256) == 0, why.value)
    kind = torch.cuda.OutOfMemoryError
    abi = "new" if torch._C._GLIBCXX_USE_CXX11_ABI else "old"
    print(f"| {torch.__version__} | {abi} | {len(la.HOOKS)} of "
          f"{len(la.HOOKS)} | {kind.__module__}.{kind.__name__} |")


main()
