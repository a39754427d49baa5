// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/strbuf.h"

/* Room for more bytes and the terminator. */
static bool reserve(struct la_strbuf *buf, size_t more)
{
	size_t need, capacity = buf->capacity ? buf->capacity : 64;
	char *data;

	if (buf->failed)
		return false;
	if (__builtin_add_overflow(buf->length, more, &need) ||
	    __builtin_add_overflow(need, 1, &need)) {
		buf->failed = true;
		return false;
	}
	if (need <= buf->capacity)
		return true;
	while (capacity < need && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	if (capacity < need)
		capacity = need;
	data = realloc(buf->data, capacity);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->capacity = capacity;
	return true;
}

void la_strbuf_release(struct la_strbuf *buf)
{
	free(buf->data);
	*buf = (struct la_strbuf){ 0 };
}

void la_strbuf_add(struct la_strbuf *buf, const char *data, size_t length)
{
	if (!reserve(buf, length))
		return;
	if (length)
		memcpy(buf->data + buf->length, data, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void la_strbuf_addstr(struct la_strbuf *buf, const char *text)
{
	la_strbuf_add(buf, text, strlen(text));
}

void la_strbuf_vaddf(struct la_strbuf *buf, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0)
		buf->failed = true;
	if (n < 0 || !reserve(buf, n))
		return;
	vsnprintf(buf->data + buf->length, (size_t)n + 1, format, args);
	buf->length += n;
}

void la_strbuf_addf(struct la_strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	la_strbuf_vaddf(buf, format, args);
	va_end(args);
}

const char *la_strbuf_text(const struct la_strbuf *buf)
{
	return buf->data ? buf->data : "";
}
