#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When torch reads its variable, and what allocctl says of the same programs.

arrival.py: sets an option and a backend before the start of Python, before
import torch, before CUDA's first use and after it, and asks torch what is in
force; allocctl verify must say the same of the program's text, allocctl env
--pid must show what a living program was started with, has now, and its
release; allocctl doctor must name the driver and the GPU as nvidia-smi does,
within a second.  Exit status 1 if one differs."""
import argparse
import json
import os
import subprocess
import sys
import time

NAME = 'PYTORCH_CUDA_ALLOC_CONF'
PLACES = ['start', 'import', 'init', 'late']
# Each prints what is in force; a snapshot wants torch's own backend.
ASK_OPTION = '''
print(torch.cuda.memory._snapshot()["allocator_settings"]["max_split_size"],
      flush=True)
'''
ASK_BACKEND = 'print(torch.cuda.get_allocator_backend())'
IN_FORCE = {'max_split_size_mb:64': (ASK_OPTION, str(64 << 20)),
            'backend:cudaMallocAsync': (ASK_BACKEND, 'cudaMallocAsync')}


def program(place, setting):
    """Its text, which sets the variable where place says."""
    line = f'import os\nos.environ["{NAME}"] = "{setting}"\n'
    return ''.join([line if place == 'import' else '', 'import torch\n',
                    line if place == 'init' else '', 'torch.cuda.init()\n',
                    line if place == 'late' else ''])


def environment(place, setting):
    block = {k: v for k, v in os.environ.items() if k != NAME}
    if place == 'start':
        block[NAME] = setting
    return block


def arrived(place, setting):
    """Is it in force?  As torch says; a program that fails has it not."""
    ask, wanted = IN_FORCE[setting]
    done = subprocess.run([sys.executable, '-c', program(place, setting) + ask],
                          env=environment(place, setting), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1])
    return done.returncode == 0 and done.stdout.strip() == wanted


def told(allocctl, place, setting):
    """The same as allocctl verify says; the words of what it remarks."""
    text = program(place, setting)
    done = subprocess.run([allocctl, 'verify', setting, '--script', '-',
                           '--kind', 'python', '--format', 'json'],
                          input=text, stdout=subprocess.PIPE, text=True,
                          check=False)
    answer = json.loads(done.stdout)
    kinds = [d['kind'] for a in answer['assignments']
             for d in a['diagnostics']]
    return done.returncode == 0, kinds


def times(allocctl):
    wrong = 0
    for setting in IN_FORCE:
        for place in PLACES:
            true = arrived(place, setting)
            says, kinds = told(allocctl, place, setting)
            if place == 'start':
                says = True  # the text has no line of it
            fine = says == true == ('set_too_late' not in kinds)
            wrong += not fine
            print(f'{setting} before {place}: in force {true}, '
                  f'verify {says} {kinds}{"" if fine else " WRONG"}')
    return wrong


def living(allocctl):
    """allocctl env --pid of a program that changes its variable late."""
    code = program('late', 'max_split_size_mb:64') + ASK_OPTION + 'input()\n'
    block = environment('start', 'max_split_size_mb:32')
    with subprocess.Popen([sys.executable, '-c', code], env=block, text=True,
                          stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        split = int(child.stdout.readline())
        answer = subprocess.run([allocctl, 'env', '--pid', str(child.pid),
                                 '--format', 'json'], check=False,
                                stdout=subprocess.PIPE, text=True).stdout
        child.communicate('\n')
    answer = json.loads(answer)
    seen = {v['name']: v for v in answer['variables']}[NAME]
    print('env --pid:', answer['torch'], seen['initial'], seen['value'], split,
          [f['kind'] for f in answer['findings']])
    import torch
    release = '.'.join(torch.__version__.split('.')[:2])
    return not (split == 32 << 20 and answer['torch_found'] and
                answer['torch'] == release and
                seen['initial'] == 'max_split_size_mb:32' and
                seen['value'] == 'max_split_size_mb:64' and answer['findings'])


def doctor(allocctl):
    start = time.monotonic()
    done = subprocess.run([allocctl, 'doctor', '--format', 'json'],
                          check=False, stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - start
    answer = json.loads(done.stdout)
    truth = subprocess.run(['nvidia-smi', '--format=csv,noheader,nounits',
                            '--query-gpu=name,driver_version,memory.total'],
                           check=True, stdout=subprocess.PIPE,
                           text=True).stdout
    print(done.stdout, truth, f'{seconds:.3f} s')
    subprocess.run([allocctl, 'doctor'], check=False)
    name, driver, _ = truth.splitlines()[0].split(', ')
    return not (seconds < 1 and name in done.stdout and driver in done.stdout
                and answer['schema'] == 'allocctl.doctor/1')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--allocctl', default='allocctl')
    allocctl = parser.parse_args().allocctl
    wrong = times(allocctl) + living(allocctl) + doctor(allocctl)
    print(f'{wrong} differ')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
