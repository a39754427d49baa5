// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

char *strcasestr(const char *text, const char *part)
{
	size_t length = strlen(part);

	for (; strlen(text) >= length; text++)
		if (!strnicmp(text, part, length))
			return (char *)text;
	return NULL;
}

void *memmem(const void *data, size_t size, const void *part, size_t part_size)
{
	const char *at = data, *end = at + size;

	for (; part_size && (size_t)(end - at) >= part_size; at++) {
		at = memchr(at, *(const char *)part, (size_t)(end - at));
		if (!at || (size_t)(end - at) < part_size)
			return NULL;
		if (!memcmp(at, part, part_size))
			break;
	}
	return (size_t)(end - at) >= part_size ? (void *)at : NULL;
}

void *memrchr(const void *data, int byte, size_t size)
{
	const unsigned char *bytes = data;

	while (size-- > 0)
		if (bytes[size] == (unsigned char)byte)
			return (void *)(bytes + size);
	return NULL;
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
