// SPDX-License-Identifier: Apache-2.0
/* In a build without jansson, JSON is not read. */
#include <errno.h>

#include "script/internal.h"
#include "util/error.h"

static int not_built(const struct la_script_part *part, struct la_error *err)
{
	return la_error_set(err, -ENOTSUP, part->offset,
			    "built without jansson: no JSON reader");
}

int la_script_read_json(struct la_script *script,
			const struct la_script_part *part,
			struct la_error *err)
{
	(void)script;
	return not_built(part, err);
}

int la_script_read_notebook(struct la_script *script,
			    const struct la_script_part *part,
			    struct la_error *err)
{
	(void)script;
	return not_built(part, err);
}
