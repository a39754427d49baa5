#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# allocctl set --apply that is killed before any of its calls that change
# something: the old or the new file is there, whole.
. tests/support.sh
command -v allocctl >/dev/null || skip 'no allocctl'
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip 'no compiler'
s=max_split_size_mb:128
cat >"$tmp/kill.c" <<'END'
/* Before call number KILL_BEFORE the process ends; half of a write is done.
 * One that ends by itself leaves their number in the file KILL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

static int due(void)
{
	const char *when = getenv("KILL_BEFORE");

	return when && ++calls == atol(when);
}

__attribute__((destructor)) static void tell(void)
{
	const char *name = getenv("KILL_COUNT");
	long count = calls;
	FILE *file = name ? fopen(name, "w") : NULL;

	if (file) {
		fprintf(file, "%ld\n", count);
		fclose(file);
	}
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size)
{
	if (due()) {
		NEXT(write)(fd, data, size / 2);
		raise(SIGKILL);
	}
	return NEXT(write)(fd, data, size);
}

#define WRAP(type, name, declared, passed) \
	type name declared \
	{ \
		if (due()) \
			raise(SIGKILL); \
		return NEXT(name) passed; \
	}
WRAP(int, fsync, (int fd), (fd))
WRAP(int, close, (int fd), (fd))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
WRAP(int, rename, (const char *a, const char *b), (a, b))

static int opened(int fd, const char *path, int flags, mode_t mode)
{
	if (due())
		raise(SIGKILL);
	return NEXT(openat)(fd, path, flags, mode);
}

int openat(int fd, const char *path, int flags, ...)
{
	return opened(fd, path, flags, 0600);
}
END
"$cc" -shared -fPIC -o "$tmp/kill.so" "$tmp/kill.c" -ldl 2>"$tmp/err" ||
	skip "no shared objects here: $(head -n 1 "$tmp/err")"
mkdir "$tmp/folder"
seq 20000 >"$tmp/old"
f=$tmp/folder/rc
cp "$tmp/old" "$f"
allocctl set $s --shell bash --file "$f" --apply >/dev/null
cp "$f" "$tmp/new"

# ASan wants to be loaded first, which does not matter here.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS

apply() {	# apply ARGUMENTS: killed before call number $n
	LD_PRELOAD=$tmp/kill.so KILL_BEFORE=$n KILL_COUNT=$tmp/count \
		allocctl set "$@" --shell bash --file "$f" >/dev/null \
		2>"$tmp/err"
}
n=0
apply $s --apply || fail "it does not run: $(cat "$tmp/err")"
n=1
if apply $s --apply; then
	skip 'calls cannot be caught here'
fi

each() {	# each BEFORE AFTER ARGUMENTS
	before=$1 after=$2
	shift 2
	n=0 ended=
	cp "$before" "$f"
	[ "$before" = "$tmp/old" ] || cp "$tmp/old" "$f.allocctl-backup"
	apply "$@" || fail "$*: $(cat "$tmp/err")"
	read -r calls <"$tmp/count"
	while [ -z "$ended" ]; do
		n=$((n + 1))
		cp "$before" "$f"
		rm -f "$f.allocctl-backup"
		[ "$before" = "$tmp/old" ] ||
			cp "$tmp/old" "$f.allocctl-backup"
		if apply "$@"; then
			ended=1
		fi
		if cmp -s "$f" "$before"; then
			olds=$((olds + 1))
		elif cmp -s "$f" "$after"; then
			news=$((news + 1))
		else
			fail "call $n left neither the old nor the new file"
		fi
		if [ -e "$f.allocctl-backup" ]; then
			cmp -s "$f.allocctl-backup" "$tmp/old" ||
				fail "call $n left half a copy"
		fi
		[ $n -le "$calls" ] || [ "$ended" ] ||
			fail "it does not end after $calls calls"
	done
}
olds=0 news=0
each "$tmp/old" "$tmp/new" $s --apply
[ $olds -gt 5 ] || fail "killed $olds times before"
[ $news -gt 0 ] || fail "killed $news times after"
each "$tmp/new" "$tmp/old" --undo

# What a killed one left is no hindrance.
cp "$tmp/old" "$f"
echo rubbish >"$f.allocctl-new"
allocctl set $s --shell bash --file "$f" --apply >/dev/null
cmp -s "$f" "$tmp/new" || fail 'hindered by what was left'
[ ! -e "$f.allocctl-new" ] || fail 'what was left stays'
