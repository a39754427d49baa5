// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env/file.h"

enum {
	FILE_MAX = 16 << 20, /* what la_script_read() takes */
	PIECE = 1 << 16
};

static const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

static int open_below(int root, const char *file)
{
	int fd;

	while (*file == '/')
		file++;
	fd = la_env_open_in_root(root, file, flags);
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;
	return openat(root, file, flags);
}

static int open_file(const char *root, const char *file)
{
	int folder, fd, code;

	if (!root || !*root)
		return open(file, flags);
	folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -1;
	fd = open_below(folder, file);
	code = errno;
	close(folder);
	errno = code;
	return fd;
}

int la_env_read_all(int fd, size_t most, struct la_strbuf *out)
{
	char piece[PIECE];
	ssize_t n = 1;
	int ret = 0;

	while (ret == 0 && n > 0) {
		n = read(fd, piece, sizeof(piece));
		if (n < 0)
			ret = -errno;
		else if (out->length + (size_t)n > most)
			ret = -EFBIG;
		else
			la_strbuf_add(out, piece, (size_t)n);
	}
	close(fd);
	return ret == 0 && out->failed ? -ENOMEM : ret;
}

int la_env_file_read(const char *root, const char *file, struct la_strbuf *out)
{
	int fd = open_file(root, file);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return la_env_read_all(fd, FILE_MAX, out);
}
