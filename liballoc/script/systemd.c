// SPDX-License-Identifier: Apache-2.0
/* Units and drop-ins of systemd: what a service has in its environment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/systemd.h"
#include "util/error.h"
#include "util/utf8.h"
#include "util/util.h"

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
	while (at < end && text[at] && strchr(" \t\r", text[at]))
		at++;
	return at;
}

/* Does an odd number of backslashes end here? */
static bool is_escaped(const char *text, size_t at, size_t end)
{
	size_t n = 0;

	while (end - n > at && text[end - n - 1] == '\\')
		n++;
	return n % 2;
}

/* A line end that is escaped becomes a blank, before those that the next line
 * begins with.  Where the next line is. */
static size_t read_line(const struct la_script_part *part, size_t at,
			struct la_unit_line *line)
{
	const char *newline;
	size_t end, stop, first;

	line->at.start = at;
	for (line->continued = false; at < part->length; at = end + 1) {
		newline = memchr(part->text + at, '\n', part->length - at);
		end = newline ? (size_t)(newline - part->text) : part->length;
		stop = end > at && part->text[end - 1] == '\r' ? end - 1 : end;
		first = skip_blanks(part->text, at, stop);
		if (line->continued && first < stop &&
		    strchr("#;", part->text[first]))
			continue;
		if (!line->continued)
			at = first;
		line->at.end = stop;
		if (!is_escaped(part->text, at, stop)) {
			la_strbuf_add(&line->text, part->text + at, stop - at);
			return end + 1;
		}
		la_strbuf_add(&line->text, part->text + at, stop - at - 1);
		la_strbuf_add(&line->text, " ", 1);
		line->continued = true;
	}
	return part->length;
}

/* A text that a variable may hold, says systemd. */
static bool is_valid(const char *text)
{
	size_t n;

	for (; *text; text += n) {
		n = la_utf8_char(text, strnlen(text, 4));
		if (!n || ((unsigned char)*text < ' ' &&
			   !strchr("\t\n", *text)) || *text == 0x7f)
			return false;
	}
	return true;
}

static void forget(struct la_unit *unit, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < unit->sets; i++)
		if (!strncmp(unit->set[i].name, name, length) &&
		    !unit->set[i].name[length])
			unit->set[i--] = unit->set[--unit->sets];
}

static void remember(struct la_unit *unit, const char *name, size_t length,
		     size_t index)
{
	struct la_unit_set *set;

	forget(unit, name, length);
	if (index == LA_SCRIPT_WHOLE || unit->sets == LA_UNIT_SET ||
	    length >= LA_SCRIPT_NAME)
		return;
	set = &unit->set[unit->sets++];
	set->index = index;
	memcpy(set->name, name, length);
	set->name[length] = '\0';
}

/* NAME=value, one word of Environment=. */
static void read_assignment(struct la_unit *unit,
			    const struct la_unit_line *line,
			    struct la_unit_word *word)
{
	const char *text, *equals;
	struct la_script_value value = { 0 };
	struct la_script_span at = la_unit_find(unit, line, word);
	size_t n, index;

	la_unit_specifiers(&word->value);
	text = la_strbuf_text(&word->value.text);
	n = la_script_name(text, strlen(text));
	equals = text[n] == '=' ? text + n : NULL;
	if (!n || !equals || !is_valid(text)) {
		if (la_script_watches(unit->script, text, n, false))
			la_script_lose(unit->script, unit->part, text, n,
				       text[n] ? LA_SCRIPT_SYNTAX :
						 LA_SCRIPT_BLANKS,
				       at, "systemd ignores what is not "
					   "NAME=value");
		return;
	}
	la_strbuf_addstr(&value.text, equals + 1);
	value.unknown = word->value.unknown;
	memcpy(value.because, word->value.because, sizeof(value.because));
	la_script_vars_set(&unit->vars, text, n,
			   value.unknown ? NULL : value.text.data);
	index = la_script_give(unit->script, unit->part, text, n, &value, at);
	if (index != LA_SCRIPT_WHOLE && line->continued &&
	    strchr(equals, ' '))
		la_script_say(unit->script, unit->part, index,
			      LA_SCRIPT_CONTINUATION, at.start, at.end, NULL);
	remember(unit, text, n, index);
	la_script_value_release(&value);
}

/* An empty Environment= takes back all before it. */
static void reset(struct la_unit *unit, struct la_script_span at)
{
	size_t i;

	for (i = 0; i < unit->sets; i++) {
		la_script_change(unit->script, unit->set[i].index, NULL,
				 LA_SCRIPT_LOST);
		la_script_say(unit->script, unit->part, unit->set[i].index,
			      LA_SCRIPT_OVERRIDDEN, at.start, at.end,
			      "an empty Environment= takes this back");
	}
	unit->sets = 0;
	la_script_vars_release(&unit->vars);
}

static void read_environment(struct la_unit *unit,
			     const struct la_unit_line *line,
			     size_t at)
{
	const char *text = la_strbuf_text(&line->text);
	struct la_unit_word word = { 0 };
	int ret;

	if (at == line->text.length) {
		reset(unit, line->at);
		return;
	}
	while ((ret = la_unit_word(text, line->text.length, &at, &word)) > 0)
		read_assignment(unit, line, &word);
	la_script_value_release(&word.value);
	if (ret < 0)
		la_script_lose_mention(unit->script, unit->part,
				       LA_SCRIPT_SYNTAX, line->at,
				       "systemd refuses the quotes or escapes "
				       "and ignores what follows");
}

/* PassEnvironment=NAME: from the manager, unless Environment= has it. */
static void read_pass(struct la_unit *unit, const struct la_unit_line *line,
		      size_t at)
{
	const char *text = la_strbuf_text(&line->text), *name;
	struct la_unit_word word = { 0 };
	struct la_script_span span;
	size_t index;

	while (la_unit_word(text, line->text.length, &at, &word) > 0) {
		name = la_strbuf_text(&word.value.text);
		if (!la_script_watches(unit->script, name, strlen(name),
				       false) ||
		    la_script_vars_find(&unit->vars, name, strlen(name)))
			continue;
		span = la_unit_find(unit, line, &word);
		index = la_script_add(unit->script, unit->part, name,
				      strlen(name), NULL, LA_SCRIPT_UNKNOWN,
				      span.start, span.end);
		la_script_say(unit->script, unit->part, index,
			      LA_SCRIPT_ELSEWHERE, span.start, span.end,
			      "it has what the manager has, if that has it");
	}
	la_script_value_release(&word.value);
}

static void keep_unset(struct la_unit *unit, const struct la_unit_line *line,
		       size_t at)
{
	if (at == line->text.length)
		la_strbuf_release(&unit->unset_text);
	la_strbuf_addf(&unit->unset_text, " %s",
		       la_strbuf_text(&line->text) + at);
	unit->unset = line->at;
}

/* UnsetEnvironment= acts after all others, wherever it stands. */
static void unset(struct la_unit *unit)
{
	const char *text = la_strbuf_text(&unit->unset_text), *name;
	struct la_unit_word word = { 0 };
	const struct la_script_var *var;
	size_t at = 0, n;

	while (la_unit_word(text, unit->unset_text.length, &at, &word) > 0) {
		name = la_strbuf_text(&word.value.text);
		n = strcspn(name, "=");
		if (!la_script_watches(unit->script, name, n, false))
			continue;
		var = la_script_vars_find(&unit->vars, name, n);
		if (name[n] && (!var || !var->value ||
				strcmp(var->value, name + n + 1) != 0))
			continue;
		la_script_add(unit->script, unit->part, name, n, NULL,
			      LA_SCRIPT_REMOVED, unit->unset.start,
			      unit->unset.end);
		forget(unit, name, n);
	}
	la_script_value_release(&word.value);
}

/* A file beats Environment=, whatever their order: say so at each place. */
static void warn_of_file(struct la_unit *unit)
{
	size_t i;

	if (unit->file.end == unit->file.start)
		return;
	for (i = 0; i < unit->sets; i++)
		la_script_say(unit->script, unit->part, unit->set[i].index,
			      LA_SCRIPT_OVERRIDDEN, unit->file.start,
			      unit->file.end,
			      "EnvironmentFile= beats Environment=, whatever "
			      "their order: see that it does not set %s",
			      unit->set[i].name);
	if (!unit->sets && !la_script_places(unit->script))
		la_script_say(unit->script, unit->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_ELSEWHERE, unit->file.start,
			      unit->file.end,
			      "EnvironmentFile= may set variables that this "
			      "unit does not show");
}

static void read_section(struct la_unit *unit, const char *text)
{
	static const char *const sections[] = { "[Service]", "[Socket]",
						"[Mount]", "[Swap]" };
	size_t i;

	unit->ignored = true;
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		if (!strncmp(text, sections[i], strlen(sections[i])))
			unit->ignored = false;
}

/* Where the value of a line with this key starts; 0: it has another. */
static size_t value_of(const struct la_unit_line *line, const char *key)
{
	const char *text = la_strbuf_text(&line->text);
	size_t at = strlen(key);

	if (strncmp(text, key, at) != 0)
		return 0;
	at = skip_blanks(text, at, line->text.length);
	return text[at] == '=' ?
		       skip_blanks(text, at + 1, line->text.length) :
		       0;
}

static void lose_line(struct la_unit *unit, const struct la_unit_line *line,
		      enum la_script_code code, const char *why)
{
	la_script_lose_mention(unit->script, unit->part, code, line->at, why);
}

/* Lines other than ExecStart=: these come first, wherever they stand. */
static void read_setting(struct la_unit *unit, const struct la_unit_line *line)
{
	const char *text = la_strbuf_text(&line->text);
	size_t at;

	if (text[0] == '[')
		read_section(unit, text);
	else if (unit->ignored)
		lose_line(unit, line, LA_SCRIPT_NO_ASSIGNMENT,
			  "systemd takes this in [Service] alone");
	else if ((at = value_of(line, "Environment")))
		read_environment(unit, line, at);
	else if ((at = value_of(line, "PassEnvironment")))
		read_pass(unit, line, at);
	else if ((at = value_of(line, "UnsetEnvironment")))
		keep_unset(unit, line, at);
	else if ((at = value_of(line, "EnvironmentFile")))
		unit->file = at == line->text.length ?
				     (struct la_script_span){ 0, 0 } :
				     line->at;
	else if (strncmp(text, "Exec", 4) != 0)
		lose_line(unit, line, LA_SCRIPT_OTHER_LANGUAGE,
			  "systemd knows no such line; use Environment=");
}

static int read_start(struct la_unit *unit, const struct la_unit_line *line)
{
	size_t at;

	if (la_strbuf_text(&line->text)[0] == '[')
		read_section(unit, la_strbuf_text(&line->text));
	at = unit->ignored ? 0 : value_of(line, "ExecStart");
	return at ? la_unit_exec(unit, line, at) : 0;
}

/* All lines, once for what is set and once for what is started. */
static int read_lines(struct la_unit *unit, bool start)
{
	struct la_unit_line line = { 0 };
	size_t at = la_script_mark(unit->part->text, unit->part->length);
	const char *text;
	int ret = 0;

	unit->ignored = false;
	while (!ret && at < unit->part->length) {
		at = read_line(unit->part, at, &line);
		text = la_strbuf_text(&line.text);
		if (!text[0] || strchr("#;", text[0]))
			;
		else if (start)
			ret = read_start(unit, &line);
		else
			read_setting(unit, &line);
		la_strbuf_release(&line.text);
	}
	return ret;
}

int la_script_read_systemd(struct la_script *script,
			   const struct la_script_part *part,
			   struct la_error *err)
{
	struct la_unit *unit = calloc(1, sizeof(*unit));
	bool failed;
	int ret;

	if (!unit)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	unit->script = script;
	unit->part = part;
	unit->err = err;
	ret = read_lines(unit, false);
	warn_of_file(unit);
	unset(unit);
	ret = ret ? ret : read_lines(unit, true);
	failed = unit->vars.failed || unit->unset_text.failed;
	la_script_vars_release(&unit->vars);
	la_strbuf_release(&unit->unset_text);
	free(unit);
	if (!ret && failed)
		ret = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				   "out of memory");
	return ret;
}
