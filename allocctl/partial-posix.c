// SPDX-License-Identifier: Apache-2.0
/*
 * The folder of a path is found link by link, since root writes to folders of
 * others, and is held from then on: what they rename meanwhile does not matter.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "partial.h"
#include "safe.h"

enum {
	LINKS = 40, /* most that are followed */
	READER_TRIES = 100, /* for who is to read a pipe */
	READER_NAP = 50, /* ms between two of them */
};

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

struct partial {
	int folder; /* descriptor, or -1 */
	char rest[PATH_MAX]; /* of the path; in the end the name in folder */
	unsigned int links; /* followed so far */
	struct safe safe;
	bool is_direct; /* there is no other file */
	FILE *file; /* NULL: not open */
};

static const int deadly[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };

/* What a signal that ends the program takes along; NULL: nothing. */
static const struct safe *volatile doomed;

static void remove_doomed(int number)
{
	if (doomed && doomed->named)
		unlinkat(doomed->folder, doomed->partial, 0);
	signal(number, SIG_DFL);
	raise(number);
}

static void doom(const struct safe *safe)
{
	struct sigaction action = { .sa_handler = remove_doomed }, old;
	size_t i;

	doomed = safe;
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		if (sigaction(deadly[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
}

static void hold_signals(sigset_t *before)
{
	sigset_t held;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		sigaddset(&held, deadly[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

static bool fail(int error)
{
	errno = error;
	return false;
}

static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Links there lead to what is open, whatever they say. */
static bool is_proc(int folder)
{
#ifdef __linux__
	struct statfs fs;

	return fstatfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
#else
	(void)folder;
	return false;
#endif
}

static bool enter(struct partial *partial, const char *name)
{
	int fd = openat(partial->folder < 0 ? AT_FDCWD : partial->folder, name,
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (partial->folder >= 0)
		close(partial->folder);
	partial->folder = fd;
	return true;
}

/* Put what a link says in its place. */
static bool follow(struct partial *partial, const char *name,
		   const struct stat *link, const char *rest)
{
	char path[PATH_MAX];
	struct stat now;
	ssize_t n;

	if (!is_trusted(link))
		return fail(EPERM);
	if (++partial->links > LINKS)
		return fail(ELOOP);
	n = readlinkat(partial->folder, name, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	if (fstatat(partial->folder, name, &now, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (now.st_ino != link->st_ino || now.st_dev != link->st_dev ||
	    now.st_ctime != link->st_ctime)
		return fail(EBUSY);
	path[n] = '\0';
	if ((size_t)n + strlen(rest) >= sizeof(partial->rest))
		return fail(ENAMETOOLONG);
	strcat(path, rest);
	strcpy(partial->rest, path);
	return *path != '/' || enter(partial, "/");
}

/*
 * Go from the folder towards the file by one name; *done: only the file's is
 * left.
 */
static bool step(struct partial *partial, bool *done)
{
	char name[NAME_MAX + 1], *at = partial->rest, *rest;
	size_t length;
	struct stat st;

	at += strspn(at, "/");
	length = strcspn(at, "/");
	rest = at + length;
	if (!length)
		return fail(EISDIR);
	if (length > NAME_MAX)
		return fail(ENAMETOOLONG);
	memcpy(name, at, length);
	name[length] = '\0';
	*done = false;
	if (fstatat(partial->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode) && (*rest || !is_proc(partial->folder)))
		return follow(partial, name, &st, rest);
	if (*rest && !enter(partial, name))
		return false;
	*done = !*rest;
	memmove(partial->rest, *rest ? rest : name,
		strlen(*rest ? rest : name) + 1);
	return true;
}

static bool find_folder(struct partial *partial, const char *path)
{
	bool done = false;

	if (strlen(path) >= sizeof(partial->rest))
		return fail(ENAMETOOLONG);
	strcpy(partial->rest, path);
	if (!enter(partial, *path == '/' ? "/" : "."))
		return false;
	while (!done)
		if (!step(partial, &done))
			return false;
	return true;
}

/* A pipe waits for its reader for a while. */
static int open_pipe(const struct partial *partial, int flags)
{
	const struct timespec nap = { .tv_nsec = READER_NAP * 1000000 };
	int fd, tries;

	for (tries = 0; tries < READER_TRIES; tries++) {
		fd = openat(partial->folder, partial->rest,
			    flags | O_WRONLY | O_NONBLOCK | O_NOCTTY |
				    O_CLOEXEC);
		if (fd >= 0 || errno != ENXIO)
			return fd;
		nanosleep(&nap, NULL);
	}
	return -1;
}

/* Only a descriptor of this program may be a file. */
static bool open_direct(struct partial *partial, const struct stat *seen)
{
	bool is_own = S_ISLNK(seen->st_mode);
	struct stat st;
	int fd;

	if (S_ISFIFO(seen->st_mode) && !is_trusted(seen))
		return fail(EPERM);
	fd = open_pipe(partial, is_own ? O_TRUNC : O_NOFOLLOW);
	if (fd < 0)
		return false;
	partial->is_direct = true;
	if (fstat(fd, &st) < 0 ||
	    (!is_own &&
	     (st.st_ino != seen->st_ino || st.st_dev != seen->st_dev)))
		errno = EBUSY;
	else if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0)
		partial->file = fdopen(fd, "wb");
	if (!partial->file)
		close(fd);
	return partial->file;
}

static bool open_beside(struct partial *partial)
{
	sigset_t before;
	int fd = -1, error;

	hold_signals(&before);
	safe_sweep(partial->folder, partial->rest);
	if (safe_open(&partial->safe, partial->folder, partial->rest)) {
		doom(&partial->safe);
		fd = fcntl(partial->safe.fd, F_DUPFD_CLOEXEC, 0);
	}
	partial->file = fd < 0 ? NULL : fdopen(fd, "wb");
	error = errno;
	if (fd >= 0 && !partial->file)
		close(fd);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return partial->file;
}

static bool open_found(struct partial *partial)
{
	struct stat st;

	if (fstatat(partial->folder, partial->rest, &st, AT_SYMLINK_NOFOLLOW) <
	    0)
		return errno == ENOENT && open_beside(partial);
	if (S_ISREG(st.st_mode))
		return open_beside(partial);
	return S_ISDIR(st.st_mode) ? fail(EISDIR) : open_direct(partial, &st);
}

/* /dev/stdout, which is not to be replaced. */
static bool is_stdout(const char *path)
{
	struct stat st, out;

	return stat(path, &st) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
	       st.st_ino == out.st_ino && st.st_dev == out.st_dev;
}

struct partial *partial_open(const char *path, FILE **file)
{
	struct partial *partial = calloc(1, sizeof(*partial));
	int error;

	if (!partial)
		return NULL;
	partial->folder = partial->safe.fd = -1;
	if (is_stdout(path)) {
		partial->is_direct = true;
		partial->file = stdout;
	} else if (!find_folder(partial, path) || !open_found(partial)) {
		error = errno;
		partial_cancel(partial);
		errno = error;
		return NULL;
	}
	*file = partial->file;
	return partial;
}

/* Write out what is still in memory; 0, or errno. */
static int finish(struct partial *partial)
{
	int error = fflush(partial->file) ? errno : 0;

	if (partial->file != stdout && fclose(partial->file) && !error)
		error = errno;
	partial->file = NULL;
	return error;
}

/* The access that a new file gets. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

int partial_commit(struct partial *partial, bool force)
{
	int error = finish(partial);
	sigset_t before;

	hold_signals(&before);
	if (!error && !partial->is_direct) {
		if (!safe_commit(&partial->safe, new_mode(), force))
			error = errno;
		partial->safe.fd = -1;
		doomed = NULL;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	partial_cancel(partial);
	errno = error;
	return error ? -1 : 0;
}

void partial_cancel(struct partial *partial)
{
	if (partial->file && partial->file != stdout)
		fclose(partial->file);
	if (partial->safe.fd >= 0)
		safe_cancel(&partial->safe);
	doomed = NULL;
	if (partial->folder >= 0)
		close(partial->folder);
	free(partial);
}
