// SPDX-License-Identifier: Apache-2.0
/* allocctl verify --shell: running a shell of a POSIX system. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "verify-run.h"

enum { WORDS = 8 };

#define SHELL(name, version, call, kind, login_alone) \
	{ name, name, version, "-l", "-i", "-c", call, "\n", "'\\!\n", \
	  kind, '\'', login_alone }
#define POWERSHELL(name) \
	{ name, "pwsh", "\"$($PSVersionTable.PSVersion)\"", "-Login", NULL, \
	  "-c", "& ", "\n", "'\\!\n", LA_SCRIPT_POWERSHELL, '\'', false }

const struct verify_program verify_programs[] = {
	SHELL("bash", "\"$BASH_VERSION\"", "\\exec ", LA_SCRIPT_BASH, false),
	SHELL("zsh", "\"$ZSH_VERSION\"", "\\exec ", LA_SCRIPT_ZSH, false),
	SHELL("dash", "''", "\\exec ", LA_SCRIPT_SH, false),
	SHELL("sh", "''", "\\exec ", LA_SCRIPT_SH, false),
	SHELL("ksh", "\"${.sh.version}\"", "\\exec ", LA_SCRIPT_KSH, false),
	SHELL("mksh", "\"$KSH_VERSION\"", "\\exec ", LA_SCRIPT_MKSH, false),
	SHELL("fish", "\"$version\"", "exec ", LA_SCRIPT_FISH, false),
	SHELL("tcsh", "\"$tcsh\"", "exec ", LA_SCRIPT_TCSH, true),
	POWERSHELL("powershell"),
	POWERSHELL("pwsh"),
	{ 0 },
};

/* Is the command input, as no argument may be? */
static bool is_input(const struct verify_run *run)
{
	return run->start == VERIFY_LOGIN && run->program->login_alone;
}

static void make_argv(const char **argv, const struct verify_run *run)
{
	const struct verify_program *program = run->program;
	size_t n = 0;

	argv[n++] = program->program;
	if (run->start == VERIFY_LOGIN)
		argv[n++] = program->login;
	if (run->start == VERIFY_INTERACTIVE && program->interactive)
		argv[n++] = program->interactive;
	if (!is_input(run)) {
		argv[n++] = program->option;
		argv[n++] = run->command;
	}
	argv[n] = NULL;
}

/* What a shell reads the command from, and nothing behind it; -1: errno. */
static int open_input(const struct verify_run *run)
{
	size_t length = strlen(run->command);
	int pipes[2];

	if (!is_input(run))
		return open("/dev/null", O_RDONLY);
	/* A pipe holds it: it is no longer than a path and a value. */
	if (length >= PIPE_BUF || pipe(pipes) < 0)
		return -1;
	if (write(pipes[1], run->command, length) < 0 ||
	    write(pipes[1], "\n", 1) < 0)
		return -1;
	close(pipes[1]);
	return pipes[0];
}

/* In the child: no terminal, and nothing to read. */
static void become_shell(void *arg, int out)
{
	const struct verify_run *run = arg;
	int null = open("/dev/null", O_WRONLY), in = open_input(run);
	const char *argv[WORDS];

	make_argv(argv, run);
	if (null < 0 || in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
	/* A mark alone: there is no shell. */
	dprintf(STDOUT_FILENO, "%s", run->mark);
	_exit(127);
}

static bool has_answer(void *arg, const struct la_strbuf *output)
{
	(void)output; /* that of the run */
	return verify_answer(arg);
}

const char *verify_run(struct verify_run *run)
{
	const struct child child = {
		.act = become_shell,
		.enough = has_answer,
		.arg = run,
		.ms = VERIFY_MS,
		.most = VERIFY_OUTPUT_BYTES,
	};
	int status = 0;

	switch (child_run(&child, &run->output, &status)) {
	case CHILD_ENOUGH:
		return NULL;
	case CHILD_ENDED:
		return strcmp(la_strbuf_text(&run->output), run->mark) ?
			       VERIFY_NO_PROGRAM :
			       VERIFY_MISSING;
	case CHILD_MUTE:
		return "the shell closed its output before it started a "
		       "program";
	case CHILD_NONE:
		return VERIFY_UNSTARTED;
	default:
		return VERIFY_UNENDED;
	}
}
