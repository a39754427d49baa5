// SPDX-License-Identifier: Apache-2.0
/* Modulefiles, in Tcl and in Lua: what `module load` sets. */
#include <errno.h>
#include <string.h>

#include "script/place.h"
#include "util/error.h"
#include "util/util.h"

enum { WORDS = 16 };

/* What a command of modulefiles does to a variable. */
enum action { SETS, REMOVES, JOINS };

static const struct {
	const char *tcl, *lua;
	enum action action;
} commands[] = {
	{ "setenv", "setenv", SETS },
	{ "pushenv", "pushenv", SETS },
	{ "unsetenv", "unsetenv", REMOVES },
	{ "append-path", "append_path", JOINS },
	{ "prepend-path", "prepend_path", JOINS },
};

struct module {
	struct la_script *script;
	const struct la_script_part *part;
	size_t at, length; /* of the text, or of a block in it */
	struct la_script_vars vars; /* of Tcl or Lua, not of the environment */
	int depth; /* blocks that are open: if, proc, for */
	struct la_script_value word[WORDS]; /* owned; of the command */
	struct la_script_span span[WORDS];
	size_t count;
	const char *problem; /* the file does not load */
};

static bool more(const struct module *m)
{
	return m->at < m->length;
}

static char now(const struct module *m)
{
	return more(m) ? m->part->text[m->at] : '\0';
}

static bool is_one_of(const struct module *m, const char *set)
{
	return now(m) && strchr(set, now(m));
}

static void add(struct la_script_value *value, const char *text, size_t length)
{
	la_strbuf_add(&value->text, text, length);
}

/* [command]: its result is not known. */
static void skip_command(struct module *m, struct la_script_value *value)
{
	unsigned int open = 0;

	la_script_value_unknown(value, "", 0);
	if (m->at + 1 < m->length && m->part->text[m->at + 1] >= '0' &&
	    m->part->text[m->at + 1] <= '9')
		m->problem = "Tcl runs what stands in [brackets]; write "
			     "{braces} around the value";
	do {
		open += now(m) == '[';
		open -= now(m) == ']';
		m->at++;
	} while (more(m) && open && now(m) != '\n');
}

static void add_dollar(struct module *m, struct la_script_value *value)
{
	const char *text = m->part->text + m->at + 1;
	size_t left = m->length - m->at - 1, n, skip = 0;
	const struct la_script_var *var;

	if (left && text[0] == '{')
		skip = 1;
	n = la_script_name(text + skip, left - skip);
	var = la_script_vars_find(&m->vars, text + skip, n);
	if (var && var->value && !(n < left && text[n + skip] == '('))
		la_script_value_add(value, var->name, strlen(var->name),
				    var->value);
	else if (n || skip)
		la_script_value_unknown(value, text + skip, n);
	else
		add(value, "$", 1);
	m->at += 1 + n + 2 * skip;
	if (!skip && now(m) == '(')
		while (is_one_of(m, "(") || (more(m) && !is_one_of(m, " \n")))
			m->at++;
}

static void add_escape(struct module *m, struct la_script_value *value)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *found;

	m->at++;
	if (!more(m))
		return;
	found = now(m) ? strchr(from, now(m)) : NULL;
	if (now(m) == '\n') {
		add(value, " ", 1);
		for (m->at++; is_one_of(m, " \t");)
			m->at++;
		return;
	}
	if (is_one_of(m, "xuU01234567"))
		la_script_value_unknown(value, "", 0);
	add(value, found ? &to[found - from] : m->part->text + m->at, 1);
	m->at++;
}

/* Between braces all is literal, but a line end behind a backslash. */
static void add_braces(struct module *m, struct la_script_value *value)
{
	unsigned int open = 1;

	for (m->at++; more(m); m->at++) {
		if (now(m) == '\\' && m->at + 1 < m->length) {
			add(value, m->part->text + m->at++, 1);
		} else if (now(m) == '{') {
			open++;
		} else if (now(m) == '}' && !--open) {
			m->at++;
			return;
		}
		add(value, m->part->text + m->at, 1);
	}
	m->problem = "a brace is not closed";
}

/* A line end behind a backslash: a blank. */
static bool is_joined(const struct module *m)
{
	return now(m) == '\\' && m->at + 1 < m->length &&
	       m->part->text[m->at + 1] == '\n';
}

static void tcl_word(struct module *m, struct la_script_value *value)
{
	bool quoted = now(m) == '"';

	if (now(m) == '{') {
		add_braces(m, value);
		return;
	}
	m->at += quoted;
	while (more(m) && !(quoted ? now(m) == '"' : is_one_of(m, " \t\n;"))) {
		if (now(m) == '$')
			add_dollar(m, value);
		else if (now(m) == '[')
			skip_command(m, value);
		else if (!quoted && is_joined(m))
			break;
		else if (now(m) == '\\')
			add_escape(m, value);
		else if (!quoted && now(m) == '\r' &&
			 m->at + 1 < m->length &&
			 m->part->text[m->at + 1] == '\n')
			m->at++;
		else
			add(value, m->part->text + m->at++, 1);
	}
	if (quoted && !more(m))
		m->problem = "the quotes are not closed";
	m->at += quoted;
}

static void release_words(struct module *m)
{
	while (m->count)
		la_script_value_release(&m->word[--m->count]);
}

/* The words of one command of Tcl; false at the end. */
static bool tcl_command(struct module *m)
{
	release_words(m);
	while (is_one_of(m, " \t\r\n;"))
		m->at++;
	if (now(m) == '#')
		while (more(m) && now(m) != '\n')
			m->at += now(m) == '\\' ? 2 : 1;
	while (more(m) && !is_one_of(m, "\n;")) {
		while (is_one_of(m, " \t\r") || is_joined(m))
			m->at += now(m) == '\\' ? 2 : 1;
		if (!more(m) || is_one_of(m, "\n;") || m->count == WORDS)
			break;
		m->span[m->count].start = m->at;
		tcl_word(m, &m->word[m->count]);
		m->span[m->count++].end = m->at < m->length ?
						  m->at :
						  m->length;
	}
	while (more(m) && m->count == WORDS && now(m) != '\n')
		m->at++;
	return m->count || more(m);
}

static const char *text_of(const struct module *m, size_t i)
{
	return i < m->count ? la_strbuf_text(&m->word[i].text) : "";
}

/* What a command with a name and a value does. */
static void act(struct module *m, enum action action, size_t name, size_t value)
{
	const char *variable = text_of(m, name);
	size_t length = strlen(variable);
	struct la_script_value *given =
		&m->word[value < m->count ? value : name];
	struct la_script_span at = { m->span[0].start,
				     m->span[m->count - 1].end };
	bool more_than_one;
	size_t place;

	if (!la_script_watches(m->script, variable, length, false))
		return;
	if (m->problem) {
		la_script_lose(m->script, m->part, variable, length,
			       LA_SCRIPT_SYNTAX, at, m->problem);
		return;
	}
	if (action == REMOVES && !m->depth) {
		la_script_add(m->script, m->part, variable, length, NULL,
			      LA_SCRIPT_REMOVED, at.start, at.end);
		return;
	}
	if (value >= m->count && action != REMOVES) {
		la_script_lose(m->script, m->part, variable, length,
			       LA_SCRIPT_SYNTAX, at, "there is no value");
		return;
	}
	more_than_one = action == SETS && value + 1 < m->count;
	if (action != SETS || m->depth || more_than_one)
		la_script_value_unknown(given, "", 0);
	place = la_script_give(m->script, m->part, variable, length, given, at);
	if (more_than_one)
		la_script_say(m->script, m->part, place, LA_SCRIPT_SYNTAX,
			      at.start, at.end,
			      "environment-modules refuses more than one "
			      "value, Lmod takes the first");
}

/* Past options; -d and --delim have a value behind them. */
static size_t skip_options(const struct module *m)
{
	const char *word;
	size_t i = 1;

	while (word = text_of(m, i), *word == '-')
		i += strcmp(word, "-d") && strcmp(word, "--delim") ? 1 : 2;
	return i;
}

static void read_blocks(struct module *m);

/* Scripts within braces may run or not. */
static void tcl_blocks(struct module *m)
{
	struct la_script_span span[WORDS];
	size_t i, count = m->count, after = m->at, length = m->length;

	memcpy(span, m->span, sizeof(span));
	for (i = 1; i < count; i++) {
		if (m->part->text[span[i].start] != '{' || m->depth > 8)
			continue;
		m->depth++;
		m->at = span[i].start + 1;
		m->length = span[i].end - 1;
		read_blocks(m);
		m->length = length;
		m->depth--;
	}
	release_words(m);
	m->at = after;
}

static void tcl_act(struct module *m)
{
	const char *verb = text_of(m, 0);
	size_t i, first;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].tcl, verb)) {
			first = skip_options(m);
			act(m, commands[i].action, first, first + 1);
			return;
		}
	if (!strcmp(verb, "set") && m->count == 3)
		la_script_vars_set(&m->vars, text_of(m, 1),
				   strlen(text_of(m, 1)),
				   m->word[2].unknown || m->depth ?
					   NULL :
					   text_of(m, 2));
	else if (!strcmp(verb, "export") || strchr(verb, '='))
		la_script_lose_mention(m->script, m->part,
				       LA_SCRIPT_OTHER_LANGUAGE,
				       (struct la_script_span){
					       m->span[0].start,
					       m->span[m->count - 1].end },
				       NULL);
	else if (!strcmp(verb, "if") || !strcmp(verb, "switch") ||
		 !strcmp(verb, "foreach") || !strcmp(verb, "proc"))
		tcl_blocks(m);
}

static void read_blocks(struct module *m)
{
	while (tcl_command(m)) {
		if (m->count)
			tcl_act(m);
		m->problem = NULL;
	}
}

static void lua_skip(struct module *m)
{
	const char *end;

	while (more(m)) {
		if (is_one_of(m, " \t\r\n;")) {
			m->at++;
		} else if (!strncmp(m->part->text + m->at, "--[[", 4)) {
			end = strstr(m->part->text + m->at, "]]");
			m->at = end ? (size_t)(end - m->part->text) + 2 :
				      m->length;
		} else if (!strncmp(m->part->text + m->at, "--", 2)) {
			while (more(m) && now(m) != '\n')
				m->at++;
		} else {
			return;
		}
	}
}

/* A string, a name or something else that is joined by .. */
static void lua_piece(struct module *m, struct la_script_value *value)
{
	const struct la_script_var *var;
	const char *text = m->part->text, *end;
	char quote = now(m);
	size_t n = la_script_name(text + m->at, m->length - m->at);

	if (quote == '"' || quote == '\'') {
		for (m->at++; more(m) && !is_one_of(m, "\n") &&
			      now(m) != quote;) {
			if (now(m) == '\\')
				add_escape(m, value);
			else
				add(value, text + m->at++, 1);
		}
		m->at++;
	} else if (!strncmp(text + m->at, "[[", 2)) {
		end = strstr(text + m->at, "]]");
		if (!end)
			end = text + m->length;
		add(value, text + m->at + 2, end - text - m->at - 2);
		m->at = end - text + 2;
	} else {
		var = la_script_vars_find(&m->vars, text + m->at, n);
		if (n && var && var->value)
			la_script_value_add(value, var->name,
					    strlen(var->name), var->value);
		else
			la_script_value_unknown(value, text + m->at, n);
		m->at += n ? n : 1;
	}
	if (m->at > m->length)
		m->at = m->length;
}

/* Pieces up to a comma, a parenthesis or the line's end. */
static void lua_value(struct module *m, struct la_script_value *value)
{
	for (;;) {
		while (is_one_of(m, " \t"))
			m->at++;
		if (!more(m) || is_one_of(m, ",)\n;\r"))
			return;
		lua_piece(m, value);
		while (is_one_of(m, " \t"))
			m->at++;
		if (!strncmp(m->part->text + m->at, "..", 2)) {
			m->at += 2;
			continue;
		}
		if (more(m) && !is_one_of(m, ",)\n;\r")) {
			la_script_value_unknown(value, "", 0);
			while (more(m) && !is_one_of(m, ")\n"))
				m->at++;
		}
	}
}

static void lua_arguments(struct module *m)
{
	for (m->at++; more(m) && m->count < WORDS; m->at++) {
		lua_skip(m);
		m->span[m->count].start = m->at;
		lua_value(m, &m->word[m->count]);
		m->span[m->count++].end = m->at;
		lua_skip(m);
		if (now(m) != ',')
			break;
	}
	m->at += now(m) == ')';
	m->span[m->count - 1].end = m->at;
}

static void lua_call(struct module *m, size_t n)
{
	const char *text = m->part->text;
	size_t i, start = m->at;

	release_words(m);
	m->span[0].start = start;
	m->count = 1;
	m->at += n;
	while (is_one_of(m, " \t"))
		m->at++;
	if (now(m) != '(')
		return;
	lua_arguments(m);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (strlen(commands[i].lua) == n &&
		    !strncmp(commands[i].lua, text + start, n))
			act(m, commands[i].action, 1, 2);
}

/* local name = value */
static void lua_local(struct module *m)
{
	struct la_script_value value = { 0 };
	const char *name;
	size_t n;

	for (m->at += 5; is_one_of(m, " \t");)
		m->at++;
	name = m->part->text + m->at;
	n = la_script_name(name, m->length - m->at);
	for (m->at += n; is_one_of(m, " \t");)
		m->at++;
	if (!n || now(m) != '=')
		return;
	m->at++;
	lua_value(m, &value);
	la_script_vars_set(&m->vars, name, n,
			   value.unknown || m->depth ?
				   NULL :
				   la_strbuf_text(&value.text));
	la_script_value_release(&value);
}

static void read_lua(struct module *m)
{
	const char *word;
	size_t n;

	for (lua_skip(m); more(m); lua_skip(m)) {
		word = m->part->text + m->at;
		n = la_script_name(word, m->length - m->at);
		if (n == 5 && !strncmp(word, "local", 5)) {
			lua_local(m);
			continue;
		}
		if ((n == 4 && !strncmp(word, "then", 4)) ||
		    (n == 2 && !strncmp(word, "do", 2)) ||
		    (n == 8 && !strncmp(word, "function", 8)))
			m->depth++;
		else if (n == 3 && !strncmp(word, "end", 3))
			m->depth -= m->depth > 0;
		if (n)
			lua_call(m, n);
		else
			m->at++;
	}
}

int la_script_read_module(struct la_script *script,
			  const struct la_script_part *part,
			  struct la_error *err)
{
	struct module m = { .script = script, .part = part,
			    .length = part->length };
	bool failed;

	if (la_script_is_utf16(script, part))
		return 0;
	m.at = la_script_mark(part->text, part->length);
	if (la_script_kind_now(script) == LA_SCRIPT_MODULE)
		read_blocks(&m);
	else
		read_lua(&m);
	release_words(&m);
	failed = m.vars.failed;
	la_script_vars_release(&m.vars);
	return failed ? la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				     "out of memory") :
			0;
}
