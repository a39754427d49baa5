/* SPDX-License-Identifier: Apache-2.0 */
/* Where the costs of device operations of a machine's GPUs are kept. */
#ifndef ALLOCCTL_COSTS_FILE_H
#define ALLOCCTL_COSTS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <liballoc/replay.h>

/* The user's folder of such files, or the system's; false: the user has none,
 * or it does not fit. */
bool costs_folder(char *out, size_t size, bool system);

/* The path of a GPU's file in a folder; false if it does not fit. */
bool costs_path(char *out, size_t size, const char *folder, const char *gpu);

/* Make a folder and those above it; false after a message. */
bool costs_make_folder(const char *folder);

/*
 * The first file, the user's before the system's, of a GPU of this name as
 * --card takes it, or, without a name, of one with so many bytes; path: its
 * own, PATH_MAX bytes.  False: there is none.  What cannot be read is warned
 * of.
 */
bool costs_find(struct la_costs *out, char *path, const char *name,
		uint64_t total);

#endif /* ALLOCCTL_COSTS_FILE_H */
