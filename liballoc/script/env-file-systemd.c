// SPDX-License-Identifier: Apache-2.0
/* EnvironmentFile= and environment.d: one grammar, expanded or not. */
#include <string.h>

#include "script/env-file.h"

enum state {
	BEFORE_NAME,
	IN_NAME,
	BEFORE_VALUE,
	IN_VALUE,
	ESCAPED,
	SINGLE,
	DOUBLE,
	DOUBLE_ESCAPED,
	COMMENT,
	COMMENT_ESCAPED
};

struct machine {
	struct la_env_file *file;
	enum state state;
	bool expands; /* environment.d */
	struct la_script_span name;
	struct la_strbuf raw; /* the value so far */
	size_t kept; /* bytes of it before the blanks at its end */
};

static bool is_space(char c)
{
	return c && strchr(" \t\n\r", c);
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* Neither names nor values may hold these. */
static bool has_controls(const struct la_strbuf *raw)
{
	size_t i;

	for (i = 0; i < raw->length; i++)
		if (((unsigned char)raw->data[i] < ' ' &&
		     !strchr("\t\n", raw->data[i])) ||
		    raw->data[i] == 0x7f)
			return true;
	return false;
}

static void bind_value(struct machine *m, size_t end)
{
	struct la_script_value value = { 0 };
	struct la_script_scope scope = {
		m->file->script, &m->file->vars,
		LA_SCRIPT_BARE | LA_SCRIPT_DOLLARS | LA_SCRIPT_OPEN |
			LA_SCRIPT_WORDS,
		0
	};

	if (m->expands)
		la_script_expand_all(&scope, la_strbuf_text(&m->raw),
				     m->raw.length, &value);
	else
		la_strbuf_add(&value.text, la_strbuf_text(&m->raw),
			      m->raw.length);
	la_env_bind(m->file, m->name, &value, end);
}

static void push(struct machine *m, size_t end)
{
	const char *text = m->file->text;
	size_t length;

	if (m->state == IN_VALUE && m->raw.data) {
		m->raw.length = m->kept;
		m->raw.data[m->kept] = '\0';
	}
	while (m->name.end > m->name.start &&
	       is_space(text[m->name.end - 1]))
		m->name.end--;
	length = m->name.end - m->name.start;
	if (la_script_name(text + m->name.start, length) != length || !length)
		la_env_refuse(m->file,
			      la_script_mention(m->file->script, text, m->name),
			      end, LA_SCRIPT_NO_ASSIGNMENT,
			      "systemd ignores a line whose name is more than "
			      "a name");
	else if (m->expands && !m->raw.length)
		la_env_refuse(m->file, m->name, end, LA_SCRIPT_NO_ASSIGNMENT,
			      "environment.d ignores an empty value");
	else if (has_controls(&m->raw))
		la_env_refuse(m->file, m->name, end, LA_SCRIPT_NO_ASSIGNMENT,
			      "systemd ignores values with control characters");
	else
		bind_value(m, end);
	la_strbuf_release(&m->raw);
	m->kept = 0;
}

static void add(struct machine *m, char c)
{
	la_strbuf_add(&m->raw, &c, 1);
	if (m->state != IN_VALUE || !is_space(c))
		m->kept = m->raw.length;
}

static void in_name(struct machine *m, char c, size_t at)
{
	if (is_line_end(c)) {
		la_env_refuse(m->file,
			      la_script_mention(m->file->script, m->file->text,
						(struct la_script_span){
							m->name.start, at }),
			      at, LA_SCRIPT_NO_ASSIGNMENT,
			      "there is no = behind the name");
		m->state = BEFORE_NAME;
	} else if (c == '=') {
		m->name.end = at;
		m->state = BEFORE_VALUE;
	}
}

static void in_value(struct machine *m, char c, size_t at)
{
	if (is_line_end(c)) {
		push(m, at);
		m->state = BEFORE_NAME;
	} else if (c == '\\') {
		m->state = ESCAPED;
		m->kept = m->raw.length;
	} else if (m->state == BEFORE_VALUE && (c == '\'' || c == '"')) {
		m->state = c == '"' ? DOUBLE : SINGLE;
	} else if (m->state == IN_VALUE || !is_space(c)) {
		m->state = IN_VALUE;
		add(m, c);
	}
}

static void in_double(struct machine *m, char c)
{
	if (m->state == DOUBLE && (c == '"' || c == '\\')) {
		m->state = c == '"' ? BEFORE_VALUE : DOUBLE_ESCAPED;
		return;
	}
	if (m->state == DOUBLE_ESCAPED) {
		m->state = DOUBLE;
		if (c == '\n')
			return;
		if (!c || !strchr("\"\\`$", c))
			add(m, '\\');
	}
	add(m, c);
}

static void in_comment(struct machine *m, char c)
{
	if (m->state == COMMENT_ESCAPED)
		m->state = COMMENT;
	else if (c == '\\')
		m->state = COMMENT_ESCAPED;
	else if (is_line_end(c))
		m->state = BEFORE_NAME;
}

static void before_name(struct machine *m, char c, size_t at)
{
	if (c && strchr("#;", c)) {
		m->state = COMMENT;
	} else if (!is_space(c)) {
		m->state = IN_NAME;
		m->name.start = at;
	}
}

static void step(struct machine *m, char c, size_t at)
{
	switch (m->state) {
	case BEFORE_NAME:
		before_name(m, c, at);
		break;
	case IN_NAME:
		in_name(m, c, at);
		break;
	case BEFORE_VALUE:
	case IN_VALUE:
		in_value(m, c, at);
		break;
	case ESCAPED:
		m->state = IN_VALUE;
		if (!is_line_end(c)) {
			add(m, c);
			m->kept = m->raw.length;
		}
		break;
	case SINGLE:
		c == '\'' ? (void)(m->state = BEFORE_VALUE) : add(m, c);
		break;
	case DOUBLE:
	case DOUBLE_ESCAPED:
		in_double(m, c);
		break;
	case COMMENT:
	case COMMENT_ESCAPED:
		in_comment(m, c);
	}
}

static void read_file(struct la_env_file *file, bool expands)
{
	struct machine m = { .file = file, .expands = expands };
	size_t at;

	for (at = 0; at < file->length; at++)
		step(&m, file->text[at], at);
	if (m.state == IN_NAME)
		in_name(&m, '\n', at);
	else if (m.state > IN_NAME && m.state < COMMENT)
		push(&m, at);
	if (m.raw.failed)
		file->failed = true;
	la_strbuf_release(&m.raw);
}

void la_env_read_systemd(struct la_env_file *file)
{
	read_file(file, false);
}

void la_env_read_environment_d(struct la_env_file *file)
{
	read_file(file, true);
}
