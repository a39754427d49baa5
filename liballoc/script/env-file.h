/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with a NAME=value on each line, as each of their readers takes them:
 * dotenv.c has the table, env-file-*.c one reader each.
 */
#ifndef LA_SCRIPT_ENV_FILE_H
#define LA_SCRIPT_ENV_FILE_H

#include "script/place.h"

/* What one reader makes of one line that names a watched variable. */
struct la_env_binding {
	size_t name, name_length; /* bytes of the part */
	struct la_script_span at; /* from the name to the value's end */
	struct la_script_value value; /* owned */
	enum la_script_code code; /* of refused */
	const char *refused; /* why it sets nothing; NULL: it does */
	bool removed; /* it takes the variable away */
};

/* A file as one reader takes it.  Text and script are set at the start. */
struct la_env_file {
	const struct la_script *script;
	const char *text;
	size_t length;
	struct la_script_vars vars; /* of all names, watched or not */
	struct la_env_binding *binding; /* owned, by name */
	size_t count, room;
	/* One bad line makes this reader refuse the file; NULL: it does not. */
	const char *refused;
	struct la_script_span bad; /* that line */
	size_t value_bytes; /* of the bindings' values */
	/* By quote (' " `), behind what byte all are behind a backslash, and
	 * the last of them; 0: not known to be. */
	struct la_script_span escaped[3];
	bool failed; /* no memory */
	bool full; /* there are more than LA_SCRIPT_PLACES bindings */
};

typedef void la_env_reader(struct la_env_file *file);

la_env_reader la_env_read_python, la_env_read_node, la_env_read_shell,
	la_env_read_docker, la_env_read_systemd, la_env_read_environment_d,
	la_env_read_pam;

/* The name has this value from here on; value is taken over. */
void la_env_bind(struct la_env_file *file, struct la_script_span name,
		 struct la_script_value *value, size_t end);

/* The name is unset from here on. */
void la_env_unbind(struct la_env_file *file, struct la_script_span name,
		   size_t end);

/* The line names it, but sets nothing. */
void la_env_refuse(struct la_env_file *file, struct la_script_span name,
		   size_t end, enum la_script_code code, const char *why);

void la_env_file_release(struct la_env_file *file);

/* Bytes up to the line's end, or the text's. */
size_t la_env_line_end(const struct la_env_file *file, size_t at);

/* The quote at open is closed by this one; file->length: it is not.  A quote
 * behind a backslash counts only if no other does. */
size_t la_env_quote_end(struct la_env_file *file, size_t open);

#endif /* LA_SCRIPT_ENV_FILE_H */
