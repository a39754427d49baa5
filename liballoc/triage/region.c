// SPDX-License-Identifier: Apache-2.0
/*
 * Lines of a log are parted by the process that wrote them, and each part is
 * searched for messages as one text.
 */
#include "triage/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

enum {
	SOURCES_MAX = 256, /* what has more is taken for no prefix */
	FOLLOWERS_MAX = 16, /* lines in a row that may go on a wrapped one */
	WIDTH_LEAST = 40, /* bytes of a line that was cut at a width */
	CUT_SPACES = 2, /* bytes that such a line lacks: blanks at its end */
	CUT_LINES = 64 /* most of them that are put together */
};

/* A start of a grammar, in a chain of those with one first byte. */
struct rule {
	const struct la_grammar *grammar;
	const struct la_beginning *start;
	char second; /* byte, folded; 0: any */
	uint16_t next; /* index + 1; 0: none */
};

enum { RULES_MAX = 512 };

struct source {
	uint64_t id;
	unsigned int depth; /* prefixes that it is made of */
};

struct la_region {
	char text[LA_REGION_TEXT]; /* clean lines without prefixes */
	size_t used;
	struct la_line line[LA_REGION_LINES];
	size_t count;
	size_t followers; /* last lines that follow another */
	struct source source[SOURCES_MAX]; /* of the lines, 0 left out */
	size_t source_count;
	char joined[LA_REGION_TEXT + LA_REGION_LINES];
	struct la_text_line joined_line[LA_REGION_LINES];
	char glued[LA_REGION_TEXT + CUT_SPACES * LA_REGION_LINES + 1];
	struct la_text_line glued_line[LA_REGION_LINES];
	struct la_message message;
	struct la_message other; /* the same, read of glued */
	struct rule rule[RULES_MAX];
	size_t rules;
	uint16_t first[256]; /* by first byte, folded: index + 1 */
};

static void add_rule(struct la_region *region, unsigned char byte,
		     const struct la_grammar *grammar,
		     const struct la_beginning *start)
{
	char second = start->pattern[1];
	uint16_t *link = &region->first[byte];

	if (region->rules == RULES_MAX)
		return;
	while (*link)
		link = &region->rule[*link - 1].next;
	if (*start->pattern == '%' || second == ' ')
		second = 0;
	region->rule[region->rules++] =
		(struct rule){ grammar, start, la_fold(second), 0 };
	*link = (uint16_t)region->rules;
}

static void add_grammars(struct la_region *region,
			 const struct la_grammar *const *grammar)
{
	for (; *grammar; grammar++) {
		const struct la_beginning *start = (*grammar)->start;

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
	       region->count < LA_REGION_LINES;
}

static bool remember_source(struct la_region *region,
			    const struct la_origin *origin)
{
	size_t i;

	for (i = 0; i < region->source_count; i++)
		if (region->source[i].id == origin->source)
			return true;
	if (region->source_count == SOURCES_MAX)
		return false;
	region->source[region->source_count++] =
		(struct source){ origin->source, origin->depth };
	return true;
}

/* Lines above count too, as each of several wraps lacks the prefix. */
static void follow(struct la_region *region, struct la_line *line)
{
	const struct la_line *above = region->count ? line - 1 : NULL;

	line->follows = 0;
	if (above && above->origin.source &&
	    above->origin.parent == line->origin.source &&
	    above->origin.depth > line->origin.depth)
		line->follows = above->origin.source;
	else if (above && above->follows &&
		 above->origin.source == line->origin.source &&
		 region->followers < FOLLOWERS_MAX)
		line->follows = above->follows;
	region->followers = line->follows ? region->followers + 1 : 0;
}

void la_region_add(struct la_region *region, uint64_t number, const char *line,
		   size_t length)
{
	struct la_line *to = &region->line[region->count];
	char *text = region->text + region->used;
	size_t used = la_line_clean(text, line, length), prefix;

	memset(to, 0, sizeof(*to));
	to->number = number;
	prefix = la_line_prefix(&to->origin, text, used);
	if (to->origin.source && !remember_source(region, &to->origin))
		to->origin.source = to->origin.depth = 0;
	follow(region, to);
	to->offset = region->used + prefix;
	to->length = used - prefix;
	to->width = used;
	region->used += used;
	region->count++;
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

static uint16_t first_rule(const struct la_region *region, char c)
{
	return region->first[(unsigned char)la_fold(c)];
}

static bool read_at(struct la_region *region, struct la_message *message,
		    const struct la_text *text, size_t at)
{
	uint16_t i = first_rule(region, text->data[at]);
	char second = la_fold(text->data[at + 1]); /* '\n' at the end */

	for (; i; i = region->rule[i - 1].next) {
		const struct rule *rule = &region->rule[i - 1];

		if (rule->second && rule->second != second)
			continue;
		if (la_message_read(message, text, at, rule->grammar,
				    rule->start))
			return true;
	}
	return false;
}

/* Lines that were cut at a width, wherever that was, but the last of them. */
struct cut {
	size_t first, last; /* lines; equal: they were not cut */
	size_t width;
	bool numbers; /* one was cut, which nobody does who wraps words */
};

static struct cut find_cut(const struct la_text *text, size_t first)
{
	const struct la_text_line *line = text->lines;
	struct cut cut = { .first = first, .last = first };

	if (first + 1 == text->count)
		return cut;
	cut.width = line[first].line->width;
	if (cut.width < line[first + 1].line->width)
		cut.width = line[first + 1].line->width;
	while (cut.last + 1 < text->count && cut.last < first + CUT_LINES &&
	       line[cut.last].line->width <= cut.width &&
	       line[cut.last].line->width + CUT_SPACES >= cut.width)
		cut.last++;
	if (cut.width < WIDTH_LEAST ||
	    line[cut.last].line->width > cut.width)
		cut.last = first;
	return cut;
}

/* Is a number cut here, the last byte of a line and the first of the next? */
static bool cuts_number(const char *to)
{
	if (to[-1] == '.')
		return la_is_digit(to[-2]) && la_is_digit(*to);
	return la_is_digit(to[-1]) && (la_is_digit(*to) || *to == '.');
}

/* Blanks that the cut left ahead of a line: one may end a prefix. */
static size_t indent_of(const struct la_region *region,
			const struct la_line *line)
{
	const char *text = region->text + line->offset;
	size_t prefix = line->width - line->length, blanks = 0;

	while (blanks < prefix && text[-1 - (ptrdiff_t)blanks] == ' ')
		blanks++;
	return blanks && blanks < prefix ? blanks - 1 : blanks;
}

static struct la_text glue(struct la_region *region,
			   const struct la_text *text, struct cut *cut)
{
	struct la_text glued = { .data = region->glued,
				 .lines = region->glued_line };
	size_t i, indent, length, blanks;

	for (i = cut->first; i <= cut->last; i++) {
		struct la_line *line = text->lines[i].line;
		char *to = region->glued + glued.length;

		indent = i > cut->first ? indent_of(region, line) : 0;
		length = indent + line->length;
		blanks = i < cut->last ? cut->width - line->width : 0;
		memcpy(to, region->text + line->offset - indent, length);
		memset(to + length, ' ', blanks);
		if (i > cut->first && length)
			cut->numbers |= cuts_number(to);
		glued.lines[glued.count++] =
			(struct la_text_line){ glued.length, line };
		glued.length += length + blanks;
	}
	region->glued[glued.length++] = '\n';
	return glued;
}

/* How much a reading understood. */
static size_t count_known(const struct la_message *m)
{
	size_t count = m->process_count + (m->facts.device >= 0), i;
	unsigned int seen;

	for (i = 0; i < LA_AMOUNT_COUNT; i++)
		count += m->facts.amount[i].basis != LA_BASIS_NONE;
	for (seen = m->seen; seen; seen &= seen - 1)
		count++;
	return count;
}

/* Read the message that was found again, where its lines may have been cut in
 * words.  Returns whether that is the better reading. */
static bool read_glued(struct la_region *region, const struct la_text *text,
		       struct la_text *glued)
{
	struct la_message *m = &region->message;
	struct cut cut = find_cut(text, la_text_line(text, m->start));
	size_t known = count_known(m);

	if (cut.first == cut.last)
		return false;
	*glued = glue(region, text, &cut);
	if (!read_at(region, &region->other, glued,
		     m->body - text->lines[cut.first].offset))
		return false;
	return count_known(&region->other) + cut.numbers > known &&
	       (m->facts.truncated || !region->other.facts.truncated);
}

/* Where a message may begin, from at on. */
static size_t next_start(const struct la_region *region,
			 const struct la_text *text, size_t at)
{
	while (at < text->length && (!first_rule(region, text->data[at]) ||
				     !la_text_starts_word(text, at)))
		at++;
	return at;
}

/* What begins in a line of another source is found there. */
static bool is_own(const struct la_message *m, uint64_t source)
{
	const struct la_text_line *line =
		&m->text->lines[la_text_line(m->text, m->start)];

	return line->line->origin.source == source;
}

/* Where a message ends in a text: of one that was glued its last line. */
static size_t end_of(const struct la_text *text, const struct la_message *m)
{
	size_t i = 0;

	if (m->text == text)
		return m->last;
	while (text->lines[i].line->number < m->facts.line[1])
		i++;
	return text->lines[i].offset + text->lines[i].line->length;
}

static int search(struct la_region *region, uint64_t source, size_t end,
		  struct la_found *found)
{
	struct la_text text = join(region, source), glued;
	const struct la_message *m;
	size_t at = 0, last = SIZE_MAX;
	int err;

	for (;;) {
		size_t line;

		at = next_start(region, &text, at);
		if (at == text.length)
			break;
		line = la_text_line(&text, at);
		if (text.lines[line].line >= region->line + end)
			break;
		if ((line != last && text.lines[line].line->taken) ||
		    !read_at(region, &region->message, &text, at) ||
		    !is_own(&region->message, source)) {
			at++;
			continue;
		}
		m = &region->message;
		if (read_glued(region, &text, &glued))
			m = &region->other;
		err = la_found_add(found, m);
		if (err < 0)
			return err;
		mark(m->text, m);
		at = end_of(&text, m);
		last = la_text_line(&text, at - 1);
	}
	return 0;
}

/* Lines of more prefixes first: others may go on what was wrapped there. */
static int search_all(struct la_region *region, size_t end,
		      struct la_found *found)
{
	unsigned int depth, deepest = 0;
	size_t i;
	int err;

	for (i = 0; i < region->source_count; i++)
		if (region->source[i].depth > deepest)
			deepest = region->source[i].depth;
	for (depth = deepest; depth > 0; depth--) {
		for (i = 0; i < region->source_count; i++) {
			if (region->source[i].depth != depth)
				continue;
			err = search(region, region->source[i].id, end, found);
			if (err < 0)
				return err;
		}
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
			remember_source(region, &region->line[i].origin);
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
