#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The moment in which a process begins to record: its thread is cancelled, a
# handler calls the driver, another thread forks.  And a child that was made
# without libc's knowledge has no part in the recording.
. tests/support.sh
. tests/probe.sh
[ -z "$runtime" ] || skip 'programs of others have no sanitizer'
library=$O/lib/libcupti-probe.so
[ -e "$library" ] || skip 'no libcupti-probe.so'
CUPTI_PROBE_DIR=$tmp/files CUPTI_PROBE_REPORT=off CUPTI_PROBE_SIZE=4M
export CUPTI_PROBE_DIR CUPTI_PROBE_REPORT CUPTI_PROBE_SIZE
mkdir "$tmp/files"

# Who has the lock of the folder makes the beginning last 200 ms.
cat >"$tmp/begin.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*init)(unsigned int), (*retain)(void **, int);
static int (*set)(void *), (*alloc)(unsigned long long *, size_t);

static void load(void)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);

	*(void **)&init = dlsym(cuda, "cuInit");
	*(void **)&retain = dlsym(cuda, "cuDevicePrimaryCtxRetain");
	*(void **)&set = dlsym(cuda, "cuCtxSetCurrent");
	*(void **)&alloc = dlsym(cuda, "cuMemAlloc_v2");
}

static void take(int n)
{
	unsigned long long addr;
	void *context;

	if (init(0) || retain(&context, 0) || set(context))
		abort();
	while (n--)
		if (alloc(&addr, 1 << 20))
			abort();
}

static void *first(void *unused)
{
	take(1);
	return unused;
}

static void *cancelled(void *unused)
{
	pthread_cancel(pthread_self());
	return first(unused);
}

static void handle(int number)
{
	(void)number;
	take(1);
}

static void child(long pid)
{
	int status;

	if (pid == 0) {
		take(3);
		exit(5);
	}
	waitpid(pid, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	struct itimerval soon = { .it_value.tv_usec = 50000 };
	const char *what = argv[1];
	pthread_t thread;

	alarm(20);
	load();
	flock(open(getenv("CUPTI_PROBE_DIR"), O_RDONLY), LOCK_EX);
	if (!strcmp(what, "cancel")) {
		pthread_create(&thread, NULL, cancelled, NULL);
		pthread_join(thread, NULL);
	} else if (!strcmp(what, "signal")) {
		signal(SIGALRM, handle);
		setitimer(ITIMER_REAL, &soon, NULL);
	} else if (!strcmp(what, "fork")) {
		pthread_create(&thread, NULL, first, NULL);
		usleep(50000);
		child(fork());
		pthread_join(thread, NULL);
	} else {
		take(1);
#ifdef SYS_fork
		child(syscall(SYS_fork));
#endif
	}
	take(2);
	printf("%s is done\n", what);
	fflush(stdout);
	return raise(SIGKILL);
}
END
${CC:-cc} -o "$tmp/begin" "$tmp/begin.c" -ldl -lpthread

fork='fork bare'
# A new process by the system call itself, where there is that one.
[ "$(uname -m)" = x86_64 ] || fork=fork
for what in cancel signal $fork; do
	plain "$tmp/begin" $what
	for front in $fronts; do
		rm -f "$tmp"/files/*
		watched "$front" "$tmp/begin" $what
		same "$front, $what"
		equal "$front, $what: files" "$(find "$tmp/files" -name '*.cpr' |
			wc -l)" 1
		"$O/bin/cupti-probe" stat "$tmp"/files/*.cpr >"$tmp/stat" ||
			fail "$front, $what: cannot be read"
		! grep -q ' clean ' "$tmp/stat" || fail "$front, $what: ended"
	done
done
# Of the last one, 3 blocks and two times a context: none of the child's.
case $fork in
*bare) equal 'calls of a bare child' "$(sed -n 's/.*  \([0-9]*\) calls.*/\1/p
	' "$tmp/stat")" 5 ;;
esac
