// SPDX-License-Identifier: Apache-2.0
/* In a build without libyaml, manifests are not read. */
#include <errno.h>

#include "script/internal.h"
#include "util/error.h"

int la_script_read_yaml(struct la_script *script,
			const struct la_script_part *part,
			struct la_error *err)
{
	(void)script;
	return la_error_set(err, -ENOTSUP, part->offset,
			    "built without libyaml: no YAML reader");
}
