#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines made of odd pieces, read by real programs and by read-script.

read-files.py [SEED...] prints how many agree for each program that is
installed; exit status 1 where one does not.  A place that only running could
tell is left out.
"""
import ctypes
import glob
import io
import json
import os
import random
import subprocess
import sys
import tempfile

PIECES = ['V', '=', '=', '"', "'", ' ', 'a:1', 'b', '#', ' #', '\\', '\n',
          '$X', '${X}', '${X:-d}', 'export ', ':', ',', '[1:1,>:8]', '\t',
          ';', '\r\n', 'V=', '\nV=', 'V="', '\u00a0', '{', '}', '|', '%',
          '@{', ' OVERRIDE=']
GENERATOR = glob.glob('/usr/lib/systemd/user-environment-generators/'
                      '*environment-d-generator')


def ours(kind, text):
    out = subprocess.run(['read-script', kind, 'V'], input=text.encode(),
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    places = [json.loads(line) for line in out.splitlines()]
    places = [p for p in places if 'variable' in p]
    return places[-1] if places else {'value': None, 'fate': 'lost',
                                      'diagnostics': []}


def python_dotenv():
    import dotenv
    os.environ.pop('X', None)

    def read(text):
        return dotenv.dotenv_values(stream=io.StringIO(text, newline=''),
                                    verbose=False).get('V')
    return read


def pyyaml():
    import yaml

    def read(text):
        try:
            tree = yaml.safe_load(text)
        except yaml.YAMLError:
            return NotImplemented
        value = tree.get('V') if isinstance(tree, dict) else None
        return value if isinstance(value, str) else NotImplemented
    return read


class Conversation(ctypes.Structure):
    _fields_ = [('call', ctypes.c_void_p), ('data', ctypes.c_void_p)]


def pam(conf):
    """Recorded with libpam 1.5.2; other releases may read otherwise."""
    library = ctypes.CDLL('libpam.so.0')
    library.pam_getenvlist.restype = ctypes.POINTER(ctypes.c_char_p)
    start = library.pam_start_confdir

    def read(text):
        with tempfile.TemporaryDirectory() as folder:
            for name in ('environment', 'conf'):
                with open(folder + '/' + name, 'wb') as file:
                    if (name == 'conf') == conf:
                        file.write(text.encode())
            with open(folder + '/test', 'w', encoding='ascii') as file:
                file.write(f'session required pam_env.so readenv=1 envfile='
                           f'{folder}/environment conffile={folder}/conf\n')
            talk, handle = Conversation(), ctypes.c_void_p()
            if start(b'test', b'root', ctypes.byref(talk), folder.encode(),
                     ctypes.byref(handle)):
                raise ImportError('no service')
            library.pam_open_session(handle, 0)
            found, i = library.pam_getenvlist(handle), 0
            while found[i]:
                if found[i].startswith(b'V='):
                    return found[i][2:].decode('utf-8', 'replace')
                i += 1
        return None
    if read('V DEFAULT=1\n' if conf else 'V=1\n') != '1':
        raise ImportError('no pam_env')
    return read


def environment_d():
    if not GENERATOR:
        raise ImportError('no generator')

    def read(text):
        if '$' in text or '\r' in text:
            return NotImplemented
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + '/environment.d')
            with open(folder + '/environment.d/a.conf', 'wb') as file:
                file.write(text.encode())
            out = subprocess.run(GENERATOR, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, check=False,
                                 env={'XDG_CONFIG_HOME': folder,
                                      'HOME': '/nonexistent'}).stdout
        for line in out.decode('utf-8', 'replace').split('\n'):
            if line.startswith('V='):
                return undo_quotes(line[2:])
        return None
    return read


def undo_quotes(text):
    if not text.startswith('"'):
        return text
    out, i = '', 1
    while i < len(text) - 1:
        if text[i] == '\\':
            i += 1
            out += {'n': '\n', 't': '\t'}.get(text[i], text[i])
        else:
            out += text[i]
        i += 1
    return out


PROGRAMS = [('python-dotenv', 'dotenv', 'V=', python_dotenv),
            ('PyYAML', 'yaml', 'V: ', pyyaml),
            ('pam_env, environment', 'environment', 'V=', lambda: pam(False)),
            ('pam_env, pam_env.conf', 'pam_env', 'V DEFAULT=',
             lambda: pam(True)),
            ('environment.d', 'environment.d', 'V=', environment_d)]


def compare(name, kind, first, make, seed):
    random.seed(seed)
    try:
        read = make()
    except (ImportError, OSError, AttributeError) as problem:
        print(f'{name}: skipped: {problem}')
        return 0
    agreed = differ = 0
    for _ in range(150):
        text = first * (random.random() < .8) + ''.join(
            random.choice(PIECES) for _ in range(random.randint(1, 9)))
        wanted = read(text + '\n')
        got = ours(kind, text + '\n')
        if wanted is NotImplemented or got['fate'] == 'unknown' or any(
                '--env-vars' in d['text'] for d in got['diagnostics']):
            continue
        if got['value'] == wanted:
            agreed += 1
        else:
            differ += 1
            print(f'{name}: {text!r}: {wanted!r}, not {got["value"]!r}')
    print(f'{name}: {agreed} lines agree')
    return differ


def main():
    os.environ.pop('V', None)
    seeds = [int(s) for s in sys.argv[1:]] or [7, 8]
    return 1 if sum(compare(*row, s) for row in PROGRAMS for s in seeds) else 0


if __name__ == '__main__':
    sys.exit(main())
