// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>

#include "env/file.h"

enum { BYTES = 16 << 20 };

static int read_all(FILE *file, struct la_strbuf *out)
{
	char bytes[4096];
	size_t n;

	while ((n = fread(bytes, 1, sizeof(bytes), file))) {
		if (out->length + n > BYTES)
			return -EFBIG;
		la_strbuf_add(out, bytes, n);
	}
	if (ferror(file))
		return -EIO;
	return out->failed ? -ENOMEM : 0;
}

int la_env_file_read(const char *root, const char *file, struct la_strbuf *out)
{
	struct la_strbuf path = { 0 };
	FILE *stream = NULL;
	int ret = -ENOMEM;

	if (root)
		la_strbuf_addstr(&path, root);
	la_strbuf_addstr(&path, file);
	if (!path.failed) {
		stream = fopen(la_strbuf_text(&path), "r");
		ret = stream ? read_all(stream, out) : -errno;
	}
	if (stream)
		fclose(stream);
	la_strbuf_release(&path);
	return ret;
}
