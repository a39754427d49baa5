// SPDX-License-Identifier: Apache-2.0
/* One JSON object a line: what torch would have recorded. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "events.h"
#include "report.h"
#include "util/util.h"

bool event_log_open(struct event_log *log, const char *path)
{
	log->path = path;
	log->to_stdout = !strcmp(path, "-");
	log->file = log->to_stdout ? stdout : fopen(path, "w");
	if (log->file)
		return true;
	report_error("cannot write '%s': %s", path, strerror(errno));
	return false;
}

bool event_log_close(struct event_log *log)
{
	bool failed;

	if (!log->file || log->to_stdout)
		return true;
	failed = ferror(log->file);
	if (!fclose(log->file) && !failed)
		return true;
	report_error("cannot write '%s': %s", log->path, strerror(errno));
	return false;
}

void event_log_hear(void *data, enum la_action action, uint64_t addr,
		    uint64_t size, uint64_t stream)
{
	const struct event_log *log = data;

	if (action == LA_FREE_REQUESTED || action == LA_FREE_COMPLETED)
		return;
	fprintf(log->file, "{\"action\":\"%s\",\"device\":%" PRIu64
		",\"addr\":", la_action_name(action), log->device);
	if (action == LA_OOM)
		fputs("null", log->file);
	else
		fprintf(log->file, "%" PRIu64, addr);
	fprintf(log->file, ",\"size\":%" PRIu64 ",\"stream\":%" PRIu64 "}\n",
		size, stream);
}

/* Whole units as the guides write them, else bytes. */
static void print_short(uint64_t bytes)
{
	if (bytes % MIB == 0)
		printf("(%" PRIu64 "MB)", bytes / MIB);
	else if (bytes % KIB == 0)
		printf("(%" PRIu64 "KB)", bytes / KIB);
	else
		printf("(%" PRIu64 "B)", bytes);
}

static void print_span(uint64_t addr, uint64_t size)
{
	printf("0x%" PRIx64 " - 0x%" PRIx64 " ", addr, addr + size);
	print_short(size);
}

void event_log_split(void *data, uint64_t addr, uint64_t size, uint64_t whole)
{
	const struct event_log *log = data;

	if (!log->splits)
		return;
	fputs("Allocator block ", stdout);
	print_span(addr, size);
	fputs(" split from ", stdout);
	print_span(addr, whole);
	putchar('\n');
}
