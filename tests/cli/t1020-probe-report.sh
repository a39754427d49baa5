#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe report: verdicts of recordings, views and losses, which recording
# of a folder, what is seen, and all that is no recording.
. tests/support.sh
. tests/recordings.sh

# A request of 2 GiB on a card of 1 GiB.
write-probe "$d/a.cpr" ooms=1 size=2147483648 total=1073741824 free=1048576 \
	note='CUPTI was taken by a profiler' lost=7
run 0 report "$d/a.cpr"
equal 'headline' "$(sed -n 's/[,:].*//;1p' "$tmp/out")" REQUEST_TOO_LARGE
has '2.00 GiB was asked of the device'
has "the driver's calls, interposed, from 1.0 s on"
has "nothing of PyTorch's allocator"
has '7 records found no room'
has 'CUPTI was taken by a profiler'
has 'it exited after 5.0 s'
run 0 report "$d/a.cpr" --format json
equal 'schema' "$(show 'd["schema"]')" cupti-probe.report/1
equal 'verdict' "$(show 'd["verdict"], d["triage"]["ooms"][0]["verdict"]')" \
	"('REQUEST_TOO_LARGE', 'REQUEST_TOO_LARGE')"
equal 'views' "$(show '[(r["driver"]["from"], r["allocator"],
	r["lost"]["unwritten"]) for r in d["recordings"]]')" \
	'[(1000000000, None, 7)]'
run 0 report "$d/a.cpr" --format markdown
! grep -q -e node7 -e 4711 -e "$d" "$tmp/out" || fail 'markdown tells on'

! grep -q snapshot "$tmp/out" || fail 'a snapshot that is not there'
: >"$d/node7.4711.oom.pickle"
run 0 report "$d/a.cpr"
has "$d/node7.4711.oom.pickle"

# A folder: the newest that nobody has read about, then no more.
rm -f "$d"/*
write-probe "$d/old.cpr" ooms=1 began=1000000000
write-probe "$d/new.cpr" ooms=1 began=1000000100
write-probe "$d/calm.cpr" began=1000000200
run 0 report "$d"
has "$d/new.cpr"
run 0 report
has "$d/old.cpr"
run 1 report "$d"
said 'nothing new' "no unread OOM in '$d'"
write-probe "$d/new.cpr" ooms=2 began=1000000100
run 0 report "$d"
has "$d/new.cpr"

# No OOM, and no recording at all.
run 1 report "$d/calm.cpr"
has 'No OOM was found. Recordings: 1.'
! grep -q -i -e snapshot -e logs "$tmp/out" || fail 'not of a file of ours'
run 1 report "$d/calm.cpr" --format markdown
has 'No OOM was found. Recordings: 1.'
run 3 report "$tmp/none"
said 'nothing there' "cannot read '$tmp/none': No such file or directory"
printf 'LAPROBE' >"$tmp/short"
echo text >"$tmp/text"
head -c 5000 "$d/new.cpr" >"$tmp/cut"
for f in short text; do
	run 3 report "$tmp/$f"
	said "$f" "cannot read '$tmp/$f'"
	equal "lines about $f" "$(wc -l <"$tmp/err")" 1
done
status=0
cupti-probe report "$tmp/cut" >/dev/null 2>&1 || status=$?
[ $status -lt 4 ] || fail "a recording that is cut: status $status"
run 2 report --format xml "$d/new.cpr"

# What a recording says controls no terminal.
evil=$(printf 'evil\033[31m\nx\342\200\256y')
write-probe "$tmp/$evil.cpr" ooms=1 exe="$evil" host="$evil" job="$evil"
run 0 report "$tmp/$evil.cpr"
! grep -q "$(printf '[\033\342]')" "$tmp/out" || fail 'escapes get through'
run 0 info "$tmp/$evil.cpr"
! grep -q "$(printf '[\033\342]')" "$tmp/out" || fail 'escapes get through'
