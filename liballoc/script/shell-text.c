// SPDX-License-Identifier: Apache-2.0
/* Builtins that make text or read it: echo, printf, test, eval, sh -c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "script/written.h"
#include "util/util.h"

void la_shell_join(const struct fields *words, size_t first, struct text *text)
{
	size_t i;

	text->unknown |= words->open;
	for (i = first; i < words->count; i++) {
		if (i > first)
			la_text_add(text, " ", 1);
		text->unknown |= words->at[i].text.unknown ||
				 words->at[i].pattern;
		la_text_add(text, text_at(words, i),
			    words->at[i].text.bytes.length);
	}
}

void la_shell_echo(struct shell *shell, const struct fields *words)
{
	bool newline = strcmp(text_at(words, 1), "-n");
	struct text text = { 0 };

	if (text_at(words, 1)[0] == '-' && newline)
		text.unknown = true;
	la_shell_join(words, 1 + !newline, &text);
	if (shell->table->has & SHELL_ECHO_ESCAPES &&
	    strchr(la_strbuf_text(&text.bytes), '\\'))
		text.unknown = true;
	la_text_add(shell->capture, la_strbuf_text(&text.bytes),
		    text.bytes.length);
	if (newline)
		la_text_add(shell->capture, "\n", 1);
	shell->capture->unknown |= text.unknown;
	la_strbuf_release(&text.bytes);
}

void la_shell_printf(struct shell *shell, const struct fields *words)
{
	const char *format = text_at(words, 1);
	struct text text = { 0 };
	size_t next = 2;

	la_shell_join(words, 1, &text);
	shell->capture->unknown |= text.unknown || *format == '-';
	la_strbuf_release(&text.bytes);
	for (; *format; format++) {
		if (*format == '%' && format[1] == 's') {
			la_text_add(shell->capture, text_at(words, next),
				    strlen(text_at(words, next)));
			next++;
			format++;
		} else if (*format == '%' && format[1] == '%') {
			la_text_add(shell->capture, format++, 1);
		} else if (*format == '\\' && format[1] == 'n') {
			la_text_add(shell->capture, "\n", 1);
			format++;
		} else if (*format == '%' || *format == '\\') {
			shell->capture->unknown = true;
		} else {
			la_text_add(shell->capture, format, 1);
		}
	}
	if (next < words->count)
		shell->capture->unknown = true;
}

static enum status as_status(bool value)
{
	return value ? STATUS_TRUE : STATUS_FALSE;
}

static enum status opposite(enum status status)
{
	return status == STATUS_MAYBE ? status :
					as_status(status == STATUS_FALSE);
}

static enum status test_two(struct shell *shell, const char *operator,
			    const struct text *right)
{
	const char *text = la_strbuf_text(&right->bytes);
	const struct state *state;

	if (right->unknown)
		return STATUS_MAYBE;
	if (!strcmp(operator, "!"))
		return as_status(!*text);
	if (!strcmp(operator, "-z"))
		return as_status(!*text);
	if (!strcmp(operator, "-n"))
		return as_status(*text);
	if (!strcmp(operator, "-v")) {
		state = la_shell_state(shell, text, strlen(text));
		if (state->kind != VALUE_UNKNOWN)
			return as_status(state->kind == VALUE_KNOWN);
	}
	return STATUS_MAYBE;
}

static bool as_number(const char *text, long *number)
{
	char *end;

	*number = strtol(text, &end, 10);
	return *text && !*end && strlen(text) < 10;
}

static enum status test_three(const struct text *left, const char *operator,
			      const struct text *right)
{
	const char *l = la_strbuf_text(&left->bytes);
	const char *r = la_strbuf_text(&right->bytes);
	long a, b;

	if (left->unknown || right->unknown)
		return STATUS_MAYBE;
	if (!strcmp(operator, "=") || !strcmp(operator, "=="))
		return as_status(!strcmp(l, r));
	if (!strcmp(operator, "!="))
		return as_status(strcmp(l, r));
	if (!as_number(l, &a) || !as_number(r, &b))
		return STATUS_MAYBE;
	if (!strcmp(operator, "-eq"))
		return as_status(a == b);
	if (!strcmp(operator, "-ne"))
		return as_status(a != b);
	if (!strcmp(operator, "-gt"))
		return as_status(a > b);
	if (!strcmp(operator, "-lt"))
		return as_status(a < b);
	return STATUS_MAYBE;
}

enum status la_shell_test(struct shell *shell, const struct fields *words,
			  size_t first, size_t last)
{
	const struct field *at = words->at + first;
	size_t count = last - first, i;

	for (i = first; i < last; i++)
		if (words->at[i].pattern)
			return STATUS_MAYBE;
	if (count == 0)
		return STATUS_FALSE;
	if (count == 1)
		return at->text.unknown ? STATUS_MAYBE :
					  as_status(at->text.bytes.length);
	if (count == 2)
		return at->text.unknown ?
			       STATUS_MAYBE :
			       test_two(shell, text_at(words, first),
					&at[1].text);
	if (count == 3 && !at[1].text.unknown &&
	    strcmp(text_at(words, first), "!"))
		return test_three(&at->text, text_at(words, first + 1),
				  &at[2].text);
	if (!at->text.unknown && !strcmp(text_at(words, first), "!"))
		return opposite(la_shell_test(shell, words, first + 1, last));
	return STATUS_MAYBE;
}

void la_shell_read_copy(struct shell *shell, const char *text, size_t length,
			size_t start)
{
	struct la_script_part *part = la_arena_get(&shell->kept, sizeof(*part));

	if (!part) {
		shell->error = -ENOMEM;
		return;
	}
	part->text = la_arena_copy(&shell->kept, text, length);
	part->length = part->text ? length : 0;
	part->offset = la_script_offset(shell->part, start);
	shell->depth++;
	shell->status = shell->table->has & SHELL_FISH ? STATUS_MAYBE :
							 STATUS_TRUE;
	la_shell_run_text(shell, part);
	shell->depth--;
}

void la_shell_eval(struct shell *shell, const struct fields *words,
		   size_t first)
{
	struct text text = { 0 };

	la_shell_join(words, first, &text);
	shell->status = STATUS_MAYBE;
	if (text.unknown || shell->depth >= LA_SCRIPT_DEPTH)
		la_script_say(shell->script, shell->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_NEEDS_RUNNING, words->at[0].start,
			      words->at[words->count - 1].end,
			      "only running it could tell what eval reads");
	else
		la_shell_read_copy(shell, la_strbuf_text(&text.bytes),
				   text.bytes.length, words->at[0].start);
	la_strbuf_release(&text.bytes);
}

static const struct {
	const char *name;
	enum la_script_kind kind;
} shells[] = {
	{ "bash", LA_SCRIPT_BASH }, { "sh", LA_SCRIPT_SH },
	{ "dash", LA_SCRIPT_SH },   { "zsh", LA_SCRIPT_ZSH },
	{ "ksh", LA_SCRIPT_KSH },   { "mksh", LA_SCRIPT_MKSH },
	{ "fish", LA_SCRIPT_FISH }, { "tcsh", LA_SCRIPT_TCSH },
	{ "csh", LA_SCRIPT_TCSH },
};

static const struct shell_table *shell_named(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t i;

	name = slash ? slash + 1 : name;
	for (i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(shells[i].name, name))
			return la_shell_table(shells[i].kind);
	return NULL;
}

/* The text that bash -c, -lc or -ec reads; 0: none. */
static size_t command_word(const struct fields *words)
{
	const char *option = text_at(words, 1);
	size_t length = strlen(option);

	if (words->count < 3 || option[0] != '-' || option[1] == '-' ||
	    option[length - 1] != 'c' || words->open)
		return 0;
	return words->at[2].text.unknown ? 0 : 2;
}

/* A here-document that is read as it stands. */
static const struct heredoc *literal_document(const struct shell *shell,
					      const struct node *node)
{
	const struct redirect *r;
	const char *body;
	size_t length;

	for (r = node->redirects; r; r = r->next) {
		if (!r->doc || r->doc->tabs)
			continue;
		body = shell->part->text + r->doc->start;
		length = r->doc->stop - r->doc->start;
		if (r->doc->literal || (!memchr(body, '$', length) &&
					!memchr(body, '`', length) &&
					!memchr(body, '\\', length)))
			return r->doc;
	}
	return NULL;
}

/* The file that a shell is told to run, or that is run as a program. */
static const struct la_script_file *script_of(const struct shell *shell,
					      const struct fields *words,
					      bool is_shell)
{
	size_t i = is_shell;

	while (is_shell && i < words->count && text_at(words, i)[0] == '-' &&
	       !words->at[i].text.unknown)
		i++;
	if (i >= words->count || (!is_shell && !strchr(text_at(words, 0), '/')))
		return NULL;
	return la_shell_file(shell, &words->at[i]);
}

/* The shell that a file's first line names; NULL: it is no shell's. */
static const struct shell_table *table_of(const struct la_script_file *file)
{
	enum la_script_kind kind = LA_SCRIPT_SH;

	if (!strncmp(la_strbuf_text(&file->text), "#!", 2) &&
	    la_script_kind_guess(&kind, NULL, file->text.data,
				 file->text.length))
		return NULL;
	return kind <= LA_SCRIPT_TCSH ? la_shell_table(kind) : NULL;
}

/* bash FILE, ./FILE: true if the text wrote it. */
static bool run_written(struct shell *shell, const struct fields *words,
			const struct shell_table *table)
{
	const struct la_script_file *file = script_of(shell, words, table);
	char *text;

	if (file && !table)
		table = table_of(file);
	if (!file || !table || file->added)
		return false;
	text = la_arena_copy(&shell->kept, la_strbuf_text(&file->text),
			     file->text.length);
	if (!text)
		return false;
	shell->doubt += file->doubtful;
	la_shell_run_child(shell, text, file->text.length, words->at[0].start,
			   false, NULL, table);
	shell->doubt -= file->doubtful;
	return true;
}

bool la_shell_nested_shell(struct shell *shell, const struct node *node,
			   const struct fields *words)
{
	const struct shell_table *table = shell_named(text_at(words, 0));
	size_t text = table ? command_word(words) : 0;
	const struct heredoc *doc;
	const struct field *field;

	if (!words->count || words->at[0].text.unknown)
		return false;
	shell->status = STATUS_MAYBE;
	if (!text && run_written(shell, words, table))
		return true;
	if (!table)
		return false;
	if (text) {
		field = &words->at[text];
		la_shell_run_child(shell, text_at(words, text),
				   field->text.bytes.length, field->start,
				   false, NULL, table);
	} else if (words->count == 1 &&
		   (doc = literal_document(shell, node))) {
		la_shell_run_child(shell, shell->part->text + doc->start,
				   doc->stop - doc->start, doc->start, true,
				   NULL, table);
	} else {
		return false;
	}
	shell->status = STATUS_MAYBE;
	return true;
}
