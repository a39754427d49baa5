#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How much of a disk the probe's files take: what makes room for a new one, and
# what does not.
# Promise: disk-full, bounded-space.
. tests/support.sh
command -v probe-open >/dev/null || skip 'no probe-open'
CUPTI_PROBE_DIR=$tmp/d CUPTI_PROBE_SIZE=4M CUPTI_PROBE_NODE_SIZE=13M
export CUPTI_PROBE_DIR CUPTI_PROBE_SIZE CUPTI_PROBE_NODE_SIZE
mkdir "$CUPTI_PROBE_DIR"
cd "$CUPTI_PROBE_DIR"
untested=

# The file of a process that was killed, with an age in minutes.
dead() {	# dead MINUTES WORD...
	minutes=$1
	shift
	set -- "$(sh -c 'probe-open "$@" | head -n 1; kill -9 $$' - "$@" \
		2>/dev/null || :)"
	[ -f "$1" ] || fail "no file: $1"
	touch -d "$minutes minutes ago" "$1"
	echo "$1"
}

living() {	# living NUMBER: a process that waits; its file is in $file
	mkfifo "$tmp/in$1" "$tmp/out$1"
	probe-open wait <"$tmp/in$1" >"$tmp/out$1" &
	pids="$pids $!"
	eval "exec $((3 + $1))>\"\$tmp/in$1\""
	read -r file <"$tmp/out$1"
}

off() {	# off WHAT MESSAGE
	! got=$(probe-open) || fail "$1: opened $got"
	case $got in
	"off: "*"$2"*) ;;
	*) fail "$1: says '$got', not '$2'" ;;
	esac
}

# The oldest dead one makes room, as many times as needed.
a=$(dead 30) b=$(dead 50) c=$(dead 40)
probe-open >/dev/null || fail 'no room made'
[ -f "$a" ] && [ ! -f "$b" ] && [ -f "$c" ] || fail 'not the oldest was removed'
CUPTI_PROBE_SIZE=12M probe-open >/dev/null || fail 'no room made for many'
equal 'files left' "$(find . -name '*.cpr' | wc -l)" 1
rm -f ./*

# An OOM that nobody has seen stays, and so does a file of no process.
a=$(dead 50 oom) b=$(dead 40) c=$(dead 60 oom)
probe-open >/dev/null || fail 'no room made beside OOMs'
[ -f "$a" ] && [ ! -f "$b" ] && [ -f "$c" ] || fail 'an OOM was removed'
rm -f ./*.cpr
a=$(dead 50 oom) b=$(dead 40 oom) c=$(dead 60 oom)
off 'only OOMs' 'No space left'
equal 'OOMs left' "$(find . -name '*.cpr' | wc -l)" 3
rm -f ./*

# Less room: a smaller file, with a note.
set -- "$(CUPTI_PROBE_SIZE=64M probe-open)"
equal note "${1#*.cpr?}" 'no room for more than 12 MiB'
size=$(stat -c %s ./*.cpr)
[ "$size" -le 13631488 ] && [ "$size" -gt 13000000 ] || fail "size $size"
rm -f ./*

# What is none of ours counts if it looks so, and goes if it is broken.
mkdir x.cpr
ln -s nowhere y.cpr
head -c 12M /dev/zero >big.txt
probe-open >/dev/null || fail 'other names count'
mv big.txt big.cpr
touch -d '1 hour ago' big.cpr
probe-open >/dev/null || fail 'a file without a header stays'
[ ! -f big.cpr ] && [ -d x.cpr ] && [ -L y.cpr ] || fail "left: $(ls)"
rm -rf ./*

# Living ones stay, whatever the time of their files, and in whatever name
# space of processes they are.
pids=
living 0 && a=$file && living 1 && b=$file && living 2 && c=$file
touch -d '1 day ago' "$a" "$b" "$c"
off 'living ones' 'No space left'
if [ "$(id -u)" -eq 0 ] && unshare -fp --mount-proc true 2>/dev/null; then
	! got=$(unshare -fp --mount-proc probe-open) ||
		fail "another name space: $got"
else
	untested="$untested name-spaces"
fi
# shellcheck disable=SC2086 # numbers
set -- $pids
kill -9 "$2"
wait "$2" 2>/dev/null || :
probe-open >/dev/null || fail 'no room made by one that was killed'
[ -f "$a" ] && [ ! -f "$b" ] && [ -f "$c" ] || fail 'a living one was removed'
exec 3>&- 4>&- 5>&-
wait
rm -f ./*

# A limit of the process: nothing is sent to it.
CUPTI_PROBE_NODE_SIZE=1G
status=0
got=$(ulimit -f 2000; probe-open) || status=$?
equal 'status at the limit' $status 1
equal 'at the limit' "$got" "off: $CUPTI_PROBE_DIR: No space left on device"
set -- "$(ulimit -f 20000; CUPTI_PROBE_SIZE=64M probe-open)"
case $1 in
*'no room for more than'*) ;;
*) fail "below the limit: $1" ;;
esac
equal 'files left' "$(find . -name '*.cpr' | wc -l)" 1
rm -f ./*

# Another user's file is neither read nor removed.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	CUPTI_PROBE_NODE_SIZE=5M
	a=$(dead 50)
	chown 65534 "$a"
	off "another's" 'No space left'
	[ -f "$a" ] || fail "another's file was removed"
	rm -f ./*
else
	untested="$untested other-users"
fi

# A full disk.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	cat >"$tmp/disk.sh" <<'END'
set -eu
mount -t tmpfs -o size=10M none "$CUPTI_PROBE_DIR"
cd "$CUPTI_PROBE_DIR"
CUPTI_PROBE_NODE_SIZE= probe-open || :
(	until [ -s "$tmp/disk.out" ]; do sleep 0.01; done
	head -c 100M /dev/zero >rest 2>/dev/null || :
	[ "$(stat -f -c %a .)" -eq 0 ] || echo 'the disk is not full'
) | CUPTI_PROBE_SIZE=64M probe-open wait fill oom >"$tmp/disk.out" ||
	echo "status $?"
cat "$tmp/disk.out"
size=$(stat -c %s ./*.cpr)
[ "$size" -le 8912896 ] && [ "$size" -gt 8847360 ] || echo "size $size"
probe-open || :
rm rest
END
	CUPTI_PROBE_NODE_SIZE=1G
	export tmp
	set -- "$(unshare -m sh "$tmp/disk.sh" 2>&1 || echo "status $?")"
	# First more than a tenth of it, then 85 %, in chunks.
	equal 'a full disk' "$(echo "$1" | sed "s|$CUPTI_PROBE_DIR|DIR|
		s|DIR/.*\.cpr|FILE|")" 'off: DIR: No space left on device
FILE
no room for more than 8 MiB
off: DIR: No space left on device'
else
	untested="$untested a-full-disk"
fi
[ -z "$untested" ] || echo "not tried:$untested"
