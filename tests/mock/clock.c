/* SPDX-License-Identifier: Apache-2.0 */
/* libmock_clock.so, loaded first: a monotonic clock that only calls of the
 * mocks turn. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

enum { NAMES = 32, SLOW_ONE_IN = 5, SLOWER = 10 };

static struct {
	char name[40];
	double us, us_per_mib;
	unsigned int calls;
} cost[NAMES];

static double spent; /* us */

/* The line of a name, read from the variable at its first use; -1: none. */
static int find(const char *name)
{
	const char *at = getenv("MOCK_CUDA_TIMES");
	int length = (int)strlen(name), i;

	for (i = 0; i < NAMES && *cost[i].name; i++)
		if (!strcmp(cost[i].name, name))
			return i;
	while (at && i < NAMES) {
		if (!strncmp(at, name, length) && at[length] == ':') {
			snprintf(cost[i].name, sizeof(cost[i].name), "%s",
				 name);
			sscanf(at + length, ":%lf:%lf", &cost[i].us,
			       &cost[i].us_per_mib);
			return i;
		}
		at = strchr(at, ' ');
		at += at != NULL;
	}
	return -1;
}

MOCK_EXPORT void mock_spend(const char *name, uint64_t bytes)
{
	int at = find(name);
	double took;

	if (at < 0)
		return;
	took = cost[at].us + cost[at].us_per_mib * (double)bytes / (1 << 20);
	if (++cost[at].calls % SLOW_ONE_IN == 0)
		took *= SLOWER;
	spent += took;
}

int clock_gettime(clockid_t clock, struct timespec *time);
MOCK_EXPORT int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, time);
	time->tv_sec = 1000 + (time_t)(spent / 1e6);
	time->tv_nsec = (long)((spent - (double)(time_t)(spent / 1e6) * 1e6) *
			       1e3);
	return 0;
}
