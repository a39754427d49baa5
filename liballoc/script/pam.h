/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the files of pam_env: continued, and without comments. */
#ifndef LA_SCRIPT_PAM_H
#define LA_SCRIPT_PAM_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* A line with those that continue it.  Zero-initialised. */
struct la_pam_line {
	struct la_strbuf text; /* owned */
	size_t start, end; /* of the bytes that it was made of */
	bool open; /* the last one is continued by nothing: pam_env stops */
};

/* The line at *at, which is moved past it; false: there is none. */
bool la_pam_next(const char *text, size_t length, size_t *at,
		 struct la_pam_line *line);

#endif /* LA_SCRIPT_PAM_H */
