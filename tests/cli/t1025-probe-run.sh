#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe run: the program finds what it would find without, but for what
# loads the probe; its streams and its status stay as they are.
# Promise: unchanged.
. tests/support.sh
. tests/recordings.sh
lib=$(realpath "$(dirname "$(command -v cupti-probe)")/../lib")/libcupti-probe.so
[ -e "$lib" ] || skip 'no libcupti-probe.so'
# What is built with sanitizers cannot be preloaded into programs without.
front=preload
[ -z "${SANITIZE-}" ] || front=cupti

launch() {	# launch WANTED-STATUS COMMAND...
	want=$1
	shift
	run "$want" run --front $front -- "$@"
}

# Statuses.
n=0
while [ $n -le 255 ]; do
	status=0
	cupti-probe run --front $front sh -c "exit $n" || status=$?
	[ $status = $n ] || fail "status $n became $status"
	n=$((n + 1))
done
launch 127 "$tmp/none"
equal 'no such program' "$(cat "$tmp/err")" \
	"cupti-probe: cannot run '$tmp/none': No such file or directory"
launch 126 "$tmp"
echo x >"$tmp/plain"
chmod 644 "$tmp/plain"
launch 126 "$tmp/plain"
run 2 run
run 2 run --
run 2 run --front
run 2 run --front other true
run 2 run --sizes 1 true
run 2 run --size much -- true

# Signals: who waits sees the signal itself; no word is said of it, as there is
# no recording.
for s in KILL.9 SEGV.11 TERM.15 INT.2 ABRT.6 HUP.1 PIPE.13 USR1.10; do
	number=${s#*.} s=${s%.*}
	status=0
	# shellcheck disable=SC3045 # not of POSIX, but of every shell here
	(trap - "$s" 2>/dev/null; ulimit -c 0
	exec cupti-probe run --front $front -- sh -c "kill -$s \$\$") \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status after SIG$s" $status $((128 + number))
	equal "words after SIG$s" "$(cat "$tmp/out" "$tmp/err")" ''
done
if command -v python3 >/dev/null; then
	equal 'the signal itself' "$(python3 -c 'import subprocess, sys
print(subprocess.call(sys.argv[1:]))' cupti-probe run --front $front -- \
		sh -c 'kill -KILL $$')" -9
fi

# Signals that are sent to the launcher.
for s in TERM INT HUP QUIT USR1 USR2; do
	# Shells ignore some of these in the background.
	python3 -c 'import os, signal, sys
for s in signal.SIGINT, signal.SIGQUIT:
    signal.signal(s, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' cupti-probe run --front $front -- \
		sh -c "trap 'exit 42' $s; echo ready; while :; do sleep 0.1; done" \
		>"$tmp/ready" 2>"$tmp/err" &
	pid=$!
	until grep -q ready "$tmp/ready"; do sleep 0.05; done
	kill -$s $pid
	status=0
	wait $pid || status=$?
	equal "status after sending SIG$s" $status 42
	: >"$tmp/ready"
done

# The program goes on without its launcher.
cupti-probe run --front $front -- sh -c 'echo $$; sleep 0.5; echo on >>'"$tmp/on" \
	>"$tmp/ready" &
pid=$!
until [ -s "$tmp/ready" ]; do sleep 0.05; done
kill -KILL $pid
wait $pid || :
sleep 1
equal 'without its launcher' "$(cat "$tmp/on")" on

# Ignored and blocked signals, umask, groups, and descriptors stay as they are.
cat >"$tmp/state.py" <<'END'
import os, signal
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
print([s for s in range(1, 65) if s not in (9, 19, 32, 33)
       and signal.getsignal(s) == signal.SIG_IGN])
print(os.umask(0), os.getcwd(), os.getpgrp() , os.getsid(0))
print(sorted(os.listdir('/proc/self/fd')))
END
if command -v python3 >/dev/null; then
	for trap in '' -; do
		# shellcheck disable=SC2064 # it is meant to be expanded now
		(trap "$trap" HUP CHLD USR2; umask 027; cd /
		python3 "$tmp/state.py" >"$tmp/plain" </dev/null
		cupti-probe run --front $front -- python3 "$tmp/state.py" \
			>"$tmp/out" </dev/null)
		cmp "$tmp/plain" "$tmp/out" || {
			diff "$tmp/plain" "$tmp/out" >&2 || :
			fail 'the program finds other things'
		}
	done
fi

# Streams: what is read and written, and closed ones.
printf 'a\0b' >"$tmp/in"
cupti-probe run --front $front -- cat <"$tmp/in" | cmp - "$tmp/in" ||
	fail 'standard input'
equal 'standard error' "$(cupti-probe run --front $front -- \
	sh -c 'echo out; echo err >&2' 2>&1 >/dev/null)" err
cupti-probe run --front $front -- sh -c '[ ! -e /proc/self/fd/0 ] &&
	[ ! -e /proc/self/fd/1 ] && [ ! -e /proc/self/fd/2 ]' \
	<&- >&- 2>&- || fail 'closed streams are open'
status=0
cupti-probe run --front $front -- sh -c 'exit 3' <&- >&- 2>&- || status=$?
equal 'status with closed streams' $status 3

# Arguments: any, and very many.
equal 'arguments' "$(cupti-probe run --front $front -- printf '%s|' '' ' ' \
	'--help' "$(printf 'a\nb')" | od -c | head -n 5)" \
	"$(printf '%s|' '' ' ' '--help' "$(printf 'a\nb')" | od -c |
	head -n 5)"
equal 'options of the program' \
	"$(cupti-probe run --front $front printf '%s' --front)" --front
equal 'many arguments' "$(cupti-probe run --front $front -- \
	sh -c 'echo $#' sh $(seq 100000))" 100000

# The environment.
cat >"$tmp/print" <<'END'
for v in LD_PRELOAD CUDA_INJECTION64_PATH CUPTI_PROBE_CHAIN CUPTI_PROBE_DIR \
	CUPTI_PROBE_SIZE; do
	eval "echo $v=\$$v"
done
END
if [ $front = preload ]; then
	run 0 run sh "$tmp/print"
	has "LD_PRELOAD=$lib"
	has 'CUDA_INJECTION64_PATH='
	LD_PRELOAD=libm.so.6 run 0 run sh "$tmp/print"
	has "LD_PRELOAD=libm.so.6:$lib"
fi
CUDA_INJECTION64_PATH=/other.so run 0 run --front cupti --dir sub --size 8M -- \
	sh "$tmp/print"
equal 'environment' "$(tr '\n' ' ' <"$tmp/out")" \
	"LD_PRELOAD= CUDA_INJECTION64_PATH=$lib CUPTI_PROBE_CHAIN=/other.so \
CUPTI_PROBE_DIR=$PWD/sub CUPTI_PROBE_SIZE=8388608 "
CUDA_INJECTION64_PATH=$lib run 0 run --front cupti -- sh "$tmp/print"
has 'CUPTI_PROBE_CHAIN='
! grep -q "CHAIN=$lib" "$tmp/out" || fail 'the probe is behind itself'
equal 'each run has a name' "$(for n in 1 2 3; do
	cupti-probe run --front cupti -- sh -c 'echo $CUPTI_PROBE_RUN'
done | sort -u | wc -l)" 3

# A probe beside another copy of the program; one that a preload cannot name.
mkdir -p "$tmp/a b/bin" "$tmp/a b/lib"
cp "$(command -v cupti-probe)" "$tmp/a b/bin"
cp "$lib" "$tmp/a b/lib"
status=0
"$tmp/a b/bin/cupti-probe" run true 2>"$tmp/err" || status=$?
equal 'a blank in the path' $status 3
said 'a blank in the path' 'use --front cupti'
equal 'a blank in the path' "$("$tmp/a b/bin/cupti-probe" run --front cupti \
	sh -c 'echo $CUDA_INJECTION64_PATH')" "$tmp/a b/lib/libcupti-probe.so"
mkdir -p "$tmp/p/bin"
cp "$(command -v cupti-probe)" "$tmp/p/bin"
if [ ! -e /usr/local/lib/libcupti-probe.so ]; then
	status=0
	"$tmp/p/bin/cupti-probe" run true 2>"$tmp/err" || status=$?
	equal 'no probe' $status 3
	said 'no probe' 'cannot find libcupti-probe.so'
fi
