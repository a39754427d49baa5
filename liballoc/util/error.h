/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_UTIL_ERROR_H
#define LA_UTIL_ERROR_H

#include <liballoc/error.h>

/* Fill err, if there is one, and return code. */
int la_error_set(struct la_error *err, int code, uint64_t offset,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif /* LA_UTIL_ERROR_H */
