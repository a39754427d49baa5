// SPDX-License-Identifier: Apache-2.0
/* Files of Windows by names that are UTF-8. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>

#include <windows.h>

#include "util/windows.h"

/* False with errno set where no file can be called so. */
static bool widen(wchar_t wide[PATH_MAX], const char *path)
{
	if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
				PATH_MAX))
		return true;
	errno = ENOENT;
	return false;
}

FILE *fopen(const char *path, const char *mode)
{
	const wchar_t *how = *mode == 'w' ? L"wbN" :
			     *mode == 'a' ? L"abN" :
					    L"rbN";
	wchar_t wide[PATH_MAX];

	return widen(wide, path) ? _wfopen(wide, how) : NULL;
}

int open(const char *path, int flags, ...)
{
	wchar_t wide[PATH_MAX];
	va_list args;
	int mode = 0;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, int);
		va_end(args);
	}
	return widen(wide, path) ? _wopen(wide, flags | O_BINARY, mode) : -1;
}

int access(const char *path, int mode)
{
	wchar_t wide[PATH_MAX];

	(void)mode;
	return widen(wide, path) ? _waccess(wide, 0) : -1;
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
	off_t before = lseek(fd, 0, SEEK_CUR);
	ssize_t got = -1;

	if (before < 0)
		return -1;
	if (lseek(fd, offset, SEEK_SET) >= 0)
		got = read(fd, data, (unsigned int)size);
	return lseek(fd, before, SEEK_SET) < 0 ? -1 : got;
}

int fsync(int fd)
{
	return _commit(fd);
}

/* What a system call's error is called in C. */
static int fail(void)
{
	switch (GetLastError()) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
		errno = ENOENT;
		break;
	case ERROR_ALREADY_EXISTS:
	case ERROR_FILE_EXISTS:
		errno = EEXIST;
		break;
	default:
		errno = EACCES;
	}
	return -1;
}

int rename(const char *from, const char *to)
{
	wchar_t old[PATH_MAX], new[PATH_MAX];

	if (!widen(old, from) || !widen(new, to))
		return -1;
	return MoveFileExW(old, new,
			   MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ?
		       0 :
		       fail();
}

int unlink(const char *path)
{
	wchar_t wide[PATH_MAX];

	return widen(wide, path) ? _wunlink(wide) : -1;
}
