/* SPDX-License-Identifier: Apache-2.0 */
/* Files in a folder that all users may write to. */
#ifndef ALLOCCTL_SAFE_H
#define ALLOCCTL_SAFE_H

#include <stdbool.h>

/* A file that has no name until it is whole. */
struct safe {
	int folder; /* the caller's */
	const char *name; /* that it gets */
	char partial[300]; /* its name before that, if it needs one */
	bool named; /* it has that already */
	int fd;
};

/*
 * Open a folder to write files to.  Not one that another user owns, nor one
 * that all may write to, unless it is sticky.  A descriptor, or -errno after a
 * message.
 */
int safe_folder(const char *path);

/* Begin a file that only the user may read.  False: see errno. */
bool safe_open(struct safe *safe, int folder, const char *name);

/* Put it on the disk under its name, with a mode, by force in place of one that
 * is there.  False: see errno; then nothing is left of it. */
bool safe_commit(struct safe *safe, unsigned int mode, bool force);

void safe_cancel(struct safe *safe);

/* Remove what killed writers of a file left under partial names an hour ago;
 * NULL: of any report. */
void safe_sweep(int folder, const char *target);

/* Split a path: its folder in PATH_MAX bytes, and its last name; NULL: none. */
const char *safe_split(char *folder, const char *path);

#endif /* ALLOCCTL_SAFE_H */
