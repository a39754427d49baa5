/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names with values as a text gives them, values that are put together from
 * pieces of it, and ${...} in them.
 */
#ifndef LA_SCRIPT_VARS_H
#define LA_SCRIPT_VARS_H

#include "script/internal.h"
#include "util/strbuf.h"

enum { LA_SCRIPT_NAME = 64 }; /* bytes of a name that messages show */

struct la_script_var {
	char *name; /* owned */
	char *value; /* owned; NULL: set, to what is not known */
};

/* Zero-initialised: empty. */
struct la_script_vars {
	struct la_script_var *var; /* owned */
	size_t count, room;
	/* By hash of the name, 1 + index in var; 0: free.  A power of 2 of
	 * them, at least twice as many as there are variables; owned. */
	uint32_t *slot;
	size_t slots;
	size_t bytes; /* of the values */
	bool failed; /* no memory */
	bool full; /* others were set and are not kept */
};

void la_script_vars_release(struct la_script_vars *vars);
/* Values beyond LA_SCRIPT_VALUES in all are kept as not known. */
void la_script_vars_set(struct la_script_vars *vars, const char *name,
			size_t length, const char *value);
void la_script_vars_unset(struct la_script_vars *vars, const char *name,
			  size_t length);
const struct la_script_var *
la_script_vars_find(const struct la_script_vars *vars, const char *name,
		    size_t length);

/* A value that is put together.  Zero-initialised: empty. */
struct la_script_value {
	struct la_strbuf text;
	bool unknown; /* a piece of it is not known */
	bool too_long; /* ... and this is why */
	char because[LA_SCRIPT_NAME]; /* ... this variable; "": other reasons */
	/* It is right only while this variable is not set; "": none. */
	char assumed[LA_SCRIPT_NAME];
};

void la_script_value_release(struct la_script_value *value);
void la_script_value_unknown(struct la_script_value *value, const char *name,
			     size_t length);

/* Add what a variable has.  Beyond LA_SCRIPT_VALUE the value is unknown: no
 * program is given one so long. */
void la_script_value_add(struct la_script_value *value, const char *name,
			 size_t length, const char *found);

/* How a reader takes what follows a dollar sign. */
enum {
	LA_SCRIPT_BARE = 1, /* $X as well as ${X} */
	LA_SCRIPT_DOLLARS = 2, /* $$ is a dollar sign */
	LA_SCRIPT_WORDS = 4, /* ${X-d}, ${X:+a}, ${X+a}, ${X?e} as well */
	LA_SCRIPT_FLAT = 8, /* the d of ${X:-d} is taken as it stands */
	LA_SCRIPT_PLAIN = 16, /* ${X} alone: no default */
	LA_SCRIPT_KEEP_UNSET = 32, /* ${X} of no such variable stays */
	LA_SCRIPT_OPEN = 64 /* others may set what the text does not */
};

struct la_script_scope {
	const struct la_script *script;
	const struct la_script_vars *vars; /* looked up first */
	unsigned int flags;
	char escape; /* makes the next byte literal in words; 0: none */
};

/*
 * Add to value what the dollar sign at text stands for.  Returns how many
 * bytes that took, 0 if it stands for itself.
 */
size_t la_script_expand(const struct la_script_scope *scope, const char *text,
			size_t length, struct la_script_value *value);

/* Add all of text, with what its dollar signs stand for. */
void la_script_expand_all(const struct la_script_scope *scope,
			  const char *text, size_t length,
			  struct la_script_value *value);

/* Bytes of the name that starts at text; 0: none does. */
size_t la_script_name(const char *text, size_t length);

#endif /* LA_SCRIPT_VARS_H */
