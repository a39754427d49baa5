// SPDX-License-Identifier: Apache-2.0
/*
 * The launcher stays in the process group of the program: a terminal sends its
 * signals to both, and only what another process sends is passed on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/installed.h"
#include "cmd.h"
#include "launch.h"
#include "platform.h"
#include "print.h"
#include "util/util.h"

/* What is passed on. */
static const int passed[] = { SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT, SIGUSR1,
			      SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
			      SIGALRM, SIGWINCH };

/* What the program is to find as the launcher did. */
struct before {
	sigset_t mask;
	struct sigaction child; /* of SIGCHLD */
};

/* How the program ended, for a handler. */
static int ending;

/* Signals are taken one by one, never in a handler. */
static void hold_signals(sigset_t *held, struct before *before)
{
	struct sigaction wanted = { .sa_handler = SIG_DFL };
	size_t i;

	sigemptyset(held);
	sigaddset(held, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(passed); i++)
		sigaddset(held, passed[i]);
	sigprocmask(SIG_BLOCK, held, &before->mask);
	sigaction(SIGCHLD, &wanted, &before->child);
}

/* Does not return.  What went wrong goes through the pipe, which closes by
 * itself otherwise. */
static void become(char **argv, const struct before *before, int pipe_end)
{
	int error;

	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	while (write(pipe_end, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Stop as the program did, so that a shell sees it, and go on together. */
static void follow_stop(int status)
{
	int number = WSTOPSIG(status);

	if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
		kill(getpid(), SIGSTOP);
}

/* Did the program end?  Then *status is how. */
static bool reap(pid_t child, int *status)
{
	pid_t got;

	while ((got = waitpid(child, status, WNOHANG | WUNTRACED)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || !WIFSTOPPED(*status))
			return true;
		follow_stop(*status);
	}
	return false;
}

/* The kernel's own are a terminal's, which the program gets too. */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_signo == SIGCONT || info->si_code <= 0)
		kill(child, info->si_signo);
}

static void wait_for(pid_t child, const sigset_t *held, int *status)
{
	siginfo_t info;

	*status = 0;
	while (!reap(child, status))
		if (sigwaitinfo(held, &info) > 0 && info.si_signo != SIGCHLD)
			pass_on(child, &info);
}

/* What the child has left in the pipe, which nobody else has any more. */
static int start_error(int pipe_end)
{
	int error = 0;
	ssize_t got;

	do {
		got = read(pipe_end, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	close(pipe_end);
	return got == sizeof(error) ? error : 0;
}

/* The program has ended: what is sent from now on is meant for us. */
static void end_early(int number)
{
	(void)number;
	_exit(launch_end_alike(ending));
}

/* What both got while it ran is not. */
static void release_signals(const sigset_t *held, const struct before *before)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	static const struct timespec now = { 0, 0 };
	struct sigaction action = { .sa_handler = end_early }, old;
	size_t i;

	while (sigtimedwait(held, NULL, &now) > 0)
		;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (sigaction(ends[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static int fail(const char *program, int error)
{
	print_error("cannot run '%s': %s", program, strerror(error));
	return error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
}

int launch_child(char **argv, int *ended)
{
	struct before before;
	int ends[2], error;
	sigset_t held;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		print_error("cannot make a pipe: %s", strerror(errno));
		return STATUS_CANNOT_TELL;
	}
	hold_signals(&held, &before);
	child = fork();
	if (child == 0)
		become(argv, &before, ends[1]);
	close(ends[1]);
	if (child < 0) {
		print_error("cannot fork: %s", strerror(errno));
		close(ends[0]);
		return STATUS_CANNOT_TELL;
	}
	wait_for(child, &held, &ending);
	error = start_error(ends[0]);
	release_signals(&held, &before);
	*ended = ending;
	return error ? fail(argv[0], error) : STATUS_DONE;
}

/* Whoever waits for us sees the signal itself; without a core of ours. */
int launch_end_alike(int ended)
{
	static const struct rlimit none = { 0, 0 };
	int number;
	sigset_t one;

	if (WIFEXITED(ended))
		return WEXITSTATUS(ended);
	number = WTERMSIG(ended);
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	return 128 + number;
}

static bool takes_word(const struct opt *opt, const char *name)
{
	while (opt->kind != OPT_END && strcmp(opt->name, name))
		opt++;
	return opt->kind != OPT_END && opt->kind != OPT_FLAG;
}

/* The number of arguments before the program or "--". */
static int own_words(int argc, char **argv, const struct opt *opts)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (argv[i][0] != '-')
			return i;
		if (!strncmp(argv[i], "--", 2) && takes_word(opts, argv[i] + 2))
			i++;
	}
	return i < argc ? i : argc;
}

int launch_parse(int argc, char **argv, const struct opt_spec *spec)
{
	int own = own_words(argc, argv, spec->opts);
	int nr = opt_parse(own, argv, spec);

	if (nr < 0)
		return nr;
	if (own < argc && !strcmp(argv[own], "--"))
		own++;
	if (own < argc)
		return own;
	print_error("run wants a COMMAND");
	return OPT_ERROR;
}

bool launch_find(char out[PATH_MAX], const char *const *place)
{
	char self[PATH_MAX];

	if (platform_self(self) && platform_cut(self)) {
		for (; *place; place++) {
			snprintf(out, PATH_MAX, "%.*s/%s", PATH_MAX / 2, self,
				 *place);
			if (**place == '/')
				snprintf(out, PATH_MAX, "%s", *place);
			if (access(out, R_OK) == 0)
				return true;
		}
	}
	return false;
}

bool launch_join(const char *name, const char *first, char sep,
		 const char *second)
{
	char *text;
	int length;
	bool set;

	if (!first || !*first)
		return setenv(name, second, 1) == 0;
	if (!second || !*second)
		return setenv(name, first, 1) == 0;
	length = asprintf(&text, "%s%c%s", first, sep, second);
	if (length < 0)
		return false;
	set = setenv(name, text, 1) == 0;
	free(text);
	return set;
}

static bool find_shim(char out[PATH_MAX])
{
	static const char *const place[] = {
		MOVED_PYTHON "/sitecustomize.py",
		"../../../liballoc/torch/python/sitecustomize.py",
		INSTALLED_PYTHON "/sitecustomize.py",
		NULL,
	};
	char found[PATH_MAX];

	return launch_find(found, place) && platform_resolve(out, found) &&
	       platform_cut(out);
}

int launch_set_shim(void)
{
	char folder[PATH_MAX];

	if (!find_shim(folder)) {
		print_error("cannot find sitecustomize.py of liballoc");
		return STATUS_CANNOT_TELL;
	}
	return launch_join("PYTHONPATH", folder, ':', getenv("PYTHONPATH")) ?
		       STATUS_DONE :
		       print_no_memory();
}
