/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs by system, and what it is written with.  The Build file takes
 * one of each: own-posix.c or windows-own.c, process-linux.c, process-none.c
 * or windows-process.c, seek-posix.c or windows-seek.c.
 */
#ifndef LA_ENV_INTERNAL_H
#define LA_ENV_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <liballoc/env.h>

enum { LA_ENV_BYTES = 64 << 20 }; /* largest block */

struct la_env {
	char **entry; /* "NAME=value", owned */
	size_t count, room;
	char *unknown; /* why nothing is known, owned; NULL: it is */
	enum la_platform platform;
};

/* An empty one; 0 or -ENOMEM. */
int la_env_new(struct la_env **out, enum la_platform platform);

/* Add an entry, copied; what is no "NAME=value" is left out. */
int la_env_add(struct la_env *env, const char *entry, size_t length);

/* It is unknown, and why; 0 or -ENOMEM.  Entries are forgotten. */
int la_env_set_unknown(struct la_env *env, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Are length bytes of two names the same to the system? */
bool la_env_same_name(const struct la_env *env, const char *a, const char *b,
		      size_t length);

/* What the texts of the information point to is owned by it. */
struct la_env_process {
	struct la_env_process_info info;
	struct la_env *initial, *current; /* owned; never NULL once opened */
	char *command, *arguments, *program, *folder, *root, *unit, *torch,
		*current_from;
};

/* Fill a zeroed process; 0 or -errno.  One for each system. */
int la_env_process_read(struct la_env_process *process, int64_t pid,
			struct la_error *err);

/* The places found so far. */
struct la_env_finder;

/* What is known of a place before it is read. */
struct la_env_place {
	enum la_script_kind kind; /* who parses it */
	enum la_env_scope scope;
	enum la_env_part part;
	const char *reader; /* "login shells of bash", copied */
};

const struct la_env_search *la_env_finder_search(const struct la_env_finder *f);

/*
 * Read a file below the search's root and note all that it sets; nothing if
 * there is none.  False: there is none.
 */
bool la_env_find_in(struct la_env_finder *f, const char *file,
		    const struct la_env_place *place);

/* Note a value that stands in no text: in a registry, or a parent. */
void la_env_find_value(struct la_env_finder *f, const char *file,
		       const char *variable, const char *value,
		       const struct la_env_place *place);

/* Note that a place could not be read. */
void la_env_find_unread(struct la_env_finder *f, const char *file,
			const char *reason);

/* Is the variable one that is sought? */
bool la_env_finder_wants(const struct la_env_finder *f, const char *variable);

/* Go through the places of a system in the order in which they act.  One for
 * each system. */
void la_env_seek(struct la_env_finder *f);

#endif /* LA_ENV_INTERNAL_H */
