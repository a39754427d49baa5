# SPDX-License-Identifier: Apache-2.0
"""At the first out-of-memory error of PyTorch's allocator, a snapshot with its
history, and the companion file that tells limit and setting: NAME.pickle and
NAME.json in the folder that CUPTI_PROBE_SNAPSHOT names.

The observer runs after the allocator has let go of its lock.  History costs
host memory: MOST entries, of frames those of Python only.
"""
import json
import os
import pickle
import socket

MOST = 100000  # entries of history
NAMES = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")


def start(torch):
    folder = os.environ["CUPTI_PROBE_SNAPSHOT"]
    torch.cuda._lazy_call(lambda: begin(torch, folder))


def begin(torch, folder):
    try:
        torch.cuda.memory._record_memory_history(
            max_entries=MOST, stacks="python")
        torch._C._cuda_attach_out_of_memory_observer(Observer(torch, folder))
    except Exception:
        pass


class Observer:
    def __init__(self, torch, folder):
        self.torch = torch
        self.folder = folder
        self.process = os.getpid()
        self.done = False

    def __call__(self, device, size, device_total, device_free):
        if self.done or os.getpid() != self.process:
            return
        self.done = True
        try:
            self.write()
        except Exception:
            pass

    def write(self):
        name = f"{socket.gethostname().split('.')[0]}.{self.process}.oom"
        snapshot = self.torch.cuda.memory._snapshot()
        place(self.folder, name + ".json",
              json.dumps(self.companion()).encode())
        place(self.folder, name + ".pickle", pickle.dumps(snapshot))

    def companion(self):
        cuda = self.torch.cuda
        devices = range(cuda.device_count())
        totals = [cuda.get_device_properties(d).total_memory for d in devices]
        shares = [cuda.get_per_process_memory_fraction(d) for d in devices]
        caps = [int(share * total) if share < 1 else 0
                for share, total in zip(shares, totals)]
        return {"conf": next((os.environ[n] for n in NAMES if n in os.environ),
                             ""),
                "cap": caps, "total": totals,
                "torch": self.torch.__version__,
                "gpu": cuda.get_device_name(0)}


def place(folder, name, data):
    """A file that is there whole or not at all; one that is there stays."""
    path = os.path.join(folder, name)
    partial = f"{path}.{os.getpid()}.partial"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(partial, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(partial, path, follow_symlinks=False)
    except FileExistsError:
        pass
    finally:
        os.unlink(partial)
