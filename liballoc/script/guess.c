// SPDX-License-Identifier: Apache-2.0
/* The kind of a text: what its file is called, then how it begins. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "script/internal.h"
#include "util/util.h"

/* What of the text may tell more than the name. */
enum look { NO_LOOK, LOOK_SHELL, LOOK_YAML };

/* Names with one * at most; without a slash: of the file alone, else the end
 * of the path. */
static const struct {
	const char *pattern;
	enum la_script_kind kind;
	enum look look;
} names[] = {
	{ "etc/environment", LA_SCRIPT_ENVIRONMENT, NO_LOOK },
	{ "conda-meta/state", LA_SCRIPT_CONDA, NO_LOOK },
	{ "environment.d/*.conf", LA_SCRIPT_ENVIRONMENT_D, NO_LOOK },
	{ "cron.d/*", LA_SCRIPT_CRONTAB, NO_LOOK },
	{ "crontabs/*", LA_SCRIPT_CRONTAB, NO_LOOK },
	{ "etc/default/*", LA_SCRIPT_SYSTEMD_ENV, NO_LOOK },
	{ "etc/sysconfig/*", LA_SCRIPT_SYSTEMD_ENV, NO_LOOK },
	{ "pam_env.conf", LA_SCRIPT_PAM_ENV, NO_LOOK },
	{ ".pam_environment", LA_SCRIPT_PAM_ENV, NO_LOOK },
	{ "crontab", LA_SCRIPT_CRONTAB, NO_LOOK },
	{ "launch.json", LA_SCRIPT_LAUNCH, NO_LOOK },
	{ "kernel.json", LA_SCRIPT_KERNEL, NO_LOOK },
	{ "Dockerfile*", LA_SCRIPT_DOCKERFILE, NO_LOOK },
	{ "Containerfile*", LA_SCRIPT_DOCKERFILE, NO_LOOK },
	{ "*.dockerfile", LA_SCRIPT_DOCKERFILE, NO_LOOK },
	{ "docker-compose*", LA_SCRIPT_COMPOSE, NO_LOOK },
	{ "compose.yaml", LA_SCRIPT_COMPOSE, NO_LOOK },
	{ "compose.yml", LA_SCRIPT_COMPOSE, NO_LOOK },
	{ "*.yaml", LA_SCRIPT_YAML, LOOK_YAML },
	{ "*.yml", LA_SCRIPT_YAML, LOOK_YAML },
	{ "*.ipynb", LA_SCRIPT_NOTEBOOK, NO_LOOK },
	{ "*.py", LA_SCRIPT_PYTHON, NO_LOOK },
	{ "*.bat", LA_SCRIPT_CMD, NO_LOOK },
	{ "*.cmd", LA_SCRIPT_CMD, NO_LOOK },
	{ "*.ps1", LA_SCRIPT_POWERSHELL, NO_LOOK },
	{ "*.psm1", LA_SCRIPT_POWERSHELL, NO_LOOK },
	{ "*.service", LA_SCRIPT_SYSTEMD, NO_LOOK },
	{ ".service.d/*.conf", LA_SCRIPT_SYSTEMD, NO_LOOK },
	{ "*.sbatch", LA_SCRIPT_SLURM, NO_LOOK },
	{ "*.slurm", LA_SCRIPT_SLURM, NO_LOOK },
	{ "*.lua", LA_SCRIPT_MODULE_LUA, NO_LOOK },
	{ ".env*", LA_SCRIPT_DOTENV, NO_LOOK },
	{ "*.env", LA_SCRIPT_DOTENV, NO_LOOK },
	{ ".deepspeed_env", LA_SCRIPT_DOTENV, NO_LOOK },
	{ "*.fish", LA_SCRIPT_FISH, NO_LOOK },
	{ "*.zsh", LA_SCRIPT_ZSH, NO_LOOK },
	{ ".zshrc", LA_SCRIPT_ZSH, NO_LOOK },
	{ ".zshenv", LA_SCRIPT_ZSH, NO_LOOK },
	{ ".zprofile", LA_SCRIPT_ZSH, NO_LOOK },
	{ ".zlogin", LA_SCRIPT_ZSH, NO_LOOK },
	{ "etc/zsh/*", LA_SCRIPT_ZSH, NO_LOOK },
	{ "*.csh", LA_SCRIPT_TCSH, NO_LOOK },
	{ "*.tcsh", LA_SCRIPT_TCSH, NO_LOOK },
	{ ".cshrc", LA_SCRIPT_TCSH, NO_LOOK },
	{ ".tcshrc", LA_SCRIPT_TCSH, NO_LOOK },
	{ ".login", LA_SCRIPT_TCSH, NO_LOOK },
	{ ".mkshrc", LA_SCRIPT_MKSH, NO_LOOK },
	{ ".kshrc", LA_SCRIPT_KSH, NO_LOOK },
	{ "*.ksh", LA_SCRIPT_KSH, LOOK_SHELL },
	{ ".profile", LA_SCRIPT_SH, NO_LOOK },
	{ "etc/profile", LA_SCRIPT_SH, NO_LOOK },
	{ "profile.d/*.sh", LA_SCRIPT_SH, NO_LOOK },
	{ ".bash*", LA_SCRIPT_BASH, NO_LOOK },
	{ "bash.bashrc", LA_SCRIPT_BASH, NO_LOOK },
	{ "*.bash", LA_SCRIPT_BASH, LOOK_SHELL },
	{ "*.sh", LA_SCRIPT_BASH, LOOK_SHELL },
};

/* Programs that a script's first line names. */
static const struct {
	const char *program;
	enum la_script_kind kind;
} interpreters[] = {
	{ "bash", LA_SCRIPT_BASH },	  { "sh", LA_SCRIPT_SH },
	{ "dash", LA_SCRIPT_SH },	  { "busybox", LA_SCRIPT_BUSYBOX },
	{ "ash", LA_SCRIPT_BUSYBOX },	  { "zsh", LA_SCRIPT_ZSH },
	{ "ksh", LA_SCRIPT_KSH },	  { "ksh93", LA_SCRIPT_KSH },
	{ "mksh", LA_SCRIPT_MKSH },	  { "fish", LA_SCRIPT_FISH },
	{ "csh", LA_SCRIPT_TCSH },	  { "tcsh", LA_SCRIPT_TCSH },
	{ "pwsh", LA_SCRIPT_POWERSHELL }, { "python", LA_SCRIPT_PYTHON },
	{ "python3", LA_SCRIPT_PYTHON },
};

/* How lines begin that only one kind has; blanks before them count. */
static const struct {
	const char *start;
	enum la_script_kind kind;
} lines[] = {
	{ "#%Module", LA_SCRIPT_MODULE },   { "#SBATCH", LA_SCRIPT_SLURM },
	{ "[Unit]", LA_SCRIPT_SYSTEMD },    { "[Service]", LA_SCRIPT_SYSTEMD },
	{ "FROM ", LA_SCRIPT_DOCKERFILE },  { "@echo off", LA_SCRIPT_CMD },
	{ "$env:", LA_SCRIPT_POWERSHELL },  { "import os", LA_SCRIPT_PYTHON },
	{ "os.environ", LA_SCRIPT_PYTHON }, { "%env ", LA_SCRIPT_CELL },
	{ "apiVersion:", LA_SCRIPT_K8S },   { "services:", LA_SCRIPT_COMPOSE },
	{ "set -gx ", LA_SCRIPT_FISH },	    { "set -Ux ", LA_SCRIPT_FISH },
	{ "setenv ", LA_SCRIPT_TCSH },	    { "export ", LA_SCRIPT_BASH },
};

/* Is all that begins there as the pattern wants it? */
static bool matches_from(const char *at, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t after = star ? strlen(star + 1) : 0, length = strlen(at);

	if (length < before + after || (!star && length != before))
		return false;
	return !strncasecmp(at, pattern, before) &&
	       (!star || !strcasecmp(at + length - after, star + 1));
}

static bool matches(const char *path, const char *pattern)
{
	const char *at = path + strlen(path);
	const char *slash = strchr(pattern, '/');

	if (slash) {
		for (; at > path; at--)
			if (matches_from(at, pattern))
				return true;
		return matches_from(path, pattern);
	}
	while (at > path && !strchr("/\\", at[-1]))
		at--;
	return matches_from(at, pattern);
}

static bool line_starts(const char *line, size_t length, const char *start)
{
	while (length && strchr(" \t", *line))
		line++, length--;
	return length >= strlen(start) &&
	       !strncasecmp(line, start, strlen(start));
}

/* Does a line begin so? */
static bool has_line(const char *text, size_t length, const char *start)
{
	const char *newline;
	size_t n;

	for (; length; text += n, length -= n) {
		newline = memchr(text, '\n', length);
		n = newline ? (size_t)(newline + 1 - text) : length;
		if (line_starts(text, n, start))
			return true;
	}
	return false;
}

/* The next word of the first line; its length. */
static size_t next_word(const char **at, const char *end)
{
	const char *word;

	while (*at < end && strchr(" \t", **at))
		++*at;
	word = *at;
	while (word < end && !strchr(" \t\r\n", *word))
		word++;
	return (size_t)(word - *at);
}

static bool find_interpreter(enum la_script_kind *kind, const char *word,
			     size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(interpreters); i++) {
		if (strlen(interpreters[i].program) != length ||
		    memcmp(interpreters[i].program, word, length))
			continue;
		*kind = interpreters[i].kind;
		return true;
	}
	return false;
}

static bool read_shebang(enum la_script_kind *kind, const char *text,
			 size_t length)
{
	const char *end = text + length, *at, *slash;
	size_t n;

	if (length < 2 || memcmp(text, "#!", 2))
		return false;
	for (at = text + 2; (n = next_word(&at, end)); at += n) {
		for (slash = at + n; slash > at && slash[-1] != '/'; slash--)
			;
		n -= (size_t)(slash - at);
		at = slash;
		if (find_interpreter(kind, at, n))
			return true;
		if (strncmp(at, "env", n) && *at != '-')
			return false;
	}
	return false;
}

/* What the text says; false: nothing that only one kind has. */
static bool read_text(enum la_script_kind *kind, const char *text,
		      size_t length)
{
	size_t i;

	if (has_line(text, length, "#SBATCH")) {
		*kind = LA_SCRIPT_SLURM;
		return true;
	}
	if (read_shebang(kind, text, length))
		return true;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!has_line(text, length, lines[i].start))
			continue;
		*kind = lines[i].kind;
		return true;
	}
	return false;
}

static void look_at_text(enum la_script_kind *kind, enum look look,
			 const char *text, size_t length)
{
	if (look == LOOK_SHELL && has_line(text, length, "#SBATCH"))
		*kind = LA_SCRIPT_SLURM;
	else if (look == LOOK_SHELL)
		read_shebang(kind, text, length);
	else if (look == LOOK_YAML && has_line(text, length, "apiVersion:"))
		*kind = LA_SCRIPT_K8S;
	else if (look == LOOK_YAML && has_line(text, length, "services:"))
		*kind = LA_SCRIPT_COMPOSE;
}

LA_EXPORT int la_script_kind_guess(enum la_script_kind *kind, const char *path,
				   const char *text, size_t length)
{
	size_t i;

	for (i = 0; path && i < ARRAY_SIZE(names); i++) {
		if (!matches(path, names[i].pattern))
			continue;
		*kind = names[i].kind;
		look_at_text(kind, names[i].look, text, length);
		return 0;
	}
	return read_text(kind, text, length) ? 0 : -ENOENT;
}
