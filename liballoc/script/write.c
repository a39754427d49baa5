// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "script/internal.h"
#include "util/error.h"
#include "util/util.h"

LA_EXPORT int la_script_write(enum la_script_kind kind, const char *name,
			      const char *value, char **out,
			      struct la_error *err)
{
	(void)kind;
	(void)name;
	(void)value;
	(void)out;
	return la_error_set(err, -EOPNOTSUPP, LA_NO_OFFSET, "not yet");
}
