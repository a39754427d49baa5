/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core that appends what the front ends tell it to the file that
 * MOCK_CORE_LOG names, a line each: "enter NAME FIRST-PARAMETER", "exit NAME
 * RESULT", ...  Without the variable it is off.  MOCK_CORE_QUIET: count calls
 * instead, and tell at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"

void (*probe_tick)(void);

static int log_file = -1;
static enum la_probe_front front;
static unsigned long entered, exited, blocks;
static bool quiet;
static pid_t owner; /* a forked child has no core */

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
	int error = errno;
	char line[512];
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (write(log_file, line, (size_t)length) != length)
		abort();
	errno = error;
}

static bool is(const char *variable, const char *value)
{
	const char *text = getenv(variable);

	return text && strcmp(text, value) == 0;
}

const struct config *probe_config(void)
{
	static struct config config;

	config.allocator = !is("CUPTI_PROBE_ALLOCATOR", "off");
	config.exclusive = is("CUPTI_PROBE_EXCLUSIVE", "1");
	config.chain = getenv("CUPTI_PROBE_CHAIN");
	return &config;
}

static void *tick(void *unused)
{
	for (;;) {
		void (*now)(void) = __atomic_load_n(&probe_tick,
						    __ATOMIC_ACQUIRE);

		if (now)
			now();
		usleep(10000);
	}
	return unused;
}

static void tell_counts(void)
{
	say("entered %lu exited %lu blocks %lu\n", entered, exited, blocks);
}

bool probe_start(enum la_probe_front wanted)
{
	const char *path = getenv("MOCK_CORE_LOG");
	enum la_probe_front none = LA_PROBE_FRONT_NONE;
	pthread_t thread;

	if (!path || is("CUPTI_PROBE", "off"))
		return false;
	if (!__atomic_compare_exchange_n(&front, &none, wanted, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return front == wanted;
	log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	owner = getpid();
	quiet = getenv("MOCK_CORE_QUIET");
	if (quiet)
		atexit(tell_counts);
	say("start %s\n", wanted == LA_PROBE_FRONT_CUPTI ? "cupti" :
							   "preload");
	return pthread_create(&thread, NULL, tick, NULL) == 0;
}

static const char *const names[] = {
#define NAME(name, id, since) #name,
	PROBE_CALLS(NAME)
};

static __thread int depth;

bool probe_enter(enum probe_entry entry, const void *params)
{
	(void)params;
	if (depth || getpid() != owner)
		return false;
	depth++;
	__atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
	if (!quiet)
		say("enter %s\n", names[entry]);
	return true;
}

/* What is read of the parameters shows that they are the call's. */
static unsigned long long parameter(enum probe_entry entry, const void *params)
{
	switch (entry) {
	case PROBE_cuMemAlloc_v2:
		return ((const struct cuMemAlloc_v2_params *)params)->bytesize;
	case PROBE_cuMemFree_v2:
		return ((const struct cuMemFree_v2_params *)params)->dptr;
	case PROBE_cuMemCreate:
		return ((const struct cuMemCreate_params *)params)->size;
	case PROBE_cuMemMap:
		return ((const struct cuMemMap_params *)params)->size;
	default:
		return 0;
	}
}

void probe_exit(enum probe_entry entry, const void *params, int result)
{
	depth--;
	__atomic_add_fetch(&exited, 1, __ATOMIC_RELAXED);
	if (!quiet)
		say("exit %s %d %llu\n", names[entry], result,
		    parameter(entry, params));
}

void probe_block(const void *addr, int64_t size, uint64_t allocated,
		 uint64_t reserved, unsigned int device)
{
	__atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
	if (!quiet)
		say("block %p %lld %llu %llu %u\n", addr, (long long)size,
		    (unsigned long long)allocated,
		    (unsigned long long)reserved, device);
}

void probe_block_oom(int64_t size, uint64_t allocated, uint64_t reserved,
		     unsigned int device)
{
	say("block oom %lld %llu %llu %u\n", (long long)size,
	    (unsigned long long)allocated, (unsigned long long)reserved,
	    device);
}

static const char *level_name(enum la_probe_level level)
{
	return level == LA_PROBE_DRIVER ? "driver" : "allocator";
}

void probe_view_begin(enum la_probe_level level)
{
	say("view %s\n", level_name(level));
}

void probe_view_end(enum la_probe_level level, const char *why)
{
	say("end %s: %s\n", level_name(level), why ? why : "");
}

void probe_note(const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	say("note %s\n", text);
}

void probe_torch(const char *release)
{
	say("torch %s\n", release);
}

void probe_cupti_version(uint32_t version)
{
	say("version %u\n", version);
}
