// SPDX-License-Identifier: Apache-2.0
/* For builds without libyaml. */

#include <errno.h>

#include "util/yaml.h"

int la_yaml_parse(struct la_yaml **out, const char *text, size_t length,
		  struct la_error *err)
{
	(void)out, (void)text, (void)length;
	return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
			    "this build has no YAML reader (libyaml)");
}
