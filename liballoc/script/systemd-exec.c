// SPDX-License-Identifier: Apache-2.0
/* ExecStart= of a unit: the words of a program that systemd starts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/systemd.h"
#include "util/error.h"

struct la_script_span la_unit_find(const struct la_unit *unit,
				   const struct la_unit_line *line,
				   const struct la_unit_word *word)
{
	const char *text = unit->part->text;
	struct la_script_span at = line->at;
	size_t length = word->at.end - word->at.start, first, i;

	first = length < 8 ? length : 8;
	for (i = at.start; i + first <= at.end; i++)
		if (!memcmp(text + i, line->text.data + word->at.start,
			    first)) {
			at.start = i;
			break;
		}
	if (at.end > at.start + length && !line->continued)
		at.end = at.start + length;
	return at;
}

/* ${NAME} anywhere and $NAME as a word of its own; $$ is a dollar sign. */
static void expand(struct la_unit *unit, struct la_script_value *value)
{
	struct la_script_value out = { 0 };
	struct la_script_scope scope = { unit->script, &unit->vars,
					 LA_SCRIPT_DOLLARS | LA_SCRIPT_OPEN |
						 LA_SCRIPT_PLAIN,
					 0 };
	const char *text = la_strbuf_text(&value->text);

	la_unit_specifiers(value);
	text = la_strbuf_text(&value->text);
	if (text[0] == '$' && text[1] &&
	    1 + la_script_name(text + 1, strlen(text + 1)) == strlen(text))
		la_script_value_unknown(value, text + 1, strlen(text + 1));
	la_script_expand_all(&scope, text, strlen(text), &out);
	out.unknown |= value->unknown;
	la_script_value_release(value);
	*value = out;
}

struct exec {
	struct la_unit_word parsed[LA_UNIT_WORDS]; /* owned */
	struct la_script_word word[LA_UNIT_WORDS];
	size_t count;
};

static void take_words(struct la_unit *unit, const struct la_unit_line *line,
		       size_t at, struct exec *exec)
{
	struct la_unit_word *parsed;
	struct la_script_span span;

	while (exec->count < LA_UNIT_WORDS &&
	       la_unit_word(la_strbuf_text(&line->text), line->text.length,
			    &at, &exec->parsed[exec->count]) > 0) {
		parsed = &exec->parsed[exec->count];
		span = la_unit_find(unit, line, parsed);
		expand(unit, &parsed->value);
		exec->word[exec->count++] = (struct la_script_word){
			parsed->value.unknown ?
				NULL :
				la_strbuf_text(&parsed->value.text),
			span.start, span.end
		};
	}
}

static size_t take_given(const struct la_unit *unit,
			 struct la_script_given *given)
{
	const struct la_script_var *var;
	size_t i;

	for (i = 0; i < unit->sets; i++) {
		var = la_script_vars_find(&unit->vars, unit->set[i].name,
					  strlen(unit->set[i].name));
		given[i] = (struct la_script_given){
			unit->set[i].name, var ? var->value : NULL,
			unit->set[i].index
		};
	}
	return unit->sets;
}

int la_unit_exec(struct la_unit *unit, const struct la_unit_line *line,
		 size_t at)
{
	struct la_script_given given[LA_UNIT_SET];
	struct la_script_command command = { .given = given };
	struct exec *exec = calloc(1, sizeof(*exec));
	int ret;

	if (!exec)
		return la_error_set(unit->err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	at += strspn(la_strbuf_text(&line->text) + at, "-@:+!|");
	take_words(unit, line, at, exec);
	command.word = exec->word;
	command.count = exec->count;
	command.given_count = take_given(unit, given);
	ret = la_script_start(unit->script, unit->part, &command, unit->err);
	while (exec->count < LA_UNIT_WORDS &&
	       exec->parsed[exec->count].value.text.data)
		la_script_value_release(&exec->parsed[exec->count].value);
	while (exec->count)
		la_script_value_release(&exec->parsed[--exec->count].value);
	free(exec);
	return ret;
}
