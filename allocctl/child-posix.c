// SPDX-License-Identifier: Apache-2.0
/*
 * Between this process and the work there is one that only waits: work that
 * ends its parent does not end this one.  Both are in a session of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "util/util.h"

enum {
	GRACE = 500, /* ms that it may run on when all is read */
	NAP = 2 /* ms between two looks whether it has ended */
};

/* These end this process, and the work with it. */
static const int signals[] = { SIGHUP, SIGINT, SIGTERM };

static volatile sig_atomic_t group; /* of the work */

static void end_group(int signal_number)
{
	kill(-(pid_t)group, SIGKILL);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* A signal that is ignored stays ignored. */
static void watch_signals(struct sigaction *old)
{
	struct sigaction action = { .sa_handler = end_group };
	size_t i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &old[i]);
		if (old[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static void restore_signals(const struct sigaction *old)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &old[i], NULL);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void work(const struct child *child, int out)
{
	int status;
	pid_t pid;

	setsid();
	child_end_with_parent();
	pid = fork();
	if (!pid) {
		child_end_with_parent();
		child->act(child->arg, out);
		_exit(0);
	}
	close(out);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			_exit(126);
	_exit(pid < 0		  ? 126 :
	      WIFEXITED(status) ? WEXITSTATUS(status) :
				  128 + WTERMSIG(status));
}

static enum child_end read_output(const struct child *child, int in, long end,
				  struct la_strbuf *output)
{
	struct pollfd wait = { .fd = in, .events = POLLIN };
	char bytes[4096];
	ssize_t n;
	long left;

	while ((left = end - now_ms()) > 0) {
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		n = read(in, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return CHILD_ENDED;
		la_strbuf_add(output, bytes, (size_t)n);
		if (child->enough && child->enough(child->arg, output))
			return CHILD_ENOUGH;
		if (output->failed || output->length > child->most)
			return CHILD_LOUD;
	}
	return CHILD_LATE;
}

/* False: it runs on.  It is not waited for yet, so that its number stays. */
static bool wait_until(pid_t pid, long end)
{
	const struct timespec nap = { .tv_nsec = NAP * 1000000 };
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid != pid) {
		if (now_ms() >= end)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static enum child_end follow(const struct child *child, pid_t pid, int in,
			     struct la_strbuf *output, int *status)
{
	enum child_end how =
		read_output(child, in, now_ms() + child->ms, output);
	int raw = 0;

	if ((how == CHILD_ENDED || how == CHILD_ENOUGH) &&
	    !wait_until(pid, now_ms() + GRACE) && how == CHILD_ENDED)
		how = CHILD_MUTE;
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, &raw, 0) < 0 && errno == EINTR)
		;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
	return how;
}

enum child_end child_run(const struct child *child, struct la_strbuf *output,
			 int *status)
{
	struct sigaction old[ARRAY_SIZE(signals)];
	enum child_end how = CHILD_NONE;
	struct child_list before;
	int pipes[2];
	pid_t pid;

	if (pipe(pipes) < 0)
		return CHILD_NONE;
	fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
	fflush(stdout);
	child_adopt(&before);
	pid = fork();
	if (!pid)
		work(child, pipes[1]);
	close(pipes[1]);
	if (pid > 0) {
		group = pid;
		watch_signals(old);
		how = follow(child, pid, pipes[0], output, status);
		restore_signals(old);
	}
	close(pipes[0]);
	child_end_adopted(&before);
	return how;
}

/* What child_ask() hands to the child. */
struct question {
	void (*ask)(void *answer);
	void *answer;
	size_t size;
};

static void answer(void *arg, int out)
{
	struct question *question = arg;
	const char *at = question->answer;
	size_t left = question->size;
	int null = open("/dev/null", O_WRONLY);
	ssize_t n;

	/* What is asked may be talkative. */
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	question->ask(question->answer);
	while (left && (n = write(out, at, left)) > 0) {
		at += n;
		left -= (size_t)n;
	}
}

const char *child_ask(void (*ask)(void *answer), void *out, size_t size,
		      long ms)
{
	struct question question = { ask, out, size };
	const struct child child = {
		.act = answer, .arg = &question, .ms = ms, .most = size
	};
	struct la_strbuf output = { 0 };
	const char *why = NULL;
	int status = 0;

	switch (child_run(&child, &output, &status)) {
	case CHILD_LATE:
	case CHILD_MUTE:
		why = "it does not answer";
		break;
	case CHILD_NONE:
		why = "no process can be started";
		break;
	default:
		if (output.length == size)
			memcpy(out, output.data, size);
		else
			why = "it crashes";
	}
	la_strbuf_release(&output);
	return why;
}
