/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows. */
#ifndef LA_UTIL_STRBUF_H
#define LA_UTIL_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Zero-initialised: empty.  data is owned, terminated, and NULL only while
 * nothing was added.  After a failed allocation nothing more is added and
 * failed stays set, so that a caller may check once at the end.
 */
struct la_strbuf {
	char *data;
	size_t length; /* bytes, without the terminator */
	size_t capacity; /* bytes allocated */
	bool failed;
};

void la_strbuf_release(struct la_strbuf *buf);
void la_strbuf_add(struct la_strbuf *buf, const char *data, size_t length);
void la_strbuf_addstr(struct la_strbuf *buf, const char *text);
void la_strbuf_addf(struct la_strbuf *buf, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void la_strbuf_vaddf(struct la_strbuf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* The text, or "" for an empty one. */
const char *la_strbuf_text(const struct la_strbuf *buf);

#endif /* LA_UTIL_STRBUF_H */
