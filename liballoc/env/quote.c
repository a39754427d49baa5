// SPDX-License-Identifier: Apache-2.0
/*
 * One row for each shell: what surrounds a value, how the bytes that mean
 * something there are written, and what no line can say.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <liballoc/env.h>

#include "util/error.h"
#include "util/strbuf.h"
#include "util/utf8.h"
#include "util/util.h"

/* Longest line that cmd.exe takes. */
enum { CMD_LINE_MAX = 8191 };

/* A value's limits: the first byte that cannot be written, or NULL. */
typedef const char *find_obstacle(const char *value, const char **why);

struct shell {
	const char *name;
	const char *before_name, *before_value, *after;
	/* Pairs: what to replace, by what; NULL at the end. */
	const char *const *escapes;
	find_obstacle *obstacle;
	size_t line_max; /* bytes; 0: no limit known */
};

static const char *no_obstacle(const char *value, const char **why)
{
	(void)value;
	(void)why;
	return NULL;
}

static const char *find_not_utf8(const char *value, const char **why)
{
	size_t n, left;

	for (left = strlen(value); left; value += n, left -= n) {
		n = la_utf8_char(value, left);
		if (n)
			continue;
		*why = "bytes that are not UTF-8";
		return value;
	}
	return NULL;
}

/* Shells for which an empty value is, or may be, no variable at all. */
static const char *find_empty(const char *value, const char **why)
{
	*why = "an empty value, which removes the variable";
	return *value ? NULL : value;
}

static const char *powershell_obstacle(const char *value, const char **why)
{
	const char *at = find_empty(value, why);

	return at ? at : find_not_utf8(value, why);
}

static const char *batch_obstacle(const char *value, const char **why)
{
	const char *at = powershell_obstacle(value, why);

	if (at)
		return at;
	*why = "a quote or a line end";
	return strpbrk(value, "\"\r\n");
}

/* A pair of percent signs may name a variable, and nothing escapes them. */
static const char *prompt_obstacle(const char *value, const char **why)
{
	const char *at = batch_obstacle(value, why);

	if (at)
		return at;
	at = strchr(value, '%');
	*why = "two percent signs";
	return at && strchr(at + 1, '%') ? at : NULL;
}

static const char *const posix_escapes[] = { "'", "'\\''", NULL };
static const char *const batch_escapes[] = { "%", "%%", NULL };
static const char *const no_escapes[] = { NULL };

/* PowerShell takes typographic quotes for straight ones. */
static const char *const powershell_escapes[] = {
	"'",		"''",
	"\u2018",	"\u2018\u2018",
	"\u2019",	"\u2019\u2019",
	"\u201a",	"\u201a\u201a",
	"\u201b",	"\u201b\u201b",
	NULL,
};

static const struct shell shells[] = {
	[LA_SHELL_POSIX] = { "bash", "export ", "='", "'", posix_escapes,
			     no_obstacle, 0 },
	[LA_SHELL_CMD] = { "cmd", "set \"", "=", "\"", no_escapes,
			   prompt_obstacle, CMD_LINE_MAX },
	[LA_SHELL_CMD_BATCH] = { "batch file", "set \"", "=", "\"",
				 batch_escapes, batch_obstacle, CMD_LINE_MAX },
	[LA_SHELL_POWERSHELL] = { "PowerShell", "$env:", " = '", "'",
				  powershell_escapes, powershell_obstacle, 0 },
};

static bool is_name(const char *name)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const char *rest = name + strspn(name, first);

	if (rest == name)
		return false;
	while (*rest && (strchr(first, *rest) || strchr("0123456789", *rest)))
		rest++;
	return !*rest;
}

/* Append the character at value as the shell wants it; its bytes. */
static size_t add_escaped(struct la_strbuf *line, const struct shell *shell,
			  const char *value)
{
	const char *const *pair;

	for (pair = shell->escapes; *pair; pair += 2) {
		if (strncmp(value, pair[0], strlen(pair[0])))
			continue;
		la_strbuf_addstr(line, pair[1]);
		return strlen(pair[0]);
	}
	la_strbuf_add(line, value, 1);
	return 1;
}

static void build_line(struct la_strbuf *line, const struct shell *shell,
		       const char *name, const char *value)
{
	la_strbuf_addstr(line, shell->before_name);
	la_strbuf_addstr(line, name);
	la_strbuf_addstr(line, shell->before_value);
	while (*value)
		value += add_escaped(line, shell, value);
	la_strbuf_addstr(line, shell->after);
}

LA_EXPORT const char *la_shell_name(enum la_shell shell)
{
	return (size_t)shell < ARRAY_SIZE(shells) ? shells[shell].name : NULL;
}

LA_EXPORT int la_env_assignment(enum la_shell which, const char *name,
				const char *value, char **out,
				struct la_error *err)
{
	struct la_strbuf line = { 0 };
	const struct shell *shell;
	const char *at, *why = NULL;

	if ((size_t)which >= ARRAY_SIZE(shells) || !is_name(name))
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "no such shell, or not a variable's name");
	shell = &shells[which];
	at = shell->obstacle(value, &why);
	if (at)
		return la_error_set(err, -EOPNOTSUPP, at - value,
				    "%s cannot express %s", shell->name, why);
	build_line(&line, shell, name, value);
	if (line.failed) {
		la_strbuf_release(&line);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	if (shell->line_max && line.length > shell->line_max) {
		la_strbuf_release(&line);
		return la_error_set(err, -EOPNOTSUPP, LA_NO_OFFSET,
				    "%s takes no line that long", shell->name);
	}
	*out = line.data;
	return 0;
}
