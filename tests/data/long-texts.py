#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two MiB of each of many shapes, read by read-script within bounds.

long-texts.py [KIND...] prints a line for each; exit status 1 if one took more
than SECONDS of processor time or BYTES of memory, crashed, or told a value
that is longer than an environment string may be."""
import json
import resource
import subprocess
import sys

SIZE = 2 << 20
SECONDS = 10
BYTES = 1 << 30
LONGEST = 128 << 10  # MAX_ARG_STRLEN of Linux


def repeat(unit, before='', after=''):
    return before + unit * ((SIZE - len(before)) // len(unit)) + after


def count(line, before='', after=''):
    lines = [before]
    size = 0
    while size < SIZE:
        lines.append(line(len(lines)))
        size += len(lines[-1])
    return ''.join(lines) + after


def nest(left, right, before='', after=''):
    n = SIZE // (len(left) + len(right))
    return before + left * n + right * n + after


TEXTS = {
    'bash': [
        repeat('V=$V$V\n', 'V=aaaa\n', 'export V\n'),
        repeat('export V=1\n'), repeat('V=x\n'), repeat('cat <<E\n'),
        repeat(';'), nest('$(', ')'), nest('(', ')'), nest('{ ', '; }'),
        repeat('V=a ./p\n'), repeat('$(x)'), repeat('"'), repeat('{a,'),
        count(lambda i: f'f{i}() {{ f{i - 1}; f{i - 1}; }}\n',
              'f0() { export V=a; }\n', 'f20\n'),
        repeat("bash -c 'V=a python x'\n"), repeat('sudo '),
        repeat('-x V ', 'mpirun '), repeat('V,', 'srun --export=')],
    'fish': [repeat('set -gx V 1\n'), nest('begin;', 'end;'), repeat('(x)')],
    'tcsh': [repeat('setenv V 1\n'), repeat('if (1) then\n'), repeat('`x`')],
    'cmd': [repeat('set V=%V%%V%\r\n', 'set V=aaaa\r\n'), repeat('set V=1\r\n'),
            nest('(', ')'), repeat(':a\r\ngoto a\r\n'), repeat('%V:~1%'),
            repeat('for %%i in (1 2 3) do ')],
    'powershell': [
        repeat('$a+=$a\n', "$a='aaaa'\n", '$env:V=$a\n'), repeat('$env:V=1\n'),
        nest('(', ')'), nest('if($true){', '}'), repeat('"$('),
        repeat("$a=$b -match 'a*a*a*a*b'\n", "$b='" + 'a' * 6000 + "'\n"),
        count(lambda i: f'function f{i}{{f{i - 1};f{i - 1}}}\n',
              "function f0{$env:V='a'}\n", 'f20\n')],
    'python': [
        repeat('a=a+a\n', "import os\na='aaaa'\n", "os.environ['V']=a\n"),
        repeat("os.environ['V']='a'\n", 'import os\n'), nest('(', ')'),
        repeat("a=a*10**9\n", "a='a'\n"), repeat('[', 'a='), repeat("f'{")],
    'dockerfile': [
        repeat('ENV V=$V$V\n', 'FROM x\nENV V=aaaa\n'),
        repeat('ENV V=1\n', 'FROM x\n'),
        count(lambda i: f'ENV V{i}=$V{i - 1}\n', 'FROM x\n'),
        repeat('FROM x AS y\n'), repeat('RUN export V=1\n', 'FROM x\n')],
    'systemd': [
        repeat('Environment=V=1\n', '[Service]\n'),
        repeat('%i', '[Service]\nEnvironment=V='),
        repeat('V=1 ', '[Service]\nEnvironment=')],
    'dotenv': [
        repeat('V=$V$V\n', 'V=aaaa\n'), repeat('V=1\n'), repeat('V\n'),
        count(lambda i: f'A{i}=$A{i - 1}\n'), repeat('V="a\n'),
        repeat('${V:-', 'V=')],
    'pam_env': [repeat('V DEFAULT=${V}${V}\n', 'V DEFAULT=aaaa\n'),
                repeat('V DEFAULT=1\n')],
    'modulefile': [repeat('set V $V$V\n', '#%Module\nset V aaaa\n',
                          'setenv V $V\n'),
                   repeat('setenv V 1\n', '#%Module\n'), nest('[', ']')],
    'compose': [
        repeat('      - V=1\n',
               'services:\n  a:\n    image: x\n    environment:\n'),
        repeat('['), count(lambda i: f'a{i}: &a{i} [*a{i - 1},*a{i - 1}]\n',
                           'a0: &a0 x\n')],
    'k8s': [repeat('{', 'a: '),
            repeat('    - name: V\n      value: a\n',
                   'kind: Pod\nspec:\n  containers:\n  - env:\n')],
    'notebook': [repeat('%%bash\nexport V=1\n'), repeat('!export V=1\n')],
    'slurm': [repeat('#SBATCH --export=V=1\n', '#!/bin/bash\n'),
              repeat('srun -n1 x\n', '#!/bin/bash\nexport V=1\n')],
    'crontab': [repeat('V=1\n'), repeat('* * * * * V=1 x\n')],
}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))


def read(kind, text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(['read-script', kind, 'V'], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=limit, check=False)
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    long = sum(len(json.loads(line).get('value') or '') >= LONGEST
               for line in done.stdout.splitlines())
    refused = done.returncode == 1 and done.stderr
    fine = taken < SECONDS and (not done.returncode or refused) and not long
    print(f'{kind} {text[:30]!r}: {taken:.2f} s, status {done.returncode}, '
          f'{len(done.stdout)} bytes {done.stderr.decode().strip()[:80]}'
          f'{"" if fine else " BAD"}', flush=True)
    return fine


if __name__ == '__main__':
    kinds = sys.argv[1:] or TEXTS
    sys.exit(not all([read(k, t) for k in kinds for t in TEXTS[k]]))
