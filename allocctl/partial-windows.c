// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <windows.h>

#include "partial.h"
#include "platform.h"

struct partial {
	char *target; /* owned */
	char *name; /* owned: until it has that; NULL: written directly */
	FILE *file; /* NULL: not open */
};

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

/* The process tells programs apart, of which each has one such file. */
static bool open_beside(struct partial *partial)
{
	int fd;

	if (asprintf(&partial->name, "%s.%06lx", partial->target,
		     GetCurrentProcessId() & 0xffffff) < 0) {
		partial->name = NULL;
		return false;
	}
	fd = open(partial->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
		  S_IREAD | S_IWRITE);
	if (fd < 0) {
		free(partial->name);
		partial->name = NULL;
		return false;
	}
	doomed_fd = fd;
	doomed = partial->name;
	SetConsoleCtrlHandler(remove_doomed, TRUE);
	partial->file = fdopen(fd, "wb");
	if (!partial->file)
		close(fd);
	return partial->file;
}

struct partial *partial_open(const char *path, FILE **file)
{
	struct partial *partial = calloc(1, sizeof(*partial));
	bool is_open = false;
	int error;

	if (!partial)
		return NULL;
	partial->target = strdup(path);
	if (partial->target && platform_kind(path) == PLATFORM_OTHER) {
		partial->file = fopen(path, "wb");
		is_open = partial->file;
	} else if (partial->target) {
		is_open = open_beside(partial);
	}
	if (!is_open) {
		error = errno;
		partial_cancel(partial);
		errno = error;
		return NULL;
	}
	*file = partial->file;
	return partial;
}

/* Write it to the disk and close it; 0, or errno. */
static int finish(struct partial *partial)
{
	int error = 0;

	if (fflush(partial->file) ||
	    (partial->name && fsync(fileno(partial->file))))
		error = errno;
	if (fclose(partial->file) && !error)
		error = errno;
	partial->file = NULL;
	return error;
}

int partial_commit(struct partial *partial, bool force)
{
	int error = finish(partial);

	if (!error && partial->name) {
		if (!force && !access(partial->target, F_OK))
			error = EEXIST;
		else if (rename(partial->name, partial->target) < 0)
			error = errno;
	}
	if (!error) {
		doomed = NULL;
		free(partial->name);
		partial->name = NULL;
	}
	partial_cancel(partial);
	errno = error;
	return error ? -1 : 0;
}

void partial_cancel(struct partial *partial)
{
	if (partial->file)
		fclose(partial->file);
	if (partial->name)
		unlink(partial->name);
	doomed = NULL;
	free(partial->name);
	free(partial->target);
	free(partial);
}
