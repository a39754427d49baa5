// SPDX-License-Identifier: Apache-2.0
/* ENV and ARG: words, quotes, and what dollar signs stand for. */
#include <string.h>

#include "script/dockerfile.h"

/* Reads the words of one instruction. */
struct reader {
	struct la_docker *docker;
	const struct la_docker_line *line;
	const struct la_script_vars *vars; /* before the instruction */
	struct la_script_vars after; /* what ENV makes of them; owned */
	struct la_docker_stage *stage; /* NULL: before the first FROM */
	size_t found; /* byte of the part where the last name was found */
	const char *problem; /* the instruction is refused */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The end of the word that starts at a place: quotes hold blanks. */
static size_t word_end(const struct reader *r, size_t at)
{
	const char *text = la_strbuf_text(&r->line->text);
	char quote = '\0';

	for (; at < r->line->text.length; at++) {
		if (!quote && is_blank(text[at]))
			break;
		if (text[at] == r->docker->escape)
			at++;
		else if (quote && text[at] == quote)
			quote = '\0';
		else if (!quote && (text[at] == '\'' || text[at] == '"'))
			quote = text[at];
	}
	return at < r->line->text.length ? at : r->line->text.length;
}

static size_t skip_blanks(const struct reader *r, size_t at)
{
	while (at < r->line->text.length && is_blank(r->line->text.data[at]))
		at++;
	return at;
}

/* A name that was given by ARG, for which a builder may give another value. */
static void note_argument(const struct reader *r, const char *text,
			  size_t length, struct la_script_value *value)
{
	size_t at = 1 + (length > 1 && text[1] == '{');
	size_t n = at < length ? la_script_name(text + at, length - at) : 0;

	if (r->stage && n < LA_SCRIPT_NAME && !value->assumed[0] &&
	    la_script_vars_find(&r->stage->args, text + at, n) &&
	    !la_script_vars_find(&r->stage->env, text + at, n))
		memcpy(value->assumed, text + at, n);
}

static size_t add_dollar(const struct reader *r, const char *text,
			 size_t length, struct la_script_value *value)
{
	struct la_script_scope scope = {
		r->docker->script, r->vars,
		LA_SCRIPT_BARE | LA_SCRIPT_WORDS |
			(r->stage && r->stage->scratch ? 0 : LA_SCRIPT_OPEN),
		r->docker->escape
	};
	size_t n = la_script_expand(&scope, text, length, value);

	note_argument(r, text, length, value);
	if (!n)
		la_strbuf_add(&value->text, "$", 1);
	return n ? n : 1;
}

/* What stands in double quotes; past them. */
static size_t add_double(struct reader *r, const char *text, size_t length,
			 struct la_script_value *value)
{
	char escape = r->docker->escape;
	size_t i = 1;

	while (i < length && text[i] != '"') {
		if (text[i] == '$') {
			i += add_dollar(r, text + i, length - i, value);
			continue;
		}
		if (text[i] == escape && i + 1 < length &&
		    (text[i + 1] == '"' || text[i + 1] == '$' ||
		     text[i + 1] == escape))
			i++;
		la_strbuf_add(&value->text, text + i++, 1);
	}
	if (i == length)
		r->problem = "docker finds no end of the quotes";
	return i + 1;
}

static size_t add_single(struct reader *r, const char *text, size_t length,
			 struct la_script_value *value)
{
	const char *end = memchr(text + 1, '\'', length - 1);

	if (!end) {
		r->problem = "docker finds no end of the quotes";
		return length;
	}
	la_strbuf_add(&value->text, text + 1, end - text - 1);
	return end - text + 1;
}

static void read_word(struct reader *r, const char *text, size_t length,
		      struct la_script_value *value)
{
	size_t i = 0;

	while (i < length && !r->problem) {
		if (text[i] == '\'') {
			i += add_single(r, text + i, length - i, value);
		} else if (text[i] == '"') {
			i += add_double(r, text + i, length - i, value);
		} else if (text[i] == '$') {
			i += add_dollar(r, text + i, length - i, value);
		} else {
			if (text[i] == r->docker->escape && i + 1 < length)
				i++;
			la_strbuf_add(&value->text, text + i++, 1);
		}
	}
}

/* Where a name stands in the part: the text was put together from lines. */
static struct la_script_span find(struct reader *r, const char *name,
				  size_t length, size_t value_length)
{
	const char *text = r->docker->part->text;
	struct la_script_span at = r->line->at;
	size_t i;

	for (i = r->found; i + length <= r->line->at.end; i++)
		if (!memcmp(text + i, name, length)) {
			at.start = i;
			break;
		}
	if (at.start + length + value_length < at.end)
		at.end = at.start + length + value_length;
	r->found = at.start + (at.start == i ? length : 0);
	return at;
}

static void set(struct reader *r, const char *name, size_t length,
		const struct la_script_value *value)
{
	if (!r->stage)
		return;
	la_script_vars_set(&r->stage->env, name, length, "");
	la_script_vars_set(&r->after, name, length,
			   value->unknown ? NULL :
					    la_strbuf_text(&value->text));
}

/* NAME and what follows it up to end. */
static void give(struct reader *r, const char *name, size_t length,
		 const char *raw, size_t raw_length)
{
	struct la_script_value value = { 0 };
	struct la_script_span at = find(r, name, length,
					raw + raw_length - name - length);

	read_word(r, raw, raw_length, &value);
	if (r->problem)
		la_script_lose(r->docker->script, r->docker->part, name,
			       length, LA_SCRIPT_SYNTAX, at, r->problem);
	else
		la_script_give(r->docker->script, r->docker->part, name,
			       length, &value, at);
	set(r, name, length, &value);
	la_script_value_release(&value);
}

/* Every word has to hold a =. */
static bool is_complete(struct reader *r, size_t at)
{
	const char *text = la_strbuf_text(&r->line->text);
	size_t end;

	for (; at < r->line->text.length; at = skip_blanks(r, end)) {
		end = word_end(r, at);
		if (!memchr(text + at, '=', end - at))
			return false;
	}
	return true;
}

static void read_pairs(struct reader *r, size_t at)
{
	const char *text = la_strbuf_text(&r->line->text), *equals;
	size_t end;

	for (; at < r->line->text.length; at = skip_blanks(r, end)) {
		end = word_end(r, at);
		equals = memchr(text + at, '=', end - at);
		give(r, text + at, equals - text - at, equals + 1,
		     text + end - equals - 1);
	}
}

/* ENV NAME the rest of the line */
static void read_legacy(struct reader *r, size_t at, size_t end)
{
	const char *text = la_strbuf_text(&r->line->text);
	size_t value = skip_blanks(r, end), stop = r->line->text.length;

	while (stop > value && is_blank(text[stop - 1]))
		stop--;
	if (value == stop)
		la_script_lose(r->docker->script, r->docker->part, text + at,
			       end - at, LA_SCRIPT_SYNTAX, r->line->at,
			       "docker refuses a name without a value");
	else if (text[value] == '=')
		la_script_lose(r->docker->script, r->docker->part, text + at,
			       end - at, LA_SCRIPT_BLANKS, r->line->at,
			       "docker gives it a value that begins with =");
	else
		give(r, text + at, end - at, text + value, stop - value);
}

void la_docker_env(struct la_docker *docker, const struct la_docker_line *line,
		   size_t at)
{
	struct la_docker_stage *stage = &docker->stage[docker->stages - 1];
	struct reader r = { .docker = docker, .line = line, .stage = stage,
			    .vars = &stage->vars,
			    .found = line->at.start + at };
	size_t end = word_end(&r, at), i;

	if (!memchr(la_strbuf_text(&line->text) + at, '=', end - at))
		read_legacy(&r, at, end);
	else if (is_complete(&r, at))
		read_pairs(&r, at);
	else
		la_script_lose_mention(docker->script, docker->part,
				       LA_SCRIPT_SYNTAX, line->at,
				       "docker refuses ENV with a word that "
				       "has no =");
	for (i = 0; i < r.after.count; i++)
		la_script_vars_set(&stage->vars, r.after.var[i].name,
				   strlen(r.after.var[i].name),
				   r.after.var[i].value);
	stage->vars.full |= r.after.full;
	docker->failed |= r.after.failed || stage->vars.failed;
	la_script_vars_release(&r.after);
}

/* The value of an ARG: its default, or what was said before FROM. */
static void set_argument(struct la_docker *docker, const char *name,
			 size_t length, const char *value)
{
	struct la_docker_stage *stage;
	const struct la_script_var *global =
		la_script_vars_find(&docker->globals, name, length);

	if (!docker->stages) {
		la_script_vars_set(&docker->globals, name, length, value);
		return;
	}
	stage = &docker->stage[docker->stages - 1];
	la_script_vars_set(&stage->args, name, length, "");
	if (!la_script_vars_find(&stage->env, name, length))
		la_script_vars_set(&stage->vars, name, length,
				   value || !global ? value : global->value);
}

void la_docker_arg(struct la_docker *docker, const struct la_docker_line *line,
		   size_t at)
{
	struct la_docker_stage *stage =
		docker->stages ? &docker->stage[docker->stages - 1] : NULL;
	struct reader r = { .docker = docker, .line = line, .stage = stage,
			    .vars = stage ? &stage->vars : &docker->globals,
			    .found = line->at.start + at };
	const char *text = la_strbuf_text(&line->text), *equals;
	struct la_script_value value = { 0 };
	size_t end, length;

	for (; at < line->text.length; at = skip_blanks(&r, end)) {
		end = word_end(&r, at);
		equals = memchr(text + at, '=', end - at);
		length = equals ? (size_t)(equals - text) - at : end - at;
		if (equals)
			read_word(&r, equals + 1, text + end - equals - 1,
				  &value);
		la_script_lose(docker->script, docker->part, text + at, length,
			       LA_SCRIPT_NO_ASSIGNMENT,
			       find(&r, text + at, length, end - at - length),
			       "a build argument is no variable of the "
			       "container; use ENV");
		set_argument(docker, text + at, length,
			     equals && !value.unknown ?
				     la_strbuf_text(&value.text) :
				     NULL);
		la_script_value_release(&value);
	}
}
