# SPDX-License-Identifier: Apache-2.0
"""complete.py SHELL: for each line of standard input, what a real bash or zsh
makes of it on a terminal: the words that it completes the last one to, sorted,
in one line of output."""
import os
import pty
import re
import sys
import tempfile

BASH = r"""
PS1= PROMPT_COMMAND=
for f in packaging/completions/{allocctl,cupti-probe}; do . $f; done
bind 'set enable-bracketed-paste off'
bind '"\C-xa": insert-completions'
bind -x '"\C-xp": printf "\001%s\002" "$READLINE_LINE"'
printf '\001ready\002'
"""

ZSH = r"""
PS1= RPS1= PROMPT_EOL_MARK= ; unsetopt zle_bracketed_paste prompt_cr
fpath=($PWD/packaging/completions $fpath)
autoload -U compinit && compinit -D -u
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
zstyle ':completion:all-matches:*' old-matches no
zle -C all-matches complete-word _generic
bindkey '^Xa' all-matches
show() { printf '\001%s\002' "$BUFFER" }
zle -N show
bindkey '^Xp' show
unset zle_bracketed_paste
printf '\001ready\002'
"""


def start(shell, folder):
    if shell == "bash":
        with open(folder + "/rc", "w") as rc:
            rc.write(BASH)
        argv = ["bash", "--noprofile", "--rcfile", folder + "/rc", "-i"]
    else:
        with open(folder + "/.zshrc", "w") as rc:
            rc.write(ZSH)
        argv = ["zsh", "-d", "-i"]
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", ZDOTDIR=folder, HISTFILE="",
                          COLUMNS="9999", LC_ALL="C.UTF-8")
        os.execvp(argv[0], argv)
    return fd


def answer(fd):
    """What is printed between marks."""
    text = b""
    while b"\2" not in text:
        text += os.read(fd, 65536)
    return re.search(b"\1([^\1\2]*)\2", text)[1].decode()


def words_of(shell, line, got):
    """What the last word became."""
    before = re.match(r".*\s", line)[0]
    if not got.startswith(before):
        sys.exit(f"'{line}' became '{got}'")
    words = got[len(before):].split() if got != line else []
    if shell == "bash":
        # Readline has inserted what is behind the last : or =.
        start = re.match(r"(.*[:=])?", line[len(before):])[0]
        words = [w if w.startswith(start) else start + w for w in words]
    # Suffixes of zsh; folders.
    return sorted({re.sub(r"[=,/]$", "", w) for w in words})


def main():
    shell = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        fd = start(shell, folder)
        answer(fd)
        for line in sys.stdin:
            line = line.rstrip("\n")
            os.write(fd, line.encode() + b"\x18a\x18p")
            print(*words_of(shell, line, answer(fd)))
            os.write(fd, b"\x01\x0b")


main()
