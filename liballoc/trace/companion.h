/* SPDX-License-Identifier: Apache-2.0 */
/* The file beside a recording that says what a snapshot does not. */
#ifndef LA_TRACE_COMPANION_H
#define LA_TRACE_COMPANION_H

#include <liballoc/trace.h>

/* What it says of one device. */
struct la_companion_device {
	char *conf; /* owned; NULL: not said */
	uint64_t cap; /* bytes; 0: none, UINT64_MAX: not said */
	uint64_t total; /* bytes; 0: not said */
};

struct la_companion {
	enum la_companion_state state;
	struct la_companion_device *devices; /* one for each of the recording */
	unsigned int count;
	char *torch; /* owned; NULL: not said */
};

/*
 * Read the companion of the recording at `path`, or of none if NULL, for
 * `count` devices.  A missing file is no error.
 */
int la_companion_read(struct la_companion *companion, const char *path,
		      unsigned int count, struct la_error *err);
void la_companion_release(struct la_companion *companion);

#ifdef HAVE_JANSSON
/* Fill companion from the file `name`: -ENOENT if there is none. */
int la_companion_parse(struct la_companion *companion, const char *name,
		       struct la_error *err);
#else
#include <errno.h>
#include <unistd.h>

static inline int la_companion_parse(struct la_companion *companion,
				     const char *name, struct la_error *err)
{
	(void)err;
	if (access(name, F_OK) < 0)
		return -ENOENT;
	companion->state = LA_COMPANION_UNREADABLE;
	return 0;
}
#endif

#endif /* LA_TRACE_COMPANION_H */
