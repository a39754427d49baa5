#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe run on a terminal: Ctrl-C reaches the program once, Ctrl-Z stops
# both and fg goes on, and a program may read the terminal.
. tests/support.sh
. tests/recordings.sh
command -v python3 >/dev/null || skip 'no python3'
cat >"$tmp/count.py" <<'END'
import signal, sys, time
got = []
signal.signal(signal.SIGINT, lambda *a: got.append(1))
print('ready', sys.stdin.isatty(), sys.stdout.isatty(), flush=True)
end = time.time() + 1.5
while time.time() < end:
    time.sleep(0.1)
print('interrupted', len(got), flush=True)
END
cat >"$tmp/terminal.py" <<'END'
import os, pty, select, signal, sys, time

rest = {}

def expect(fd, what):
    seen, end = rest.get(fd, b''), time.time() + 20
    while time.time() < end:
        if what in seen:
            rest[fd] = seen[seen.index(what) + len(what):]
            return
        if select.select([fd], [], [], 0.2)[0]:
            try:
                seen += os.read(fd, 4096)
            except OSError:
                break
    sys.exit('no %r in %r' % (what, seen))

def start(*command):
    pid, fd = pty.fork()
    if not pid:
        os.execvp(command[0], command)
    rest[fd] = b''
    return pid, fd

launcher = ['cupti-probe', 'run', '--front', 'cupti', '--']

# Ctrl-C: once, and the program decides what becomes of it.
pid, fd = start(*launcher, 'python3', sys.argv[1])
expect(fd, b'ready True True')
os.write(fd, b'\x03')
expect(fd, b'interrupted 1')
if os.waitpid(pid, 0)[1]:
    sys.exit('Ctrl-C changed the status')
pid, fd = start(*launcher, 'sh', '-c', 'echo ready; sleep 100')
expect(fd, b'ready')
os.write(fd, b'\x03')
if os.waitpid(pid, 0)[1] != signal.SIGINT:
    sys.exit('Ctrl-C did not end it')

# A program reads a line.
pid, fd = start(*launcher, 'sh', '-c', 'echo ready; read line; echo "<$line>"')
expect(fd, b'ready')
os.write(fd, b'hello\n')
expect(fd, b'<hello>')
os.waitpid(pid, 0)

# Ctrl-Z and fg, several times, in a shell with job control.
pid, fd = start('bash', '--norc', '-i')
os.write(fd, b"PS1='pro''mpt '; echo\n")
expect(fd, b'prompt ')
program = 'echo rea""dy; for n in 1 2 3; do read l; echo "<got-$l>"; done; exit 9'
os.write(fd, (' '.join(launcher) + " sh -c '" + program + "'\n").encode())
expect(fd, b'ready')
for n in range(3):
    os.write(fd, b'\x1a')
    expect(fd, b'prompt ')
    os.write(fd, b'fg\n')
    time.sleep(0.5)
    os.write(fd, b'%d\n' % n)
    expect(fd, b'<got-%d>' % n)
expect(fd, b'prompt ')
os.write(fd, b'echo status-$?-\n')
expect(fd, b'status-9-')

# In the background it may not read: both stop, and fg goes on.
os.write(fd, (' '.join(launcher) + " sh -c 'read l; echo \"<got-$l>\"' &\n")
         .encode())
time.sleep(1)
os.write(fd, b'jobs\n')
expect(fd, b'Stopped')
os.write(fd, b'fg\n')
time.sleep(0.5)
os.write(fd, b'late\n')
expect(fd, b'<got-late>')
os.write(fd, b'exit\n')
END
python3 "$tmp/terminal.py" "$tmp/count.py" || fail 'on a terminal'

# What is sent to the launcher alone: stopped and continued.
cupti-probe run --front cupti -- sh -c 'echo $$; while :; do sleep 0.1; done' \
	>"$tmp/ready" &
pid=$!
until [ -s "$tmp/ready" ]; do sleep 0.05; done
read -r program <"$tmp/ready"
state() {	# state PID WANTED
	tries=0
	until grep -q "^State:.$2" "/proc/$1/status"; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || fail "$1 is not $2: $(cat /proc/$1/status)"
		sleep 0.1
	done
}
kill -TSTP $pid
state "$program" '[Tt]'
state $pid '[Tt]'
kill -CONT $pid
state "$program" '[RS]'
state $pid '[RS]'
kill -STOP "$program"
state "$program" '[Tt]'
state $pid '[RS]'
kill -CONT "$program"
kill -TERM $pid
status=0
wait $pid || status=$?
equal 'status' $status 143
