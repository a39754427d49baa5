// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/budget.h"

enum { SMALLEST_ROOM = 64 };

int la_budget_grow(struct la_budget *budget, void *array, size_t *room,
		   size_t need, size_t size)
{
	size_t count = *room > SIZE_MAX / 4 ? need : *room + *room / 2;
	void *old, *grown;
	uint64_t more;

	if (count < need)
		count = need;
	if (count < SMALLEST_ROOM)
		count = SMALLEST_ROOM;
	if (__builtin_mul_overflow((uint64_t)(count - *room), (uint64_t)size,
				   &more) ||
	    more > budget->limit - budget->used)
		return -E2BIG;
	memcpy(&old, array, sizeof(old));
	grown = realloc(old, count * size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	budget->used += more;
	*room = count;
	return 0;
}
