# SPDX-License-Identifier: Apache-2.0
"""Time the replay engine and play() of the readable model on one decoded program.

Times are of the processor; both play the program without a limit on a simulated device.

usage: replay.py BENCH-REPLAY RECORDING..., with the model's folder in PYTHONPATH
"""
import statistics
import subprocess
import sys
import time

from heap_model import Recording, decode, fresh_device, play

REPEATS = 7


def model_seconds(path):
    recording = Recording(path)
    program, times = decode(recording), []
    for _ in range(REPEATS):
        start = time.process_time()
        play(program, recording.settings, None, fresh_device(program), record=False)
        times.append(time.process_time() - start)
    return times


def compare(bench, path):
    ours = subprocess.run([bench, path], check=True, capture_output=True, text=True).stdout.split()
    best, median, events = float(ours[0]), float(ours[1]), int(ours[2])
    theirs = model_seconds(path)
    print(f"{path.rsplit('/', 1)[-1]}: {events} events")
    for name, low, middle in (("model", min(theirs), statistics.median(theirs)), ("engine", best, median)):
        print(f"  {name:7} min {low * 1e3:8.2f} ms  median {middle * 1e3:8.2f} ms  {events / low / 1e6:6.2f} M events/s")
    print(f"  ratio   min {min(theirs) / best:8.2f}     median {statistics.median(theirs) / median:8.2f}")


for name in sys.argv[2:]:
    compare(sys.argv[1], name)
