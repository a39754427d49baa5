# SPDX-License-Identifier: Apache-2.0
"""Start-up of Python under liballoc's tools: they put this folder in front of
PYTHONPATH.  The sitecustomize that would have run otherwise runs, and what
AFTER_TORCH names is called once torch has been imported.  A failure of ours is
silent: the program is not ours.
"""
import importlib
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Variable that asks for it: module of this folder, whose start() takes torch
AFTER_TORCH = {"LIBALLOC_ENABLE": "liballoc_torch",
               "CUPTI_PROBE_SNAPSHOT": "liballoc_snapshot"}


def elsewhere(path):
    return os.path.abspath(path or os.curdir) != HERE


def run_hidden():
    """Run the sitecustomize that this one hides, as site would have."""
    spec = importlib.machinery.PathFinder.find_spec(
        "sitecustomize", [path for path in sys.path if elsewhere(path)])
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def start_modules(torch):
    for variable, name in AFTER_TORCH.items():
        if os.environ.get(variable):
            try:
                load(name).start(torch)
            except Exception:
                pass


def load(name):
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TorchFinder:
    """Finds torch as the others do, and acts after its import."""

    def __init__(self):
        self.busy = False

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self.busy:
            return None
        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = False
        if spec is not None and spec.loader is not None:
            self.follow(spec.loader)
        return spec

    @staticmethod
    def follow(loader):
        execute = loader.exec_module

        def exec_module(module):
            execute(module)
            start_modules(module)

        loader.exec_module = exec_module


if any(os.environ.get(variable) for variable in AFTER_TORCH):
    sys.meta_path.insert(0, TorchFinder())
run_hidden()
