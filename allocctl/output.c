// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "partial.h"
#include "platform.h"
#include "print.h"

static bool fail(const struct output *output, int error)
{
	print_error("cannot write '%s': %s", output->path, strerror(error));
	return false;
}

/* Is there something at path that must stay?  True after a message. */
static bool is_kept(const struct output *output, const char *input,
		    enum platform_kind kind)
{
	if (kind == PLATFORM_UNKNOWN)
		return !fail(output, errno);
	if (kind == PLATFORM_FILE && platform_is_same(output->path, input)) {
		print_error("'%s' is the input", output->path);
		return true;
	}
	if (kind == PLATFORM_FOLDER)
		return !fail(output, EISDIR);
	if (kind != PLATFORM_FILE || output->force)
		return false;
	print_error("'%s' is there; --force replaces it", output->path);
	return true;
}

static bool open_partial(struct output *output)
{
	int fd = -1;

	if (partial_name(output->path, &output->target, &output->partial))
		fd = partial_create(output->partial);
	else
		errno = ENOMEM;
	if (fd < 0) {
		free(output->partial);
		output->partial = NULL;
		return fail(output, errno);
	}
	output->file = fdopen(fd, "wb");
	if (!output->file)
		close(fd);
	return output->file || fail(output, errno);
}

bool output_open(struct output *output, const char *path, const char *input,
		 bool force)
{
	enum platform_kind kind;

	*output = (struct output){ .path = path, .force = force };
	if (!strcmp(path, "-")) {
		output->file = stdout;
		return true;
	}
	kind = platform_kind(path);
	if (is_kept(output, input, kind))
		return false;
	if (kind != PLATFORM_OTHER)
		return open_partial(output);
	output->file = fopen(path, "wb");
	return output->file || fail(output, errno);
}

bool output_commit(struct output *output)
{
	bool is_written;
	int error;

	if (output->file == stdout)
		return true; /* print_finish() looks at it */
	is_written = fflush(output->file) == 0 &&
		     (!output->partial || fsync(fileno(output->file)) == 0);
	error = errno;
	if (fclose(output->file) != 0 && is_written) {
		is_written = false;
		error = errno;
	}
	output->file = NULL;
	if (is_written && output->partial &&
	    partial_commit(output->partial, output->target, output->force) <
		    0) {
		is_written = false;
		error = errno;
	}
	if (!is_written)
		return fail(output, error);
	free(output->partial);
	output->partial = NULL;
	return true;
}

void output_close(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	if (output->partial)
		partial_remove(output->partial);
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
