/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GNU's C library has and that of Windows lacks.  Builds for Windows
 * include it before every file (scripts/Makefile.include), others never do.
 * Paths are UTF-8, files are bytes.
 */
#ifndef LA_UTIL_WINDOWS_H
#define LA_UTIL_WINDOWS_H

#include <fcntl.h>
#include <io.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Everything is in a static library and exported by nothing. */
#define LA_EXPORT

/* Its error.h ends at 42, and its winsock errors begin at 100. */
#define EUCLEAN 90

/* Nothing is inherited unless asked for, nothing waits when opened. */
#define O_CLOEXEC (O_NOINHERIT | O_BINARY)
#define O_NONBLOCK 0

#define reallocarray la_windows_reallocarray
#define strndup la_windows_strndup
#define strcasestr la_windows_strcasestr
#define memmem la_windows_memmem
#define memrchr la_windows_memrchr
#define getdelim la_windows_getdelim
#define getline la_windows_getline
#define fopen la_windows_fopen
#define open la_windows_open
#define access la_windows_access
#define pread la_windows_pread
#define fsync la_windows_fsync
#define rename la_windows_rename
#define unlink la_windows_unlink

void *reallocarray(void *data, size_t nr, size_t size);
char *strndup(const char *text, size_t length);
char *strcasestr(const char *text, const char *part);
void *memmem(const void *data, size_t size, const void *part,
	     size_t part_size);
void *memrchr(const void *data, int byte, size_t size);
ssize_t getdelim(char **text, size_t *capacity, int delimiter, FILE *stream);
ssize_t getline(char **text, size_t *capacity, FILE *stream);

/* Of the mode only r, w or a counts. */
FILE *fopen(const char *path, const char *mode);
int open(const char *path, int flags, ...);

/* Whether it is there; no other mode. */
int access(const char *path, int mode);

/* Not while another thread reads the same file. */
ssize_t pread(int fd, void *data, size_t size, off_t offset);
int fsync(int fd);

/* Takes the place of what is there. */
int rename(const char *from, const char *to);
int unlink(const char *path);

#endif /* LA_UTIL_WINDOWS_H */
