#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What triage, tune, replay and convert say of recordings, messages and cores is
# what the program of this system says, byte by byte.
. tests/support.sh
. tests/wine/support.sh
command -v allocctl >/dev/null || skip 'no allocctl of this system'
for c in xz gzip; do
	command -v $c >/dev/null || skip "no $c"
done
data=$PWD/tests/data

both() {	# both WANTED-STATUS COMMAND ARGUMENTS: here, there, with .err
	want=$1
	shift
	status=0
	allocctl "$@" >here 2>here.err </dev/null || status=$?
	equal "status of $* here: $(cat here.err)" "$status" "$want"
	status=0
	wine "$windows/bin/allocctl.exe" "$@" >there 2>there.err </dev/null ||
		status=$?
	equal "status of $*: $(cat there.err)" "$status" "$want"
}

same() {	# same WANTED-STATUS COMMAND ARGUMENTS
	both "$@"
	shift
	cmp here there || fail "$*: $(diff here there | head -n 20)"
	cmp here.err there.err || fail "$*: $(diff here.err there.err | head)"
}

cd "$tmp"
for name in remedy-gnn.12.oom oom_fraction big_random.oom streams.cap; do
	xz -dc "$data/$name.pickle.xz" >$name.pickle
done
cp oom_fraction.pickle Jürgen-δ.pickle
gzip oom_fraction.pickle
sed -n 's/.*"err": "\([^"]*\)".*/torch.OutOfMemoryError: \1/p' \
	"$data/big_random.oom.json" >train.log
[ -s train.log ] || fail 'no message'

same 0 triage train.log
sed 's/$/\r/' train.log >crlf.log
same 0 triage crlf.log --format json
same 0 triage train.log big_random.oom.pickle --format json
same 0 triage oom_fraction.pickle.gz --format json
same 0 triage Jürgen-δ.pickle --format markdown
same 0 triage remedy-gnn.12.oom.pickle --jobs 2 --shell powershell
same 1 replay streams.cap.pickle --format json
same 0 tune streams.cap.pickle --jobs 2 --format json
same 1 tune streams.cap.pickle --jobs 2 --limit 64MiB
same 3 triage no-such-file.pickle

# By a pipe, which is kept in a file meanwhile.
allocctl triage - --format json <remedy-gnn.12.oom.pickle >here
wine "$windows/bin/allocctl.exe" triage - --format json \
	<remedy-gnn.12.oom.pickle >there
cmp here there || fail 'from standard input'
cat remedy-gnn.12.oom.pickle |
	wine "$windows/bin/allocctl.exe" triage - --format json >there
cmp here there || fail 'from a pipe'

# A file that is there stays unless --force is said.
same 0 convert streams.cap.pickle --to csv -
mv here wanted.csv
both 0 convert --force streams.cap.pickle out.csv
cmp out.csv wanted.csv || fail 'convert writes something else'
status=0
wine "$windows/bin/allocctl.exe" convert streams.cap.pickle out.csv 2>err ||
	status=$?
equal 'status of convert onto a file' $status 3
grep -q -- '--force replaces it' err || fail 'convert does not say how'
ls out.csv.* 2>/dev/null && fail 'convert leaves a partial file'

# The companion is read where jansson is.
cp "$data/big_random.oom.json" .
if grep -q 'FOUND_JANSSON := y' "$windows/config.mk"; then
	same 0 triage big_random.oom.pickle --format json
	grep -q '"limit"' here || fail 'no limit'
fi

# What this build lacks it says.
status=0
wine "$windows/bin/allocctl.exe" triage "$data/oom_fraction.pickle.xz" \
	2>err || status=$?
equal 'status of triage of .xz' $status 3
grep -q 'compressed with xz, and this build lacks liblzma' err ||
	fail "no reason: $(cat err)"

# A core of Linux, which people read on their laptops.
cp "$data/../fuzz/corpus/core/plain" plain.core
same 3 triage --core plain.core --format json
grep -q '"setting":"expandable_segments:True"' here || fail 'no environment'
