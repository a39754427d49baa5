// SPDX-License-Identifier: Apache-2.0
/*
 * Starts the reporter.  The program's child, which ends at once, has no signal
 * for its end, so that only __WCLONE finds it; it makes the reporter, which
 * belongs to whoever adopts orphans.  If that is the program itself, the first
 * process of a container, the child stays until the reporter ends.  Both share
 * the program's memory and run on stacks of their own.
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "core/reporter.h"
#include "core/store.h"
#include "core/thread.h"
#include "core/wait.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum {
	STACK = 64 << 10, /* bytes, for each of two processes */
	STEPS_UP = 3, /* folders from the library's to the one with bin */
	FIRST_FD = 3, /* of those that are no standard stream */
	FDS = 65536, /* closed one by one, where that must be */
	SIGNALS = NSIG / 8 /* bytes of the kernel's set of signals */
};

#define WAIT 10000000ull /* ns */

extern char **environ;

/* glibc's clone(): sanitizers replace that name and take any child for that of
 * a fork(). */
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument,
		   ...);

static struct {
	bool ready; /* there is a program to start */
	bool starting; /* by one thread at a time */
	bool adopts; /* orphans come to this process: so it was last time */
	uint32_t started; /* reports so far, a bell */
	uint64_t last; /* time of the last one */
	uint64_t due; /* time of the next one; 0: none */
	uint64_t ooms; /* la_probe_header.ooms at the last one */
	pid_t child; /* that stays; 0: none */
	char program[PATH_MAX];
	char file[PATH_MAX]; /* of the store, whatever folder is current */
	char *arguments[5];
	char **environment; /* copied at the start */
	char *stack; /* two of STACK */
} reporter;

/* Variables that would load the probe into the reporter. */
static bool is_ours(const char *variable)
{
	return !strncmp(variable, "LD_PRELOAD=", 11) ||
	       !strncmp(variable, "CUDA_INJECTION64_PATH=", 22) ||
	       !strncmp(variable, "CUPTI_PROBE=", 12);
}

static void *room(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The environment as it is now: later the program may be changing it. */
static bool copy_environment(void)
{
	static char off[] = "CUPTI_PROBE=off";
	size_t count = 2, bytes = 0, size, n = 0;
	char **v, *text;

	for (v = environ; v && *v; v++) {
		count++;
		bytes += strlen(*v) + 1;
	}
	reporter.environment = room(count * sizeof(*v) + bytes);
	if (!reporter.environment)
		return false;
	text = (char *)(reporter.environment + count);
	reporter.environment[n++] = off;
	for (v = environ; v && *v && n < count - 1; v++) {
		size = strlen(*v) + 1;
		if (is_ours(*v) || size > bytes)
			continue;
		memcpy(text, *v, size);
		reporter.environment[n++] = text;
		text += size;
		bytes -= size;
	}
	reporter.environment[n] = NULL;
	return true;
}

/* The program in the bin beside the library's lib, which may be a folder or
 * two below it. */
static bool find_beside(char path[PATH_MAX])
{
	char folder[PATH_MAX];
	Dl_info info;
	char *slash;
	int up;

	if (!dladdr(&reporter, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, folder))
		return false;
	for (up = 0; up <= STEPS_UP; up++) {
		slash = strrchr(folder, '/');
		if (!slash)
			return false;
		*slash = '\0';
		if (up && snprintf(path, PATH_MAX, "%s/bin/cupti-probe",
				   folder) < PATH_MAX &&
		    !access(path, X_OK))
			return true;
	}
	return false;
}

static bool find_program(const char *named)
{
	static const char installed[] = "/usr/bin/cupti-probe";

	if (named)
		return realpath(named, reporter.program);
	if (find_beside(reporter.program))
		return true;
	memcpy(reporter.program, installed, sizeof(installed));
	return !access(installed, X_OK);
}

static void keep_arguments(void)
{
	static char name[] = "cupti-probe", report[] = "report",
		    write[] = "--write";

	reporter.arguments[0] = name;
	reporter.arguments[1] = report;
	reporter.arguments[2] = write;
	reporter.arguments[3] = store.path;
	if (realpath(store.path, reporter.file))
		reporter.arguments[3] = reporter.file;
}

void reporter_init(const struct config *config)
{
	const char *named = config->reporter;

	if (named && !strcmp(named, "off"))
		return;
	if (!find_program(named)) {
		probe_note("no cupti-probe was found: no report is written");
		return;
	}
	keep_arguments();
	reporter.stack = room(2 * STACK);
	reporter.ready = reporter.stack && copy_environment();
}

/*
 * The two processes share a thread's TLS, which may be in use meanwhile: they
 * call the kernel alone, and sanitizers keep out.
 */
#define BARE __attribute__((no_sanitize("address", "thread", "undefined")))

/* Streams that say nothing in place of the program's. */
BARE static bool leave_streams(void)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0), i;

	for (i = 0; i < FIRST_FD; i++)
		if (fd < 0 || (fd != i && syscall(SYS_dup3, fd, i, 0) < 0))
			return false;
	return true;
}

/* Nothing of the program's goes with it. */
BARE static void detach(void)
{
	static const uint64_t none[8]; /* no handler, no flags, no signals */
	long fd, i;

	(void)syscall(SYS_setsid);
	for (i = 1; i < NSIG; i++)
		(void)syscall(SYS_rt_sigaction, i, none, NULL, SIGNALS);
	if (syscall(SYS_close_range, FIRST_FD, ~0u, 0))
		for (fd = FIRST_FD; fd < FDS; fd++)
			(void)syscall(SYS_close, fd);
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, SIGNALS);
}

BARE static int run_reporter(void *unused)
{
	(void)unused;
	if (!leave_streams())
		return 127;
	detach();
	(void)syscall(SYS_execve, reporter.program, reporter.arguments,
		      reporter.environment);
	return 127;
}

BARE static int run_child(void *unused)
{
	int pid = __clone(run_reporter, reporter.stack + 2 * STACK,
			  CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	(void)unused;
	if (reporter.adopts && pid > 0) {
		(void)syscall(SYS_close_range, 0, ~0u, 0);
		while (syscall(SYS_wait4, pid, NULL, 0, NULL) < 0 &&
		       errno == EINTR)
			;
	}
	return 0;
}

/* No signal at the child's end: a plain wait() does not see it.  Signals stay
 * blocked, for its handlers would run in the program's memory. */
static void start(uint64_t now)
{
	sigset_t all, before;
	int subreaper = 0;
	pid_t pid;

	(void)prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	reporter.adopts = subreaper || getpid() == 1;
	reporter.last = now;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = __clone(run_child, reporter.stack + STACK,
		      CLONE_VM | (reporter.adopts ? 0 : CLONE_VFORK), NULL);
	if (pid > 0 && reporter.adopts)
		reporter.child = pid;
	else if (pid > 0)
		(void)waitpid(pid, NULL, __WCLONE);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static uint64_t get(const uint64_t *where)
{
	return __atomic_load_n(where, __ATOMIC_ACQUIRE);
}

void reporter_want(uint64_t time)
{
	uint64_t due = get(&reporter.due);

	if (!reporter.ready)
		return;
	while ((!due || time < due) &&
	       !__atomic_compare_exchange_n(&reporter.due, &due, time, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	thread_wake();
}

/* Is the earlier child gone, so that its stack is free? */
static bool is_free(void)
{
	if (reporter.child &&
	    waitpid(reporter.child, NULL, __WCLONE | WNOHANG) != 0)
		reporter.child = 0;
	return !reporter.child;
}

static bool may_start(uint64_t now)
{
	uint32_t started = __atomic_load_n(&reporter.started, __ATOMIC_RELAXED);

	return started < REPORTS &&
	       (!started || now - reporter.last >= REPORT_PAUSE);
}

static void start_if_due(uint64_t now)
{
	uint64_t due = get(&reporter.due);
	uint64_t ooms = get(&store.header->ooms);

	if (!due || (int64_t)(now - due) < 0 || !may_start(now))
		return;
	__atomic_store_n(&reporter.due, 0, __ATOMIC_RELAXED);
	if (ooms == reporter.ooms)
		return; /* what was confirmed turned out to be a retry */
	reporter.ooms = ooms;
	start(now);
	wait_ring(&reporter.started);
}

void reporter_run(uint64_t now)
{
	if (!reporter.ready ||
	    __atomic_exchange_n(&reporter.starting, true, __ATOMIC_ACQUIRE))
		return;
	if (is_free())
		start_if_due(now);
	__atomic_store_n(&reporter.starting, false, __ATOMIC_RELEASE);
}

void reporter_wait(void)
{
	uint64_t now = store_now(), until = now + WAIT;

	while (reporter.ready && now < until &&
	       !__atomic_load_n(&reporter.started, __ATOMIC_ACQUIRE)) {
		wait_for(&reporter.started, 0, until - now);
		now = store_now();
	}
}

void reporter_end(void)
{
	uint64_t now = store_now();

	if (get(&reporter.due))
		__atomic_store_n(&reporter.due, now, __ATOMIC_RELAXED);
	reporter_run(now);
}
