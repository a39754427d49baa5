// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "util/windows.h"

void *reallocarray(void *data, size_t nr, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(nr, size, &bytes))
		return realloc(data, bytes);
	errno = ENOMEM;
	return NULL;
}

char *strndup(const char *text, size_t length)
{
	size_t n = strnlen(text, length);
	char *copy = malloc(n + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

/* Room for one byte more and the terminator. */
static bool reserve(char **text, size_t *capacity, size_t length)
{
	size_t more = *text && *capacity ? *capacity : 64;
	char *data;

	if (*text && length + 2 <= *capacity)
		return true;
	while (more < length + 2)
		more *= 2;
	data = realloc(*text, more);
	if (!data)
		return false;
	*text = data;
	*capacity = more;
	return true;
}

ssize_t getdelim(char **text, size_t *capacity, int delimiter, FILE *stream)
{
	size_t length = 0;
	int byte = 0;

	while (byte != delimiter || !length) {
		byte = getc(stream);
		if (byte == EOF)
			break;
		if (length >= SSIZE_MAX || !reserve(text, capacity, length))
			return -1;
		(*text)[length++] = (char)byte;
	}
	if (!length || ferror(stream))
		return -1;
	(*text)[length] = '\0';
	return (ssize_t)length;
}

ssize_t getline(char **text, size_t *capacity, FILE *stream)
{
	return getdelim(text, capacity, '\n', stream);
}

FILE *fopen(const char *path, const char *mode)
{
	wchar_t wide[MAX_PATH];

	(void)mode;
	if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
				MAX_PATH))
		return _wfopen(wide, L"rbN");
	errno = ENOENT;
	return NULL;
}
