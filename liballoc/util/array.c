// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

int grow_array(void *array, size_t *room, size_t count, size_t element)
{
	size_t more = *room < 64 ? 64 : *room + *room / 2;
	void *first, *bigger;

	if (count < *room)
		return 0;
	/* The pointer has a type of its own: it is copied, not accessed. */
	memcpy(&first, array, sizeof(first));
	bigger = realloc(first, more * element);
	if (!bigger)
		return -ENOMEM;
	memcpy(array, &bigger, sizeof(bigger));
	*room = more;
	return 0;
}
