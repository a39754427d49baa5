#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cupti-probe report --write: whole files or none, wherever it is killed, with
# several writers, and in folders that others may write to.
# Promise: atomic-report.
. tests/support.sh
. tests/recordings.sh

write-probe "$d/a.cpr" ooms=1 exe=/bin/a
chmod 600 "$d/a.cpr"
umask 0
run 0 report --write "$d/a.cpr"
umask 022
equal 'what it says' "$(cat "$tmp/out")" "$d/a.report.txt"
equal 'modes' "$(stat -c %a "$d/a.report.txt" "$d/a.report.json" | tr '\n' ' ')" \
	'600 600 '
cupti-probe report "$d/a.cpr" >"$tmp/text"
cmp "$tmp/text" "$d/a.report.txt" || fail 'another text'
cp "$d/a.report.json" "$tmp/out"
equal 'JSON' "$(show 'd["verdict"], d["ooms"], d["ended"]')" \
	"('REQUEST_TOO_LARGE', 1, 'clean')"
cp "$d/a.report.json" "$tmp/json"

# One that says as much stays; more OOMs make another one.
before=$(stat -c '%i %y' "$d/a.report.txt")
run 0 report --write "$d/a.cpr"
equal 'the same again' "$(stat -c '%i %y' "$d/a.report.txt")" "$before"
write-probe "$d/a.cpr" ooms=3 exe=/bin/a
run 0 report --write "$d/a.cpr"
cp "$d/a.report.json" "$tmp/out"
equal 'more OOMs' "$(show 'd["ooms"]')" 3

# Killed before each of its system calls.
rm -f "$d"/*
write-probe "$d/a.cpr" ooms=1 exe=/bin/a
cp "$d/a.cpr" "$tmp/a.cpr"
cupti-probe report --write "$d/a.cpr" >/dev/null
cp "$d/a.report.txt" "$tmp/text"
cp "$d/a.report.json" "$tmp/json"
rm "$d"/a.report.*
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
n=1 nothing=0 some=0 all=0
while :; do
	rm -f "$d"/a.report.*
	status=0
	kill-at-call $n cupti-probe report --write "$d/a.cpr" >/dev/null \
		2>"$tmp/err" || status=$?
	[ $status != 77 ] || skip 'programs cannot be traced here'
	kinds=
	for kind in txt json; do
		[ -e "$d/a.report.$kind" ] || continue
		kinds=$kinds$kind
		[ $kind = json ] || cmp -s "$tmp/text" "$d/a.report.txt" ||
			fail "half a text is left by call $n"
		[ $kind = txt ] || cmp -s "$tmp/json" "$d/a.report.json" ||
			fail "half of JSON is left by call $n"
	done
	case $kinds in
	'') nothing=$((nothing + 1)) ;;
	txt) some=$((some + 1)) ;;
	txtjson) all=$((all + 1)) ;;
	*) fail "call $n leaves $kinds" ;;
	esac
	[ $status = 0 ] || break
	n=$((n + 1))
done
[ $nothing -gt 20 ] && [ $some -gt 2 ] && [ $all -gt 2 ] ||
	fail "killed $nothing times before, $some between, $all after"
cmp "$d/a.cpr" "$tmp/a.cpr" || fail 'the recording is another'

# What killed writers left is swept up after an hour.
left=$(find "$d" -name '.*.new' | wc -l)
find "$d" -name '.*.new' -exec touch -d '2 hours ago' {} +
: >"$d/.a.report.txt.1.new"
run 0 prune "$d"
equal "what $left killed ones left" "$(find "$d" -name '.*.new')" \
	"$d/.a.report.txt.1.new"
rm "$d/.a.report.txt.1.new"

# Several at once.
rm -f "$d"/a.report.*
pids=
for n in 1 2 3 4 5 6 7 8; do
	cupti-probe report --write "$d/a.cpr" >"$tmp/w$n" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "a writer: $(cat "$tmp"/w?)"
done
cmp "$tmp/text" "$d/a.report.txt" || fail 'a race of writers: text'
cmp "$tmp/json" "$d/a.report.json" || fail 'a race of writers: JSON'
equal 'left by a race' "$(find "$d" -name '.*')" ''

# Links are replaced, not followed.
rm "$d"/a.report.*
echo mine >"$tmp/mine"
ln -s "$tmp/mine" "$d/a.report.txt"
ln -s "$tmp/mine" "$d/a.report.json"
run 0 report --write "$d/a.cpr"
equal 'behind the link' "$(cat "$tmp/mine")" mine
[ ! -h "$d/a.report.txt" ] && [ ! -h "$d/a.report.json" ] || fail 'links stay'
ln -s "$tmp/a.cpr" "$d/link.cpr"
run 3 report --write "$d/link.cpr"
said 'a link' 'it is a link'
mkfifo "$d/fifo.cpr"
run 3 report --write "$d/fifo.cpr"
said 'a pipe' 'it is not a file'

# Folders in which others may rename what is ours.
mkdir "$tmp/open" "$tmp/sticky"
cp "$tmp/a.cpr" "$tmp/open"
cp "$tmp/a.cpr" "$tmp/sticky"
chmod 777 "$tmp/open"
chmod 1777 "$tmp/sticky"
run 3 report --write "$tmp/open/a.cpr"
said 'a folder for all' 'is not safe to write to'
run 0 report --write "$tmp/sticky/a.cpr"
run 0 report --write "$tmp/sticky/a.cpr"
(cd "$tmp/sticky" && rm -f a.report.* && cupti-probe report --write a.cpr) \
	>"$tmp/out" || fail 'a name without a folder'
equal 'a name without a folder' "$(cat "$tmp/out")" a.report.txt
if [ "$(id -u)" = 0 ]; then
	mkdir "$tmp/other"
	cp "$tmp/a.cpr" "$tmp/other"
	chown 1 "$tmp/other"
	run 3 report --write "$tmp/other/a.cpr"
	said "another user's folder" 'is not safe to write to'
	chmod 1777 "$tmp/other"
	run 3 report --write "$tmp/other/a.cpr"
	said "another user's sticky folder" 'is not safe to write to'
	if su nobody -s /bin/sh -c true 2>/dev/null; then
		chmod 711 "$tmp"
		cp "$(command -v cupti-probe)" "$tmp/sticky/program"
		rm -f "$tmp"/sticky/a.report.*
		chmod 644 "$tmp/sticky/a.cpr"
		status=0
		su nobody -s /bin/sh -c "'$tmp/sticky/program' report --write \
			'$tmp/sticky/a.cpr'" >"$tmp/out" 2>"$tmp/err" ||
			status=$?
		equal "another user's recording" $status 3
	fi
fi

# File systems that refuse.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || exit 0
cat >"$tmp/full" <<'END'
mount -t tmpfs -o size=400k none "$1" || exit 77
cp "$2" "$1/a.cpr"
head -c 1M /dev/zero >"$1/fill" 2>/dev/null
cupti-probe report --write "$1/a.cpr" && exit 1
[ "$(cd "$1" && echo *)" = 'a.cpr fill' ] || exit 1
rm "$1/fill"
mount -o remount,ro "$1" || exit 77
cupti-probe report --write "$1/a.cpr" && exit 1
cupti-probe report "$1/a.cpr" >/dev/null && [ "$(cd "$1" && echo *)" = a.cpr ]
END
mkdir "$tmp/disk"
status=0
unshare -m sh "$tmp/full" "$tmp/disk" "$tmp/a.cpr" >"$tmp/err" 2>&1 ||
	status=$?
[ $status = 77 ] || {
	equal 'a full disk' "$status" 0
	said 'a full disk' 'No space left'
	said 'a disk that is read' 'Read-only file system'
}
