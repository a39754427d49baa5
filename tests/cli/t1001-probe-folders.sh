#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the probe's file lies, where it may not lie, and who may be there.
. tests/support.sh
command -v probe-open >/dev/null || skip 'no probe-open'
unset XDG_STATE_HOME CUPTI_PROBE_DIR CUPTI_PROBE_NODE_SIZE
CUPTI_PROBE_SIZE=4M HOME=$tmp/home
export CUPTI_PROBE_SIZE HOME
mkdir -m 755 "$HOME"
chmod 755 "$tmp"
untested=
[ ! -e /var/lib/cupti-probe ] || skip 'there is a /var/lib/cupti-probe'

fs=$(stat -f -c %T "$tmp")
case $fs in
tmpfs | ramfs | nfs* | fuse* | 9p | v9fs | lustre | ceph | gpfs | smb*)
	skip "the folder for temporary files is on $fs" ;;
esac

folder() {	# folder WHAT WANTED: of a new file, which is removed
	file=$(probe-open) || fail "$1: $file"
	[ -f "$file" ] || fail "$1: no file $file"
	equal "$1" "${file%/*}" "$2"
	rm "$file"
}

off() {	# off WHAT MESSAGE
	! got=$(probe-open) || fail "$1: opened $got"
	case $got in
	"off: "*"$2"*) ;;
	*) fail "$1: says '$got', not '$2'" ;;
	esac
}

# The user's state folder, made for the user alone.
folder home "$HOME/.local/state/cupti-probe"
equal 'mode of the folder' "$(stat -c %a "$HOME/.local/state/cupti-probe")" 700
XDG_STATE_HOME=$tmp/state folder XDG_STATE_HOME "$tmp/state/cupti-probe"
equal 'mode of the folder' "$(stat -c %a "$tmp/state/cupti-probe")" 700
XDG_STATE_HOME=relative folder 'a relative one' \
	"$HOME/.local/state/cupti-probe"
mkdir "$tmp/named"
CUPTI_PROBE_DIR=$tmp/named folder CUPTI_PROBE_DIR "$tmp/named"
CUPTI_PROBE_DIR=$tmp/made folder 'a new one' "$tmp/made"
equal 'mode of the folder' "$(stat -c %a "$tmp/made")" 700

# No place.
(unset HOME; off 'no HOME' 'HOME: is not set')
(HOME=relative; off 'a relative HOME' 'HOME: is not set')
(HOME=$tmp/none; off 'a HOME that is not there' 'No such file')
(CUPTI_PROBE_DIR=$tmp/a/b; export CUPTI_PROBE_DIR
	off 'a folder that is not there' 'No such file')
echo >"$tmp/file"
(CUPTI_PROBE_DIR=$tmp/file; export CUPTI_PROBE_DIR
	off 'a file' 'Not a directory')
long=$tmp/$(printf '%0250d' 0)/$(printf '%0250d' 0)
(CUPTI_PROBE_DIR=$long; export CUPTI_PROBE_DIR
	off 'a long path' 'too long')
[ ! -e "$tmp/none" ] || fail 'HOME was made'

# Off.
for value in off 0 no; do
	! got=$(CUPTI_PROBE=$value probe-open) || fail "$value: on"
	equal "$value" "$got" off
done

# Memory is no place but if it is named.
mem=/dev/shm
if [ "$(stat -f -c %T $mem 2>/dev/null)" = tmpfs ] && [ -w $mem ]; then
	mem=$(mktemp -d $mem/probe-XXXXXX)
	trap 'rm -rf "$tmp" "$mem"' EXIT
	HOME=$mem off 'memory' 'is on tmpfs'
	CUPTI_PROBE_DIR=$mem/here folder 'memory, named' "$mem/here"
else
	untested="$untested tmpfs"
fi

# Names that are taken, though by links to somewhere else.
dir=$tmp/named
CUPTI_PROBE_DIR=$dir
export CUPTI_PROBE_DIR
boot=$(cut -c 1-8 /proc/sys/kernel/random/boot_id)
name=$(sh -c 'ln -s "$1" "$2/$(uname -n).$$.$3.cpr"; exec probe-open' - \
	"$tmp/victim" "$dir" "$boot" | head -n 1)
case $name in
*."$boot".1.cpr) ;;
*) fail "a name that is taken: $name" ;;
esac
[ ! -e "$tmp/victim" ] || fail 'a link was followed'
rm -f "$dir"/*

# A process that became another program, and that program's own file.
two=$(probe-open exec probe-open | wc -l)
equal 'files of one process' "$two $(find "$dir" -name '*.cpr' | wc -l)" '2 2'
rm -f "$dir"/*

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null &&
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		test -x "$O/bin/probe-open"; then
	as_nobody() {
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	}
	# Another's folder only if it is as /tmp is.
	chmod 777 "$dir"
	! got=$(as_nobody probe-open) || fail "another's: $got"
	equal "another's" "$got" "off: $dir: belongs to another user"
	chmod 1777 "$dir"
	file=$(as_nobody probe-open) || fail "shared: $file"
	equal 'mode of the file' "$(stat -c '%a %u' "$file")" '600 65534'
	chown 65534 "$dir"
	folder "another's that is shared" "$dir"
	chmod 755 "$dir"
	off "another's for root" 'belongs to another user'
	chown 0 "$dir"
	rm -f "$dir"/*
	mkdir -m 500 "$tmp/unwritable"
	chown 65534 "$tmp/unwritable"
	! got=$(CUPTI_PROBE_DIR=$tmp/unwritable as_nobody probe-open) ||
		fail "unwritable: $got"
	equal unwritable "$got" "off: $tmp/unwritable: Permission denied"
else
	untested="$untested other-users"
fi

# The system's folder, in a name space of our own.
cat >"$tmp/system.sh" <<'END'
set -eu
mount -t tmpfs none /var/lib
mkdir /var/lib/cupti-probe
mkdir -p "$tmp/system"
chmod "$1" "$tmp/system"
mount --bind "$tmp/system" /var/lib/cupti-probe
[ $# -eq 1 ] || mount -o "remount,bind,$2" /var/lib/cupti-probe
exec probe-open
END
system() { env tmp="$tmp" unshare -m sh "$tmp/system.sh" "$@" 2>&1; }
unset CUPTI_PROBE_DIR
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	file=$(system 1777)
	equal 'the system folder' "${file%/*}" /var/lib/cupti-probe
	file=$(system 755)
	equal 'not shared' "${file%/*}" "$HOME/.local/state/cupti-probe"
	file=$(system 1777 ro)
	equal 'read-only' "${file%/*}" "$HOME/.local/state/cupti-probe"
else
	untested="$untested system-folder"
fi
[ -z "$untested" ] || echo "not tried:$untested"
