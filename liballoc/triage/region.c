// SPDX-License-Identifier: Apache-2.0
/*
 * Lines of a log are parted by the process that wrote them, and each part is
 * searched for messages as one text.
 */
#include "region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

enum {
	SOURCES_MAX = 256, /* what has more is taken for no prefix */
	FOLLOWERS_MAX = 16 /* lines in a row that may go on a wrapped one */
};

/* A start of a grammar, in a chain of those with one first byte. */
struct rule {
	const struct la_grammar *grammar;
	const struct la_start *start;
	uint16_t next; /* index + 1; 0: none */
};

enum { RULES_MAX = 512 };

struct la_region {
	char text[LA_REGION_TEXT]; /* clean lines without prefixes */
	size_t used;
	struct la_line line[LA_REGION_LINES];
	size_t count;
	size_t followers; /* last lines that follow another */
	uint64_t source[SOURCES_MAX]; /* of the lines, 0 left out */
	size_t source_count;
	char joined[LA_REGION_TEXT + LA_REGION_LINES];
	struct la_text_line joined_line[LA_REGION_LINES];
	struct la_message message;
	struct rule rule[RULES_MAX];
	size_t rules;
	uint16_t first[256]; /* by first byte, folded: index + 1 */
};

static void add_rule(struct la_region *region, unsigned char byte,
		     const struct la_grammar *grammar,
		     const struct la_start *start)
{
	uint16_t *link = &region->first[byte];

	if (region->rules == RULES_MAX)
		return;
	while (*link)
		link = &region->rule[*link - 1].next;
	region->rule[region->rules++] = (struct rule){ grammar, start, 0 };
	*link = (uint16_t)region->rules;
}

static void add_grammars(struct la_region *region,
			 const struct la_grammar *const *grammar)
{
	for (; *grammar; grammar++) {
		const struct la_start *start = (*grammar)->start;

		for (; start->pattern; start++) {
			unsigned char c = (unsigned char)*start->pattern;

			if (c != '%') {
				add_rule(region,
					 (unsigned char)la_fold((char)c),
					 *grammar, start);
				continue;
			}
			for (c = '0'; c <= '9'; c++)
				add_rule(region, c, *grammar, start);
		}
	}
}

int la_region_new(struct la_region **out)
{
	struct la_region *region = calloc(1, sizeof(*region));

	if (!region)
		return -ENOMEM;
	add_grammars(region, la_torch_grammars);
	add_grammars(region, la_torch_other_grammars);
	add_grammars(region, la_framework_grammars);
	add_grammars(region, la_xla_grammars);
	add_grammars(region, la_host_grammars);
	*out = region;
	return 0;
}

void la_region_free(struct la_region *region)
{
	free(region);
}

bool la_region_has_room(const struct la_region *region, size_t length)
{
	return region->used + length <= LA_REGION_TEXT &&
	       region->count + 1 < LA_REGION_LINES;
}

static bool remember_source(struct la_region *region, uint64_t source)
{
	size_t i;

	for (i = 0; i < region->source_count; i++)
		if (region->source[i] == source)
			return true;
	if (region->source_count == SOURCES_MAX)
		return false;
	region->source[region->source_count++] = source;
	return true;
}

static void follow(struct la_region *region, struct la_line *line, bool bare)
{
	const struct la_line *above = line - 1;

	if (line->origin.source || !bare || region->count == 0 ||
	    region->followers == FOLLOWERS_MAX) {
		region->followers = 0;
		return;
	}
	line->follows =
		above->origin.source ? above->origin.source : above->follows;
	region->followers++;
}

static bool is_blank(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (text[i] != ' ')
			return false;
	return true;
}

static void add_piece(struct la_region *region, uint64_t number,
		      const char *piece, size_t length)
{
	struct la_line *line = &region->line[region->count];
	char *text = region->text + region->used;
	size_t used = la_line_clean(text, piece, length), prefix;

	memset(line, 0, sizeof(*line));
	line->number = number;
	prefix = la_line_prefix(&line->origin, text, used);
	if (line->origin.source &&
	    !remember_source(region, line->origin.source))
		line->origin.source = 0;
	follow(region, line, is_blank(text, prefix));
	line->offset = region->used + prefix;
	line->length = used - prefix;
	region->used += used;
	region->count++;
}

/* Progress bars overwrite themselves; what comes after is another line. */
void la_region_add(struct la_region *region, uint64_t number, const char *line,
		   size_t length)
{
	const char *end = line + length;

	while (line < end && region->count < LA_REGION_LINES) {
		const char *cr = memchr(line, '\r', (size_t)(end - line));

		if (!cr)
			cr = end;
		if (cr > line)
			add_piece(region, number, line, (size_t)(cr - line));
		line = cr + 1;
	}
}

static struct la_text join(struct la_region *region, uint64_t source)
{
	struct la_text text = { .data = region->joined,
				.lines = region->joined_line };
	size_t i;

	for (i = 0; i < region->count; i++) {
		struct la_line *line = &region->line[i];

		if (line->origin.source != source &&
		    (!source || line->follows != source))
			continue;
		text.lines[text.count++] =
			(struct la_text_line){ text.length, line };
		memcpy(region->joined + text.length,
		       region->text + line->offset, line->length);
		text.length += line->length;
		region->joined[text.length++] = '\n';
	}
	return text;
}

static void mark(const struct la_text *text, const struct la_message *m)
{
	size_t i = la_text_line(text, m->start);
	size_t last = la_text_line(text, m->last - 1);

	for (; i <= last; i++)
		text->lines[i].line->taken = true;
}

static bool read_at(struct la_region *region, const struct la_text *text,
		    size_t at)
{
	unsigned char c = (unsigned char)la_fold(text->data[at]);
	uint16_t i = region->first[c];

	for (; i; i = region->rule[i - 1].next) {
		const struct rule *rule = &region->rule[i - 1];

		if (la_message_read(&region->message, text, at, rule->grammar,
				    rule->start))
			return true;
	}
	return false;
}

/* No message begins in a line of another one, nor where lines end early. */
static bool may_begin(const struct la_text *text, size_t line, uint64_t source)
{
	const struct la_line *at = text->lines[line].line;

	return at->origin.source == source && !at->taken;
}

/* Messages of one source that begin before line number end of the region. */
static int search(struct la_region *region, uint64_t source, size_t end,
		  struct la_found *found)
{
	struct la_text text = join(region, source);
	size_t at = 0, own = 0;
	int err;

	while (at < text.length) {
		size_t line = la_text_line(&text, at);

		if (text.lines[line].line >= region->line + end)
			break;
		if (!la_text_starts_word(&text, at) ||
		    (line != own && !may_begin(&text, line, source)) ||
		    !read_at(region, &text, at)) {
			at++;
			continue;
		}
		err = la_found_add(found, &region->message);
		if (err < 0)
			return err;
		mark(&text, &region->message);
		at = region->message.last;
		own = la_text_line(&text, at - 1);
	}
	return 0;
}

static int search_all(struct la_region *region, size_t end,
		      struct la_found *found)
{
	size_t i;
	int err;

	for (i = 0; i < region->source_count; i++) {
		err = search(region, region->source[i], end, found);
		if (err < 0)
			return err;
	}
	return search(region, 0, end, found);
}

/* Keep the lines from the given one on. */
static void keep(struct la_region *region, size_t from)
{
	size_t offset =
		from < region->count ? region->line[from].offset : region->used;
	size_t i;

	region->used -= offset;
	memmove(region->text, region->text + offset, region->used);
	region->count -= from;
	memmove(region->line, region->line + from,
		region->count * sizeof(*region->line));
	region->source_count = 0;
	for (i = 0; i < region->count; i++) {
		region->line[i].offset -= offset;
		if (region->line[i].origin.source)
			remember_source(region, region->line[i].origin.source);
	}
}

int la_region_close(struct la_region *region, struct la_found *found)
{
	int err = search_all(region, region->count, found);

	keep(region, region->count);
	region->followers = 0;
	return err;
}

int la_region_pass(struct la_region *region, struct la_found *found)
{
	size_t end = region->count > 2 * LA_REGION_KEPT ?
			     region->count - LA_REGION_KEPT :
			     region->count;
	int err = search_all(region, end, found);

	keep(region, end);
	return err;
}
