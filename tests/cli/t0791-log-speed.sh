#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A log without messages costs about the time of its MD5 (1.7 s a GB on the
# core where 3 s are allowed), and no memory that grows with it.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
[ -z "${SANITIZE:-}" ] || skip 'sanitizers change time and memory'
python3 - "$O/bin/log-facts" "$tmp/log" <<'END'
import hashlib
import random
import resource
import subprocess
import sys

program, path = sys.argv[1:]
SIZE, MEMORY = 96 << 20, 32 << 20
source = random.Random(1)
lines = ''.join(
    f'2026-11-30 01:02:03,{i % 1000:03} INFO [trainer.py:{i % 700}] epoch '
    f'{i // 1000} step {i}/40000 loss {source.random():.4f} mem '
    f'{source.random() * 80:.2f} GiB allocated, {source.random():.1f} it/s\n'
    for i in range(40000)).encode()
with open(path, 'wb') as log:
    while log.tell() < SIZE:
        log.write(lines)


def spent(who):
    return resource.getrusage(who).ru_utime


def bound_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def read_log():
    before = spent(resource.RUSAGE_CHILDREN)
    with open(path, 'rb') as log:
        subprocess.run([program], stdin=log, check=True,
                       stderr=subprocess.DEVNULL, preexec_fn=bound_memory)
    return spent(resource.RUSAGE_CHILDREN) - before


def digest():
    before = spent(resource.RUSAGE_SELF)
    with open(path, 'rb') as log:
        total = hashlib.md5()
        while part := log.read(1 << 16):
            total.update(part)
    return spent(resource.RUSAGE_SELF) - before


log, md5 = (min(f() for _ in range(3)) for f in (read_log, digest))
print(f'{log:.3f} s, MD5 {md5:.3f} s')
sys.exit(log > 1.75 * md5)
END
