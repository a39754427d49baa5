// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "head.h"
#include "util/error.h"
#include "util/util.h"

/* Bytes ahead of the table; those of a sound file are fewer. */
enum { MOST_BYTES = 256 * KIB };

int head_open(int folder, const char *name, int mode, struct stat *st,
	      struct la_error *err)
{
	int fd = openat(folder, name,
			mode | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return la_error_set(err, -errno, LA_NO_OFFSET, "%s",
				    errno == ELOOP ? "it is a link" :
						     strerror(errno));
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return la_error_set(err, -EINVAL, LA_NO_OFFSET, "it is not a file");
}

/* Bytes that were read; less where the file ends. */
static size_t read_at(int fd, void *data, size_t size)
{
	ssize_t got;

	do {
		got = pread(fd, data, size, 0);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

int head_read(struct la_probe **out, int fd, struct la_error *err)
{
	uint64_t size = LA_PROBE_PAGE;
	struct la_probe_header header;
	unsigned char *data;
	int code;

	if (read_at(fd, &header, sizeof(header)) == sizeof(header) &&
	    header.table_offset > size && header.table_offset <= MOST_BYTES)
		size = header.table_offset;
	data = malloc(size);
	if (!data)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	code = la_probe_read(out, data, read_at(fd, data, size), err);
	free(data);
	return code;
}

int64_t head_seconds(const struct la_probe_header *header, uint64_t time)
{
	return (int64_t)(header->realtime + time - header->monotonic) /
	       1000000000;
}

uint64_t head_since(const struct la_probe_header *header, uint64_t time)
{
	return time > header->monotonic ? time - header->monotonic : 0;
}
