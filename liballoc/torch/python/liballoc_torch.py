# SPDX-License-Identifier: Apache-2.0
"""liballoc inside of PyTorch.

Two levels, of which a program uses one:

enable()   liballoc serves every request for GPU memory.  torch.cuda's
           functions on memory answer from it.  Some things raise in torch
           itself, see there.
mempool()  torch's allocator stays and takes its segments from liballoc inside
           of torch.cuda.use_mem_pool(): all of torch works as before.
"""
import atexit
import ctypes
import json
import os
import pickle
import struct
import sys
import warnings

import torch

LIBRARY = "liballoc-torch.so"
# Of torch's allocator: of the library's functions, behind la_torch_
HOOKS = {
    "set_init_fn": "init",
    "set_reset_fn": "reset",
    "set_memory_fraction_fn": "memory_fraction",
    "set_base_alloc_fn": "base_alloc",
    "set_record_stream_fn": "record_stream",
    "set_begin_allocate_to_pool": "begin_allocate_to_pool",
    "set_end_allocate_to_pool_fn": "end_allocate_to_pool",
    "set_release_pool": "release_pool",
}
NO_CAP = (1 << 64) - 1
EVENTS = ("alloc", "free_requested", "free_completed", "segment_alloc",
          "segment_free", "segment_map", "segment_unmap", "oom", "snapshot",
          "annotate")
EVENT = struct.Struct("=QQQIHBB")  # la_event of liballoc/event.h
BLOCK_WORDS = 10  # of la_torch_blocks()
STATES = ("inactive", "active_allocated", "active_pending_free")
STREAMS = 4096  # most of one device
OBSERVER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_uint64,
                            ctypes.c_uint64, ctypes.c_uint64)


class LiballocWarning(UserWarning):
    """What to know of liballoc in this program."""


class State:
    """All that outlives a call; torch keeps pointers into it."""
    library = None
    enabled = None  # options of enable()
    allocator = None
    segments = None  # allocator of mempool()
    observers = []
    observer = None
    free = {}  # bytes that the driver had left at each OOM, by device
    since = {}  # of reset_accumulated_memory_stats(), by device


def places():
    """Where the library may be, best first."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.environ.get("LIBALLOC_TORCH", "")
    for folder in ("../../../lib", "../../../lib64",
                   f"../../../lib/{os.uname().machine}-linux-gnu"):
        yield os.path.join(here, folder, LIBRARY)


def path():
    """Path of the library, or its name alone for the loader to find."""
    return next((os.path.realpath(p) for p in places() if os.path.isfile(p)),
                LIBRARY)


def library():
    """The library, loaded."""
    if State.library is None:
        lib = ctypes.CDLL(path())
        lib.la_torch_figure_names.restype = ctypes.c_char_p
        lib.la_torch_policy.restype = ctypes.c_char_p
        lib.la_torch_blocks.restype = ctypes.c_long
        lib.la_torch_history.restype = ctypes.c_long
        State.library = lib
    return State.library


def pointer(name):
    return ctypes.cast(getattr(library(), "la_torch_" + name),
                       ctypes.c_void_p).value


def configure(options):
    """Give the library its options; LIBALLOC_CONF's come before them."""
    why = ctypes.create_string_buffer(512)
    if library().la_torch_configure(torch.__version__.encode(),
                                    options.encode(), why,
                                    ctypes.c_size_t(len(why))):
        raise ValueError(f"liballoc: {why.value.decode()}")


def options_text(policy, limit, history, record, smart_cache, log_split):
    named = {"policy": policy, "limit": limit, "history": history,
             "record": record and os.path.abspath(record),
             "smart_cache": smart_cache, "log": "split" if log_split else None}
    for name, value in named.items():
        if "," in str(value):
            raise ValueError(f"liballoc: {name}: a comma separates options")
    return ",".join(f"{name}:{value}" for name, value in named.items()
                    if value is not None)


def enable(policy=None, *, limit=None, history=None, record=None,
           smart_cache=None, log_split=False):
    """Let liballoc serve all GPU memory of this process, from now on.

    policy       "compact" (default) or "torch", which places as torch does
    limit        bytes, or a text such as "20GiB", that a GPU may hold
    history      events kept of each GPU, for dump_snapshot()
    record       file for a snapshot when the process ends; implies history
    smart_cache  empty the cache above this part of limit or card (0.8, say)
    log_split    print each block that is split on standard error

    What is not named here is taken of LIBALLOC_CONF; PYTORCH_ALLOC_CONF means
    what it means to this release of torch.  Must be called before the first
    use of the GPU, once; again with the same arguments does nothing.  It
    cannot be undone.  torch.cuda.memory_stats() and its kin, memory_summary(),
    memory_snapshot() and reset_peak_memory_stats() answer from liballoc; of
    bytes, the totals "allocated" and "freed" are not counted and are net.

    In this level torch itself raises for CUDA graph trees
    (torch.compile(mode="reduce-overhead")), torch.backends.cudnn.benchmark,
    torch.cuda.MemPool and CUDA tensors sent between processes: for programs
    that use these there is mempool().
    """
    options = options_text(policy, limit, history, record, smart_cache,
                           log_split)
    if State.enabled is not None:
        if State.enabled == options:
            return
        raise RuntimeError(f"liballoc is enabled already, with "
                           f"'{State.enabled}', and cannot be changed")
    if torch.cuda.is_initialized():
        raise RuntimeError("liballoc.enable() must be called before the first "
                           "use of the GPU: torch's own allocator is in use")
    configure(options)
    install()
    State.enabled = options
    try_exception()
    answer_for_torch()
    observe()
    if record or "record:" in os.environ.get("LIBALLOC_CONF", ""):
        atexit.register(record_at_exit, record or record_file())
    warnings.warn("liballoc serves GPU memory: CUDA graph trees "
                  "(mode='reduce-overhead') and cudnn.benchmark raise in torch "
                  "at this level; liballoc_torch.mempool() keeps both",
                  LiballocWarning, stacklevel=2)


def install():
    """Put our hooks in the place of torch's allocator."""
    memory = torch.cuda.memory
    allocator = memory.CUDAPluggableAllocator(path(), "la_torch_alloc",
                                              "la_torch_free")
    for setter, name in HOOKS.items():
        getattr(allocator.allocator(), setter)(pointer(name))
    memory.change_current_allocator(allocator)
    State.allocator = allocator


def try_exception():
    """Throw once: is it the type that programs catch?"""
    library().la_torch_trial()
    try:
        torch._C._cuda_emptyCache()
    except torch.cuda.OutOfMemoryError:
        return
    except RuntimeError:
        pass
    warnings.warn("liballoc cannot throw torch.cuda.OutOfMemoryError in this "
                  "build of torch: running out of memory raises a RuntimeError "
                  "that starts with 'CUDA out of memory.'", LiballocWarning,
                  stacklevel=3)


def disable():
    """Not possible: torch changes its allocator once in a process."""
    raise RuntimeError("liballoc cannot be disabled: torch changes its "
                       "allocator once in a process; start a new one")


def is_enabled():
    """Does liballoc serve this process's GPU memory?"""
    return State.enabled is not None


def need():
    if State.enabled is None:
        raise RuntimeError("liballoc is not enabled: call "
                           "liballoc_torch.enable() before the first use of "
                           "the GPU")


def figures(device=None):
    """Figures of a GPU by name, as liballoc counts them; see la_allocator_stats
    in liballoc/allocator.h.  Times are nanoseconds."""
    need()
    names = library().la_torch_figure_names().decode().split()
    value = (ctypes.c_uint64 * len(names))()
    if library().la_torch_figures(index(device), value):
        return dict.fromkeys(names, 0)
    return dict(zip(names, value))


def index(device):
    return torch.cuda._utils._get_device_index(device, optional=True)


def nested_stats(device):
    f = figures(device)
    since = State.since.get(index(device), {})
    count = {name: f[name] - since.get(name, 0)
             for name in ("served", "freed", "heap.ooms", "heap.retries",
                          "heap.device_allocs", "heap.device_frees",
                          "heap.syncs")}

    def stat(current, peak, allocated=None, freed=0):
        whole = {"current": current, "peak": peak, "freed": freed,
                 "allocated": current if allocated is None else allocated}
        none = dict.fromkeys(whole, 0)
        return {"all": whole, "large_pool": whole, "small_pool": none}

    live = stat(f["live"], f["live_peak"], count["served"], count["freed"])
    segments = stat(f["segments"], f["segments_peak"])
    none = stat(0, 0)
    return {
        "allocation": live, "active": live, "segment": segments,
        "inactive_split": none,
        "allocated_bytes": stat(f["heap.allocated"], f["heap.allocated_peak"]),
        "active_bytes": stat(f["heap.active"], f["heap.active_peak"]),
        "reserved_bytes": stat(f["heap.reserved"], f["heap.reserved_peak"]),
        "requested_bytes": stat(f["requested"], f["requested_peak"]),
        "inactive_split_bytes": stat(f["inactive"], f["inactive"]),
        "oversize_allocations": none["small_pool"],
        "oversize_segments": none["small_pool"],
        "num_alloc_retries": count["heap.retries"],
        "num_ooms": count["heap.ooms"], "num_oom_rejections": 0,
        "max_split_size": -1, "reserved_bytes_by_private_pools": {},
        "num_sync_all_streams": count["heap.syncs"],
        "num_device_alloc": count["heap.device_allocs"],
        "num_device_free": count["heap.device_frees"],
    }


def memory_stats(device=None):
    """torch.cuda.memory_stats() of liballoc, with torch's keys."""
    need()
    return torch.cuda.memory_stats(device)


def memory_allocated(device=None):
    """Bytes of live blocks, as torch.cuda.memory_allocated()."""
    return figures(device)["heap.allocated"]


def max_memory_allocated(device=None):
    """Highest value of memory_allocated() since reset_peak_memory_stats()."""
    return figures(device)["heap.allocated_peak"]


def memory_reserved(device=None):
    """Bytes held from the GPU, as torch.cuda.memory_reserved()."""
    return figures(device)["heap.reserved"]


def max_memory_reserved(device=None):
    """Highest value of memory_reserved() since reset_peak_memory_stats()."""
    return figures(device)["heap.reserved_peak"]


def reset_peak_memory_stats(device=None):
    """Let all peaks of a GPU begin anew."""
    need()
    library().la_torch_reset_peaks(index(device))


def memory_summary(device=None, abbreviated=False):
    """torch.cuda.memory_summary() of liballoc, and what only it knows."""
    f = figures(device)
    more = (f"liballoc, policy {library().la_torch_policy().decode()}: "
            f"{f['cached_hits']:,} of {f['served']:,} requests served by a "
            f"thread's cache, {f['driver_calls']:,} driver calls, "
            f"{f['stalls']:,} waits, {f['time'] / 1e6:,.1f} ms in the "
            f"allocator\n") if library().la_torch_is_used() else ""
    return torch.cuda.memory_summary(device, abbreviated) + more


def blocks(device):
    """Words of la_torch_blocks(), a tuple for each block."""
    lib, room = library(), 1024
    while True:
        words = (ctypes.c_uint64 * (room * BLOCK_WORDS))()
        count = lib.la_torch_blocks(device, words, ctypes.c_size_t(room))
        if count <= room:
            break
        room = count + 1024
    for i in range(max(count, 0)):
        yield tuple(words[i * BLOCK_WORDS:(i + 1) * BLOCK_WORDS])


def segments(device):
    """As in torch.cuda.memory_snapshot()."""
    found = {}
    for (addr, size, requested, start, whole, stream, pool, second, state,
         flags) in blocks(device):
        segment = found.setdefault(start, {
            "device": device, "address": start, "total_size": whole,
            "allocated_size": 0, "active_size": 0, "requested_size": 0,
            "stream": stream, "segment_type": "small" if flags & 1 else "large",
            "segment_pool_id": (pool, second), "is_expandable": bool(flags & 2),
            "frames": [], "blocks": []})
        segment["blocks"].append({
            "address": addr, "size": size, "requested_size": requested,
            "state": STATES[state], "frames": []})
        if STATES[state] != "inactive":
            segment["active_size"] += size
        if STATES[state] == "active_allocated":
            segment["allocated_size"] += size
            segment["requested_size"] += requested
    return sorted(found.values(), key=lambda segment: segment["address"])


def history(device):
    """Entries of device_traces, the oldest first."""
    room = 1 << 16
    streams = (ctypes.c_uint64 * STREAMS)()
    while True:
        buffer = ctypes.create_string_buffer(room * EVENT.size)
        count = library().la_torch_history(
            device, buffer, ctypes.c_size_t(room), streams,
            ctypes.c_size_t(STREAMS))
        if count < room:
            break
        room *= 4
    events = [EVENT.unpack_from(buffer, i * EVENT.size)
              for i in range(max(count, 0))]
    ooms = sum(EVENTS[event[5]] == "oom" for event in events)
    free = ([0] * ooms + State.free.get(device, []))[-ooms or None:]
    for addr, size, time_us, stream, _, action, _ in events:
        entry = {"action": EVENTS[action], "size": size, "time_us": time_us,
                 "stream": streams[stream] if stream < STREAMS else 0,
                 "compile_context": "N/A", "user_metadata": "", "frames": []}
        if entry["action"] == "oom":
            entry["device_free"] = free.pop(0)
        else:
            entry["addr"] = addr
        yield entry


def devices():
    return range(library().la_torch_device_count())


def setting():
    names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 10):
        names = names[1:]
    return next((os.environ[n] for n in names if n in os.environ), "")


def snapshot(*args, **options):
    """torch.cuda.memory._snapshot() of liballoc."""
    traces = options.get("include_traces", True)
    return {"segments": [s for d in devices() for s in segments(d)],
            "device_traces": [list(history(d)) if traces else []
                              for d in devices()],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": setting()},
            "external_annotations": []}


def companion():
    limits = [figures(d) for d in devices()]
    return {"conf": setting(), "torch": torch.__version__,
            "total": [f["total"] for f in limits],
            "cap": [f["cap"] if f["cap"] < NO_CAP else 0 for f in limits],
            "allocator": "liballoc",
            "policy": (library().la_torch_policy() or b"").decode()}


def dump_snapshot(path="snapshot.pickle"):
    """Write what is held, and the history if enable() was asked to keep one, in
    torch's format, and beside it a companion file (X.json beside X.pickle)
    with setting, limit and card: `allocctl replay`, `triage` and `tune` read
    both, and torch's memory_viz the first."""
    need()
    with open(path, "wb") as file:
        pickle.dump(snapshot(), file, protocol=4)
    with open(os.path.splitext(path)[0] + ".json", "w") as file:
        json.dump(companion(), file)


def record_file():
    options = os.environ.get("LIBALLOC_CONF", "").split(",")
    return next(o[len("record:"):] for o in reversed(options)
                if o.startswith("record:"))


def record_at_exit(path):
    """One file for each process that used a GPU: the first has the name."""
    if not library().la_torch_is_used():
        return
    stem, suffix = os.path.splitext(path)
    if os.path.exists(path):
        path = f"{stem}.{os.getpid()}{suffix}"
    dump_snapshot(path)


def on_oom(callback):
    """Call callback(device, size, total, free), sizes in bytes, whenever a
    request fails for want of memory, before the exception is raised.  free is
    None where the driver does not say."""
    need()
    State.observers.append(callback)


def observe():
    State.observer = OBSERVER(tell_observers)
    library().la_torch_observe(State.observer)


def tell_observers(device, size, total, free):
    State.free.setdefault(device, []).append(0 if free == NO_CAP else free)
    for callback in State.observers:
        callback(device, size, total, None if free == NO_CAP else free)


def mempool(**options):
    """A torch.cuda.MemPool whose segments come from liballoc, for

        with torch.cuda.use_mem_pool(liballoc_torch.mempool()):
            ...

    torch's allocator cuts the segments up, so that its statistics, CUDA graph
    trees and cudnn.benchmark work as always; liballoc keeps segments of
    several sizes from fragmenting the GPU.  options are those of enable(); they
    hold for all pools of the process.  Needs torch 2.5, and no enable().
    """
    if State.enabled is not None:
        raise RuntimeError("liballoc is enabled for all memory: a pool of "
                           "torch cannot be used at that level")
    if not hasattr(torch.cuda, "MemPool"):
        raise RuntimeError("torch.cuda.MemPool came with torch 2.5, this is "
                           + torch.__version__)
    if State.segments is None:
        known = dict.fromkeys(("policy", "limit", "history", "record",
                               "smart_cache", "log_split"))
        configure(options_text(**{**known, **options}))
        State.segments = torch.cuda.memory.CUDAPluggableAllocator(
            path(), "la_torch_segment_alloc", "la_torch_free")
    elif options:
        raise RuntimeError("liballoc has its options from the first pool")
    return torch.cuda.MemPool(State.segments.allocator())


def reset_accumulated(device):
    State.since[index(device)] = figures(device)


def memory_fraction(device):
    f = figures(device)
    if f["cap"] == NO_CAP or not f["total"]:
        return 1.0
    return f["cap"] / f["total"]


def record_history(enabled="all", *args, **options):
    """Of torch.cuda.memory._record_memory_history()."""
    options = State.enabled + os.environ.get("LIBALLOC_CONF", "")
    if enabled is not None and not ("history:" in options or
                                    "record:" in options):
        raise RuntimeError("liballoc keeps a history if it is asked to at the "
                           "start: enable(history=100000)")


def answer_for_torch():
    """Torch's functions of Python ask these of its C++ side, which raises for
    allocators that are not its own."""
    ours = {
        "_cuda_memoryStats": nested_stats,
        "_cuda_resetPeakMemoryStats": reset_peak_memory_stats,
        "_cuda_resetAccumulatedMemoryStats": reset_accumulated,
        "_cuda_memorySnapshot": snapshot,
        "_cuda_getMemoryFraction": memory_fraction,
        "_cuda_attach_out_of_memory_observer": on_oom,
        "_cuda_record_memory_history": record_history,
    }
    for name, function in ours.items():
        if hasattr(torch._C, name):
            setattr(torch._C, name, function)


def start(torch):
    """Called by the start-up shim, behind the import of torch."""
    import liballoc_torch
    try:
        liballoc_torch.enable()
    except Exception as error:
        print(f"allocctl run: liballoc is not used: {error}", file=sys.stderr)
