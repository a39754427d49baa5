// SPDX-License-Identifier: Apache-2.0
/*
 * One row for each kind: what surrounds a value, how the bytes that mean
 * something there are written, and what no line can say.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "script/vars.h"
#include "util/error.h"
#include "util/strbuf.h"
#include "util/utf8.h"
#include "util/util.h"

/* Longest line that cmd.exe takes, and assignment that cron does. */
enum { CMD_LINE_MAX = 8191, CRON_LINE_MAX = 999 };

/* What a kind cannot say, beside the bytes of its row. */
enum limit {
	NO_EMPTY = 1, /* an empty value is, or may be, no variable at all */
	ONLY_UTF8 = 2,
	NO_EDGE_BLANK = 4, /* blanks at the ends are cut */
	NO_PERCENT_PAIR = 8, /* it may name a variable */
	NO_CONTROL = 16, /* but tabs and line ends */
	NO_DASH_FIRST = 32 /* it would be an option */
};

struct writing {
	const char *who; /* of messages; NULL: nothing can be written */
	const char *before_name, *before_value, *after;
	/* Instead of the two around a value of plain characters, or NULL. */
	const char *plain;
	/* Pairs: what to replace, by what; NULL at the end. */
	const char *const *escapes;
	const char *never, *never_why; /* bytes, or NULL */
	unsigned int limits; /* enum limit */
	size_t line_max; /* bytes; 0: no limit known */
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char digits[] = "0123456789";

static const char *const none[] = { NULL };
static const char *const posix[] = { "'", "'\\''", NULL };
static const char *const fish[] = { "'", "\\'", "\\", "\\\\", NULL };
static const char *const tcsh[] = {
	"'", "'\\''", "!", "\\!", "\n", "\\\n", NULL
};
static const char *const batch[] = { "%", "%%", NULL };
static const char *const dockerfile[] = { "\\", "\\\\", "\"", "\\\"",
					  "$",	"\\$",	NULL };
static const char *const systemd[] = { "\\", "\\\\", "\"", "\\\"", "%", "%%",
				       "\n", "\\n",  "\t", "\\t",  NULL };
static const char *const systemd_env[] = { "\\",  "\\\\", "\"",	 "\\\"", "`",
					   "\\`", "$",	  "\\$", NULL };
static const char *const string[] = { "\\", "\\\\", "\"", "\\\"", "\n", "\\n",
				      "\r", "\\r",  "\t", "\\t",  NULL };
static const char *const dollars[] = { "\\",  "\\\\", "\"",  "\\\"", "\n",
				       "\\n", "\r",   "\\r", "\t",   "\\t",
				       "$",   "$$",   NULL };

/* PowerShell takes typographic quotes for straight ones. */
static const char *const powershell[] = {
	"'",	  "''",		  "\u2018", "\u2018\u2018",
	"\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a",
	"\u201b", "\u201b\u201b", NULL,
};

#define POSIX(who)                                                       \
	{                                                                \
		who, "export ", "='", "'", NULL, posix, NULL, NULL, 0, 0 \
	}
#define JSON(who, never, why)                                        \
	{                                                            \
		who, "\"", "\": \"", "\"", NULL, string, never, why, \
			ONLY_UTF8 | NO_CONTROL, 0                    \
	}

/* A notebook has no line of its own: its cells have. */
static const struct writing writings[LA_SCRIPT_KINDS] = {
	[LA_SCRIPT_BASH] = POSIX("bash"),
	[LA_SCRIPT_SH] = POSIX("sh"),
	[LA_SCRIPT_BUSYBOX] = POSIX("busybox"),
	[LA_SCRIPT_ZSH] = POSIX("zsh"),
	[LA_SCRIPT_KSH] = POSIX("ksh"),
	[LA_SCRIPT_MKSH] = POSIX("mksh"),
	[LA_SCRIPT_SLURM] = POSIX("a batch script"),
	[LA_SCRIPT_FISH] = { "fish", "set -gx ", " '", "'", NULL, fish, NULL,
			     NULL, 0, 0 },
	[LA_SCRIPT_TCSH] = { "tcsh", "setenv ", " '", "'", NULL, tcsh, "\r",
			     "a carriage return", ONLY_UTF8, 0 },
	[LA_SCRIPT_CMD_PROMPT] = { "cmd", "set \"", "=", "\"", NULL, none,
				   "\"\r\n", "a quote or a line end",
				   NO_EMPTY | ONLY_UTF8 | NO_PERCENT_PAIR,
				   CMD_LINE_MAX },
	[LA_SCRIPT_CMD] = { "a batch file", "set \"", "=", "\"", NULL, batch,
			    "\"\r\n", "a quote or a line end",
			    NO_EMPTY | ONLY_UTF8, CMD_LINE_MAX },
	[LA_SCRIPT_POWERSHELL] = { "PowerShell", "$env:", " = '", "'", NULL,
				   powershell, NULL, NULL, NO_EMPTY | ONLY_UTF8,
				   0 },
	[LA_SCRIPT_PYTHON] = { "Python", "import os\nos.environ[\"", "\"] = \"",
			       "\"", NULL, string, NULL, NULL,
			       ONLY_UTF8 | NO_CONTROL, 0 },
	[LA_SCRIPT_CELL] = { "%env", "%env ", "=", "", NULL, none,
			     "$!?{}\\#'\"\t\r\n",
			     "what a notebook expands or takes as a quote",
			     NO_EMPTY | ONLY_UTF8 | NO_EDGE_BLANK | NO_CONTROL,
			     0 },
	[LA_SCRIPT_DOCKERFILE] = { "a Dockerfile", "ENV ", "=\"", "\"", NULL,
				   dockerfile, "\r\n", "a line end", ONLY_UTF8,
				   0 },
	[LA_SCRIPT_COMPOSE] = { "a Compose file", "", ": \"", "\"", NULL,
				dollars, NULL, NULL, ONLY_UTF8 | NO_CONTROL,
				0 },
	[LA_SCRIPT_K8S] = { "a manifest", "- name: ", "\n  value: \"", "\"",
			    NULL, dollars, NULL, NULL, ONLY_UTF8 | NO_CONTROL,
			    0 },
	[LA_SCRIPT_YAML] = { "YAML", "", ": \"", "\"", NULL, string, NULL, NULL,
			     ONLY_UTF8 | NO_CONTROL, 0 },
	[LA_SCRIPT_SYSTEMD] = { "a unit", "Environment=\"", "=", "\"", NULL,
				systemd, "\r", "a carriage return",
				ONLY_UTF8 | NO_CONTROL, 0 },
	[LA_SCRIPT_SYSTEMD_ENV] = { "an EnvironmentFile", "", "=\"", "\"", "=",
				    systemd_env, "\r", "a carriage return",
				    ONLY_UTF8 | NO_CONTROL, 0 },
	/* Programs that read .env agree on little more than this. */
	[LA_SCRIPT_DOTENV] = { ".env", "", "='", "'", "=", none, "'\\$`\"\r\n",
			       "quotes, dollars, backslashes or line ends "
			       "that all its readers take alike",
			       ONLY_UTF8 | NO_CONTROL, 0 },
	[LA_SCRIPT_DOCKER_ENV] = { "docker --env-file", "", "=", "", NULL, none,
				   "\r\n", "a line end", ONLY_UTF8, 0 },
	[LA_SCRIPT_ENVIRONMENT_D] = { "environment.d", "", "=\"", "\"", "=",
				      systemd_env, "$\r",
				      "a dollar or a carriage return",
				      NO_EMPTY | ONLY_UTF8 | NO_CONTROL, 0 },
	[LA_SCRIPT_ENVIRONMENT] = { "/etc/environment", "", "=", "", NULL, none,
				    "#$\\'\"\r\n",
				    "what its two readers take differently",
				    NO_EMPTY | ONLY_UTF8 | NO_EDGE_BLANK, 0 },
	[LA_SCRIPT_PAM_ENV] = { "pam_env.conf", "", " DEFAULT=\"", "\"", NULL,
				none, "#$@\\'\"\r\n",
				"quotes, marks of variables or line ends",
				NO_EMPTY | ONLY_UTF8, 0 },
	[LA_SCRIPT_CRONTAB] = { "a crontab", "", "=\"", "\"", NULL, none,
				"\\'\"\r\n", "a quote or a line end",
				ONLY_UTF8 | NO_EDGE_BLANK, CRON_LINE_MAX },
	[LA_SCRIPT_LAUNCH] = JSON("launch.json", "$", "a dollar"),
	[LA_SCRIPT_KERNEL] = JSON("kernel.json", "$", "a dollar"),
	[LA_SCRIPT_CONDA] = JSON("conda", NULL, NULL),
	[LA_SCRIPT_MODULE] = { "a modulefile", "setenv ", " {", "}", NULL, none,
			       "{}\\\r\n", "braces, backslashes or line ends",
			       NO_EMPTY | ONLY_UTF8 | NO_DASH_FIRST, 0 },
	[LA_SCRIPT_MODULE_LUA] = { "a modulefile", "setenv(\"", "\", \"", "\")",
				   NULL, string, "\r\n", "a line end",
				   NO_EMPTY | ONLY_UTF8, 0 },
};

static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length && la_script_name(name, length) == length;
}

/* No reader of any kind takes these for anything but themselves. */
static bool is_plain(const char *value)
{
	for (; *value; value++)
		if (!strchr(letters, *value) && !strchr(digits, *value) &&
		    !strchr(":,.-", *value))
			return false;
	return true;
}

static const char *find_not_utf8(const char *value)
{
	size_t n, left;

	for (left = strlen(value); left; value += n, left -= n) {
		n = la_utf8_char(value, left);
		if (!n)
			return value;
	}
	return NULL;
}

static const char *find_control(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < ' ' && !strchr("\t\r\n", *value))
			return value;
	return strchr(value, '\x7f');
}

static const char *find_edge_blank(const char *value)
{
	size_t length = strlen(value);

	if (!length)
		return NULL;
	if (strchr(" \t", *value))
		return value;
	return strchr(" \t", value[length - 1]) ? value + length - 1 : NULL;
}

static const char *find_percent_pair(const char *value)
{
	const char *at = strchr(value, '%');

	return at && strchr(at + 1, '%') ? at : NULL;
}

static const char *find_dash(const char *value)
{
	return *value == '-' ? value : NULL;
}

static const char *find_empty(const char *value)
{
	return *value ? NULL : value;
}

static const struct {
	enum limit limit;
	const char *(*find)(const char *value);
	const char *why;
} limits[] = {
	{ NO_EMPTY, find_empty, "an empty value, which removes the variable" },
	{ ONLY_UTF8, find_not_utf8, "bytes that are not UTF-8" },
	{ NO_EDGE_BLANK, find_edge_blank, "a blank at an end of the value" },
	{ NO_PERCENT_PAIR, find_percent_pair, "two percent signs" },
	{ NO_CONTROL, find_control, "a control character" },
	{ NO_DASH_FIRST, find_dash, "a dash at the start" },
};

/* The first byte that cannot be written, or NULL. */
static const char *find_obstacle(const struct writing *w, const char *value,
				 const char **why)
{
	const char *at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		*why = limits[i].why;
		at = w->limits & limits[i].limit ? limits[i].find(value) : NULL;
		if (at)
			return at;
	}
	*why = w->never_why;
	return w->never ? strpbrk(value, w->never) : NULL;
}

/* Append the character at value as it is to be written; its bytes. */
static size_t add_escaped(struct la_strbuf *line, const struct writing *w,
			  const char *value)
{
	const char *const *pair;

	for (pair = w->escapes; *pair; pair += 2) {
		if (strncmp(value, pair[0], strlen(pair[0])))
			continue;
		la_strbuf_addstr(line, pair[1]);
		return strlen(pair[0]);
	}
	la_strbuf_add(line, value, 1);
	return 1;
}

static void build_line(struct la_strbuf *line, const struct writing *w,
		       const char *name, const char *value)
{
	bool plain = w->plain && is_plain(value);

	la_strbuf_addstr(line, w->before_name);
	la_strbuf_addstr(line, name);
	la_strbuf_addstr(line, plain ? w->plain : w->before_value);
	while (*value)
		value += add_escaped(line, w, value);
	if (!plain)
		la_strbuf_addstr(line, w->after);
}

LA_EXPORT int la_script_write(enum la_script_kind kind, const char *name,
			      const char *value, char **out,
			      struct la_error *err)
{
	const struct writing *w =
		(size_t)kind < ARRAY_SIZE(writings) ? &writings[kind] : NULL;
	struct la_strbuf line = { 0 };
	const char *at, *why = NULL;

	if (!w || !is_name(name))
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "no such kind, or not a variable's name");
	if (!w->who)
		return la_error_set(err, -EOPNOTSUPP, 0,
				    "no line of its own sets a variable there");
	at = find_obstacle(w, value, &why);
	if (at)
		return la_error_set(err, -EOPNOTSUPP, at - value,
				    "%s cannot express %s", w->who, why);
	build_line(&line, w, name, value);
	if (line.failed) {
		la_strbuf_release(&line);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	if (w->line_max && line.length > w->line_max) {
		la_strbuf_release(&line);
		return la_error_set(err, -EOPNOTSUPP, LA_NO_OFFSET,
				    "%s takes no line that long", w->who);
	}
	*out = line.data;
	return 0;
}
