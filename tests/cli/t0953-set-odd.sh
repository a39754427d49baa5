#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl set --apply and --undo where something is odd: homes, other writers,
# texts in which a line does not act, file systems that refuse.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
HOME=$tmp/home
export HOME
unset ENV BASH_ENV ZDOTDIR XDG_CONFIG_HOME PYTORCH_CUDA_ALLOC_CONF
mkdir "$HOME"
s=max_split_size_mb:128
f=$tmp/rc

run() {	# run WANTED-STATUS ARGUMENTS: $tmp/out, $tmp/err
	want=$1
	shift
	status=0
	allocctl set "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	[ "$status" = "$want" ] || cat "$tmp/err" >&2
	equal "status of set $*" "$status" "$want"
}

said() {	# said WHAT REASON
	grep -q -F -e "$2" "$tmp/err" || fail "$1: $(cat "$tmp/err")"
}

kept() {	# kept WHAT FILE REASON ARGUMENTS: status in $want; all stays
	what=$1 file=$2 reason=$3
	shift 3
	cp "$file" "$tmp/before"
	run "$want" "$@" --shell bash --file "$file"
	said "$what" "$reason"
	cmp -s "$file" "$tmp/before" || fail "$what: the file is another"
	for part in allocctl-new allocctl-backup; do
		[ ! -e "$file.$part" ] || fail "$what: .$part stays"
	done
}

# Undone where nothing is.
run 0 --undo --shell fish
[ ! -e "$HOME/.config" ] || fail 'undo makes folders'
grep -q 'nothing to change' "$tmp/out" || fail "undo: $(cat "$tmp/out")"

# Homes.
for home in "$tmp/none" home ''; do
	HOME=$home run 3 $s --shell bash --apply
	said "HOME=$home" "HOME, '$home', is not a folder"
	[ ! -e "$tmp/none" ] || fail 'a home is made'
done
(unset HOME; run 3 $s --shell bash --apply)
odd="$tmp/a 'b
c"
mkdir "$odd"
HOME=$odd run 0 $s --shell bash --apply
undo=$(sed -n '/^undo: */,/^in torch/p' "$tmp/out" | sed 's/^undo: *//;$d')
eval "$undo" >/dev/null
[ ! -e "$odd/.bashrc" ] || fail "not undone: $undo"
printf 'a=1\n' >"$f"
run 0 x --variable OTHER --shell bash --file "$f" --apply
undo=$(sed -n 's/^undo: *//p' "$tmp/out")
eval "$undo" >/dev/null
equal 'another variable undone' "$(cat "$f")" a=1

# Where the line would not act.
want=1
inert() {	# inert REASON TEXT
	printf "$2" >"$f"
	kept "$2" "$f" "$1" $s --apply
}
inert 'no line of its own' 'cat <<EOF\nfoo\n'
inert 'the line would not act' 'a="x\n'
inert 'the line would not act' 'if true; then\n'
inert 'the line would not act' 'x=1\\\n'
inert 'the shell ends before this line' 'exec fish\n'
run 0 $s --shell bash --file "$f" --apply --force
printf 'a=1\nreturn 0\n' >"$f"
rm -f "$f.allocctl-backup"
run 0 $s --shell bash --file "$f" --apply
equal 'before return' "$(sed -n '5p' "$f")" 'return 0'
rm -f "$f.allocctl-backup"
printf '\357\273\277@ECHO OFF\r\nfoo\r\n' >"$tmp/f.bat"
cp "$tmp/f.bat" "$tmp/before"
run 0 $s --file "$tmp/f.bat" --apply
equal 'behind echo off' "$(sed -n 3p "$tmp/f.bat" | tr -d '\r')" \
	"set \"PYTORCH_CUDA_ALLOC_CONF=$s\""
run 0 --undo --file "$tmp/f.bat"
cmp -s "$tmp/f.bat" "$tmp/before" || fail 'a batch file with a byte order mark'

# What was edited between the marks is nobody's to drop.
printf 'a=1\n' >"$f"
run 0 $s --shell bash --file "$f" --apply
rm "$f.allocctl-backup"
sed -i 's/^export.*/&\nmine=1/' "$f"
want=3
kept 'a line of the user' "$f" 'was edited' --undo
kept 'a line of the user' "$f" 'was edited' $s --apply
run 0 --undo --shell bash --file "$f" --force
equal 'undone by force' "$(cat "$f")" a=1
want=3
kept 'marks in a value' "$f" 'holds marks' --apply --variable V "x
# <<< allocctl set V <<<
y"

# What is no file, or leads to none.
ln -s loop "$tmp/loop"
run 3 $s --shell bash --file "$tmp/loop" --apply
mkfifo "$tmp/fifo"
for odd in "$tmp/fifo" /dev/full /dev/null; do
	run 3 $s --shell bash --file "$odd" --apply
	said "$odd" 'it is not a file'
done

# A file that all users read, whatever the umask.
if [ "$(id -u)" = 0 ]; then
	(umask 077; run 0 $s --shell bash --persist system --apply \
		--file "$tmp/system/x.sh")
	equal 'mode for all' "$(stat -c %a "$tmp/system" "$tmp/system/x.sh" |
		tr '\n' ' ')" '755 644 '
fi
(umask 077; run 0 $s --shell bash --apply --file "$tmp/own")
equal 'mode of an own file' "$(stat -c %a "$tmp/own")" 600

# Lists of access that the folder would add.
if command -v setfacl >/dev/null && mkdir "$tmp/acl" &&
	setfacl -d -m u:1:rw "$tmp/acl" 2>/dev/null; then
	echo a=1 >"$tmp/acl/f"
	setfacl -b "$tmp/acl/f"
	run 0 $s --shell bash --file "$tmp/acl/f" --apply
	! getfacl -c "$tmp/acl/f" 2>/dev/null | grep -q '^user:[^:]' ||
		fail 'the folder gave it a list of access'
fi

# Another program writes it meanwhile, or holds the folder.
cc=${CC:-cc}
cat >"$tmp/other.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int fsync(int fd)
{
	FILE *file = fopen(getenv("WRITE_TO"), "a");

	fputs("b=2\n", file);
	fclose(file);
	return ((__typeof__(&fsync))dlsym(RTLD_NEXT, "fsync"))(fd);
}
END
if "$cc" -shared -fPIC -o "$tmp/other.so" "$tmp/other.c" -ldl 2>/dev/null; then
	echo a=1 >"$f"
	status=0
	WRITE_TO=$f LD_PRELOAD=$tmp/other.so allocctl set $s --shell bash \
		--file "$f" --apply >/dev/null 2>"$tmp/err" || status=$?
	case $(cat "$tmp/err") in *'does not come first'*) status=asan ;; esac
	if [ "$status" != asan ]; then
		equal 'status of a lost race' "$status" 3
		said 'a lost race' 'another program has changed it meanwhile'
		equal 'what the other wrote' "$(tr '\n' ' ' <"$f")" 'a=1 b=2 '
	fi
fi
echo a=1 >"$f"
if command -v flock >/dev/null; then
	flock -o "$tmp" sleep 40 &
	holder=$!
	sleep 0.5
	want=3
	kept 'a locked folder' "$f" 'holds a lock' $s --apply
	kill $holder
fi

# File systems that refuse.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || exit 0
cat >"$tmp/full" <<'END'
mount -t tmpfs -o size=64k none "$1" || exit 77
seq 6000 | head -c 20000 >"$1/rc"
echo >>"$1/rc"
head -c 24k /dev/zero >"$1/fill"
cp "$1/rc" "$2"
allocctl set $3 --shell bash --file "$1/rc" --apply && exit 1
cmp "$1/rc" "$2" && [ "$(ls "$1" | tr '\n' ' ')" = 'fill rc ' ] || exit 1
mount -o remount,ro "$1" || exit 77
allocctl set $3 --shell bash --file "$1/rc" --apply && exit 1
cmp "$1/rc" "$2" && [ "$(ls "$1" | tr '\n' ' ')" = 'fill rc ' ]
END
mkdir "$tmp/disk"
status=0
unshare -m sh "$tmp/full" "$tmp/disk" "$tmp/before" $s >"$tmp/err" 2>&1 ||
	status=$?
[ $status = 77 ] || {
	equal 'a full disk' "$status" 0
	said 'a full disk' 'No space left'
	said 'a disk that is read' 'Read-only file system'
}
echo a=1 >"$f"
chown 1:2 "$f"
chmod 4751 "$f"
run 0 $s --shell bash --file "$f" --apply
equal 'owner' "$(stat -c '%u %g %a' "$f")" '1 2 4751'
rm -f "$f.allocctl-backup"
chown 1 "$HOME"
run 3 $s --shell bash --apply
said 'the home of another' 'belongs to another user (number 1)'
echo a=1 >"$f"
if command -v chattr >/dev/null && chattr +i "$f" 2>/dev/null; then
	want=3
	kept 'immutable' "$f" 'Operation not permitted' $s --apply
	chattr -i "$f"
fi
