// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl verify --shell: a real shell with the user's startup files, and in
 * it this program, which prints what it got.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "print-child.h"
#include "report.h"
#include "util/strbuf.h"
#include "util/util.h"
#include "verify.h"

enum { SECONDS = 10, OUTPUT_BYTES = 1 << 20, WORDS = 8 };

static const struct shell {
	const char *name;
	const char *program;
	const char *version; /* an expression of the shell; "": it has none */
	const char *login, *interactive; /* options */
	const char *call; /* before the words of a command */
	enum la_script_kind kind;
	bool login_alone; /* then commands are read from standard input */
} shells[] = {
	{ "bash", "bash", "\"$BASH_VERSION\"", "-l", "-i", "exec ",
	  LA_SCRIPT_BASH, false },
	{ "zsh", "zsh", "\"$ZSH_VERSION\"", "-l", "-i", "exec ", LA_SCRIPT_ZSH,
	  false },
	{ "dash", "dash", "''", "-l", "-i", "exec ", LA_SCRIPT_SH, false },
	{ "sh", "sh", "''", "-l", "-i", "exec ", LA_SCRIPT_SH, false },
	{ "ksh", "ksh", "\"${.sh.version}\"", "-l", "-i", "exec ",
	  LA_SCRIPT_KSH, false },
	{ "mksh", "mksh", "\"$KSH_VERSION\"", "-l", "-i", "exec ",
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
	char *command;
	char mark[PRINT_MARK_BYTES];
	const char *argv[WORDS];
	bool is_input; /* the command is, else it is an argument */
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
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0) {
		*trouble = "cannot find the path of allocctl";
		return NULL;
	}
	self[n] = '\0';
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

static void make_argv(struct run *run, const struct shell *shell,
		      enum verify_start start)
{
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

/* In the child: no terminal, nothing to read, and a group of its own. */
static void become_shell(const struct shell *shell, const struct run *run,
			 int out)
{
	int null = open("/dev/null", O_WRONLY), in = open_input(run);

	setsid();
	if (null < 0 || in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execvp(shell->program, (char *const *)run->argv);
	_exit(127);
}

static long left_ms(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (end->tv_sec - now.tv_sec) * 1000 +
	       (end->tv_nsec - now.tv_nsec) / 1000000;
}

/* Up to the end, the mark's line, or the time; true: all that there is. */
static bool read_output(struct la_strbuf *output, int in, const char *mark)
{
	struct pollfd wait = { .fd = in, .events = POLLIN };
	struct timespec end;
	char bytes[4096], *at;
	ssize_t n;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += SECONDS;
	while ((ms = left_ms(&end)) > 0 && output->length < OUTPUT_BYTES) {
		if (poll(&wait, 1, (int)ms) <= 0)
			continue;
		n = read(in, bytes, sizeof(bytes));
		if (n <= 0)
			return n == 0;
		/* Terminated text is looked through. */
		for (ssize_t i = 0; i < n; i++)
			if (bytes[i])
				la_strbuf_add(output, &bytes[i], 1);
		at = strstr(la_strbuf_text(output), mark);
		if (at && strchr(at, '\n'))
			return true;
	}
	return false;
}

static int hex(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* "MARK -" or "MARK +HEX", then a blank and the version. */
static void take_output(struct verify_shell *found, const char *text,
			const char *mark)
{
	const char *at = strstr(text, mark);
	size_t n;

	if (!at || !strchr(at, '\n')) {
		found->trouble = "the shell ended before it started a program";
		return;
	}
	at += strlen(mark) + 1;
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

/* The shell is waited for, and what it left in its group ends with it. */
static void end_shell(struct verify_shell *found, pid_t pid, bool whole)
{
	int status;

	if (!whole)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!whole)
		found->trouble = "the shell did not end in time, or printed "
				 "too much";
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 127 &&
		 !found->version && !found->value)
		found->trouble = "it is not installed here";
}

static void run_shell(struct verify_shell *found, const struct shell *shell,
		      const struct run *run)
{
	struct la_strbuf output = { 0 };
	bool whole;
	int pipes[2];
	pid_t pid;

	if (pipe(pipes) < 0) {
		found->trouble = strerror(errno);
		return;
	}
	fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
	fflush(stdout);
	pid = fork();
	if (!pid)
		become_shell(shell, run, pipes[1]);
	close(pipes[1]);
	whole = pid > 0 && read_output(&output, pipes[0], run->mark);
	close(pipes[0]);
	if (pid > 0) {
		take_output(found, la_strbuf_text(&output), run->mark);
		end_shell(found, pid, whole);
	} else {
		found->trouble = "cannot start a process";
	}
	la_strbuf_release(&output);
}

static void verify_shell(const struct verify *verify,
			 struct verify_shell *found)
{
	const struct shell *shell = find_shell(found->name);
	const char *wanted = verify->request.wanted;
	struct run run = { 0 };

	if (!shell) {
		found->trouble = "it cannot be run here";
		return;
	}
	make_mark(run.mark);
	run.command = make_command(verify, shell, run.mark, &found->trouble);
	if (!run.command)
		return;
	make_argv(&run, shell, verify->request.start);
	run_shell(found, shell, &run);
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
