/* SPDX-License-Identifier: Apache-2.0 */
/* Names of nodes as Slurm writes many of them: "n[1-3,07],login". */
#ifndef ALLOCCTL_HOSTLIST_H
#define ALLOCCTL_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

enum {
	HOSTLIST_MOST = 200000, /* names that a list may stand for */
	HOSTLIST_NAME = 255, /* bytes of a name */
};

/* Zero-initialised: empty. */
struct hostlist {
	char **name; /* owned, as each of them is */
	size_t count, room;
};

/*
 * Add the names that a list stands for.  NULL, or what is wrong with it,
 * static.
 */
const char *hostlist_expand(struct hostlist *list, const char *text);
void hostlist_release(struct hostlist *list);

/* The order in which n2 is before n10. */
int hostlist_compare(const char *name, const char *other);

/* Put them in that order, each once. */
void hostlist_sort(struct hostlist *list);

/* In one that is sorted. */
bool hostlist_has(const struct hostlist *list, const char *name);

/*
 * Append names that are sorted as such a list of at most so many pieces, as
 * "1-3" or "login"; returns how many names have no place in it.
 */
size_t hostlist_fold(struct la_strbuf *out, const char *const *name,
		     size_t count, size_t pieces);

#endif /* ALLOCCTL_HOSTLIST_H */
