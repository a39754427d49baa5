// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl verify --shell: a real shell with the user's startup files, and in
 * it this program, which prints what it got.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "platform.h"
#include "print-child.h"
#include "util/strbuf.h"
#include "util/util.h"
#include "verify.h"

enum { MILLISECONDS = 10000, OUTPUT_BYTES = 1 << 20, WORDS = 8 };

static const struct shell {
	const char *name;
	const char *program;
	const char *version; /* an expression of the shell; "": it has none */
	const char *login, *interactive; /* options */
	const char *call; /* before the words of a command, and no alias */
	enum la_script_kind kind;
	bool login_alone; /* then commands are read from standard input */
} shells[] = {
	{ "bash", "bash", "\"$BASH_VERSION\"", "-l", "-i", "\\exec ",
	  LA_SCRIPT_BASH, false },
	{ "zsh", "zsh", "\"$ZSH_VERSION\"", "-l", "-i", "\\exec ", LA_SCRIPT_ZSH,
	  false },
	{ "dash", "dash", "''", "-l", "-i", "\\exec ", LA_SCRIPT_SH, false },
	{ "sh", "sh", "''", "-l", "-i", "\\exec ", LA_SCRIPT_SH, false },
	{ "ksh", "ksh", "\"${.sh.version}\"", "-l", "-i", "\\exec ",
	  LA_SCRIPT_KSH, false },
	{ "mksh", "mksh", "\"$KSH_VERSION\"", "-l", "-i", "\\exec ",
	  LA_SCRIPT_MKSH, false },
	{ "fish", "fish", "\"$version\"", "-l", "-i", "exec ", LA_SCRIPT_FISH,
	  false },
	{ "tcsh", "tcsh", "\"$tcsh\"", "-l", "-i", "exec ", LA_SCRIPT_TCSH,
	  true },
	{ "powershell", "pwsh", "\"$($PSVersionTable.PSVersion)\"", "-Login",
	  NULL, "& ", LA_SCRIPT_POWERSHELL, false },
};

/* What a run needs; the strings are owned. */
struct run {
	const struct shell *shell;
	char *command;
	char mark[PRINT_MARK_BYTES];
	const char *argv[WORDS];
	bool is_input; /* the command is, else it is an argument */
	size_t looked; /* bytes of the output: no answer begins before */
};

static const struct shell *find_shell(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(shells[i].name, name))
			return &shells[i];
	return NULL;
}

static const char *variable_of(const struct verify *verify)
{
	return verify->request.variable ? verify->request.variable :
					  "PYTORCH_CUDA_ALLOC_CONF";
}

/* Nobody else prints this. */
static void make_mark(char *mark)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(mark, PRINT_MARK_BYTES, "allocctl-%lx-%lx-%lx",
		 (unsigned long)getpid(), (unsigned long)now.tv_sec,
		 (unsigned long)now.tv_nsec);
}

/* The command that the shell gets; NULL after trouble was told. */
static char *make_command(const struct verify *verify,
			  const struct shell *shell, const char *mark,
			  const char **trouble)
{
	struct la_strbuf command = { 0 };
	char self[PATH_MAX], *line;

	if (!platform_self(self)) {
		*trouble = "cannot find the path of allocctl";
		return NULL;
	}
	if (strpbrk(self, "'\\!\n")) {
		*trouble = "the path of allocctl cannot be quoted";
		return NULL;
	}
	if (verify->request.start == VERIFY_LINE) {
		if (la_script_write(shell->kind, variable_of(verify),
				    verify->request.wanted, &line, NULL) < 0) {
			*trouble = "no line of this shell sets that value";
			return NULL;
		}
		la_strbuf_addf(&command, "%s\n", line);
		free(line);
	}
	la_strbuf_addf(&command, "%s'%s' " PRINT_COMMAND " %s %s %s",
		       shell->call, self, mark, variable_of(verify),
		       shell->version);
	if (command.failed)
		*trouble = "out of memory";
	return command.data;
}

static void make_argv(struct run *run, enum verify_start start)
{
	const struct shell *shell = run->shell;
	size_t n = 0;

	run->argv[n++] = shell->program;
	run->is_input = start == VERIFY_LOGIN && shell->login_alone;
	if (start == VERIFY_LOGIN)
		run->argv[n++] = shell->login;
	if (start == VERIFY_INTERACTIVE && shell->interactive)
		run->argv[n++] = shell->interactive;
	if (run->is_input)
		return;
	run->argv[n++] = "-c";
	run->argv[n] = run->command;
}

/* What a shell reads the command from, and nothing behind it; -1: errno. */
static int open_input(const struct run *run)
{
	size_t length = strlen(run->command);
	int pipes[2];

	if (!run->is_input)
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
	const struct run *run = arg;
	int null = open("/dev/null", O_WRONLY), in = open_input(run);

	if (null < 0 || in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execvp(run->shell->program, (char *const *)run->argv);
	dprintf(STDOUT_FILENO, "\n%s =\n", run->mark);
	_exit(127);
}

/* Behind the mark of a line that is whole and was printed by this program, not
 * by a shell that shows its commands; NULL: not there yet. */
static const char *find_answer(struct run *run, const struct la_strbuf *output)
{
	const char *text = la_strbuf_text(output), *at = text + run->looked;
	const char *end = text + output->length;
	size_t n = strlen(run->mark);

	while ((at = memmem(at, (size_t)(end - at), run->mark, n))) {
		if (at > text && at[-1] == '\n' && at[n] == ' ' &&
		    at[n + 1] && strchr("+-=", at[n + 1]) &&
		    strchr(at + n, '\n'))
			return at + n + 1;
		at += n;
	}
	at = memrchr(text, '\n', output->length);
	run->looked = at ? (size_t)(at - text) : 0;
	return NULL;
}

static bool has_answer(void *arg, const struct la_strbuf *output)
{
	return find_answer(arg, output);
}

static int hex(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* "-" or "+HEX", then a blank and the version; "=": there is no shell. */
static void take_answer(struct verify_shell *found, const char *at)
{
	size_t n;

	if (*at == '=')
		found->trouble = "it is not installed here";
	if (*at++ == '+') {
		n = strcspn(at, " \n") / 2;
		found->value = calloc(1, n + 1);
		for (size_t i = 0; found->value && i < n; i++)
			found->value[i] = (char)(hex(at[2 * i]) << 4 |
						 hex(at[2 * i + 1]));
	}
	at = strchr(at, ' ');
	n = at ? strcspn(at + 1, "\n") : 0;
	found->version = n ? strndup(at + 1, n) : NULL;
}

static const char *trouble_of(enum child_end end)
{
	switch (end) {
	case CHILD_ENOUGH:
		return NULL;
	case CHILD_ENDED:
		return "the shell ended before it started a program";
	case CHILD_MUTE:
		return "the shell closed its output before it started a "
		       "program";
	case CHILD_NONE:
		return "cannot start a process";
	default:
		return "the shell did not end in time, or printed too much";
	}
}

static void run_shell(struct verify_shell *found, struct run *run)
{
	const struct child child = {
		.act = become_shell,
		.enough = has_answer,
		.arg = run,
		.ms = MILLISECONDS,
		.most = OUTPUT_BYTES,
	};
	struct la_strbuf output = { 0 };
	enum child_end end;
	int status = 0;

	end = child_run(&child, &output, &status);
	found->trouble = trouble_of(end);
	if (end == CHILD_ENOUGH)
		take_answer(found, find_answer(run, &output));
	la_strbuf_release(&output);
}

static void verify_shell(const struct verify *verify,
			 struct verify_shell *found)
{
	const struct shell *shell = find_shell(found->name);
	const char *wanted = verify->request.wanted;
	struct run run = { .shell = shell };

	if (!shell) {
		found->trouble = "it cannot be run here";
		return;
	}
	make_mark(run.mark);
	run.command = make_command(verify, shell, run.mark, &found->trouble);
	if (!run.command)
		return;
	make_argv(&run, verify->request.start);
	run_shell(found, &run);
	found->arrives = !found->trouble && found->value &&
			 (!wanted || !strcmp(found->value, wanted));
	free(run.command);
}

void verify_shells(struct verify *verify)
{
	size_t i;

	for (i = 0; i < verify->request.shells.nr; i++) {
		verify->shell[i].name = verify->request.shells.item[i];
		verify_shell(verify, &verify->shell[i]);
	}
}
