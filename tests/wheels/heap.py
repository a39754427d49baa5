#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heap.py RELEASE FIRST COUNT TORCH...: random programs, from seed FIRST on, given to the allocator of a torch wheel
(the command TORCH) and to play-heap; their answers must agree.  RECORD: a file to which programs and answers go."""
import os
import random
import subprocess
import sys

MIB = 1 << 20
EDGES = [1, 511, 512, 513, 1024, MIB - 512, MIB, MIB + 1, MIB + 513, 2 * MIB, 3 * MIB + 1, 10 * MIB - 512,
         10 * MIB - 511, 10 * MIB, 10 * MIB + 1, 12 * MIB, 19 * MIB - 512, 19 * MIB, 20 * MIB, 20 * MIB + 1]
HUGE = 1 << 40
DOWN = 2                            # a layout in which later segments lie lower


class Program:
    def __init__(self, release, seed):
        rng = self.rng = random.Random(seed)
        self.release = tuple(map(int, release.split(".")))
        self.layout = rng.choice((0, 1, DOWN, DOWN, 3, 4))
        self.card = rng.choice((1 << 50, 1 << 50, rng.randrange(30, 1000) * MIB))
        self.total = rng.randrange(2 << 30, 90 << 30, 4096) + rng.randrange(2)
        self.edges, self.largest, self.split = list(EDGES), 20, 20
        self.setting = self.draw_setting()
        self.streams = [0, 0x55d0c0de40, 0x1000][:rng.choice((1, 1, 2, 3))]
        self.few = rng.sample(self.edges, 3)
        self.top = rng.choice((20, 22, 25, 27.5))
        self.ops, self.live, self.allocs = [], [], 0
        self.pools, self.pool, self.next_pool, self.made = self.release >= (2, 10) and rng.random() < .4, 0, 0, set()
        if rng.random() < .6:
            self.ops.append(f"fraction {self.draw_fraction()!r}")
        self.draw_ops(rng.choice((50, 200, 600)), rng.uniform(.4, .7))

    def draw_fraction(self):
        if self.rng.random() < .1:
            return 1.0
        return self.rng.randrange(20, 1000) * MIB / self.total

    def draw_setting(self):
        """One that torch accepts.  After a lower max_split_size_mb it would free parts of segments."""
        rng, parts = self.rng, []
        if self.release >= (2, 1) and rng.random() < .5:
            parts.append("expandable_segments:" + rng.choice(("True", "True", "False")))
        if self.release >= (2, 11) and rng.random() < .25:
            self.largest = rng.choice((20, 24, 32, 64, 200))
            parts.append(f"large_segment_size_mb:{self.largest}")
        splits = [m for m in (21, 22, 32, 64, 65, 128, 200) if m >= max(self.largest, self.split)]
        self.split = rng.choice(splits) if splits and rng.random() < .5 else HUGE
        if self.split != HUGE:
            parts.append(f"max_split_size_mb:{self.split}")
            self.edges += [self.split * MIB + d for d in (-2 * MIB, -MIB, -513, -512, -511, 0, 1, MIB)]
        if self.release >= (2, 6) and rng.random() < .3:
            slack = rng.choice([m for m in (21, 40, 100, 200) if m >= self.largest])
            parts.append(f"max_non_split_rounding_mb:{slack}")
        if rng.random() < .5:
            parts.append(f"garbage_collection_threshold:{rng.choice((.05, .3, .5, .6, .8, .95))}")
        if rng.random() < .4:
            lists = ["[1:8,16:4,>:1]", "[256:1,512:2,1024:4,>:8]", "[2:16]", "[1:64,4:2,32:1,64:8]"]
            parts.append("roundup_power2_divisions:" + rng.choice(
                ["1", "1", "2", "4", "16", "64"] + (lists if self.release >= (2, 0) else [])))
            if self.release == (1, 13) and rng.random() < .5:
                parts.append(f"roundup_bypass_threshold_mb:{rng.choice((1, 2, 5, 16, 64))}")
        if self.release >= (2, 12) and rng.random() < .3:
            parts.append("throw_on_cudamalloc_oom:True")
        if self.release >= (2, 10) and rng.random() < .2:
            parts.append(f"per_process_memory_fraction:{self.draw_fraction()!r}")     # read once, but by rejections
        return ",".join(parts)

    def draw_pool(self):
        if self.pool:
            self.ops.append(f"end {self.pool}")
            self.pool = 0
        elif self.made and self.rng.random() < .2:
            pool = self.rng.choice(sorted(self.made))
            self.made.remove(pool)
            self.ops.append(f"drop {pool}")
        else:
            if len(self.made) < 3:
                self.next_pool += 1
                self.pool = self.next_pool
                self.made.add(self.pool)
            else:
                self.pool = self.rng.choice(sorted(self.made))
            self.ops.append(f"begin {self.pool}")

    def draw_size(self):
        kind = self.rng.random()
        if kind < .25:
            return self.rng.choice(self.edges)
        if kind < .6:
            return self.rng.choice(self.few)
        return int(2 ** self.rng.uniform(6, self.top)) + 1

    def draw_ops(self, count, fill):
        rng = self.rng
        for _ in range(count):
            kind = rng.random()
            if kind < .015 and not self.pool:
                self.ops.append("empty")
            elif kind < .02 and self.release >= (2, 0):
                self.ops.append("set " + self.draw_setting())
            elif kind < .05 and self.pools:
                self.draw_pool()
            elif kind < fill or not self.live:
                self.ops.append(f"alloc {self.draw_size()} {rng.choice(self.streams)}")
                self.live.append(self.allocs)
                self.allocs += 1
            else:
                at = rng.randrange(len(self.live))
                self.live[at], self.live[-1] = self.live[-1], self.live[at]
                self.ops.append(f"free {self.live.pop()}")

    def heading(self):
        return f"program {self.layout} {self.card} {self.total} {self.setting}"

    def text(self):
        return "\n".join(self.ops) + "\n"


def merged(lines):
    """As play-heap shows them."""
    out = []
    for line in lines:
        words = line.split()
        if words[0] in ("segment_map", "segment_unmap") and out and out[-1][0] == words[0]:
            end = int(out[-1][1], 16) + int(out[-1][2])
            if end == int(words[1], 16):
                out[-1][2] = str(int(out[-1][2]) + int(words[2]))
                continue
        out.append(words)
    return [" ".join(words) for words in out]


def run(command, text, **env):
    done = subprocess.run(command, input=text, capture_output=True, text=True, env={**os.environ, **env})
    said = [line for line in done.stderr.splitlines() if not line.startswith("[W")]    # not what torch warns of
    return merged(done.stdout.splitlines()), " ".join(said) or done.returncode


def difference(program, theirs, ours):
    at = next((i for i, (a, b) in enumerate(zip(ours[0], theirs[0])) if a != b), min(len(ours[0]), len(theirs[0])))
    return (f"{program.heading()!r} {program.ops[0]}: answer {at}: torch {theirs[0][at:at + 3]} {str(theirs[1])[:300]}, "
            f"ours {ours[0][at:at + 3]} {ours[1]}")


def main():
    release, first, count, torch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    wrong, answers = 0, 0
    for seed in range(first, first + count):
        p = Program(release, seed)
        theirs = run(torch, p.text(), LAYOUT=str(p.layout), CARD=str(p.card), TOTAL=str(p.total),
                     PYTORCH_CUDA_ALLOC_CONF=p.setting)
        ours = run(["play-heap", release], p.heading() + "\n" + p.text())
        answers += len(theirs[0])
        if ours != theirs or ours[1]:
            wrong += 1
            print(f"seed {seed}: {difference(p, theirs, ours)}")
        elif os.environ.get("RECORD"):
            with open(os.environ["RECORD"], "a", encoding="utf-8") as file:
                file.write(p.heading() + "\n" + p.text() + "".join(f"= {line}\n" for line in theirs[0]))
        if wrong == 5:
            break
    print(f"torch {release}: {seed + 1 - first} programs, {answers} answers, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
