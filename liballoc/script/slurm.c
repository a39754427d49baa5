// SPDX-License-Identifier: Apache-2.0
/*
 * Slurm: --export of srun and sbatch, and batch scripts with #SBATCH lines.
 * Slurm splits the list at commas outside of quotes, keeps the quotes, and
 * srun leaves alone what is set already.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "script/launcher-state.h"
#include "util/strbuf.h"
#include "util/util.h"

/* Bytes above a step that are searched for the list that it finds. */
enum { MOST_ABOVE = 64 << 10 };

/* Bytes of the item of a list that begins here. */
static size_t item_length(const char *item)
{
	char quote = 0;
	size_t n;

	for (n = 0; item[n] && (quote || item[n] != ','); n++) {
		if (quote)
			quote = item[n] == quote ? 0 : quote;
		else if (item[n] == '\'' || item[n] == '"')
			quote = item[n];
	}
	return n;
}

static bool is_item(const char *item, size_t length, const char *word)
{
	return length == strlen(word) && !strncasecmp(item, word, length);
}

/* Does a list name a variable, with a value or without? */
static bool lists(const char *spec, const char *name)
{
	size_t n = strlen(name), length;

	for (;; spec += length + 1) {
		length = item_length(spec);
		if (length >= n && !strncmp(spec, name, n) &&
		    (length == n || spec[n] == '='))
			return true;
		if (!spec[length])
			return false;
	}
}

static bool has_all(const char *spec)
{
	size_t length;

	for (;; spec += length + 1) {
		length = item_length(spec);
		if (is_item(spec, length, "ALL"))
			return true;
		if (!spec[length])
			return false;
	}
}

/* Is what follows a comma the rest of a value rather than a name? */
static bool is_rest(const char *item)
{
	size_t n = item_length(item), i;

	for (i = 0; i < n && item[i] != '='; i++)
		if (!isalnum((unsigned char)item[i]) && item[i] != '_')
			return true;
	return false;
}

/* " NAME=VALUE" sets a variable whose name has a blank. */
static void say_blanks(struct la_launch *launch, const char *name,
		       size_t length)
{
	const char *start = name;
	size_t at;

	while (length && isspace((unsigned char)*start)) {
		start++;
		length--;
	}
	while (length && isspace((unsigned char)start[length - 1]))
		length--;
	at = la_launch_set_name(launch, start, length, "");
	if (at == LA_SCRIPT_WHOLE)
		return;
	la_script_change(launch->script, at, NULL, LA_SCRIPT_LOST);
	la_launch_say(launch, at, LA_SCRIPT_BLANKS);
	launch->given_count--;
}

static void say_export(struct la_launch *launch, size_t at, const char *value,
		       const char *next, bool all)
{
	if (*next == ',' && is_rest(next + 1))
		la_launch_say(launch, at, LA_SCRIPT_COMMA_CUT);
	if (*value == '\'' || *value == '"')
		la_launch_say(launch, at, LA_SCRIPT_QUOTES_KEPT);
	if (!all)
		la_launch_say(launch, at, LA_SCRIPT_REST_GONE);
}

/* One NAME=VALUE of a list; srun keeps the first outer of those given. */
static void export_one(struct la_launch *launch, const char *item,
		       size_t length, bool all, size_t outer)
{
	bool quoted = *item == '\'' || *item == '"';
	const char *next = item + length;
	struct la_script_given *given;
	struct la_strbuf value = { 0 };
	size_t name, at;

	if (quoted && length > 1 && item[length - 1] == *item) {
		item++;
		length -= 2;
	}
	name = strcspn(item, "=");
	if (name && (isspace((unsigned char)*item) ||
		     isspace((unsigned char)item[name - 1]))) {
		say_blanks(launch, item, name);
		return;
	}
	given = la_launch_given(launch, item, name);
	if (given && given < launch->given + outer) {
		at = la_launch_set_name(launch, item, name, given->value);
		la_launch_say(launch, at, LA_SCRIPT_EARLIER_KEPT);
		return;
	}
	la_strbuf_add(&value, item + name + 1, length - name - 1);
	at = la_launch_set_name(launch, item, name, la_strbuf_text(&value));
	if (at != LA_SCRIPT_WHOLE)
		say_export(launch, at, item + name + 1, next, all);
	la_strbuf_release(&value);
}

void la_slurm_export(struct la_launch *launch, enum la_slurm_who who,
		     const char *spec)
{
	bool none = is_item(spec, item_length(spec), "NONE");
	bool all = !none && has_all(spec);
	const char *item;
	size_t length, i = 0, outer;

	while (!all && i < launch->given_count) {
		if (!none && lists(spec, launch->given[i].name))
			i++;
		else
			la_launch_drop(launch, &launch->given[i],
				       LA_SCRIPT_NOT_PASSED);
	}
	if (none)
		return;
	outer = all && who == LA_SLURM_SRUN ? launch->given_count : 0;
	for (item = spec;; item += length + 1) {
		length = item_length(item);
		if (memchr(item, '=', length))
			export_one(launch, item, length, all, outer);
		if (!item[length])
			break;
	}
}

/* The last place of a word in a text; NULL: none. */
static const char *find_last(const char *text, size_t length, const char *word)
{
	const char *last = NULL, *at = text;

	while ((at = memmem(at, text + length - at, word, strlen(word))))
		last = at++;
	return last;
}

/* The list that a step finds in the text above it; NULL: none. */
static const char *find_list(const char *text, size_t length)
{
	const char *set = find_last(text, length, "SLURM_EXPORT_ENV");
	const char *line = find_last(text, length, "#SBATCH --export=");

	if (set && (!line || set > line))
		return set[strlen("SLURM_EXPORT_ENV")] == '=' ?
			       set + strlen("SLURM_EXPORT_ENV=") :
			       NULL;
	return line ? line + strlen("#SBATCH --export=") : NULL;
}

/* Whether a step gets what was given is not known. */
static void doubt_all(struct la_launch *launch)
{
	size_t i;

	for (i = 0; i < launch->given_count; i++) {
		la_script_change(launch->script, launch->given[i].assignment,
				 NULL, LA_SCRIPT_UNKNOWN);
		la_launch_say(launch, launch->given[i].assignment,
			      LA_SCRIPT_NEEDS_RUNNING);
	}
}

void la_slurm_inherit(struct la_launch *launch)
{
	const size_t above = launch->word[launch->self].start;
	const char *text = launch->part->text, *list;
	struct la_strbuf spec = { 0 };
	size_t n;

	if (above > MOST_ABOVE && above <= launch->part->length) {
		doubt_all(launch);
		return;
	}
	list = above <= launch->part->length ? find_list(text, above) : NULL;
	if (!list)
		return;
	n = strspn(list, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "abcdefghijklmnopqrstuvwxyz0123456789_=:.,");
	la_strbuf_add(&spec, list, n);
	if (list[n] && !strchr(" \t\r\n;&", list[n])) {
		doubt_all(launch);
	} else if (!spec.failed) {
		la_slurm_export(launch, LA_SLURM_SRUN, la_strbuf_text(&spec));
	}
	la_strbuf_release(&spec);
}

/* One word of a #SBATCH line, without its quotes; where it ends. */
static size_t read_word(const char *text, size_t at, size_t end,
			struct la_strbuf *word)
{
	char quote = 0;

	for (; at < end; at++) {
		if (quote && text[at] == quote) {
			quote = 0;
		} else if (!quote && (text[at] == '"' || text[at] == '\'')) {
			quote = text[at];
		} else if (text[at] == '\\' && at + 1 < end) {
			la_strbuf_add(word, text + ++at, 1);
		} else if (!quote && isspace((unsigned char)text[at])) {
			break;
		} else {
			la_strbuf_add(word, text + at, 1);
		}
	}
	return at;
}

/* The options of one #SBATCH line; true: the job starts without the rest. */
static bool read_directive(struct la_script *script,
			   const struct la_script_part *part, size_t at,
			   size_t end)
{
	struct la_script_word word = { .start = at, .end = end };
	struct la_launch launch = {
		.script = script, .part = part, .word = &word, .count = 1
	};
	struct la_strbuf text = { 0 };
	const char *spec;
	bool alone = false, next = false;

	for (at += strlen("#SBATCH"); at < end && !text.failed;) {
		while (at < end && isspace((unsigned char)part->text[at]))
			at++;
		if (at == end || part->text[at] == '#')
			break;
		at = read_word(part->text, at, end, &text);
		spec = la_strbuf_text(&text);
		if (next || !strncmp(spec, "--export=", 9)) {
			spec += next ? 0 : 9;
			la_slurm_export(&launch, LA_SLURM_SBATCH, spec);
			alone = !has_all(spec);
		}
		next = !strcmp(spec, "--export");
		la_strbuf_release(&text);
		text = (struct la_strbuf){ 0 };
	}
	la_strbuf_release(&text);
	return alone;
}

/* #SBATCH lines end with the first command. */
static bool read_directives(struct la_script *script,
			    const struct la_script_part *part)
{
	const char *newline;
	size_t at, end, first;
	bool alone = false;

	for (at = 0; at < part->length; at = end + 1) {
		newline = memchr(part->text + at, '\n', part->length - at);
		end = newline ? (size_t)(newline - part->text) : part->length;
		for (first = at;
		     first < end && isspace((unsigned char)part->text[first]);
		     first++)
			;
		if (first < end && part->text[first] != '#')
			break;
		if (end - at > 7 && !memcmp(part->text + at, "#SBATCH", 7) &&
		    isspace((unsigned char)part->text[at + 7]))
			alone = read_directive(script, part, at, end) || alone;
	}
	return alone;
}

static bool contains(const struct la_script_part *part, const char *word)
{
	return memmem(part->text, part->length, word, strlen(word));
}

/* srun in a job that was started without the rest passes on nothing. */
static void say_steps(struct la_script *script,
		      const struct la_script_part *part, size_t from)
{
	const struct la_script_assignment *found;

	if (!contains(part, "srun") || contains(part, "SLURM_EXPORT_ENV") ||
	    contains(part, "srun --export=ALL"))
		return;
	for (; (found = la_script_peek(script, from)); from++)
		if (found->fate == LA_SCRIPT_ARRIVES)
			la_script_say(script, part, from, LA_SCRIPT_EXPORT_NONE,
				      found->offset - part->offset,
				      found->offset - part->offset +
					      found->length,
				      NULL);
}

/* The shell that #! names. */
static enum la_script_kind shell_of(const struct la_script_part *part)
{
	static const struct {
		const char *word;
		enum la_script_kind kind;
	} shells[] = {
		{ "zsh", LA_SCRIPT_ZSH },	{ "fish", LA_SCRIPT_FISH },
		{ "tcsh", LA_SCRIPT_TCSH },	{ "csh", LA_SCRIPT_TCSH },
		{ "bash", LA_SCRIPT_BASH },	{ "ksh", LA_SCRIPT_KSH },
		{ "python", LA_SCRIPT_PYTHON }, { "sh", LA_SCRIPT_SH }
	};
	const char *newline = memchr(part->text, '\n', part->length);
	size_t n = newline ? (size_t)(newline - part->text) : part->length, i;

	for (i = 0;
	     n > 2 && !memcmp(part->text, "#!", 2) && i < ARRAY_SIZE(shells);
	     i++)
		if (memmem(part->text, n, shells[i].word,
			   strlen(shells[i].word)))
			return shells[i].kind;
	return LA_SCRIPT_BASH;
}

/* Arguments of srun without its name. */
static int read_arguments(struct la_script *script,
			  const struct la_script_part *part, size_t start,
			  struct la_error *err)
{
	struct la_script_part command = { .offset = part->offset + start };
	struct la_strbuf text = { 0 };
	int ret = -ENOMEM;

	la_strbuf_addstr(&text, "srun ");
	la_strbuf_add(&text, part->text + start, part->length - start);
	command.text = la_strbuf_text(&text);
	command.length = text.length;
	if (!text.failed)
		ret = la_script_nested(script, LA_SCRIPT_BASH, &command, err);
	la_strbuf_release(&text);
	return ret;
}

int la_script_read_slurm(struct la_script *script,
			 const struct la_script_part *part,
			 struct la_error *err)
{
	size_t start = 0, first = 0;
	bool alone;
	int ret;

	while (start < part->length &&
	       isspace((unsigned char)part->text[start]))
		start++;
	if (start < part->length && part->text[start] == '-')
		return read_arguments(script, part, start, err);
	alone = read_directives(script, part);
	while (la_script_peek(script, first))
		first++;
	ret = la_script_nested(script, shell_of(part), part, err);
	if (!ret && alone)
		say_steps(script, part, first);
	return ret;
}
