// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "report.h"

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

/* A file at partial, a template of mkstemp(), that no signal leaves behind.
 * Returns its descriptor, or -1. */
static int open_doomed(char *partial)
{
	sigset_t held, before;
	int fd, error;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		sigaddset(&held, deadly[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	fd = mkstemp(partial);
	error = errno;
	if (fd >= 0)
		doom(partial);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

static bool fail(const struct output *output, int error)
{
	report_error("cannot write '%s': %s", output->path, strerror(error));
	return false;
}

static bool is_input(const struct stat *there, const char *input)
{
	struct stat other;
	int ret = strcmp(input, "-") != 0 ? stat(input, &other) :
					    fstat(STDIN_FILENO, &other);

	return ret == 0 && other.st_dev == there->st_dev &&
	       other.st_ino == there->st_ino;
}

/* Is there something at path that must stay?  True after a message. */
static bool is_kept(const struct output *output, const char *input,
		    bool *is_file)
{
	struct stat there;

	*is_file = true;
	if (stat(output->path, &there) < 0)
		return errno != ENOENT && !fail(output, errno);
	*is_file = S_ISREG(there.st_mode);
	if (*is_file && is_input(&there, input)) {
		report_error("'%s' is the input", output->path);
		return true;
	}
	if (S_ISDIR(there.st_mode))
		return !fail(output, EISDIR);
	if (!*is_file || output->force)
		return false;
	report_error("'%s' is there; --force replaces it", output->path);
	return true;
}

/* With the access that a new file gets. */
static bool open_partial(struct output *output)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	output->target = realpath(output->path, NULL);
	if (!output->target)
		output->target = strdup(output->path);
	if (!output->target ||
	    asprintf(&output->partial, "%s.XXXXXX", output->target) < 0) {
		output->partial = NULL;
		return fail(output, ENOMEM);
	}
	fd = open_doomed(output->partial);
	if (fd < 0) {
		free(output->partial);
		output->partial = NULL;
		return fail(output, errno);
	}
	fchmod(fd, 0666 & ~mask);
	output->file = fdopen(fd, "wb");
	if (!output->file)
		close(fd);
	return output->file || fail(output, errno);
}

bool output_open(struct output *output, const char *path, const char *input,
		 bool force)
{
	bool is_file;

	*output = (struct output){ .path = path, .force = force };
	if (!strcmp(path, "-")) {
		output->file = stdout;
		return true;
	}
	if (is_kept(output, input, &is_file))
		return false;
	if (is_file)
		return open_partial(output);
	output->file = fopen(path, "wb");
	return output->file || fail(output, errno);
}

/* Without --force a file that came meanwhile stays. */
static int give_name(const struct output *output)
{
	if (output->force)
		return rename(output->partial, output->target);
	if (link(output->partial, output->target) == 0)
		return unlink(output->partial);
	if (errno == EEXIST)
		return -1;
	return rename(output->partial, output->target);
}

bool output_commit(struct output *output)
{
	bool is_written;
	int error;

	if (output->file == stdout)
		return true; /* report_finish() looks at it */
	is_written = fflush(output->file) == 0 &&
		     (!output->partial || fsync(fileno(output->file)) == 0);
	error = errno;
	if (fclose(output->file) != 0 && is_written) {
		is_written = false;
		error = errno;
	}
	output->file = NULL;
	if (is_written && output->partial && give_name(output) < 0) {
		is_written = false;
		error = errno;
	}
	if (!is_written)
		return fail(output, error);
	doomed = NULL;
	free(output->partial);
	output->partial = NULL;
	return true;
}

void output_close(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	if (output->partial) {
		unlink(output->partial);
		doomed = NULL;
	}
	free(output->partial);
	free(output->target);
}

int output_sink(void *data, const void *bytes, size_t size)
{
	errno = 0;
	if (fwrite(bytes, 1, size, data) == size)
		return 0;
	return errno ? -errno : -EIO;
}
