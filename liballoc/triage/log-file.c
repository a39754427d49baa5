// SPDX-License-Identifier: Apache-2.0
/* A log that is a file, plain or compressed. */

#include <liballoc/triage.h>

#include "trace/input.h"
#include "util/error.h"
#include "util/util.h"

/* What unpacking may take. */
#define UNPACK_MEMORY (128 * MIB)

static int feed_all(struct la_log *log, struct la_input *in)
{
	int code = 0;

	while (!code && la_input_has(in, 1)) {
		code = la_log_feed(log, in->p, (size_t)(in->end - in->p));
		in->p = in->end;
	}
	return code;
}

LA_EXPORT int la_log_read(struct la_log *log, int fd, struct la_error *err)
{
	struct la_input in;
	int code = la_input_open_fd(&in, fd, UNPACK_MEMORY, err);

	if (code < 0)
		return code;
	code = feed_all(log, &in);
	if (code < 0)
		la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	else if (in.error.code && !in.truncated)
		code = la_error_set(err, in.error.code, in.error.offset, "%s",
				    in.error.text);
	la_input_close(&in);
	return code;
}
