#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe run: what it says and writes after an OOM, a signal, and the
# kernel's OOM killer, for the program and its children.
. tests/support.sh
. tests/recordings.sh

go() {	# go WANTED-STATUS SCRIPT: recordings of this run are made by it
	want=$1
	status=0
	(exec cupti-probe run --front cupti -- sh -c "$2" >"$tmp/out" \
		2>"$tmp/err") 2>/dev/null || status=$?
	[ "$status" = "$want" ] || cat "$tmp/err" >&2
	equal "status of $2" "$status" "$want"
}

record() {	# record NAME OPTIONS: a command that makes a recording
	echo "write-probe '$d/$1.cpr' run=\$CUPTI_PROBE_RUN ${2-}"
}

# Nothing happened: nothing is said.
go 0 "$(record a)"
equal 'a clean end' "$(cat "$tmp/out" "$tmp/err")" ''
[ ! -e "$d/a.report.txt" ] || fail 'a report of nothing'

# An OOM, whether the program survived it or not.
for n in 0 1; do
	rm -f "$d"/*
	go $n "$(record a ooms=1); exit $n"
	equal 'an OOM' "$(cat "$tmp/err")" "cupti-probe: out of memory: \
REQUEST_TOO_LARGE (PROVEN); report: $d/a.report.txt"
	[ -e "$d/a.report.txt" ] && [ -e "$d/a.report.json" ] ||
		fail 'no report'
done

# Recordings of others are none of its business.
rm -f "$d"/*
write-probe "$d/a.cpr" ooms=1 run=another
write-probe "$d/b.cpr" ended=0
go 0 true
equal 'of others' "$(cat "$tmp/err")" ''

# Several processes.
rm -f "$d"/*
go 0 "$(record a); $(record b ooms=1); $(record c 'ooms=1 exe=/bin/c')"
equal 'lines of several' "$(wc -l <"$tmp/err")" 2
said 'several' '2 processes have reports; see cupti-probe list'

# Killed: how is in the report; on purpose: nothing to say.
rm -f "$d"/*
go 137 "$(record a ended=0); kill -KILL \$\$"
said 'killed' "killed by signal 9 (Killed); report: $d/a.report.txt"
grep -q '^ended  *killed by signal 9' "$d/a.report.txt" ||
	fail "how: $(cat "$d/a.report.txt")"
run 0 list --format json
equal 'state' "$(show 'd["recordings"][0]["ended"]')" signal
rm -f "$d"/*
go 139 "ulimit -c 0; $(record a ended=0); kill -SEGV \$\$"
said 'a fault' 'killed by signal 11 (Segmentation fault)'
rm -f "$d"/*
go 143 "$(record a ended=0); kill -TERM \$\$"
equal 'ended on purpose' "$(cat "$tmp/err")" ''
rm -f "$d"/*
go 143 "$(record a 'ended=0 ooms=1'); kill -TERM \$\$"
said 'ended on purpose after an OOM' 'out of memory: REQUEST_TOO_LARGE'

# Killed after the process itself had its report written: how is added.
rm -f "$d"/*
go 137 "$(record a 'ended=0 ooms=1'); cupti-probe report --write '$d/a.cpr' \
	>/dev/null; kill -KILL \$\$"
grep -q '^ended  *killed by signal 9' "$d/a.report.txt" ||
	fail 'how is not added'

# Written while it ran: that it ended is added.
rm -f "$d"/*
go 0 "$(record a 'ooms=1 running=$$'); cupti-probe report --write '$d/a.cpr' \
	>/dev/null; grep -q 'still running' '$d/a.report.txt' || exit 9"
grep -q '^ended  *it ended without a clean exit' "$d/a.report.txt" ||
	fail 'that it ended is not added'

# A child that ended badly, and one that goes on.
rm -f "$d"/*
go 0 "$(record a); $(record b ended=0)"
said 'a child' 'a process ended without a clean exit'
rm -f "$d"/*
sleep 3 &
go 0 "$(record a "running=$!")"
equal 'a child that goes on' "$(cat "$tmp/err")" ''
go 0 "$(record a "running=$! ooms=1")"
said 'a child that goes on' 'out of memory'

# A signal while reports are written ends the launcher, as the program ended.
rm -f "$d"/*
cat >"$tmp/lock.py" <<'END'
import fcntl, sys, time
f = open(sys.argv[1], 'r+')
fcntl.lockf(f, fcntl.LOCK_EX)
open(sys.argv[2], 'w')
time.sleep(5)
END
cupti-probe run --front cupti -- sh -c "$(record a ooms=1)
	python3 '$tmp/lock.py' '$d/a.cpr' '$tmp/locked' &
	while [ ! -e '$tmp/locked' ]; do sleep 0.1; done
	exit 5" &
pid=$!
until [ -e "$tmp/locked" ]; do sleep 0.1; done
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
equal 'ended while it writes' $status 5
[ ! -e "$d/a.report.txt" ] || fail 'it was not writing'

# Where nothing can be written the program's status stays.
go 4 "$(record a ooms=1); chmod 777 '$d'; exit 4"
said 'a folder for all' 'is not safe to write to'
chmod 700 "$d"

# The kernel's OOM killer, in a cgroup of its own.
rm -f "$d"/*
base=/sys/fs/cgroup limit=memory.max
[ -e $base/cgroup.controllers ] ||
	base=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
group=$base/cupti-probe-test.$$
[ "$(id -u)" = 0 ] && mkdir "$group" 2>/dev/null &&
	echo 64M 2>/dev/null >"$group/$limit" || {
	rmdir "$group" 2>/dev/null || :
	echo 'not tried: no cgroup with a limit of memory can be made here'
	exit 0
}
echo 0 2>/dev/null >"$group/memory.swap.max" || :
cat >"$tmp/grow" <<END
echo 1000 >/proc/self/oom_score_adj
$(record a ended=0)
x=xxxxxxxxxxxxxxxx
while :; do x=\$x\$x; done
END
status=0
sh -c "echo \$\$ >'$group/cgroup.procs'
exec cupti-probe run --front cupti -- sh '$tmp/grow'" \
	>"$tmp/out" 2>"$tmp/err" || status=$?
tries=0
until rmdir "$group" 2>/dev/null || [ $tries = 20 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
equal 'the OOM killer' "$status" 137
said 'the OOM killer' 'killed: HOST_MEMORY: the kernel killed for want'
grep -q '^HOST_MEMORY' "$d/a.report.txt" ||
	fail "verdict: $(cat "$d/a.report.txt")"
tr -s '\n ' ' ' <"$d/a.report.txt" | grep -q 'oom_kill rose from' ||
	fail "evidence: $(cat "$d/a.report.txt")"
run 0 list --format json
equal 'state' "$(show '(d["recordings"][0]["ended"],
	d["recordings"][0]["verdict"])')" "('host-memory', 'HOST_MEMORY')"
