/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc for one process, and its memory. */
#ifndef LA_ENV_PROC_H
#define LA_ENV_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "env/internal.h"
#include "util/strbuf.h"

/* A process by its folder of /proc, so that another one that gets its number
 * is not taken for it. */
struct la_proc {
	pid_t pid;
	int folder; /* descriptor of /proc/PID */
};

/* One line of maps. */
struct la_proc_map {
	uint64_t start, end; /* addresses */
	uint64_t offset; /* of the file, at start */
	uint64_t device, inode; /* of the file; 0: none */
	const char *path; /* as the process sees it; "" for none */
	bool deleted; /* another file has that path now, or none */
};

/* Append a file of the folder; 0, or -errno: -EFBIG beyond most bytes. */
int la_proc_read(const struct la_proc *proc, const char *name, size_t most,
		 struct la_strbuf *out);

/* Where a link of the folder leads to, to be freed; NULL: not known. */
char *la_proc_link(const struct la_proc *proc, const char *name);

/* The next line of maps: cuts the text, whose rest is left in *text; false at
 * the end. */
bool la_proc_next_map(char **text, struct la_proc_map *map);

/* Bytes at an address of the process; those that could be read, or -errno. */
ssize_t la_proc_peek(const struct la_proc *proc, uint64_t addr, void *out,
		     size_t size);

/*
 * Why the kernel refuses to show memory or environment, in words: errno_value
 * is what it said.  0 or -ENOMEM.
 */
int la_proc_refused(const struct la_proc *proc, struct la_env *env,
		    int errno_value, bool memory);

/* The environment as it is in memory now, and the file that has environ. */
int la_proc_live(const struct la_proc *proc, char *maps, struct la_env *env,
		 char **from);

#endif /* LA_ENV_PROC_H */
