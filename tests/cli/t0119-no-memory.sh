#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands of which any one request for memory fails: the same answer, or
# status 3, one line that says so, and no file.
. tests/support.sh
[ "$(uname)" = Linux ] || skip 'no LD_PRELOAD'
[ -z "${SANITIZE:-}" ] || skip 'the sanitizers have their own malloc'
cat >"$tmp/failing.c" <<'END_OF_C'
#include <errno.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static int fails(void)
{
	static long left = -1;

	if (left < 0)
		left = atol(getenv("FAIL_AT"));
	if (!left || --left)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
END_OF_C
${CC:-cc} -shared -fPIC -o "$tmp/failing.so" "$tmp/failing.c" 2>"$tmp/err" ||
	skip 'no compiler of shared objects for glibc'

once() {	# once NUMBER COMMAND...: into $tmp/out, $tmp/err and $status
	at=$1 status=0
	shift
	rm -f "$tmp/page.html"
	FAIL_AT=$at LD_PRELOAD=$tmp/failing.so "$@" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
}

sweep() {	# sweep STEP COMMAND...: until 20 in a row change nothing
	step=$1 number=1 same=0
	shift
	once 0 "$@"
	cp "$tmp/out" "$tmp/wanted"
	usual=$status
	[ ! -f "$tmp/page.html" ] || cp "$tmp/page.html" "$tmp/wanted.html"
	while [ $same -lt 20 ]; do
		once $number "$@"
		if [ $status = 3 ]; then
			same=0
			equal "lines, $number of $*" "$(wc -l <"$tmp/err")" 1
			grep -q 'out of memory\|Cannot allocate memory' \
				"$tmp/err" ||
				fail "$number of $*: $(cat "$tmp/err")"
			[ ! -e "$tmp/page.html" ] || fail "$number of $*: a file"
		else
			same=$((same + 1))
			equal "status, $number of $*" $status "$usual"
			cmp "$tmp/out" "$tmp/wanted" || fail "$number of $*"
			[ ! -f "$tmp/page.html" ] ||
				cmp "$tmp/page.html" "$tmp/wanted.html" ||
				fail "$number of $*: another file"
		fi
		number=$((number + step))
	done
}

cp tests/data/two.pickle.xz "$tmp/"
file=$tmp/two.pickle.xz
sweep 1 allocctl check max_split_size_mb:128,foo:1
sweep 1 allocctl check --format json expandable_segments:true
sweep 17 allocctl replay "$file"
sweep 17 allocctl triage "$file"
sweep 17 allocctl report --no-tune --format svg --plot map \
	-o "$tmp/page.html" "$file"
sweep 397 allocctl report -o - "$file"
sweep 101 allocctl tune --jobs 1 "$file"
