# SPDX-License-Identifier: Apache-2.0
"""Stands in for torch: takes the hooks of the library that the module names."""
import ctypes
import types

__version__ = "2.11.0"
hooks = {}


class OutOfMemoryError(RuntimeError):
    pass


class Allocator:
    def __init__(self, path, alloc, free):
        self.library = ctypes.CDLL(path)
        self.alloc = getattr(self.library, alloc)
        self.alloc.restype = ctypes.c_void_p

    def allocator(self):
        return self

    def __getattr__(self, name):
        if not name.startswith("set_"):
            raise AttributeError(name)
        return lambda pointer: hooks.update({name: pointer})


def change(allocator):
    hooks["alloc"] = allocator.alloc


def empty(size):
    return hooks["alloc"](ctypes.c_ssize_t(size), 0, None)


def trial():
    raise OutOfMemoryError("CUDA out of memory.")


cuda = types.SimpleNamespace(
    is_initialized=lambda: False, OutOfMemoryError=OutOfMemoryError,
    memory=types.SimpleNamespace(CUDAPluggableAllocator=Allocator,
                                 change_current_allocator=change))
_C = types.SimpleNamespace(_cuda_emptyCache=trial)
