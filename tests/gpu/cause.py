#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cause.py NAME: run a program of bench/gpu/causes.py, which ends in an OutOfMemoryError; --list prints the names and the
truth of each as JSON."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/gpu"))


def main():
    import torch

    from causes import CAUSES

    if sys.argv[1] == "--list":
        print(json.dumps({name: function.how for name, function in CAUSES.items()}))
        return
    how = CAUSES[sys.argv[1]].how
    if how["cap"]:
        torch.cuda.set_per_process_memory_fraction(how["cap"] / torch.cuda.get_device_properties(0).total_memory)
    CAUSES[sys.argv[1]]()
    sys.exit(f"{sys.argv[1]} found enough memory")


if __name__ == "__main__":
    main()
