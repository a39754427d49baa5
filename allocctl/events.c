// SPDX-License-Identifier: Apache-2.0
/* One JSON object a line: what torch would have recorded. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "events.h"
#include "print.h"
#include "util/split-text.h"

bool event_log_open(struct event_log *log, const char *path)
{
	log->path = path;
	log->to_stdout = !strcmp(path, "-");
	log->file = log->to_stdout ? stdout : fopen(path, "w");
	if (log->file)
		return true;
	print_error("cannot write '%s': %s", path, strerror(errno));
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
	print_error("cannot write '%s': %s", log->path, strerror(errno));
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

void event_log_split(void *data, uint64_t addr, uint64_t size, uint64_t whole)
{
	const struct event_log *log = data;
	char text[LA_SPLIT_TEXT];

	if (!log->splits)
		return;
	la_split_text(text, addr, size, whole);
	fputs(text, stdout);
}
