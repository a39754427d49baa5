/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GNU's C library has and that of macOS lacks.  Builds for macOS include
 * it before every file (scripts/Makefile.include), others never do.
 */
#ifndef LA_UTIL_MACOS_H
#define LA_UTIL_MACOS_H

#include <errno.h>
#include <stddef.h>

#define EUCLEAN EFTYPE

#define reallocarray la_macos_reallocarray
#define memrchr la_macos_memrchr
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec

/* Declared by none of its headers. */
extern char **environ;

void *reallocarray(void *data, size_t nr, size_t size);
void *memrchr(const void *data, int byte, size_t size);

#endif /* LA_UTIL_MACOS_H */
