// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "env/way.h"
#include "util/util.h"

/* Names of shells. */
static const struct {
	const char *name;
	enum la_script_kind kind;
} shells[] = {
	{ "bash", LA_SCRIPT_BASH }, { "sh", LA_SCRIPT_SH },
	{ "dash", LA_SCRIPT_SH },   { "zsh", LA_SCRIPT_ZSH },
	{ "ksh", LA_SCRIPT_KSH },   { "ksh93", LA_SCRIPT_KSH },
	{ "mksh", LA_SCRIPT_MKSH }, { "fish", LA_SCRIPT_FISH },
	{ "tcsh", LA_SCRIPT_TCSH }, { "csh", LA_SCRIPT_TCSH },
};

/* The next word of a command line and where it ends. */
static const char *next_word(const char **at, size_t *length)
{
	const char *word = *at + strspn(*at, " ");

	*length = strcspn(word, " ");
	*at = word + *length;
	return *length ? word : NULL;
}

static bool is_word(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && !strncmp(word, text, length);
}

/* Options up to the script or the command: "-lic" is three of them. */
static void read_options(struct la_env_shell *shell, const char *at)
{
	static const char *const none[] = { "--norc", "--noprofile", "-f",
					    "--no-config", "--no-rcs" };
	bool batch = false;
	const char *word;
	size_t length, i;

	while (!batch && (word = next_word(&at, &length))) {
		for (i = 0; i < ARRAY_SIZE(none); i++)
			shell->no_files |= is_word(word, length, none[i]);
		if (is_word(word, length, "--login"))
			shell->mode |= LA_ENV_LOGIN;
		else if (is_word(word, length, "--interactive"))
			shell->mode |= LA_ENV_INTERACTIVE;
		else if (*word != '-')
			batch = true;
		if (*word != '-' || word[1] == '-')
			continue;
		if (memchr(word, 'l', length))
			shell->mode |= LA_ENV_LOGIN;
		if (memchr(word, 'i', length))
			shell->mode |= LA_ENV_INTERACTIVE;
		batch |= memchr(word, 'c', length) != NULL;
	}
	if (!batch)
		shell->mode |= LA_ENV_INTERACTIVE;
	else if (!(shell->mode & LA_ENV_INTERACTIVE))
		shell->mode |= LA_ENV_BATCH;
}

struct la_env_shell la_env_shell_of(const char *arguments)
{
	struct la_env_shell shell = { 0 };
	const char *at = arguments ? arguments : "", *word, *name;
	size_t length, i;
	bool login;

	word = next_word(&at, &length);
	if (!word)
		return shell;
	name = memrchr(word, '/', length);
	name = name ? name + 1 : word;
	length -= (size_t)(name - word);
	login = *name == '-';
	name += login;
	length -= login;
	for (i = 0; i < ARRAY_SIZE(shells); i++) {
		if (!is_word(name, length, shells[i].name))
			continue;
		shell.kind = shells[i].kind;
		shell.mode = login ? LA_ENV_LOGIN : 0;
		read_options(&shell, at);
	}
	return shell;
}

static void note(struct la_env_way *way, const char *command,
		 const char *arguments)
{
	struct la_env_shell shell = la_env_shell_of(arguments);

	if (shell.mode && way->shell_count < LA_ENV_WAY_MAX)
		way->shell[way->shell_count++] = shell;
	if (command && (!strcmp(command, "cron") || !strcmp(command, "crond")))
		way->cron = true;
	if (command && !strncmp(command, "sshd", 4))
		way->sshd = true;
	if (arguments && (strstr(arguments, "ipykernel") ||
			  strstr(arguments, "colab_kernel")))
		way->kernel = true;
}

void la_env_way_of(struct la_env_way *way, const struct la_env_process *process)
{
	struct la_env_ancestor *ancestor;
	size_t count, i;

	*way = (struct la_env_way){ .known = process };
	if (!process)
		return;
	way->service = process->info.unit && !process->info.user_unit;
	note(way, process->info.command, process->info.arguments);
	if (la_env_ancestors(&ancestor, &count, process, "") < 0)
		return;
	for (i = 0; i < count; i++)
		note(way, ancestor[i].command, ancestor[i].arguments);
	la_env_ancestors_free(ancestor, count);
}

enum la_env_part la_env_shell_part(const struct la_env_way *way,
				   enum la_script_kind kind, unsigned int modes)
{
	size_t i;

	for (i = 0; i < way->shell_count; i++)
		if (way->shell[i].kind == kind && !way->shell[i].no_files &&
		    way->shell[i].mode & modes)
			return LA_ENV_TAKES_PART;
	if (!way->known || way->sshd || !way->service)
		return LA_ENV_MAY_TAKE_PART;
	return LA_ENV_NO_PART;
}
