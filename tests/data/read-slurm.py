#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read-slurm.py FILE: lines of what was set before, --export=, what came."""
import json
import subprocess
import sys

V = "PYTORCH_CUDA_ALLOC_CONF"


def read(text):
    done = subprocess.run(["read-script", "bash"], input=text, text=True,
                          capture_output=True, check=True)
    value = None
    for line in done.stdout.splitlines():
        place = json.loads(line)
        if place.get("fate") in ("arrives", "removed"):
            value = place["value"]
    return value


wrong = lines = 0
for line in open(sys.argv[1]):
    outer, spec, found = line.rstrip("\n").split("\t")
    truth = None if found == "[UNSET]" else found[1:-1]
    quoted = "'" + spec.replace("'", "'\\''") + "'"
    text = "" if outer == "-" else "%s=%s " % (V, outer)
    value = read(text + "srun --export=%s /bin/true\n" % quoted)
    lines += 1
    if value != truth:
        wrong += 1
        print("%s%s: %r, read as %r" % (text, spec, truth, value))
print("%d lines, %d wrong" % (lines, wrong))
sys.exit(wrong > 0 or lines < 60)
