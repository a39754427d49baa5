#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# metrics --output of both commands, as root's timers run it, in folders of
# others: no link, pipe or half a file is in its way.
. tests/support.sh
for command in allocctl cupti-probe; do
	command -v $command >/dev/null || skip "no $command"
done
command -v timeout >/dev/null || skip 'no timeout'
[ ! -e /etc/liballoc/policy.yaml ] || skip 'the site has a policy'
mkdir "$tmp/recordings" "$tmp/f"
f=$tmp/f/x.prom
LSAN_OPTIONS=detect_leaks=0 # of programs that are traced
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export LSAN_OPTIONS ASAN_OPTIONS

metrics() {	# metrics COMMAND FILE
	if [ "$1" = allocctl ]; then
		set -- "$1" metrics --output "$2"
	else
		set -- "$1" metrics "$tmp/recordings" -o "$2"
	fi
	timeout 20 "$@"
}

writes() {	# writes FILE: it is there, whole
	status=0
	metrics $command "$1" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "$command: status for $1: $(cat "$tmp/err")" "$status" 0
}

refuses() {	# refuses FILE WORDS
	status=0
	metrics $command "$1" >"$tmp/out" 2>"$tmp/err" || status=$?
	equal "$command: status for $1" "$status" 3
	grep -q "^$command: cannot write '$1': $2" "$tmp/err" ||
		fail "$command: '$2' is not in $(cat "$tmp/err")"
	equal "$command: lines" "$(wc -l <"$tmp/err")" 1
}

whole() {	# whole FILE
	head -n 1 "$1" | grep -q '^# HELP ' &&
		[ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] &&
		[ "$(grep -c '^# HELP ' "$1")" = "$families" ] ||
		fail "$command: $1 is not whole: $(cat "$1")"
}

alone() {	# the folder holds that file and no other
	equal "$command: the folder" "$(ls -A "$tmp/f")" "$1"
}

again() {	# with an empty folder
	rm -rf "$tmp/f"
	mkdir "$tmp/f"
}

count() {
	writes -
	families=$(grep -c '^# HELP ' "$tmp/out")
	[ "$families" -gt 4 ] || fail "$command: $families families"
}

each() {
	again
	count

	# Links of one's own, to a file, to none, and of folders.
	echo old >"$tmp/f/real"
	ln -s real "$f"
	writes "$f"
	[ -h "$f" ] || fail "$command: the link is gone"
	whole "$tmp/f/real"
	rm "$tmp/f/real"
	writes "$f"
	whole "$tmp/f/real"
	ln -s "$tmp/f" "$tmp/f/loop"
	writes "$tmp/f/loop/./loop/../f/x.prom"
	ln -sf x.prom "$f"
	refuses "$f" 'Too many'
	again
	(cd "$tmp/f" && writes x.prom && whole x.prom) || exit 1
	again
	long=$(head -c 255 /dev/zero | tr '\0' x)
	writes "$tmp/f/$long"
	writes "$tmp/f/$long"
	alone "$long"
	again
	refuses "$tmp/f/" 'Is a directory'
	refuses "$tmp/f/none/x" 'No such file'
	again

	# What is no file: standard output as a pipe, a file to append to, and
	# one that is gone; a pipe of the shell; devices.
	metrics $command /dev/stdout | cat >"$f"
	whole "$f"
	echo first >"$f"
	metrics $command /dev/stdout >>"$f"
	equal "$command: appended" "$(head -n 1 "$f")" first
	equal "$command: behind it" "$(grep -c '^# HELP ' "$f")" "$families"
	(rm "$f"; metrics $command /dev/stdout) >"$f" || fail "$command: gone"
	metrics $command /dev/fd/5 5>&1 >/dev/null | cat >"$f"
	whole "$f"
	again
	writes /dev/null
	[ -c /dev/null ] || fail "$command: /dev/null is replaced"
	[ ! -w /dev/full ] || refuses /dev/full 'No space left'
	mkfifo "$f"
	(sleep 1; cat "$f") >"$tmp/read" &
	writes "$f"
	wait $!
	[ -p "$f" ] || fail "$command: the pipe is replaced"
	whole "$tmp/read"
	refuses "$f" 'No such device'	# no reader

	# Several at once.
	again
	pids=
	for n in 1 2 3 4; do
		metrics $command "$f" &
		pids="$pids $!"
	done
	for n in $pids; do
		wait "$n" || fail "$command: a writer"
	done
	whole "$f"
	alone x.prom
}

# Killed before each of its calls, what is there is whole; what that leaves, a
# later one takes away.  The other command reads all processes, in many calls.
killed() {
	n=1 olds=0 news=0
	while again && echo old >"$f" && kill-at-call $n cupti-probe metrics \
		"$tmp/recordings" -o "$f" 2>"$tmp/err"; do
		if [ "$(cat "$f")" = old ]; then
			olds=$((olds + 1))
		else
			whole "$f"
			news=$((news + 1))
		fi
		[ "$(ls -A "$tmp/f" | wc -l)" -le 2 ] ||
			fail "call $n leaves $(ls -A "$tmp/f")"
		n=$((n + 1))
	done
	[ $n != 1 ] || return 0 # programs cannot be traced here
	[ $olds -gt 20 ] && [ $news -gt 1 ] ||
		fail "killed $olds times before, $news after"
	for name in .x.prom.1-2.new .x.prom.old.new; do
		: >"$tmp/f/$name"
	done
	touch -d '2 hours ago' "$tmp/f"/.x.prom.*.new
	: >"$tmp/f/.x.prom.3-4.new"
	writes "$f"
	whole "$f"
	alone '.x.prom.3-4.new
.x.prom.old.new
x.prom'
}

# In a folder of another user, who plants what he likes.
others() {
	again
	chown 1 "$tmp/f"
	echo mine >"$tmp/mine"
	as() { setpriv --reuid=1 --clear-groups "$@"; }
	writes "$f"
	whole "$f"
	alone x.prom
	rm "$f"
	for target in "$tmp/mine" "$tmp/none" /dev/full; do
		as ln -sf "$target" "$f"
		refuses "$f" 'Operation not permitted'
	done
	as ln -sfn "$tmp" "$tmp/f/folder"
	refuses "$tmp/f/folder/mine" 'Operation not permitted'
	ln -sf "$tmp/f/x.prom" "$tmp/own"
	refuses "$tmp/own" 'Operation not permitted'
	equal 'behind links' "$(cat "$tmp/mine")" mine
	[ ! -e "$tmp/none" ] || fail "$command: a file behind a link"
	as rm "$f"
	as mkfifo "$f"
	refuses "$f" 'Operation not permitted'
	as sleep 20 <>"$f" &
	refuses "$f" 'Operation not permitted'
	kill $!
	as rm "$f"
	ln "$tmp/mine" "$f"
	writes "$f"
	whole "$f"
	equal 'behind a hard link' "$(cat "$tmp/mine")" mine
	equal 'owner' "$(stat -c %u "$f")" "$(id -u)"
}

command=cupti-probe
each
killed
if [ "$(id -u)" = 0 ] && setpriv --reuid=1 --clear-groups true 2>/dev/null; then
	chmod 755 "$tmp"
	others
	command=allocctl
	count
	others
fi

# Disks that are full keep the old file.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || exit 0
cat >"$tmp/full" <<'END'
mount -t tmpfs -o size=40k none "$1" || exit 77
echo old >"$1/x.prom"
head -c 1M /dev/zero >"$1/fill" 2>/dev/null
allocctl metrics --output "$1/x.prom" && exit 1
cupti-probe metrics "$2" -o "$1/x.prom" && exit 1
[ "$(cat "$1/x.prom")" = old ] && [ "$(ls -A "$1" | xargs)" = 'fill x.prom' ]
END
status=0
unshare -m sh "$tmp/full" "$tmp/f" "$tmp/recordings" >"$tmp/err" 2>&1 ||
	status=$?
[ $status = 77 ] || equal "a full disk: $(cat "$tmp/err")" "$status" 0
