# SPDX-License-Identifier: Apache-2.0
"""Time the reader and CPython's pickle.load() on the same unpacked bytes.

Times are of the processor, so that other programs disturb them little.

usage: reader.py BENCH-READER [RECORDING...]

Without recordings: one of 500,000 events made up from a fixed seed.
"""
import lzma
import pickle
import random
import statistics
import subprocess
import sys
import tempfile
import time

REPEATS = 10


def made_up(count):
    rng = random.Random(1)
    t = 1795960675402702
    actions = ("alloc", "free_requested", "free_completed")
    # as torch makes them: words and keys are shared, the rest is not
    trace = [{"action": actions[i % 3],
              "addr": 140677459476480 + 512 * rng.randrange(1 << 26),
              "size": rng.randrange(1 << 24), "stream": 0, "time_us": t + i,
              "compile_context": b"N/A".decode(), "user_metadata": ""}
             for i in range(count)]
    return pickle.dumps({"segments": [], "device_traces": [trace]}, 4)


def python_seconds(path):
    times = []
    for _ in range(REPEATS):
        with open(path, "rb") as f:
            start = time.process_time()
            value = pickle.load(f)
            times.append(time.process_time() - start)
        del value
    return times


def compare(program, name, data):
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        theirs = python_seconds(f.name)
        ours = subprocess.run([program, f.name], check=True,
                              capture_output=True, text=True).stdout.split()
    best, median = float(ours[0]), float(ours[1])
    events, memory = int(ours[2]), int(ours[3])
    print("%s: %d bytes, %d events" % (name, len(data), events))
    print("  pickle.load  min %8.2f ms  median %8.2f ms" %
          (min(theirs) * 1e3, statistics.median(theirs) * 1e3))
    print("  reader       min %8.2f ms  median %8.2f ms  "
          "%.1f MiB above start, %d bytes an event" %
          (best * 1e3, median * 1e3, memory / 2**20,
           memory / max(events, 1)))
    print("  ratio        min %8.2f     median %8.2f" %
          (min(theirs) / best, statistics.median(theirs) / median))


def main():
    program, *recordings = sys.argv[1:]
    for path in recordings:
        with lzma.open(path) as f:
            compare(program, path.rsplit("/", 1)[-1], f.read())
    if not recordings:
        compare(program, "made up", made_up(500000))


if __name__ == "__main__":
    main()
