/* SPDX-License-Identifier: Apache-2.0 */
/* A line that sets the variable, pasted whole instead of the setting. */
#ifndef ALLOCCTL_ASSIGNMENT_H
#define ALLOCCTL_ASSIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

enum { ASSIGNMENT_NAME_MAX = 31 };

struct assignment {
	/* Of the variable; empty: a setting as such. */
	char name[ASSIGNMENT_NAME_MAX + 1];
	size_t start, end; /* bytes of the line that are the setting */
};

/*
 * NAME=VALUE with or without export, set or env before it, and quotes around
 * the value or all of it; anything else is a setting as such.  NAME may be one
 * that torch does not read, as PYTORCH_CUDA_ALLOC_CONFIG.
 */
struct assignment assignment_read(const char *line, size_t length);

#endif /* ALLOCCTL_ASSIGNMENT_H */
