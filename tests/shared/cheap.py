# SPDX-License-Identifier: Apache-2.0
"""The heap of liballoc.so with the interface of heap_rules.Heap, so that one can stand in for the other."""
import ctypes
import errno
import os
import re

from heap_rules import HUGE, OutOfMemory

NONE = (1 << 64) - 1
ACTIONS = ("alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
           "segment_unmap", "oom")
STATISTICS = {"reserved": "reserved", "peak_reserved": "reserved_peak", "allocated": "allocated",
              "peak_allocated": "allocated_peak", "active": "active", "peak_active": "active_peak",
              "device_allocs": "device_allocs", "device_frees": "device_frees", "retries": "retries", "ooms": "ooms",
              "syncs": "syncs"}     # of heap_rules.Heap: of struct la_heap_stats

U64, INT, PTR = ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p
ALLOC = ctypes.CFUNCTYPE(INT, PTR, U64, ctypes.POINTER(U64))
FREE = ctypes.CFUNCTYPE(INT, PTR, U64, U64)
MAP = ctypes.CFUNCTYPE(INT, PTR, U64, U64, U64)
DESTROY = ctypes.CFUNCTYPE(None, PTR)
LISTENER = ctypes.CFUNCTYPE(None, PTR, INT, U64, U64, U64)


def fields(struct, header):
    """The fields of a struct of plain types, read from the header that declares it."""
    types = {"uint64_t": U64, "double": ctypes.c_double, "bool": ctypes.c_bool}
    with open(header) as file:
        text = re.search(r"^struct %s \{(.*?)^\};" % struct, file.read(), re.M | re.S)[1]
    for kind, name, array in re.findall(r"^\t(\w+) (\w+)(\[LA_ROUNDUP_SLOTS\])?;", text, re.M):
        yield name, types[kind] * 16 if array else types[kind]


class Values(ctypes.Structure):
    _fields_ = list(fields("la_setting_values", "liballoc/include/liballoc/setting.h"))

    @classmethod
    def of(cls, settings):
        return cls(max_split_size=NONE if settings.max_split == HUGE else settings.max_split,
                   max_non_split_rounding=settings.non_split_slack, large_segment_size=settings.large_segment,
                   garbage_collection_threshold=settings.gc_threshold, per_process_memory_fraction=1.0,
                   roundup_power2_divisions=(U64 * 16)(*settings.divisions), pinned_num_register_threads=1,
                   expandable_segments=settings.expandable)


class Operations(ctypes.Structure):
    _fields_ = [("alloc", ALLOC), ("free", FREE), ("reserve", ALLOC), ("unreserve", FREE), ("map", MAP),
                ("unmap", FREE), *((name, PTR) for name in (
                    "create", "release", "attach", "detach", "record", "query", "order", "await", "drain",
                    "forget", "capturing")), ("destroy", DESTROY)]


class Device(ctypes.Structure):
    _fields_ = [("ops", ctypes.POINTER(Operations))]


class Config(ctypes.Structure):
    _fields_ = [("policy", INT), ("setting", ctypes.POINTER(Values)), ("device", PTR), ("cap", U64), ("total", U64),
                ("release", ctypes.c_uint), ("waiter", PTR), ("listener", LISTENER), ("split_listener", PTR),
                ("listener_data", PTR)]


class Stats(ctypes.Structure):
    _fields_ = [(name, U64) for name in (
        "reserved", "reserved_peak", "allocated", "allocated_peak", "active", "active_peak", "device_allocs",
        "device_frees", "device_maps", "device_unmaps", "retries", "ooms", "syncs", "creates",
        "releases", "waits", "stalls")]


class Error(ctypes.Structure):
    _fields_ = [("code", INT), ("offset", U64), ("text", ctypes.c_char * 256)]


def load():
    lib = ctypes.CDLL(os.environ["LIBALLOC"])
    for name, result, *args in (
            ("la_heap_new", INT, ctypes.POINTER(PTR), ctypes.POINTER(Config), ctypes.POINTER(Error)),
            ("la_heap_free", None, PTR), ("la_heap_stream", INT, PTR, U64),
            ("la_heap_pool", INT, PTR, ctypes.POINTER(U64)), ("la_heap_pool_give_up", INT, PTR, INT),
            ("la_heap_pool_drop", INT, PTR, INT), ("la_heap_set", INT, PTR, ctypes.POINTER(Values), ctypes.POINTER(Error)),
            ("la_heap_alloc", INT, PTR, U64, INT, INT, ctypes.POINTER(ctypes.c_uint32)),
            ("la_heap_release", INT, PTR, ctypes.c_uint32), ("la_heap_free_request", None, PTR, ctypes.c_uint32),
            ("la_heap_free_complete", INT, PTR, ctypes.c_uint32), ("la_heap_empty_cache", INT, PTR),
            ("la_heap_addr", U64, PTR, ctypes.c_uint32), ("la_heap_stats", ctypes.POINTER(Stats), PTR),
            ("la_heap_check", INT, PTR, ctypes.POINTER(Error)),
            ("la_device_sim", INT, ctypes.POINTER(PTR), INT, U64, U64), ("la_device_destroy", None, PTR)):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, args
    return lib


LIB = load()


def expect(got, *allowed):
    if got not in (0, *allowed):
        raise OSError(-got, os.strerror(-got))
    return got


class PythonDevice:
    """A la_device that asks an object like heap_rules.Device; malloc gives None if refused, map something false."""

    def __init__(self, driver):
        def asking(ask):
            def alloc(_, size, addr):
                got = ask(size)
                if got is None:
                    return -errno.ENOSPC
                addr[0] = got
                return 0
            return ALLOC(alloc)

        def telling(tell):
            def free(_, addr, size):
                tell(addr, size)
                return 0
            return FREE(free)

        def map_(_, addr, size, granule):
            return 0 if driver.map(size) else -errno.ENOSPC
        self.operations = Operations(
            alloc=asking(driver.malloc), free=telling(driver.free), reserve=asking(driver.reserve),
            unreserve=telling(driver.unreserve), map=MAP(map_),
            unmap=telling(getattr(driver, "unmap", lambda addr, size: None)), destroy=DESTROY(lambda _: None))
        self.struct = Device(ctypes.pointer(self.operations))
        self.pointer = ctypes.addressof(self.struct)


class SimDevice:
    """One of liballoc's own simulated devices."""

    def __init__(self, layout, card=NONE):
        pointer = PTR()
        expect(LIB.la_device_sim(ctypes.byref(pointer), layout, card, 0))
        self.pointer = pointer.value

    def __del__(self):
        LIB.la_device_destroy(self.pointer)


class CHeap:
    """device: a PythonDevice or SimDevice. strict: check the structure after every operation."""

    def __init__(self, settings, limit, device, total=0, strict=False, release=0):
        self.settings, self.limit, self.device, self.strict = settings, limit, device, strict
        self.out, self.pools = [], {(0, 0): 0}
        self.live, self.pending, self.streams = {}, {}, {}      # addr -> block number, raw stream -> number
        self.pointer = PTR()
        self.listener = LISTENER(self.hear)
        values = Values.of(settings)
        config = Config(setting=ctypes.pointer(values), device=device.pointer, cap=limit or NONE, total=total,
                        release=release, listener=self.listener)
        expect(LIB.la_heap_new(ctypes.byref(self.pointer), ctypes.byref(config), None))

    def __del__(self):
        LIB.la_heap_free(self.pointer)

    def hear(self, _, action, addr, size, stream):
        name = ACTIONS[action]
        self.out.append((name, None if name == "oom" else addr, size, stream))
        if name == "free_completed" and addr in self.pending:   # by a flush
            del self.pending[addr]

    def sound(self):
        if self.strict:
            error = Error()
            if LIB.la_heap_check(self.pointer, ctypes.byref(error)):
                raise AssertionError(error.text.decode())

    def pool(self, owner):
        if owner not in self.pools:
            self.pools[owner] = LIB.la_heap_pool(self.pointer, (U64 * 2)(*owner))
        return self.pools[owner]

    def allocate(self, n, stream, owner=(0, 0)):
        if stream not in self.streams:
            self.streams[stream] = LIB.la_heap_stream(self.pointer, stream)
        block = ctypes.c_uint32()
        failed = expect(LIB.la_heap_alloc(self.pointer, n, self.streams[stream], self.pool(owner), ctypes.byref(block)),
                        -errno.ENOSPC)
        self.sound()
        if failed:
            raise OutOfMemory
        addr = LIB.la_heap_addr(self.pointer, block)
        self.live[addr] = block.value
        return addr

    def release(self, addr):
        expect(LIB.la_heap_release(self.pointer, self.live.pop(addr)))
        self.sound()

    def request_free(self, addr):
        self.pending[addr] = self.live.pop(addr)
        LIB.la_heap_free_request(self.pointer, self.pending[addr])
        self.sound()

    def complete_free(self, addr):
        expect(LIB.la_heap_free_complete(self.pointer, self.pending.pop(addr)))
        self.sound()

    def flush(self):
        expect(LIB.la_heap_empty_cache(self.pointer))
        self.sound()

    def give_up(self, owner):
        expect(LIB.la_heap_pool_give_up(self.pointer, self.pool(owner)))

    def drop_pool(self, owner):
        expect(LIB.la_heap_pool_drop(self.pointer, self.pool(owner)))
        self.sound()

    def change(self, settings):
        self.settings = settings
        expect(LIB.la_heap_set(self.pointer, Values.of(settings), None))

    def statistics(self):
        stats = LIB.la_heap_stats(self.pointer)[0]
        return {name: getattr(stats, field) for name, field in STATISTICS.items()}
