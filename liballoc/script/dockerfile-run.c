// SPDX-License-Identifier: Apache-2.0
/* RUN, CMD and ENTRYPOINT: shell form, exec form, here-documents. */
#include <stdlib.h>
#include <string.h>

#include "script/dockerfile.h"

/* Words of a JSON list of strings. */
struct list {
	struct la_script_word word[LA_DOCKER_WORDS];
	struct la_strbuf text[LA_DOCKER_WORDS]; /* owned, for the words */
	size_t count;
};

static void release_list(struct list *list)
{
	if (!list)
		return;
	while (list->count)
		la_strbuf_release(&list->text[--list->count]);
	free(list);
}

static size_t skip_blanks(const char *text, size_t at)
{
	return at + strspn(text + at, " \t\r\n");
}

/* The character that \ and what follows it stand for; 0: not this simple. */
static char unescape(const char *text, size_t *at)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char digits[3] = "";

	if (text[*at] == 'u' && !strncmp(text + *at + 1, "00", 2)) {
		memcpy(digits, text + *at + 3, strnlen(text + *at + 3, 2));
		*at += 2 + strnlen(text + *at + 3, 2);
		return (char)(strtoul(digits, NULL, 16) & 0x7f);
	}
	found = text[*at] ? strchr(from, text[*at]) : NULL;
	return found ? to[found - from] : '\0';
}

/* A string in double quotes; false if it is none. */
static bool read_string(const char *text, size_t *at, struct la_strbuf *out)
{
	char c;

	if (text[*at] != '"')
		return false;
	la_strbuf_add(out, "", 0);
	for (++*at; text[*at] && text[*at] != '"'; ++*at) {
		c = text[*at];
		if (c == '\\') {
			++*at;
			c = unescape(text, at);
			if (!c)
				return false;
		}
		la_strbuf_add(out, &c, 1);
	}
	return text[*at] && ++*at;
}

/* The list that a text is, and nothing else; NULL: it is the shell form. */
static struct list *read_list(const char *text, struct la_script_span at)
{
	struct list *list = calloc(1, sizeof(*list));
	size_t i = skip_blanks(text, 0);
	bool ok = list && text[i++] == '[';

	i = ok ? skip_blanks(text, i) : i;
	while (ok && text[i] != ']' && list->count < LA_DOCKER_WORDS) {
		ok = read_string(text, &i, &list->text[list->count]);
		list->word[list->count] = (struct la_script_word){
			la_strbuf_text(&list->text[list->count]), at.start,
			at.end
		};
		list->count++;
		i = skip_blanks(text, i);
		if (ok && text[i] == ',')
			i = skip_blanks(text, i + 1);
		else if (text[i] != ']')
			ok = false;
	}
	if (ok && text[i] == ']' && !text[skip_blanks(text, i + 1)])
		return list;
	release_list(list);
	return NULL;
}

/* Options such as --mount=... stand before what is run. */
static size_t skip_options(const char *text, size_t at)
{
	at = skip_blanks(text, at);
	while (!strncmp(text + at, "--", 2)) {
		at += strcspn(text + at, " \t");
		at = skip_blanks(text, at);
	}
	return at;
}

/* A shell reads a text that was put together, or stands there. */
static int read_shell(struct la_docker *docker, enum la_script_kind kind,
		      const char *text, struct la_script_span at, bool plain)
{
	const struct la_script_part *part = docker->part;
	struct la_script_part inner = { .text = text, .length = strlen(text),
					.offset = part->offset, .ends = true };
	size_t start = at.start;

	if (plain && part->exact && inner.length) {
		while (start < at.end && part->text[start] != text[0])
			start++;
		while (start < at.end &&
		       strncmp(part->text + start, text,
			       strcspn(text, "\\\n")) != 0)
			start++;
		if (start < at.end) {
			inner.text = part->text + start;
			inner.length = at.end - start;
			inner.exact = true;
		}
	}
	if (part->exact)
		inner.offset += start;
	return la_script_nested(docker->script, kind, &inner, docker->err);
}

/* Programs of a build are not the container's. */
static void only_built(struct la_docker *docker, size_t from)
{
	const struct la_script_assignment *a;
	size_t start;

	for (; from < la_script_places(docker->script); from++) {
		a = la_script_peek(docker->script, from);
		if (a->fate != LA_SCRIPT_ARRIVES &&
		    a->fate != LA_SCRIPT_UNKNOWN)
			continue;
		start = a->offset - docker->part->offset;
		la_script_change(docker->script, from, NULL, LA_SCRIPT_LOST);
		la_script_say(docker->script, docker->part, from,
			      LA_SCRIPT_CHILD_ENDS, start, start + a->length,
			      "only programs of this RUN get it, while the "
			      "image is built; use ENV");
	}
}

/* Lines of a here-document: the script itself, or input of a command. */
static int run_heredoc(struct la_docker *docker,
		       const struct la_docker_line *line, const char *command,
		       enum la_script_kind kind)
{
	const struct la_script_part *part = docker->part;
	struct la_script_part inner = {
		.text = part->text + line->heredoc.start,
		.length = line->heredoc.end - line->heredoc.start,
		.offset = la_script_offset(part, line->heredoc.start),
		.exact = part->exact,
		.ends = true,
	};

	if (!strncmp(command, "<<", 2))
		return la_script_nested(docker->script, kind, &inner,
					docker->err);
	if (!strncmp(command, "bash", 4) || !strncmp(command, "sh ", 3))
		return la_script_nested(docker->script, LA_SCRIPT_BASH, &inner,
					docker->err);
	if (!strncmp(command, "python", 6))
		return la_script_nested(docker->script, LA_SCRIPT_PYTHON,
					&inner, docker->err);
	return read_shell(docker, kind, command, line->at, line->plain);
}

int la_docker_run(struct la_docker *docker, const struct la_docker_line *line,
		  size_t at)
{
	const struct la_docker_stage *stage =
		&docker->stage[docker->stages - 1];
	const char *text = la_strbuf_text(&line->text);
	size_t from = la_script_places(docker->script);
	struct la_script_span span = { line->at.start + 3, line->at.end };
	struct la_script_command command = { 0 };
	struct list *list;
	int ret;

	at = skip_options(text, at);
	list = read_list(text + at, line->at);
	if (list) {
		command.word = list->word;
		command.count = list->count;
		ret = la_script_start(docker->script, docker->part, &command,
				      docker->err);
	} else if (line->has_heredoc) {
		ret = run_heredoc(docker, line, text + at, stage->shell);
	} else {
		ret = read_shell(docker, stage->shell, text + at, span,
				 line->plain);
	}
	release_list(list);
	only_built(docker, from);
	return ret;
}

void la_docker_keep(struct la_docker_command *command,
		    const struct la_docker_line *line, size_t at)
{
	const char *text = la_strbuf_text(&line->text);

	at = skip_options(text, at);
	la_strbuf_release(&command->text);
	la_strbuf_add(&command->text, text + at, line->text.length - at);
	command->at = line->at;
	command->plain = line->plain;
}

static bool is_given(const struct la_docker_command *command)
{
	return command->at.end > command->at.start;
}

static int start_list(struct la_docker *docker, struct list *list,
		      const struct list *more)
{
	struct la_script_command command = { .word = list->word,
					     .count = list->count };
	size_t i;

	for (i = 0; more && i < more->count && command.count < LA_DOCKER_WORDS;
	     i++)
		list->word[command.count++] = more->word[i];
	return la_script_start(docker->script, docker->part, &command,
			       docker->err);
}

int la_docker_start(struct la_docker *docker,
		    const struct la_docker_stage *stage)
{
	const struct la_docker_command *first = is_given(&stage->entrypoint) ?
							&stage->entrypoint :
							&stage->command;
	struct list *list, *more = NULL;
	struct la_script_span at = first->at;
	int ret;

	if (!is_given(first))
		return 0;
	list = read_list(la_strbuf_text(&first->text), at);
	if (!list) {
		at.start += strcspn(docker->part->text + at.start, " \t");
		return read_shell(docker, stage->shell,
				  la_strbuf_text(&first->text), at,
				  first->plain);
	}
	if (first == &stage->entrypoint && is_given(&stage->command))
		more = read_list(la_strbuf_text(&stage->command.text),
				 stage->command.at);
	ret = start_list(docker, list, more);
	release_list(more);
	release_list(list);
	return ret;
}

void la_docker_shell(struct la_docker *docker,
		     const struct la_docker_line *line, size_t at)
{
	struct la_docker_stage *stage = &docker->stage[docker->stages - 1];
	struct list *list =
		read_list(la_strbuf_text(&line->text) + at, line->at);
	const char *base;

	if (list && list->count) {
		base = strrchr(list->word[0].text, '/');
		base = base ? base + 1 : list->word[0].text;
		if (la_script_kind_parse(&stage->shell, base))
			stage->shell = LA_SCRIPT_SH;
	}
	release_list(list);
}
