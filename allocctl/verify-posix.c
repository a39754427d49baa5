// SPDX-License-Identifier: Apache-2.0
/* allocctl verify --shell: running a shell of a POSIX system. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verify-run.h"

enum { WORDS = 8 };

#define SHELL(name, version, kind, login_alone) \
	{ name, name, version, "-l", "-i", "-c", "exec ", "\n", "'\\!\n", \
	  kind, '\'', login_alone }
#define POWERSHELL(name) \
	{ name, "pwsh", "\"$($PSVersionTable.PSVersion)\"", "-Login", NULL, \
	  "-c", "& ", "\n", "'\\!\n", LA_SCRIPT_POWERSHELL, '\'', false }

const struct verify_program verify_programs[] = {
	SHELL("bash", "\"$BASH_VERSION\"", LA_SCRIPT_BASH, false),
	SHELL("zsh", "\"$ZSH_VERSION\"", LA_SCRIPT_ZSH, false),
	SHELL("dash", "''", LA_SCRIPT_SH, false),
	SHELL("sh", "''", LA_SCRIPT_SH, false),
	SHELL("ksh", "\"${.sh.version}\"", LA_SCRIPT_KSH, false),
	SHELL("mksh", "\"$KSH_VERSION\"", LA_SCRIPT_MKSH, false),
	SHELL("fish", "\"$version\"", LA_SCRIPT_FISH, false),
	SHELL("tcsh", "\"$tcsh\"", LA_SCRIPT_TCSH, true),
	POWERSHELL("powershell"),
	POWERSHELL("pwsh"),
	{ 0 },
};

bool verify_self(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size);

	if (n < 0 || (size_t)n == size)
		return false;
	path[n] = '\0';
	return true;
}

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

/* In the child: no terminal, nothing to read, and a group of its own. */
static void become_shell(const struct verify_run *run, int out)
{
	int null = open("/dev/null", O_WRONLY), in = open_input(run);
	const char *argv[WORDS];

	make_argv(argv, run);
	setsid();
	if (null < 0 || in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
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
static bool read_output(struct verify_run *run, int in)
{
	struct pollfd wait = { .fd = in, .events = POLLIN };
	struct timespec end;
	char bytes[4096];
	ssize_t n;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += VERIFY_SECONDS;
	while ((ms = left_ms(&end)) > 0 &&
	       run->output.length < VERIFY_OUTPUT_BYTES) {
		if (poll(&wait, 1, (int)ms) <= 0)
			continue;
		n = read(in, bytes, sizeof(bytes));
		if (n <= 0)
			return n == 0;
		if (verify_take(run, bytes, (size_t)n))
			return true;
	}
	return false;
}

/* The shell is waited for, and what it left in its group ends with it. */
static const char *end_shell(const struct verify_run *run, pid_t pid,
			     bool whole)
{
	int status;

	if (!whole)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!whole)
		return VERIFY_UNENDED;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 &&
	    !verify_marked(run))
		return VERIFY_MISSING;
	return NULL;
}

const char *verify_run(struct verify_run *run)
{
	const char *trouble;
	int pipes[2];
	pid_t pid;

	if (pipe(pipes) < 0)
		return strerror(errno);
	fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
	fflush(stdout);
	pid = fork();
	if (!pid)
		become_shell(run, pipes[1]);
	close(pipes[1]);
	trouble = pid < 0 ? VERIFY_UNSTARTED :
			    end_shell(run, pid, read_output(run, pipes[0]));
	close(pipes[0]);
	return trouble;
}
