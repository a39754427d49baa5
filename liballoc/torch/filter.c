// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "torch/filter.h"

/* Values of std::_Manager_operation. */
enum { OPERATION_COPY = 2, OPERATION_DESTROY = 3 };

_Static_assert(sizeof(struct la_filter) == 16 + 2 * sizeof(void *),
	       "std::function has two pointers behind its storage");

struct la_filter *la_filter_copy(const struct la_filter *filter)
{
	struct la_filter *copy = calloc(1, sizeof(*copy));

	if (!copy || !filter->manager)
		return copy;
	filter->manager(&copy->target, &filter->target, OPERATION_COPY);
	copy->manager = filter->manager;
	copy->invoke = filter->invoke;
	return copy;
}

bool la_filter_call(void *data, uint64_t stream)
{
	const struct la_filter *filter = data;
	void *raw = (void *)(uintptr_t)stream;

	return !filter->manager || filter->invoke(&filter->target, &raw);
}

void la_filter_release(void *data)
{
	struct la_filter *filter = data;

	if (filter->manager)
		filter->manager(&filter->target, &filter->target,
				OPERATION_DESTROY);
	free(filter);
}
