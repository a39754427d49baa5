/* SPDX-License-Identifier: Apache-2.0 */
/* As <endian.h> of Linux, for little-endian systems that lack it. */
#ifndef LA_MISSING_ENDIAN_H
#define LA_MISSING_ENDIAN_H

#include <stdint.h>

static inline uint64_t le64toh(uint64_t value)
{
	return value;
}

#endif /* LA_MISSING_ENDIAN_H */
