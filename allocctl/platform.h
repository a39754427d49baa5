/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where systems differ: platform-posix.c and platform-windows.c, of which the
 * Build file takes one.
 */
#ifndef ALLOCCTL_PLATFORM_H
#define ALLOCCTL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <liballoc/setting.h>

/*
 * Standard streams carry bytes, arguments and environment are UTF-8; false: no
 * memory.
 */
bool platform_start(int *argc, char ***argv);

/* The one that this program runs on. */
enum la_platform platform_here(void);

/* Does it run on macOS, where there is no CUDA? */
bool platform_is_macos(void);

/* Whom the program runs for, or NULL; static storage. */
const char *platform_user(void);

/* What is at a path. */
bool platform_is_there(const char *path);
bool platform_is_folder(const char *path);
bool platform_is_program(const char *path);

/* To read; NULL where something else than a file has that name. */
FILE *platform_open(const char *path);

/* Where a link leads to, in PATH_MAX bytes; false: nowhere, or no links. */
bool platform_resolve(char *out, const char *path);

/* Between the folders of a list such as PATH. */
extern const char platform_separator;

/* What python is called, up to NULL. */
extern const char *const platform_pythons[];

/* Cut the last component of a path off; false if there is none. */
bool platform_cut(char *path);

/* From the folder that python is in to its installation; false: no such. */
bool platform_prefix(char *folder);

/*
 * The first file called so among the packages of the python of a prefix, or of
 * its user; false if there is none or it does not fit.
 */
bool platform_package(char *out, size_t size, const char *prefix,
		      const char *file);
bool platform_user_package(char *out, size_t size, const char *prefix,
			   const char *file);

#endif /* ALLOCCTL_PLATFORM_H */
