/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a POSIX system, by who reads them. */
#ifndef LA_ENV_SEEK_H
#define LA_ENV_SEEK_H

#include "env/way.h"
#include "util/strbuf.h"

/* What the functions that go through places share. */
struct la_env_seeker {
	struct la_env_finder *finder;
	const struct la_env_search *search;
	struct la_env_way way;
};

/*
 * Read all files of a pattern in the order of their names; ~/ is the user's
 * folder, $NAME at the start the value of a variable of the process, under
 * which nothing is found if it is not known.  How many were there.
 */
size_t la_env_seek_files(const struct la_env_seeker *s, const char *pattern,
			 const struct la_env_place *place);

/* As a path below the root, or false: what it starts with is not known. */
bool la_env_seek_path(const struct la_env_seeker *s, const char *pattern,
		      struct la_strbuf *out);

/* Is the pattern that of a file which shells read by themselves? */
bool la_env_is_startup(const char *pattern);

/* What the file of a pattern reads with . or source: it may take part. */
void la_env_seek_included(const struct la_env_seeker *s, const char *pattern,
			  const struct la_env_place *place);

void la_env_seek_sshd(const struct la_env_seeker *s);
void la_env_seek_shells(const struct la_env_seeker *s);
void la_env_seek_unit(const struct la_env_seeker *s);
void la_env_seek_parents(const struct la_env_seeker *s);

#endif /* LA_ENV_SEEK_H */
