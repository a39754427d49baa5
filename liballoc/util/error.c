// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "util/error.h"

int la_error_set(struct la_error *err, int code, uint64_t offset,
		 const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	err->offset = offset;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}
