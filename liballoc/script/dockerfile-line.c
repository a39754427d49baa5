// SPDX-License-Identifier: Apache-2.0
/* Instructions of a Dockerfile: continued lines, comments, here-documents. */
#include <string.h>
#include <strings.h>

#include "script/dockerfile.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static size_t skip_blanks(const struct la_script_part *part, size_t at,
			  size_t end)
{
	while (at < end && is_blank(part->text[at]))
		at++;
	return at;
}

static size_t line_end(const struct la_script_part *part, size_t at)
{
	const char *newline =
		memchr(part->text + at, '\n', part->length - at);

	return newline ? (size_t)(newline - part->text) : part->length;
}

/* Is the line continued?  end: before what says so, and blanks. */
static bool continues(const struct la_docker *docker, size_t at, size_t *end)
{
	size_t stop = *end;

	while (stop > at && is_blank(docker->part->text[stop - 1]))
		stop--;
	if (stop == at || docker->part->text[stop - 1] != docker->escape)
		return false;
	if (stop - at > 1 && docker->part->text[stop - 2] == docker->escape)
		return false;
	*end = stop - 1;
	return true;
}

/* One line of an instruction; true if another follows. */
static bool add_line(struct la_docker *docker, struct la_docker_line *line)
{
	const struct la_script_part *part = docker->part;
	size_t at = docker->at, end = line_end(part, at), first, stop = end;
	bool more;

	docker->at = end + 1;
	first = skip_blanks(part, at, end);
	if (first == end || part->text[first] == '#') {
		line->plain = false;
		return true;
	}
	more = continues(docker, at, &stop);
	if (more && (docker->escape != '\\' || stop + 1 != end))
		line->plain = false;
	if (!more)
		while (stop > at && is_blank(part->text[stop - 1]))
			stop--;
	la_strbuf_add(&line->text, part->text + at, stop - at);
	line->at.end = stop;
	return more;
}

/* The word behind the first << of an instruction; false: there is none. */
static bool heredoc_word(const struct la_docker_line *line,
			 struct la_script_span *word, bool *tabs)
{
	const char *text = la_strbuf_text(&line->text);
	const char *at = strstr(text, "<<");
	size_t n;

	if (!at || at[2] == '<')
		return false;
	at += 2;
	*tabs = *at == '-';
	at += *tabs;
	at += *at == '\'' || *at == '"';
	n = la_script_name(at, strlen(at));
	*word = (struct la_script_span){ at - text, at - text + n };
	return n > 0;
}

static void take_heredoc(struct la_docker *docker, struct la_docker_line *line)
{
	const struct la_script_part *part = docker->part;
	const char *text = la_strbuf_text(&line->text);
	struct la_script_span word;
	size_t at, end, length;
	bool tabs;

	if (!heredoc_word(line, &word, &tabs))
		return;
	length = word.end - word.start;
	line->has_heredoc = true;
	line->heredoc.start = line->heredoc.end = docker->at;
	for (at = docker->at; at < part->length; at = end + 1) {
		end = line_end(part, at);
		docker->at = end + 1;
		while (tabs && at < end && part->text[at] == '\t')
			at++;
		while (end > at && part->text[end - 1] == '\r')
			end--;
		if (end - at == length &&
		    !memcmp(part->text + at, text + word.start, length))
			return;
		end = line_end(part, at);
		line->heredoc.end = end;
	}
}

static bool takes_heredoc(const struct la_docker_line *line)
{
	const char *text = la_strbuf_text(&line->text);

	return !strncasecmp(text, "RUN", 3) || !strncasecmp(text, "COPY", 4) ||
	       !strncasecmp(text, "ADD", 3);
}

bool la_docker_next(struct la_docker *docker, struct la_docker_line *line)
{
	const struct la_script_part *part = docker->part;
	size_t end;

	la_strbuf_release(&line->text);
	*line = (struct la_docker_line){ .plain = true };
	for (; docker->at < part->length; docker->at = end + 1) {
		end = line_end(part, docker->at);
		docker->at = skip_blanks(part, docker->at, end);
		if (docker->at < end && part->text[docker->at] != '#')
			break;
	}
	if (docker->at >= part->length)
		return false;
	line->at.start = docker->at;
	while (add_line(docker, line) && docker->at < part->length)
		;
	if (takes_heredoc(line))
		take_heredoc(docker, line);
	if (line->text.failed)
		docker->failed = true;
	return true;
}
