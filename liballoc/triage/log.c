// SPDX-License-Identifier: Apache-2.0
/*
 * Reads a log as it comes.  Where no needle is, bytes are only searched and
 * their lines counted; around needles, lines are read one by one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/found.h"
#include "triage/needle.h"
#include "triage/region.h"
#include "util/util.h"

enum {
	BUFFER = 256 << 10,
	LINE_MAX_BYTES = 16 << 10, /* longer lines are read in pieces */
	BEFORE_LINES = 4, /* of a needle, that are read too */
	BEFORE_BYTES = 4 << 10, /* ... and at most so many bytes */
	AFTER_LINES = 24, /* the same behind the last needle */
};

/*
 * The buffer has the bytes from the start of what may still be read on:
 *
 *	handed <= at <= length
 *
 * Bytes before handed belong to regions that are done with.
 */
struct la_log {
	char buffer[BUFFER];
	size_t length; /* bytes in the buffer */
	size_t handed; /* lines before here were read one by one */
	size_t at; /* lines before here were searched or read */
	size_t counted; /* line ends before here are in line_ends */
	uint64_t line_ends;
	unsigned int remaining; /* lines to read one by one; 0: search */
	bool in_line; /* the last byte was no line end */
	struct la_needles needles;
	struct la_region *region;
	struct la_found found;
};

LA_EXPORT int la_log_new(struct la_log **out)
{
	struct la_log *log = malloc(sizeof(*log));
	int err;

	if (!log)
		return -ENOMEM;
	memset(log, 0, sizeof(*log));
	err = la_region_new(&log->region);
	if (err < 0)
		goto err_free_log;
	err = la_found_init(&log->found);
	if (err < 0)
		goto err_free_region;
	la_needles_init(&log->needles);
	*out = log;
	return 0;

err_free_region:
	la_region_free(log->region);
err_free_log:
	free(log);
	return err;
}

static void count_to(struct la_log *log, size_t to)
{
	const char *p = log->buffer + log->counted, *end = log->buffer + to;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		log->line_ends++;
		p++;
	}
	log->counted = to;
}

/* Where the lines to read ahead of a needle begin. */
static size_t before(const struct la_log *log, size_t needle)
{
	size_t least = log->handed, at = needle;
	unsigned int lines = 0;

	if (needle - least > BEFORE_BYTES)
		least = needle - BEFORE_BYTES;
	while (at > least) {
		if (log->buffer[at - 1] == '\n' && lines++ == BEFORE_LINES)
			break;
		at--;
	}
	return at;
}

/* Search on; false if more bytes are needed. */
static bool search(struct la_log *log, bool last)
{
	size_t end = log->length, needle;

	needle = la_needles_find(&log->needles, log->buffer, log->at, end);
	if (!last && needle + LA_NEEDLE_MOST > end) {
		if (end - log->at > LA_NEEDLE_MOST)
			log->at = end - LA_NEEDLE_MOST;
		return false;
	}
	if (needle == end) {
		log->at = end;
		return false;
	}
	log->at = before(log, needle);
	count_to(log, log->at);
	log->remaining = AFTER_LINES + BEFORE_LINES;
	return true;
}

/*
 * Bytes of the next line without its end; *next is behind that.  A lone '\r'
 * ends a line too, which has the number of the next one: progress bars.
 */
static bool next_line(const struct la_log *log, bool last, size_t *length,
		      size_t *next)
{
	const char *line = log->buffer + log->at, *end, *cr;
	size_t most = log->length - log->at;
	bool whole = last;

	if (most >= LINE_MAX_BYTES) {
		most = LINE_MAX_BYTES;
		whole = true;
	}
	end = memchr(line, '\n', most);
	cr = memchr(line, '\r', end ? (size_t)(end - line) : most);
	if (!end && !whole && (!cr || cr + 1 == line + most))
		return false;
	*length = cr ? (size_t)(cr - line) : end ? (size_t)(end - line) : most;
	*next = log->at + *length + (cr || end);
	if (cr && cr + 1 == end)
		++*next;
	return most > 0;
}

static bool has_needle(const struct la_log *log, size_t length)
{
	const char *line = log->buffer + log->at;

	return la_needles_find(&log->needles, line, 0, length) < length;
}

/* Read one line; 0: more bytes are needed, 1: done, or -ENOMEM. */
static int read_line(struct la_log *log, bool last)
{
	size_t length, next;
	int err = 0;

	if (!next_line(log, last, &length, &next))
		return 0;
	if (!la_region_has_room(log->region, length))
		err = la_region_pass(log->region, &log->found);
	if (err < 0)
		return err;
	la_region_add(log->region, log->line_ends + 1, log->buffer + log->at,
		      length);
	if (has_needle(log, length))
		log->remaining = AFTER_LINES;
	else
		log->remaining--;
	log->at = log->handed = next;
	count_to(log, next);
	if (log->remaining == 0)
		err = la_region_close(log->region, &log->found);
	return err < 0 ? err : 1;
}

static int work(struct la_log *log, bool last)
{
	int more;

	do {
		if (log->remaining)
			more = read_line(log, last);
		else
			more = search(log, last);
	} while (more > 0);
	return more;
}

/* Keep what may be read again, and make room. */
static void compact(struct la_log *log)
{
	size_t from = log->at;

	if (from - log->handed > BEFORE_BYTES + LA_NEEDLE_MOST)
		from -= BEFORE_BYTES + LA_NEEDLE_MOST;
	else
		from = log->handed;
	count_to(log, from > log->counted ? from : log->counted);
	log->length -= from;
	memmove(log->buffer, log->buffer + from, log->length);
	log->at -= from;
	log->counted -= from;
	log->handed = log->handed > from ? log->handed - from : 0;
}

LA_EXPORT int la_log_feed(struct la_log *log, const void *data, size_t size)
{
	const char *p = data;
	int err;

	while (size > 0) {
		size_t part = BUFFER - log->length;

		if (part > size)
			part = size;
		memcpy(log->buffer + log->length, p, part);
		log->length += part;
		p += part;
		size -= part;
		log->in_line = p[-1] != '\n';
		if (log->length < BUFFER)
			continue;
		err = work(log, false);
		if (err < 0)
			return err;
		compact(log);
	}
	return 0;
}

LA_EXPORT int la_log_finish(struct la_log *log)
{
	int err = work(log, true);

	if (err < 0)
		return err;
	count_to(log, log->length);
	log->remaining = 0;
	err = la_region_close(log->region, &log->found);
	la_found_sort(&log->found);
	return err;
}

LA_EXPORT struct la_facts *la_log_facts(struct la_log *log, size_t *count)
{
	*count = log->found.count;
	return log->found.facts;
}

LA_EXPORT uint64_t la_log_lines(const struct la_log *log)
{
	return log->line_ends + log->in_line;
}

LA_EXPORT uint64_t la_log_lost(const struct la_log *log)
{
	return log->found.lost;
}

LA_EXPORT void la_log_free(struct la_log *log)
{
	if (!log)
		return;
	la_region_free(log->region);
	la_found_release(&log->found);
	free(log);
}
