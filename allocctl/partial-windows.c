// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/stat.h>

#include <windows.h>

#include "partial.h"

/* What the end of the program takes along; NULL: nothing. */
static const char *volatile doomed;
static volatile int doomed_fd;

/* A file that is open cannot be removed. */
static BOOL WINAPI remove_doomed(DWORD event)
{
	(void)event;
	if (doomed) {
		close(doomed_fd);
		unlink(doomed);
	}
	return FALSE;
}

bool partial_name(const char *path, char **target, char **partial)
{
	*partial = NULL;
	*target = strdup(path);
	if (*target && asprintf(partial, "%s.XXXXXX", path) >= 0)
		return true;
	*partial = NULL;
	return false;
}

/* The process tells programs apart, of which each has one such file. */
int partial_create(char *partial)
{
	int fd;

	sprintf(partial + strlen(partial) - 6, "%06lx",
		GetCurrentProcessId() & 0xffffff);
	fd = open(partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
		  S_IREAD | S_IWRITE);
	if (fd < 0)
		return -1;
	doomed_fd = fd;
	doomed = partial;
	SetConsoleCtrlHandler(remove_doomed, TRUE);
	return fd;
}

int partial_commit(const char *partial, const char *target, bool force)
{
	if (!force && !access(target, F_OK)) {
		errno = EEXIST;
		return -1;
	}
	if (rename(partial, target) < 0)
		return -1;
	doomed = NULL;
	return 0;
}

void partial_remove(const char *partial)
{
	unlink(partial);
	doomed = NULL;
}
