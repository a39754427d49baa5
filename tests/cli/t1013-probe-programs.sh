#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that have nothing to do with CUDA are the same with the library in
# them, by output and status, and record nothing.
. tests/support.sh
. tests/probe.sh
[ -z "$runtime" ] || skip 'programs of others have no sanitizer'
CUPTI_PROBE_DIR=$tmp/files
export CUPTI_PROBE_DIR
mkdir "$CUPTI_PROBE_DIR"
libraries="$library $O/lib/libcupti-probe.so"

inert() {	# inert PROGRAM...: with the core of the tests, and with its own
	plain "$@"
	for library in $libraries; do
		watched preload "$@"
		same "$*"
		[ ! -s "$tmp/log" ] || fail "$*: $(cat "$tmp/log")"
		[ -z "$(ls "$CUPTI_PROBE_DIR")" ] || fail "$* is recorded"
	done
}

# shellcheck disable=SC2016 # for the other shell
inert sh -c 'for i in 1 2 3; do echo $i | cat; done; (exit 7); echo $?; exit 3'
inert sh -c 'kill -9 $$'
cat >"$tmp/hello.c" <<'END'
#include <stdio.h>
int main(void) { return puts("hello") < 0; }
END
inert ${CC:-cc} -O2 -o "$tmp/hello" "$tmp/hello.c"
inert "$tmp/hello"
if ${CC:-cc} -static -o "$tmp/static" "$tmp/hello.c" 2>"$tmp/err"; then
	inert "$tmp/static"
fi
# A runtime that looks for symbols before it stands in front of libc.
if ${CC:-cc} -fsanitize=thread -o "$tmp/thread" "$tmp/hello.c" 2>"$tmp/err"; then
	inert "$tmp/thread"
fi
inert ls -l /dev/null /nowhere
inert make -s -f /dev/null --version

# What is asked of dlsym(): found, not found, and a name of CUDA's where there
# is no CUDA.
cat >"$tmp/ask.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void ask(void *handle, const char *name)
{
	void *found = dlsym(handle, name);
	const char *error = dlerror();

	printf("%s %d %d\n", name, found != NULL, error != NULL);
	if (error && !strstr(error, name))
		puts(error);
}

void *malloc_of_libc;
int printf_is(void) { return 0; }

int main(void)
{
	errno = 77;
	ask(RTLD_DEFAULT, "printf");
	ask(RTLD_NEXT, "printf");
	ask(RTLD_NEXT, "main");
	ask(RTLD_DEFAULT, "cuMemAlloc_v2");
	ask(RTLD_NEXT, "cuMemAlloc_v2");
	ask(dlopen(NULL, RTLD_NOW), "cuMemAlloc_v2");
	ask(RTLD_DEFAULT, "cuGetProcAddress");
	ask(RTLD_DEFAULT, "cu");
	ask(RTLD_DEFAULT, "");
	ask(dlopen("libm.so.6", RTLD_NOW), "cuMemFree_v2");
	ask(dlopen("libm.so.6", RTLD_NOW), "cos");
	printf("%d\n", dlvsym(RTLD_DEFAULT, "cuMemFree_v2", "ONE") != NULL);
	printf("%d %d\n", dlvsym(RTLD_NEXT, "puts", "GLIBC_2.2.5") != NULL ||
	       dlvsym(RTLD_NEXT, "puts", "GLIBC_2.17") != NULL, errno);
	return 5;
}
END
${CC:-cc} -rdynamic -w -o "$tmp/ask" "$tmp/ask.c" -ldl
inert "$tmp/ask"

# A program that is linked with what is not there is told so.
cat >"$tmp/weak.c" <<'END'
#include <stdio.h>
__attribute__((weak)) int cuMemFree_v2(unsigned long long addr);
int main(void)
{
	printf("%d\n", cuMemFree_v2 ? cuMemFree_v2(1) : -1);
	return 0;
}
END
${CC:-cc} -fPIC -o "$tmp/weak" "$tmp/weak.c"
watched preload "$tmp/weak"
equal 'no driver' "$(head -n 1 "$tmp/watched")" 3

if command -v python3 >/dev/null; then
	inert python3 -c 'import ctypes, json, subprocess, threading
lib = ctypes.CDLL(None)
print(lib.getpid() > 0, hasattr(lib, "cuMemAlloc_v2"), json.dumps([1]))
t = threading.Thread(target=lambda: print("thread"))
t.start(); t.join()
print(subprocess.run(["sh", "-c", "exit 4"]).returncode)
raise SystemExit(9)'
fi
if command -v node >/dev/null; then
	inert node -e 'console.log(process.argv.length); process.exit(6)'
fi
