// SPDX-License-Identifier: Apache-2.0
/* pam_env.conf: NAME DEFAULT=value OVERRIDE=value, with ${...} and @{...}. */
#include <errno.h>
#include <string.h>

#include "script/pam.h"
#include "script/place.h"
#include "util/error.h"

struct conf {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_script_vars vars;
	const char *text; /* of the current line */
	struct la_script_span at; /* of the part */
};

/* A line taken apart; a value that is missing starts at 0. */
struct conf_line {
	struct la_script_span name, fallback, override;
	size_t end;
	/* Values in quotes so far, less those that were empty: 1.5.2 takes an
	 * empty value for a missing one when this is 0. */
	long quotes;
	bool bad;
};

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
	while (at < end && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at;
}

static size_t word_end(const char *text, size_t at, size_t end)
{
	while (at < end && text[at] != ' ' && text[at] != '\t')
		at++;
	return at;
}

/* A value, quoted or not; false if the quotes do not end before a blank. */
static bool take_value(struct conf_line *line, const char *text, size_t *at,
		       struct la_script_span *value)
{
	size_t start = *at, end = line->end, stop;
	const char *close;

	if (start < end && text[start] == '"') {
		start++;
		close = memchr(text + start, '"', end - start);
		if (!close)
			return false;
		stop = close - text;
		*at = stop + 1;
		line->quotes++;
	} else {
		stop = *at = word_end(text, start, end);
	}
	if (stop > start || line->quotes--)
		*value = (struct la_script_span){ start, stop };
	return word_end(text, *at, end) == *at;
}

/* Does a ${ or @{ not end? */
static bool is_open(const char *text, struct la_script_span value)
{
	size_t i;

	for (i = value.start; i + 1 < value.end; i++)
		if (text[i] == '\\')
			i++;
		else if ((text[i] == '$' || text[i] == '@') &&
			 text[i + 1] == '{' &&
			 !memchr(text + i, '}', value.end - i))
			return true;
	return false;
}

static void take_apart(const char *text, size_t at, size_t end,
		       struct conf_line *line)
{
	struct la_script_span *value;

	*line = (struct conf_line){ .end = end };
	line->name.start = at;
	line->name.end = at = word_end(text, at, end);
	line->bad = at == 0 || (end && skip_blanks(text, end - 1, end) == end);
	while ((at = skip_blanks(text, at, end)) < end && !line->bad) {
		if (end - at >= 8 && !strncmp(text + at, "DEFAULT=", 8)) {
			value = &line->fallback;
			at += 8;
		} else if (end - at >= 9 &&
			   !strncmp(text + at, "OVERRIDE=", 9)) {
			value = &line->override;
			at += 9;
		} else {
			line->bad = true;
			break;
		}
		line->bad = !take_value(line, text, &at, value);
	}
	line->bad |= is_open(text, line->fallback) ||
		     is_open(text, line->override);
}

static void expand(const struct conf *conf, struct la_script_span raw,
		   struct la_script_value *value)
{
	struct la_script_scope scope = { conf->script, &conf->vars,
					 LA_SCRIPT_PLAIN | LA_SCRIPT_OPEN, 0 };
	const char *text = conf->text;
	size_t i = raw.start, n;

	while (i < raw.end) {
		n = 0;
		if (text[i] == '\\') {
			i++;
			if (i == raw.end || !strchr("$@", text[i]))
				continue;
		} else if (text[i] == '$') {
			n = la_script_expand(&scope, text + i, raw.end - i,
					     value);
		} else if (text[i] == '@' && i + 1 < raw.end &&
			   text[i + 1] == '{') {
			la_script_value_unknown(value, "", 0);
			n = 2;
		}
		if (!n)
			la_strbuf_add(&value->text, text + i, 1);
		i += n ? n : 1;
	}
}

static void define(struct conf *conf, const struct conf_line *line)
{
	const char *name = conf->text + line->name.start;
	size_t length = line->name.end - line->name.start;
	struct la_script_value value = { 0 };

	expand(conf, line->override, &value);
	if (!value.unknown && !value.text.length)
		expand(conf, line->fallback, &value);
	if (!value.unknown && !value.text.length && !line->fallback.start) {
		if (la_script_watches(conf->script, name, length, false))
			la_script_add(conf->script, conf->part, name, length,
				      NULL, LA_SCRIPT_REMOVED,
				      conf->at.start, conf->at.end);
		la_script_vars_unset(&conf->vars, name, length);
	} else {
		la_script_vars_set(&conf->vars, name, length,
				   value.unknown ? NULL :
						   la_strbuf_text(&value.text));
		la_script_give(conf->script, conf->part, name, length, &value,
			       conf->at);
	}
	la_script_value_release(&value);
}

/* A = in the name: what pam_env makes of that is no part of its manual. */
static bool is_bare(struct conf *conf, const struct conf_line *line)
{
	const char *equals = memchr(conf->text, '=', line->name.end);
	struct la_script_value value = { .unknown = true };
	size_t index;

	if (!equals)
		return false;
	index = la_script_give(conf->script, conf->part, conf->text,
			       equals - conf->text, &value, conf->at);
	if (index != LA_SCRIPT_WHOLE)
		la_script_say(conf->script, conf->part, index,
			      LA_SCRIPT_SYNTAX, conf->at.start, conf->at.end,
			      "pam_env.conf has NAME DEFAULT=value; NAME=value "
			      "is for /etc/environment");
	return true;
}

static void read_line(struct conf *conf, const struct la_pam_line *pam)
{
	struct conf_line line;

	conf->text = la_strbuf_text(&pam->text);
	conf->at = (struct la_script_span){ pam->start, pam->end };
	take_apart(conf->text, 0, strcspn(conf->text, "#"), &line);
	if (is_bare(conf, &line))
		return;
	if (line.bad || pam->open)
		la_script_lose_mention(conf->script, conf->part,
				       LA_SCRIPT_SYNTAX, conf->at,
				       "pam_env takes DEFAULT= and OVERRIDE= "
				       "behind a name, no blank at the end, "
				       "quotes and braces that close, and "
				       "ignores this line");
	else
		define(conf, &line);
}

int la_script_read_pam_env(struct la_script *script,
			   const struct la_script_part *part,
			   struct la_error *err)
{
	struct conf conf = { .script = script, .part = part };
	struct la_pam_line line = { 0 };
	bool failed = false;
	size_t at = 0;

	if (la_script_is_utf16(script, part))
		return 0;
	while (la_pam_next(part->text, part->length, &at, &line)) {
		failed |= line.text.failed;
		read_line(&conf, &line);
	}
	failed |= conf.vars.failed;
	la_strbuf_release(&line.text);
	la_script_vars_release(&conf.vars);
	return failed ? la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				     "out of memory") :
			0;
}
