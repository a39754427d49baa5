#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the facts of messages with those of a parser made of regular
expressions, as they are and as launchers, terminals and people change them.

With SANITIZE set a quarter of the changes is made: fuzz-log has more.

usage: messages.py LOG-FACTS FILE... [--companions LIST]

FILE has JSON lines with text (or oom), form and label; LIST has the paths of
companion files of recordings.
"""
import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction
from math import ceil, floor

UNITS = {'': 0, 'b': 0, 'byte': 0, 'bytes': 0, 'k': 10, 'kb': 10, 'kib': 10,
         'm': 20, 'mb': 20, 'mib': 20, 'g': 30, 'gb': 30, 'gib': 30}
SIZE = r'(\d[\d,]*(?:\.\d+)?\s*(?:[KMG]i?B?|bytes?|B)?)'

# name, expression; the first group is the size.
TORCH = [
    ('segment', r'(?<!you.)Tried to allocate SIZE'),
    ('request', r'Requested size: SIZE'),
    ('total', r'SIZE total capacity'),
    ('total', r'total capaci?ty of SIZE'),
    ('free', r'SIZE free;'),
    ('free', r'of which SIZE is free'),
    ('allowed', r'SIZE allowed;'),
    ('reserved', r'SIZE reserved in total by PyTorch'),
    ('unallocated', r'SIZE cached\)'),
    ('allocated', r'SIZE already allocated'),
    ('allocated', r'SIZE is allocated by PyTorch'),
    ('private', r'with SIZE allocated in private pools'),
    ('unallocated', r'SIZE is reserved by PyTorch but unallocated'),
    ('process', r'this process has SIZE memory in use'),
    ('allowed', r'max allowed: SIZE'),
    ('reserved', r'MPS allocated: SIZE'),
    ('other_allocators', r'other allocations: SIZE'),
    ('allocated', r'Currently allocated *: SIZE'),
    ('request', r'Requested *: SIZE'),
    ('segment', r'Requested *: SIZE'),
    ('free', r'Free \(according to CUDA\): SIZE'),
    ('total', r'Device limit *: SIZE'),
    ('segment', r'OOM on device \d+ while trying to allocate SIZE'),
    ('free', r'\(free: SIZE'),
    ('total', r', total: SIZE\)'),
]
OTHERS = [
    ('request', r'you tried to allocate SIZE'),
    ('request', r'allocate tensor with SIZE'),
    ('request', r'allocating SIZE \(allocated so far'),
    ('request', r'Out of memory allocating SIZE'),
    ('request', r'while trying to allocate SIZE'),
    ('request', r'ran out of memory trying to allocate SIZE'),
    ('request', r'out of memory to allocate SIZE'),
    ('request', r'buffer of size SIZE'),
    ('request', r'smaller than requested bytes of SIZE'),
    ('request', r'failed to allocate \S+ \(SIZE\) from device'),
    ('request', r'Cannot allocate SIZE memory'),
    ('request', r'allocate request for \S+ \(SIZE\)'),
    ('request', r'\(SIZE KV cache is needed'),
    ('free', r'available KV cache memory \(SIZE\)'),
    ('request', r'CUDA calloc SIZE'),
    ('allocated', r'allocated so far: SIZE'),
    ('allocated', r'Sum Total of in-use chunks: SIZE'),
    ('allocated', r'SIZE memory has been allocated'),
    ('free', r'Available memory of SIZE'),
    ('free', r'available memory is only SIZE'),
]
PROCESS = r'(?<!this.)Process((?: \d+)?) has SIZE (?:memory )?in use'


def bounds(text):
    """Bytes that a printed size may stand for; None: 2^64, unknown."""
    found = re.fullmatch(r'([\d,]+(?:\.\d+)?)\s*([A-Za-z]*)', text.strip())
    number, unit = found[1].replace(',', ''), 1 << UNITS[found[2].lower()]
    value = Fraction(number) * unit
    if value >= 1 << 64:
        return None
    if '.' not in number and unit == 1:
        return [int(value), int(value)]
    half = Fraction(unit, 2 * 10 ** len(number.partition('.')[2]))
    return [max(0, ceil(value - half)), floor(value + half)]


def compiled(expression):
    expression = expression.replace(' ', r'\s+').replace(r'\s+*', r'\s*')
    return re.compile(expression.replace('SIZE', SIZE), re.I)


def expect(text):
    """Amounts and processes of a message, each the first that is told."""
    text = re.sub(r'\n#?[ >]*', '\n', text)
    amounts, processes = {}, {}
    tables = TORCH + ([] if re.search(
        r'backend out of|GPU \d+ has|total capac|OOM on', text) else OTHERS)
    for name, expression in tables:
        found = compiled(expression).search(text)
        if found and bounds(found[1]) and name not in amounts:
            amounts[name] = bounds(found[1])
    for pid, size in compiled(PROCESS).findall(text):
        processes[pid.strip() or '0'] = bounds(size)
    if 'private' in amounts:
        low, high = amounts['private']
        live = amounts['allocated']
        amounts['allocated'] = [live[0] - high, live[1] - low]
    return amounts, processes


def read(program, log, *arguments):
    done = subprocess.run([program, *arguments], input=log.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def numbers(facts):
    return ({k: v[:2] for k, v in facts['amount'].items()},
            {k: v[:2] for k, v in facts['process'].items()})


def essence(facts):
    """What no change of looks may change."""
    return (facts['form'], facts['framework'], facts['backend'],
            facts['kind'], facts['device'], facts['truncated'],
            numbers(facts),
            None if facts['framework'] == 'host' else facts['text'])


# Ways to spoil a text.  Every one keeps the order of its words.

def wrap(text, width, indent):
    """Break lines as a terminal or a mailer does, at blanks."""
    out = []
    for line in text.split('\n'):
        column = 0
        for word in re.split(r'( +)', line):
            if word.isspace() and column > width:
                out.append('\n' + indent)
                column = 0
            else:
                out.append(word)
                column += len(word)
        out.append('\n')
    return ''.join(out)


def prefixed(text, prefix):
    return '\n'.join(prefix + line for line in text.split('\n'))


PREFIXES = ['[rank3]: ', '(EngineCore_0 pid=7) ', '2026-11-30 01:02:03,456 ',
            '[2026-11-30 01:02:03] ', '[default3]:', '3: ', '> ', '# ',
            'trainer-1  | ', 'E   ', '\x1b[36m(worker pid=12)\x1b[0m ',
            '[1,3]<stderr>:', '2026-11-30T01:02:03.456Z ', '\x1b[31m',
            'ERROR 11-30 01:02:03 [core.py:302] ']


def mutations(text, random_source):
    yield 'crlf', text.replace('\n', '\r\n') + '\r\n'
    yield 'bar', 'epoch 1:  50%|##   | 1/2\r' + text + '\n'
    yield 'colours', ('\x1b[1;35m' + text.replace(
        ': ', '\x1b[0m: \x1b[35m', 1) + '\x1b[0m\n')
    yield 'noise', 'step 1\n' * 300 + text + '\n' + 'step 2\n' * 300
    for prefix in PREFIXES:
        yield 'prefix ' + repr(prefix), prefixed(text, prefix) + '\n'
        width = random_source.randrange(30, 120)
        yield (f'prefix {prefix!r} wrapped at {width}',
               prefixed(wrap(text, width, '').rstrip('\n'), prefix) + '\n')
    for width in (20, 40, 72, 79, 100):
        yield f'wrapped at {width}', wrap(text, width, '   ')
    blanks = [m.start() for m in re.finditer(' ', text)]
    for at in random_source.sample(blanks, min(len(blanks), 6)):
        yield f'wrapped once at {at}', text[:at] + '\n' + text[at + 1:] + '\n'


# Their lines begin with words of their own, which a wrap may part.
OWN_PREFIX = ('nccl', 'ggml', 'tf-dump')


class Check:
    def __init__(self, program):
        self.program = program
        self.failed = 0
        self.cases = 0
        self.mutated = 0

    def wrong(self, case, what, got, wanted):
        self.failed += 1
        print(f'{case}: {what}\n  got    {got}\n  wanted {wanted}')

    def mutate(self, case, facts):
        source = random.Random(case['id'])
        changed = list(mutations(case['text'], source))
        if os.environ.get('SANITIZE'):
            changed = changed[self.cases % 4::4]
        for name, log in changed:
            if 'wrapped' in name and facts['form'] in OWN_PREFIX:
                continue
            self.mutated += 1
            got = [essence(f) for f in read(self.program, log)]
            if got != [essence(facts)]:
                self.wrong(case['id'], name, got, essence(facts))
        pieces = str(source.randrange(1, 40))
        if read(self.program, case['text'], pieces) != [facts]:
            self.wrong(case['id'], 'in pieces of ' + pieces, '', '')

    def check(self, case):
        self.cases += 1
        facts = read(self.program, case['text'])
        if len(facts) != 1:
            self.wrong(case['id'], 'messages', len(facts), 1)
            return
        facts = facts[0]
        wanted = expect(case['text'])
        if facts['form'] not in (
                'cpu-lua', 'vllm-startup', 'triton-shared') and numbers(facts) != wanted:
            self.wrong(case['id'], 'amounts', numbers(facts), wanted)
        torch = not facts['framework'] in ('pytorch', 'nccl')
        if (case.get('label') == 'not_pytorch') != torch and \
                'nccl' not in case.get('framework', ''):
            self.wrong(case['id'], 'framework', facts['framework'],
                       case['label'])
        form = case.get('form', 'other').rstrip('h')
        if form != 'other' and facts['form'] != form:
            self.wrong(case['id'], 'form', facts['form'], form)
        self.mutate(case, facts)


def cases_of(path):
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines):
            case = json.loads(line)
            case.setdefault('id', f'{path}:{number + 1}')
            case['text'] = case.get('text') or case.get('oom')
            if case['text']:
                yield case


def cases_of_companions(listing):
    with open(listing, encoding='utf-8') as paths:
        for path in paths.read().split():
            with open(path, encoding='utf-8') as file:
                found = json.load(file)
            for number, one in enumerate(
                    found if isinstance(found, list) else [found]):
                text = one.get('err') or one.get('message')
                if isinstance(text, str):
                    yield {'id': f'{path}:{number}', 'text': text}


def main():
    check = Check(sys.argv[1])
    arguments = sys.argv[2:]
    if '--companions' in arguments:
        at = arguments.index('--companions')
        for case in cases_of_companions(arguments[at + 1]):
            check.check(case)
        del arguments[at:]
    for path in arguments:
        for case in cases_of(path):
            check.check(case)
    print(f'{check.cases} messages, {check.mutated} changed,'
          f' {check.failed} wrong')
    return check.failed > 0 or check.cases == 0


sys.exit(main())
