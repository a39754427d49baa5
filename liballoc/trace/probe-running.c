// SPDX-License-Identifier: Apache-2.0
/* Is the process that a probe's file speaks of still there? */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/probe.h"
#include "util/util.h"

enum {
	STAT_MAX = 1024, /* bytes of /proc/PID/stat that matter */
	START_FIELD = 22, /* of it: when the process began */
	STATE_FIELD = 3 /* of it: the one behind the name */
};

/* The start of a file as a text; false if there is none. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ptrdiff_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = 0;
	return true;
}

static bool is_boot(const char *boot_id)
{
	char text[64];

	if (!read_text("/proc/sys/kernel/random/boot_id", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = 0;
	return !strcmp(text, boot_id);
}

/* A zombie's memory is gone. */
static bool has_begun(uint32_t pid, uint64_t start_time)
{
	char path[32], text[STAT_MAX];
	const char *at;
	int field;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	if (!read_text(path, text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return false;
	for (field = STATE_FIELD, at += 2; at && field < START_FIELD; field++)
		at = strchr(at + 1, ' ');
	return at && strtoull(at, NULL, 10) == start_time;
}

LA_EXPORT bool la_probe_is_running(const struct la_probe *probe)
{
	const struct la_probe_header *header = &probe->header;

	return !header->ended && header->pid && is_boot(header->boot_id) &&
	       has_begun(header->pid, header->start_time);
}
