// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "platform.h"
#include "util/error.h"
#include "util/strbuf.h"

static int read_stream(struct la_strbuf *text, FILE *file, struct la_error *err)
{
	char bytes[1 << 14];
	size_t n;

	while ((n = fread(bytes, 1, sizeof(bytes), file))) {
		la_strbuf_add(text, bytes, n);
		if (text->length > FILE_BYTES)
			return la_error_set(err, -EFBIG, FILE_BYTES,
					    "longer than 16 MiB");
	}
	if (ferror(file))
		return la_error_set(err, -errno, LA_NO_OFFSET, "%s",
				    strerror(errno));
	return 0;
}

int file_read(char **text, size_t *length, const char *path,
	      struct la_error *err)
{
	bool is_input = !strcmp(path, "-");
	struct la_strbuf bytes = { 0 };
	FILE *file;
	int code;

	errno = EINVAL; /* where something else than a file has that name */
	file = is_input ? stdin : platform_open(path);
	if (!file)
		return la_error_set(err, -errno, LA_NO_OFFSET, "%s",
				    strerror(errno));
	code = read_stream(&bytes, file, err);
	if (!is_input)
		fclose(file);
	la_strbuf_add(&bytes, "", 0);
	if (!code && bytes.failed)
		code = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	if (code) {
		la_strbuf_release(&bytes);
		return code;
	}
	*length = bytes.length;
	*text = bytes.data;
	return 0;
}
