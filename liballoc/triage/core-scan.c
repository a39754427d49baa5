// SPDX-License-Identifier: Apache-2.0
/* Through the memory of a core once, in the order of the file, for messages
 * and for the environment: la_core_search(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/core-start.h"
#include "triage/core-text.h"
#include "util/array.h"
#include "util/error.h"
#include "util/util.h"

struct scan {
	struct la_core *core;
	struct la_input in;
	struct la_core_start start;
	struct la_core_text *text; /* owned */
};

int la_core_add_variable(struct la_core *core, const char *variable,
			 size_t length)
{
	char *copy;

	if (grow_array(&core->environment, &core->environment_room,
		       core->environment_count, sizeof(copy)) < 0)
		return -ENOMEM;
	copy = strndup(variable, length);
	if (!copy)
		return -ENOMEM;
	core->environment[core->environment_count++] = copy;
	return 0;
}

static void forget_environment(struct la_core *core)
{
	while (core->environment_count)
		free(core->environment[--core->environment_count]);
	core->info.environment = NULL;
	core->info.environment_count = 0;
	core->info.started_count = 0;
}

/* What is left of a segment, from an address on. */
static int scan_bytes(struct scan *scan, uint64_t addr, uint64_t left)
{
	static const uint8_t zero;
	struct la_input *in = &scan->in;
	size_t n;
	int ret = 0;

	while (left && ret == 0) {
		uint64_t hole = la_core_skip_hole(in, left);

		if (hole) {
			ret = la_core_text_feed(scan->text, &zero, 1);
			addr += hole;
			left -= hole;
			continue;
		}
		if (!la_input_has(in, 1))
			return in->error.code;
		n = (size_t)(in->end - in->p);
		if (n > left)
			n = (size_t)left;
		la_core_start_feed(&scan->start, addr, in->p, n);
		ret = la_core_text_feed(scan->text, in->p, n);
		in->p += n;
		addr += n;
		left -= n;
	}
	return ret;
}

/* 0, 1 at the end of the file, or -errno.  What was read is not read again. */
static int scan_segment(struct scan *scan,
			const struct la_core_segment *segment)
{
	uint64_t at = la_input_offset(&scan->in), skip = 0;
	int ret;

	if (at < segment->offset) {
		if (!la_core_skip(&scan->in, segment->offset - at))
			return scan->in.error.code ? scan->in.error.code : 1;
	} else {
		skip = at - segment->offset;
	}
	if (skip >= segment->size)
		return 0;
	ret = la_core_start_expect(&scan->start, scan->core, segment);
	if (ret == 0)
		ret = scan_bytes(scan, segment->addr + skip,
				 segment->size - skip);
	if (ret < 0)
		return ret;
	return la_input_offset(&scan->in) < segment->offset + segment->size;
}

static bool goes_on(const struct la_core_segment *segment)
{
	return segment[0].offset + segment[0].size == segment[1].offset &&
	       segment[0].addr + segment[0].size == segment[1].addr;
}

static int scan_segments(struct scan *scan)
{
	struct la_core *core = scan->core;
	size_t i;
	int ret = 0;

	for (i = 0; i < core->segment_count && ret == 0; i++) {
		ret = scan_segment(scan, &core->segment[i]);
		if (ret >= 0 && (ret == 1 || i + 1 == core->segment_count ||
				 !goes_on(&core->segment[i]))) {
			int end = la_core_text_end(scan->text);

			ret = end < 0 ? end : ret;
		}
	}
	if (ret == 1 || scan->in.truncated)
		core->info.truncated = true;
	return ret < 0 ? ret : 0;
}

/* The same as another one, or what is left of it in memory. */
static bool is_part(const char *variable, char *const *of, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (of[i] != variable &&
		    !strncmp(of[i], variable, strlen(variable)))
			return true;
	return false;
}

/* The environment at the start goes before what was found elsewhere. */
static int order_environment(struct scan *scan)
{
	struct la_core *core = scan->core;
	size_t later = core->environment_count, i;
	char **found = core->environment;
	int ret;

	core->environment = NULL;
	core->environment_count = core->environment_room = 0;
	ret = la_core_start_read(&scan->start, core);
	core->info.started_count = core->environment_count;
	for (i = 0; i < later && ret == 0; i++)
		if (!is_part(found[i], core->environment,
			     core->info.started_count) &&
		    !is_part(found[i], found, later))
			ret = la_core_add_variable(core, found[i],
						   strlen(found[i]));
	while (later)
		free(found[--later]);
	free(found);
	core->info.environment = (const char *const *)core->environment;
	core->info.environment_count = core->environment_count;
	return ret;
}

int la_core_scan(struct la_core *core, la_core_sink *sink, void *arg,
		 struct la_error *err)
{
	struct scan scan = { .core = core };
	int ret = la_core_input(core, &scan.in, err);

	if (ret < 0)
		return ret;
	forget_environment(core);
	scan.text = calloc(1, sizeof(*scan.text));
	if (!scan.text) {
		ret = -ENOMEM;
	} else {
		scan.text->core = core;
		scan.text->sink = sink;
		scan.text->arg = arg;
		ret = scan_segments(&scan);
	}
	if (ret == 0)
		ret = order_environment(&scan);
	if (ret < 0 && ret == scan.in.error.code)
		la_error_set(err, ret, scan.in.error.offset, "%s",
			     scan.in.error.text);
	else if (ret < 0)
		la_error_set(err, ret, LA_NO_OFFSET, "%s", strerror(-ret));
	free(scan.text);
	free(scan.start.data);
	la_input_close(&scan.in);
	return ret;
}

static int feed_log(void *log, const void *data, size_t size)
{
	return la_log_feed(log, data, size);
}

LA_EXPORT int la_core_search(struct la_core *core, struct la_log *log,
			     struct la_error *err)
{
	return la_core_scan(core, feed_log, log, err);
}
