// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "partial.h"

static const int deadly[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };

/* What a signal that ends the program takes along; NULL: nothing. */
static const char *volatile doomed;

static void remove_doomed(int number)
{
	if (doomed)
		unlink(doomed);
	signal(number, SIG_DFL);
	raise(number);
}

static void doom(const char *path)
{
	struct sigaction action = { .sa_handler = remove_doomed }, old;
	size_t i;

	doomed = path;
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		if (sigaction(deadly[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
}

bool partial_name(const char *path, char **target, char **partial)
{
	*partial = NULL;
	*target = realpath(path, NULL);
	if (!*target)
		*target = strdup(path);
	if (*target && asprintf(partial, "%s.XXXXXX", *target) >= 0)
		return true;
	*partial = NULL;
	return false;
}

int partial_create(char *partial)
{
	sigset_t held, before;
	mode_t mask = umask(0);
	int fd, error;
	size_t i;

	umask(mask);
	sigemptyset(&held);
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		sigaddset(&held, deadly[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	fd = mkstemp(partial);
	error = errno;
	if (fd >= 0) {
		doom(partial);
		fchmod(fd, 0666 & ~mask);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

/* Without force a file that came meanwhile stays. */
static int give_name(const char *partial, const char *target, bool force)
{
	if (force)
		return rename(partial, target);
	if (link(partial, target) == 0)
		return unlink(partial);
	if (errno == EEXIST)
		return -1;
	return rename(partial, target);
}

int partial_commit(const char *partial, const char *target, bool force)
{
	if (give_name(partial, target, force) < 0)
		return -1;
	doomed = NULL;
	return 0;
}

void partial_remove(const char *partial)
{
	unlink(partial);
	doomed = NULL;
}
