/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where systems differ: platform-posix.c and platform-windows.c, of which the
 * Build file takes one.
 */
#ifndef ALLOCCTL_PLATFORM_H
#define ALLOCCTL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* The name of this machine; false: it is not known. */
bool platform_host(char *out, size_t size);

/* Whom a process runs for, or NULL; static storage. */
const char *platform_owner(uint64_t pid);

/* At least 1. */
unsigned int platform_cores(void);

/* Of the terminal that standard output is; 0: it is none. */
unsigned int platform_columns(void);

/* Call it when the user interrupts the program; a second time ends that. */
void platform_on_interrupt(void (*handler)(int));

/* What is at a path; PLATFORM_UNKNOWN sets errno. */
enum platform_kind {
	PLATFORM_NOTHING,
	PLATFORM_FILE,
	PLATFORM_FOLDER,
	PLATFORM_OTHER, /* a pipe, a device */
	PLATFORM_UNKNOWN
};
enum platform_kind platform_kind(const char *path);
bool platform_is_there(const char *path);
bool platform_is_folder(const char *path);
bool platform_is_program(const char *path);

/* Make one folder; false with errno. */
bool platform_make_folder(const char *path);

/* What tells files apart, whatever their names. */
struct platform_identity {
	uint64_t device;
	uint64_t number; /* 0: there is no such file */
};

/* Of the file at a path; "-": of standard input. */
struct platform_identity platform_identify(const char *path);
bool platform_is_same(const char *path, const char *other);

/* To read; NULL where something else than a file has that name. */
FILE *platform_open(const char *path);

/* A new file that is gone when it is closed, or NULL. */
FILE *platform_spool(void);

/* The bytes of a file, to be unmapped; NULL: none, or no memory. */
void *platform_map(int fd, size_t *size);
void platform_unmap(void *data, size_t size);

/* The newest core of python that the system keeps, for free(); *store: where
 * it looked.  NULL: there is none. */
char *platform_latest_core(const char **store);

/* Where a link leads to, in PATH_MAX bytes; false: nowhere, or no links. */
bool platform_resolve(char *out, const char *path);

/* The file of this program, in PATH_MAX bytes; false: it cannot be found.  Not
 * on Windows. */
bool platform_self(char *out);

/* A library that may be missing: NULL; and what it has under a name. */
void *platform_library_open(const char *name);
void *platform_library_symbol(void *library, const char *name);

/* The library of the driver that tells about GPUs. */
extern const char platform_nvml[];

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
