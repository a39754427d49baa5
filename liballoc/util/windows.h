/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GNU's C library has and that of Windows lacks.  Builds for Windows
 * include it before every file (scripts/Makefile.include), others never do.
 */
#ifndef LA_UTIL_WINDOWS_H
#define LA_UTIL_WINDOWS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Everything is in a static library and exported by nothing. */
#define LA_EXPORT

#define reallocarray la_windows_reallocarray
#define strndup la_windows_strndup
#define getdelim la_windows_getdelim
#define getline la_windows_getline
#define fopen la_windows_fopen

void *reallocarray(void *data, size_t nr, size_t size);
char *strndup(const char *text, size_t length);
ssize_t getdelim(char **text, size_t *capacity, int delimiter, FILE *stream);
ssize_t getline(char **text, size_t *capacity, FILE *stream);

/* Reads bytes as they are; the path is UTF-8.  Mode begins with r. */
FILE *fopen(const char *path, const char *mode);

#endif /* LA_UTIL_WINDOWS_H */
