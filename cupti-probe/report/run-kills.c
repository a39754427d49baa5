// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* The number behind a word in a file of lines; UINT64_MAX: none. */
static uint64_t read_count(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	uint64_t count = UINT64_MAX;
	size_t length = strlen(word);
	char line[256];

	if (!file)
		return count;
	while (count == UINT64_MAX && fgets(line, sizeof(line), file))
		if (!strncmp(line, word, length) && line[length] == ' ')
			count = strtoull(line + length, NULL, 10);
	fclose(file);
	return count;
}

/* Of a cgroup, which in a container is the root of what is mounted. */
static uint64_t read_cgroup(const char *mount, const char *cgroup,
			    const char *file)
{
	char path[PATH_MAX];
	uint64_t count;

	snprintf(path, sizeof(path), "%s%s/%s", mount, cgroup, file);
	count = read_count(path, "oom_kill");
	if (count != UINT64_MAX)
		return count;
	snprintf(path, sizeof(path), "%s/%s", mount, file);
	return read_count(path, "oom_kill");
}

/* A line of /proc/self/cgroup: "0::/a/b", "9:memory:/a/b". */
static uint64_t read_line(char *line)
{
	char *kind = strchr(line, ':'), *cgroup;

	line[strcspn(line, "\n")] = '\0';
	cgroup = kind ? strchr(kind + 1, ':') : NULL;
	if (!cgroup)
		return UINT64_MAX;
	*cgroup++ = '\0';
	if (!strcmp(line, "0:"))
		return read_cgroup("/sys/fs/cgroup", cgroup, "memory.events");
	return strstr(kind, ":memory") ?
		       read_cgroup("/sys/fs/cgroup/memory", cgroup,
				   "memory.oom_control") :
		       UINT64_MAX;
}

void run_kills_read(struct run_kills *kills)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX];

	kills->cgroup = UINT64_MAX;
	while (file && kills->cgroup == UINT64_MAX &&
	       fgets(line, sizeof(line), file))
		kills->cgroup = read_line(line);
	if (file)
		fclose(file);
	kills->node = read_count("/proc/vmstat", "oom_kill");
}

static bool rose(uint64_t before, uint64_t after)
{
	return before != UINT64_MAX && after != UINT64_MAX && after > before;
}

/* Who else keeps a record of it. */
static void add_hint(char evidence[256])
{
	size_t length = strlen(evidence);
	const char *job = getenv("SLURM_JOB_ID");

	if (job)
		snprintf(evidence + length, 256 - length,
			 "; see sacct -j %.20s -o State,MaxRSS", job);
	else if (getenv("KUBERNETES_SERVICE_HOST"))
		snprintf(evidence + length, 256 - length,
			 "; see kubectl describe pod");
}

bool run_kills_rose(char evidence[256], const struct run_kills *before,
		    const struct run_kills *after)
{
	if (rose(before->cgroup, after->cgroup))
		snprintf(evidence, 256,
			 "the kernel killed for want of memory in this cgroup "
			 "(oom_kill rose from %" PRIu64 " to %" PRIu64 ")",
			 before->cgroup, after->cgroup);
	else if (rose(before->node, after->node))
		snprintf(evidence, 256,
			 "the kernel killed for want of memory on this node "
			 "(oom_kill rose from %" PRIu64 " to %" PRIu64 ")",
			 before->node, after->node);
	else
		return false;
	add_hint(evidence);
	return true;
}
