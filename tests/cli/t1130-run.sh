#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl run: the program is as it was, its processes use the plug-in, on a
# driver of ours, and are told of, however they end.
. tests/support.sh
command -v python3 >/dev/null || skip 'no python3'
[ -e "$O/lib/liballoc-torch.so" ] || skip 'no liballoc-torch.so'
case ${SANITIZE-} in ?*) skip 'a sanitizer would have to be loaded first' ;; esac
export LD_LIBRARY_PATH="$O/mock" MOCK_CUDA_TOTAL=8G PYTHONDONTWRITEBYTECODE=1
export TMPDIR="$tmp/reports"
mkdir "$TMPDIR" "$tmp/torch"

cp tests/mock/torch.py "$tmp/torch/__init__.py"

run() {	# run WANTED-STATUS OPTIONS... -- PYTHON: output in $tmp/{out,err}
	wanted=$1
	shift
	status=0
	PYTHONPATH=$tmp allocctl run "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "status of $*: $(cat "$tmp/err")" "$status" "$wanted"
	equal 'folders that are left' "$(ls "$TMPDIR")" ''
}

has() {	# has TEXT: a part of what came on standard error
	grep -q -e "$1" "$tmp/err" || fail "no '$1' in: $(cat "$tmp/err")"
}

run 3 -- sh -c 'exit 3'
has '^allocctl: no process used a GPU through liballoc$'
run 127 -- /nowhere/at/all
run 2 --policy best -- true
run 2 --record a,b -- true
run 2

import='import warnings; warnings.simplefilter("ignore"); import torch, os, signal'
run 5 --policy torch --limit 1GiB -- python3 -c "$import
assert torch.empty(5 << 20) != 0
print('here')
exit(5)"
equal 'output' "$(cat "$tmp/out")" here
has '^allocctl: process [0-9]*, policy torch$'
has '^  GPU 0 of 8.00 GiB, 1024.00 MiB allowed$'
has '^    peak allocated  5.00 MiB     in at most 1 blocks$'
has '^    peak reserved   20.00 MiB$'
has '^    between them    15.00 MiB    75.0 % lost'
has '^    requests        1 '
has '^    out of memory   0$'
grep -q 'did not end' "$tmp/err" && fail 'a clean exit is no kill'

# A process that is killed has figures too.
run 137 -- python3 -c "$import
torch.empty(3 << 20)
import time; time.sleep(0.4)
os.kill(os.getpid(), signal.SIGKILL)"
has '^allocctl: process [0-9]*, policy compact$'
has '^    peak allocated  3.00 MiB '
has 'did not end by itself (killed'
has '^allocctl: the program was killed by signal 9'

# One that becomes another program, and children, which are not served twice.
run 0 --policy torch -- python3 -c "$import
torch.empty(2 << 20)
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
import sys, time; time.sleep(0.4)
os.execv(sys.executable, ['python3', '-c', '''$import
torch.empty(30 << 20)'''])"
equal 'processes' "$(grep -c '^allocctl: process' "$tmp/err")" 2
has '^    peak reserved   30.00 MiB$'
has '^    peak reserved   20.00 MiB$'
equal 'that did not end' "$(grep -c 'did not end' "$tmp/err")" 1

# A program that cannot be served says so and runs.
LIBALLOC_CONF=policy:best run 0 -- python3 -c "$import"
has "^allocctl run: liballoc is not used: liballoc: policy wants torch or"
