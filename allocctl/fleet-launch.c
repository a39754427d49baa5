// SPDX-License-Identifier: Apache-2.0
/*
 * A launcher's output is spooled and read when it has ended.  What it says on
 * standard error, such as that a job waits, is shown at once too.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "fleet.h"
#include "launch.h"
#include "platform.h"
#include "print.h"
#include "util/util.h"

enum { GRACE_MS = 1000 }; /* for who still holds standard error */

/* Files for both streams, those streams as they were, and who copies what goes
 * to the second. */
struct spool {
	FILE *said, *complained;
	int out, err;
	pid_t copier;
};

/* Ends when all have closed the pipe. */
static void copy(int in, int screen, int file)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM,
				       SIGPIPE };
	char bytes[4096];
	bool shown = true;
	ssize_t n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	while ((n = read(in, bytes, sizeof(bytes))) > 0) {
		shown = shown && write(screen, bytes, (size_t)n) == n;
		if (write(file, bytes, (size_t)n) != n)
			break;
	}
	_exit(0);
}

/* The launcher has no use for it. */
static bool close_on_exec(int fd)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* False with errno. */
static bool open_spool(struct spool *spool)
{
	int ends[2];

	spool->said = platform_spool();
	spool->complained = platform_spool();
	if (!spool->said || !spool->complained ||
	    !close_on_exec(fileno(spool->said)) ||
	    !close_on_exec(fileno(spool->complained)) ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return false;
	spool->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	spool->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	spool->copier = spool->out < 0 || spool->err < 0 ? -1 : fork();
	if (spool->copier < 0)
		return false;
	if (!spool->copier) {
		close(ends[1]);
		copy(ends[0], spool->err, fileno(spool->complained));
	}
	dup2(fileno(spool->said), STDOUT_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	return true;
}

/* Something that the launcher left may hold its standard error for long. */
static void end_copier(pid_t copier)
{
	int waited;

	for (waited = 0; waited < GRACE_MS; waited++) {
		if (waitpid(copier, NULL, WNOHANG))
			return;
		poll(NULL, 0, 1);
	}
	kill(copier, SIGKILL);
	waitpid(copier, NULL, 0);
}

static void restore(const struct spool *spool)
{
	dup2(spool->out, STDOUT_FILENO);
	dup2(spool->err, STDERR_FILENO);
	close(spool->out);
	close(spool->err);
	end_copier(spool->copier);
}

/* What each node runs, behind the launcher's words. */
static char **make_words(int count, char **words, char self[PATH_MAX])
{
	char **all = calloc((size_t)count + 4, sizeof(*all));
	static char fleet[] = "fleet", node[] = "--node";
	int i;

	if (!all)
		return NULL;
	for (i = 0; i < count; i++)
		all[i] = words[i];
	all[i++] = self;
	all[i++] = fleet;
	all[i] = node;
	return all;
}

static int run(struct fleet *fleet, char **words)
{
	struct spool spool = { 0 };
	int status, ended = 0;

	fflush(stdout);
	if (!open_spool(&spool)) {
		print_error("cannot spool what '%s' prints: %s", words[0],
			    strerror(errno));
		return STATUS_CANNOT_TELL;
	}
	status = launch_child(words, &ended);
	restore(&spool);
	fleet->launcher = words[0];
	fleet->launcher_status =
		WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	rewind(spool.said);
	rewind(spool.complained);
	if (status == STATUS_DONE &&
	    (!fleet_read(fleet, spool.said, words[0]) ||
	     !fleet_read(fleet, spool.complained, words[0])))
		status = STATUS_CANNOT_TELL;
	fclose(spool.said);
	fclose(spool.complained);
	return status;
}

int fleet_launch(struct fleet *fleet, int count, char **words)
{
	char self[PATH_MAX];
	int status;
	char **all;

	if (!platform_self(self)) {
		print_error("cannot find this program's own file");
		return STATUS_CANNOT_TELL;
	}
	all = make_words(count, words, self);
	if (!all)
		return print_no_memory();
	status = run(fleet, all);
	free(all);
	return status;
}
