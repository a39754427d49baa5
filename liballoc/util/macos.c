// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "util/macos.h"

void *reallocarray(void *data, size_t nr, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(nr, size, &bytes))
		return realloc(data, bytes);
	errno = ENOMEM;
	return NULL;
}

void *memrchr(const void *data, int byte, size_t size)
{
	const unsigned char *bytes = data;

	while (size-- > 0)
		if (bytes[size] == (unsigned char)byte)
			return (void *)(bytes + size);
	return NULL;
}
