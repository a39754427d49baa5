#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold memory of the card, as another process would: filler.py take BYTES, or filler.py leave BYTES. It prints what is
free then, and holds on until its input ends.

It asks the driver itself, so it starts in a moment.
"""
import ctypes
import subprocess
import sys


class Driver:
    """The few calls of libcuda that are needed, on the first card."""

    def __init__(self, own_context=True):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        if own_context:
            device, context = ctypes.c_int(), ctypes.c_void_p()
            self.call("cuInit", 0)
            self.call("cuDeviceGet", ctypes.byref(device), 0)
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: CUDA driver error {status}")

    def free(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def take(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))


class Filler:
    """A filler in a process of its own; `with` ends it."""

    def __init__(self, how, size):
        self.process = subprocess.Popen([sys.executable, __file__, how, str(size)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.free = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def main():
    how, size = sys.argv[1], int(sys.argv[2])
    driver = Driver()
    driver.take(size if how == "take" else driver.free() - size)
    print(driver.free(), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
