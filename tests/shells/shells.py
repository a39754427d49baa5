#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a child of a shell gets as V, against what read-script tells.

shells.py recorded FILE: a matrix of lines and shells as it was recorded.
shells.py live FILE [SHELL...]: the same lines in the shells of this machine.
shells.py lines FILE [SHELL...]: one case a line; @@ stands for a line end.
shells.py random SEED COUNT [SHELL...]: cases made at random.

A case may start ./show, which reports V; that is started last, too.  What is
told has to be what the last child got, or unknown, and say why."""
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

# By the name of the recorded matrix: kind of read-script, how it is started.
SHELLS = {
    "bash": ("bash", ["bash", "--norc"]),
    "dash": ("sh", ["dash"]),
    "bb-ash": ("busybox", ["busybox", "sh"]),
    "zsh": ("zsh", ["zsh", "-f"]),
    "ksh": ("ksh", ["ksh"]),
    "mksh": ("mksh", ["mksh"]),
    "fish": ("fish", ["fish", "--no-config"]),
    "tcsh": ("tcsh", ["tcsh", "-f"]),
}
SHOW = """#!/bin/sh
[ "${V+set}" ] && printf '%s[%s]\\0' "${0##*/}" "$V" >>'OUT' && exit
printf '%s(unset)\\0' "${0##*/}" >>'OUT'
"""
CUT = 155  # characters of a row of the matrix that were recorded


def installed(names):
    return [n for n in names or SHELLS if shutil.which(SHELLS[n][1][0])]


def texts_of(case):
    after = case + "\n./last V\n"
    own = re.fullmatch(r"(.*\./)show((; true)?)", case, re.DOTALL)
    return [own[1] + "last" + own[2], after] if own else [after]


def told(shell, text, home):
    """(known, value, explained) of the last place."""
    done = subprocess.run(["read-script", SHELLS[shell][0], "V", "--",
                           f"HOME={home}"], input=text.encode(), check=True,
                          stdout=subprocess.PIPE)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    places = [f for f in found if "fate" in f]
    last = places[-1] if places else {"fate": "lost", "value": None}
    said = {d["kind"] for f in places[-1:] or found for d in f["diagnostics"]}
    whole = {d["kind"] for f in found if "fate" not in f
             for d in f["diagnostics"]}
    if "needs_running" in whole:
        return False, None, True
    if "only_for_one_command" in said:
        return True, None, True
    if last["fate"] == "unknown" or "needs_running" in said:
        return False, None, bool(said)
    return True, last["value"], bool(said)


def limit():
    """No case runs for long or writes much."""
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))


def end_group(leader):
    """What the shell left in the background."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Live:
    """A folder in which shells run cases, with these programs alone."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.programs = os.path.join(self.folder, "bin")
        os.mkdir(self.programs)
        for name in ("cat", "env", "printf", "sh", "tee"):
            os.symlink(shutil.which(name), os.path.join(self.programs, name))
        self.out = os.path.join(self.folder, "out")
        self.work = os.path.join(self.folder, "work")

    def prepare(self, text):
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        show = os.path.join(self.work, "show")
        script = os.path.join(self.folder, "script")
        for path, content in ((show, SHOW.replace("OUT", self.out)),
                              (script, text), (self.out, "")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        os.chmod(show, 0o755)
        os.link(show, os.path.join(self.work, "last"))
        return script

    def run(self, shell, text):
        """Was ./last the last child, and what that got: None if unset."""
        script = self.prepare(text)
        program = shutil.which(SHELLS[shell][1][0])
        with subprocess.Popen([program, *SHELLS[shell][1][1:], script],
                              cwd=self.work, preexec_fn=limit,
                              env={"PATH": self.programs, "HOME": self.folder,
                                   "LC_ALL": "C.UTF-8"},
                              start_new_session=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as child:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                print(f"{shell}: {text!r} does not end")
            finally:
                end_group(child.pid)
        with open(self.out, encoding="utf-8") as file:
            seen = file.read().split("\0")[:-1]
        last = seen[-1] if seen else "none(unset)"
        name, value = last[:4], last[4:]
        return name == "last", None if value == "(unset)" else value[1:-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


class Count:
    """Cells compared, and those that are not right."""

    def __init__(self):
        self.cells = self.wrong = 0
        self.unknown = {}

    def add(self, shell, text, child, home):
        known, value, explained = told(shell, text, home)
        self.cells += 1
        if not known and explained:
            self.unknown[shell] = self.unknown.get(shell, 0) + 1
        elif not known or value != child:
            self.wrong += 1
            print(f"{shell}: {text!r}\n  child {child!r}, told "
                  f"{value if known else 'nothing, and not why'!r}")

    def end(self, most_unknown):
        unknown = sum(self.unknown.values())
        print(f"{self.cells} cells, {unknown} unknown {self.unknown}, "
              f"{self.wrong} wrong")
        return not self.cells or self.wrong or unknown > most_unknown


def matrix(path):
    """(line, shell, what each ./show said; None: not recorded)."""
    line = None
    with open(path, encoding="utf-8") as file:
        for row in file.read().splitlines():
            if row.startswith(">>> "):
                line = row[4:].replace("\\\\n", "\\\n")
                continue
            shell, said = row.split(None, 1)
            parts = said.split("!!file")[0].strip().split(" | ")
            parts = [part.strip() for part in parts]
            seen = [part[1:-1] if part[0] == "[" else None for part in parts
                    if part == "(unset)" or re.fullmatch(r"\[.*\]", part)]
            cut = len(row) >= CUT and not seen
            yield line, shell, None if cut else seen


def recorded(path):
    """Of a line that starts ./show itself, two children are recorded, or
    the second alone where the line sends what the first said to a file."""
    count, cut, cells = Count(), 0, 0
    for line, shell, seen in matrix(path):
        cells += 1
        if seen is None:
            cut += 1
            continue
        after = line + "\n./show V\n"
        count.add(shell, after, seen[-1] if seen else None, "/root")
        if "./show" in line and len(seen) == 2:
            count.add(shell, line, seen[0], "/root")
    print(f"{cells} cells, of which {cut} do not show the child")
    return count.end(0) or cells != 37 * 8 or cut > 5


def compare(cases, names, most_unknown):
    count = Count()
    with Live() as live:
        for case, shell in itertools.product(cases, names):
            for text in texts_of(case):
                last, child = live.run(shell, text)
                if last or text.endswith("V\n"):
                    count.add(shell, text, child, live.folder)
    return count.end(most_unknown * count.cells)


def cases_of(path):
    with open(path, encoding="utf-8") as file:
        return [line.replace("@@", "\n") for line in file.read().splitlines()
                if line and not line.startswith("## ")]


WORDS = ["a:1", "'a:1'", '"a:1"', "$V", '"$V"', "$x", '"$x"', "a:1,b:2",
         '"$V,b:2"', "''", '"a b"', "'a b'", "a\\ b", "{a,b}", '"{a,b}"',
         "[256:1]", '"[256:1,>:8]"', "~", "a~", "$(echo a:1)", '"$HOME"',
         "a=b", "a#b", '"$x:1"', "x$x", "$x$V", "a'b'\"c\"", '"a\'b"']
WORDS_SH = ["${V:-a}", "${V-a:1}", "${V:+b}", '"${V:=c}"', "${x:-$V}",
            "${V%:*}", "${V#*:}", '"${V%%,*}"', "${#V}", "$((1+2))",
            "`echo a`", "$(echo $V)", '"$(printf %s b:2)"', "$1", "$@", "$#",
            "${x:+a b}", '"$(V=1; echo "$V")"', "a\\:1", "$(true)", "*no",
            "a:~", '"a\\"b"', "$'a\\tb'", "${V:1}", "${V/a/b}"]
WORDS_FISH = ["(echo a:1)", "(echo a; echo b)", '"$V"', "$V$V", "$x$V",
              "(string join , a b)", "(count a b)", "$V[1]", "'a\\'b'",
              "a\\tb", '"a(echo b)"', "(true)", "*no", "$status", "a{1,2}b"]
WORDS_TCSH = ["`echo a:1`", "$V:h", "$x:r", "${V}:1", "$?V", "$#x", "*no",
              "'a\"b'", "{$V,b}", "`echo a b`", '"`echo a b`"', "$HOME"]
SIMPLE = ["export V=W", "V=W", "export V", "x=W", "unset V", "true", "false",
          "V=W ./show", "env V=W ./show", "./show", "W", "export x=W",
          "V=W true", "export V=W x=W"]
SIMPLE_SH = ["env -u V ./show", "env -i ./show", "env -u x V=W ./show",
             "set -a", "set +a", "export -n V", "unset -f f", "unset -v V",
             "typeset V=W", "typeset -x V=W", "declare -x V=W", "local V=W",
             "local V", "typeset -x V", "readonly x=W", "V+=W", "export V+=W",
             ": ${V:=W}", ": W", "set -- W", "shift", "eval export V=W",
             "eval 'V=W'", "exec 3>&1", "V=W eval ./show", "V=W :",
             "V=W export x", "read V <<E@@W@@E@@true", "cat >o <<E@@$V@@E@@true",
             "V=(a b)", "V[1]=W", "command export V=W", "trap ':' EXIT",
             "[ -n \"$V\" ]", "[ \"$V\" = W ]", "test W", "let x=1",
             "sh -c 'V=2; ./show'", "sh -c 'export V=2; ./show'", "g() { V=W; export V; }; g", "f() { local V=W; ./show; }",
             "f() { unset V; }", "f() { export V=W; return; V=W; }",
             "export V=W >/dev/null", "V=W x=W ./show", "set -u",
             "alias a=b", "export V W", "printf %s W",
             "((x=1))", "export -p", "unset x", "export V=W; ./show"]
SIMPLE_FISH = ["set -gx V W", "set -x V W", "set V W", "set -g V W",
               "set -l V W", "set -lx V W", "set -e V", "set x W", "set -q V",
               "V=W ./show", "env V=W ./show", "./show", "export V=W",
               "setenv V W", "set -a V W", "true", "false", "set -gx V W W",
               "set -u V W", "set -gu V W", "set -p V W", "set -f V W",
               "set -fx V W", "set -eg V", "set -el V", "set -U V W",
               "set -Ux V W", "env -u V ./show",
               "env -i ./show", "string length W", "echo W >o", "nosuch W",
               "eval set -gx V W", "test -n \"$V\"", "count W", "set -gx x W",
               "contains W W", "set --export V W", "set -gx V", "set -x V",
               "builtin set -gx V W", "command ./show", "sh -c 'V=2 ./show'",
               "function f; set V W; end", "function f; set -gx V W; end",
               "set -S V", "read V </dev/null", "set -gx V W; ./show"]
SIMPLE_TCSH = ["setenv V W", "set x = W", "set V = W", "unsetenv V", "true",
               "false", "env V=W ./show", "./show", "setenv x W", "setenv V",
               "set x", "set x=W", "unset x", "unset V", "set x = (W W)",
               "setenv V W W", "env -u V ./show", "env -i ./show",
               "eval setenv V W", "alias a setenv V W", "a", "@ x = 1",
               "repeat 2 ./show", "unsetenv x", "nosuch W", "echo W >o",
               "sh -c 'V=2 ./show'", "setenv V=W", "source /dev/null",
               "setenv V W; ./show"]
AROUND = ["S; S", "S && S", "S || S", "if S; then S; fi", "{ S; S; }",
          "( S; S )", "for x in W W; do S; done", "S; S; S", "! S && S",
          "if S; then S; else S; fi", "case W in W) S;; *) S;; esac",
          "f() { S; S; }; f", "Q | S", "eval 'S'", "while S; do S; break; "
          "done", "f() { S; }; V=W f", "( S ) && S", "f() { S; }; f; S; f",
          "S & wait; S", "until S; do S; break; done", "( S; ./show ); S",
          "for V in W W; do S; done; export V", "case $V in W|a*) S;; esac",
          "f() { S; }; f; ( f; S )", "x=$(S; echo b); S", "S; S; S; S",
          "if [ -z \"$V\" ]; then S; fi", "S; exec ./show", "S; exit; S",
          "f() { S; return; S; }; f", "set -a; S; set +a; S",
          "while S; do S; S; break; done", "f() { ( S ); S; }; f",
          "if false; then S; elif S; then S; fi"]
AROUND_FISH = ["S; S", "S; and S", "S; or S", "if S; S; end", "begin; S; S; "
               "end", "for x in W W; S; end", "if S; S; else; S; end",
               "function f; S; S; end; f", "not S; and S", "S; S; S",
               "switch W; case W; S; case '*'; S; end", "eval 'S'",
               "while S; S; break; end", "S && S || S", "S; S; S; S",
               "function f; S; end; V=W f", "begin; S; end; S", "Q | S",
               "for V in W W; S; end; S", "function f; S; end; f; S; f",
               "begin; S; begin; S; end; S; end", "S; exit; S",
               "set x (S; echo b); S", "function f; S; return; S; end; f",
               "if test -n \"$V\"; S; end", "S; exec ./show",
               "function f; begin; S; end; S; end; f; S"]
AROUND_TCSH = ["S; S", "S && S", "S || S", "if (1) S", "S@@S", "( S; S )",
               "if (0) then@@S@@else@@S@@endif", "S@@S@@S",
               "foreach x (W W)@@S@@end", "if ($?V) S", "if ($?x) then@@S@@"
               "endif", "switch (W)@@case W:@@S@@breaksw@@default:@@S@@endsw",
               "while (1)@@S@@break@@end", "S@@exit@@S", "S@@exec ./show",
               "if ( \"$V\" == W ) then@@S@@endif", "if (W) S", "Q | S",
               "foreach V (W W)@@S@@end", "S@@S@@S@@S", "(S)@@S"]
QUIET = ["true", "false", "echo a", "echo a:1", "printf b"]


def pieces(shell):
    """Words, simple commands, what stands around them."""
    if shell == "fish":
        return WORDS + WORDS_FISH, SIMPLE_FISH, AROUND_FISH
    if shell == "tcsh":  # env V=a#b is a comment's begin
        words = [word for word in WORDS + WORDS_TCSH if word != "a#b"]
        return words, SIMPLE_TCSH, AROUND_TCSH
    return WORDS + WORDS_SH, SIMPLE * 2 + SIMPLE_SH, AROUND


def made(generator, shell):
    """A case: around simple commands, with words in them."""
    words, simple, around = pieces(shell)
    text = "; ".join(generator.choice(around)
                     for _ in range(generator.randint(1, 2)))
    text = text.replace("; ", "@@") if shell == "tcsh" else text
    for name, choices in (("S", simple), ("Q", QUIET), ("W", words)):
        text = re.sub(rf"\b{name}\b",
                      lambda _, of=choices: generator.choice(of), text)
    return text.replace("@@", "\n")


def at_random(seed, count, *names):
    generator = random.Random(int(seed))
    return max([bool(compare([made(generator, shell) for _ in
                              range(int(count))], [shell], 0.6))
                for shell in installed(names)])


def main(command, path, *rest):
    if command == "recorded":
        return recorded(path)
    if command == "live":
        lines = dict.fromkeys(line for line, _, _ in matrix(path))
        return compare(lines, installed(rest), 0)
    if command == "lines":
        return compare(cases_of(path), installed(rest), 0.25)
    if command == "random":
        return at_random(path, *rest)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
