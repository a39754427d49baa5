// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>

#include "triage/core-text.h"
#include "util/util.h"

enum { RUN_MIN = 16 }; /* shorter runs are no message */

static bool is_text(uint8_t c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\r' ||
	       c == 0x1b;
}

/* Templates in programs have the words, but no numbers. */
static bool may_be_message(const char *run, size_t length)
{
	static const char *const words[] = { "memory", "alloc", "oom",
					     "cublas", "cudnn", "nccl" };
	size_t i;

	if (length < RUN_MIN || !run[strcspn(run, "0123456789")])
		return false;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasestr(run, words[i]))
			return true;
	return false;
}

/* The first bytes of the run leave it. */
static int give(struct la_core_text *text, size_t size)
{
	char after = text->run[size];
	int ret = 0;

	text->run[size] = '\0';
	if (may_be_message(text->run, size)) {
		text->fed = true;
		ret = text->sink(text->arg, text->run, size);
	}
	text->run[size] = after;
	text->length -= size;
	memmove(text->run, text->run + size, text->length);
	return ret;
}

/* Make room in a full run, at the end of a line if there is one. */
static int make_room(struct la_core_text *text)
{
	const char *end = memrchr(text->run, '\n', text->length);
	int ret =
		give(text, end ? (size_t)(end - text->run) + 1 : text->length);

	text->cut = true;
	return ret;
}

/* PYTORCH_CUDA_ALLOC_CONF= and its kin, as setenv() leaves them in memory. */
static bool is_variable(const struct la_core_text *text)
{
	const char *end = memchr(text->run, '=', text->length);
	static const char first[] = "PYTORCH_", last[] = "ALLOC_CONF";
	size_t name = end ? (size_t)(end - text->run) : 0;

	return name >= sizeof(first) + sizeof(last) - 2 && !text->cut &&
	       !memchr(text->run, '\n', text->length) &&
	       !memcmp(text->run, first, sizeof(first) - 1) &&
	       !memcmp(end - (sizeof(last) - 1), last, sizeof(last) - 1) &&
	       text->run[strspn(text->run, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] ==
		       '=';
}

static bool is_known(const struct la_core *core, const char *variable)
{
	size_t i;

	for (i = 0; i < core->environment_count; i++)
		if (!strcmp(core->environment[i], variable))
			return true;
	return false;
}

static int take_variable(struct la_core_text *text)
{
	text->run[text->length] = '\0';
	if (text->later == LA_CORE_LATER_MAX || !is_variable(text) ||
	    is_known(text->core, text->run))
		return 0;
	text->later++;
	return la_core_add_variable(text->core, text->run, text->length);
}

int la_core_text_end(struct la_core_text *text)
{
	int ret = give(text, text->length);

	/* A blank line, so that nothing goes on into the next run. */
	if (ret == 0 && text->fed)
		ret = text->sink(text->arg, "\n\n", 2);
	text->fed = text->cut = false;
	return ret;
}

/*
 * Where a run may begin that is long enough, or is cut by the end.  Looked at
 * backwards, so that most bytes need not be.
 */
static const uint8_t *find_run(const uint8_t *p, const uint8_t *end)
{
	size_t n;

	for (; p < end; p += n) {
		size_t ahead = (size_t)(end - p);

		n = ahead < RUN_MIN ? ahead : RUN_MIN;
		while (n && is_text(p[n - 1]))
			n--;
		if (!n)
			break;
	}
	return p;
}

static int add_text(struct la_core_text *text, const uint8_t *data, size_t size)
{
	size_t n;
	int ret = 0;

	for (; size && ret == 0; data += n, size -= n) {
		n = LA_CORE_RUN_MAX - text->length;
		if (n > size)
			n = size;
		memcpy(text->run + text->length, data, n);
		text->length += n;
		if (text->length == LA_CORE_RUN_MAX)
			ret = make_room(text);
	}
	return ret;
}

int la_core_text_feed(struct la_core_text *text, const uint8_t *data,
		      size_t size)
{
	const uint8_t *p = data, *end = data + size, *start;
	int ret = 0;

	while (p < end && ret == 0) {
		if (!text->length && !text->cut)
			p = find_run(p, end);
		start = p;
		while (p < end && is_text(*p))
			p++;
		ret = add_text(text, start, (size_t)(p - start));
		if (p == end || ret < 0)
			break;
		if (!*p)
			ret = take_variable(text);
		if (ret == 0)
			ret = la_core_text_end(text);
	}
	return ret;
}
