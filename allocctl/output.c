// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "cmd.h"
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

bool output_open(struct output *output, const char *path, const char *input,
		 bool force)
{
	*output = (struct output){ .path = path, .force = force };
	if (!strcmp(path, "-")) {
		output->file = stdout;
		return true;
	}
	if (is_kept(output, input, platform_kind(path)))
		return false;
	output->partial = partial_open(path, &output->file);
	return output->partial || fail(output, errno);
}

bool output_commit(struct output *output)
{
	int code;

	if (!output->partial)
		return true; /* print_finish() looks at it */
	code = partial_commit(output->partial, output->force);
	output->partial = NULL;
	return code == 0 || fail(output, errno);
}

void output_close(struct output *output)
{
	if (output->partial)
		partial_cancel(output->partial);
}

int output_text(const char *path, const char *input, bool force,
		const struct la_strbuf *text)
{
	struct output output;
	int status = STATUS_CANNOT_TELL;

	if (text->failed)
		return print_no_memory();
	if (output_open(&output, path, input, force)) {
		if (fwrite(text->data, 1, text->length, output.file) !=
			    text->length &&
		    output.partial)
			fail(&output, errno);
		else if (output_commit(&output))
			status = STATUS_DONE;
	}
	output_close(&output);
	return status;
}

int output_sink(void *data, const void *bytes, size_t size)
{
	errno = 0;
	if (fwrite(bytes, 1, size, data) == size)
		return 0;
	return errno ? -errno : -EIO;
}
