// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/spans.h"
#include "util/array.h"

void spans_destroy(struct spans *spans)
{
	free(spans->span);
	*spans = (struct spans){ 0 };
}

/* Index of the first span that does not start before an address. */
static size_t find(const struct spans *spans, uint64_t addr)
{
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (spans->span[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int spans_add(struct spans *spans, const struct span *span)
{
	size_t at = find(spans, span->addr);

	if (span->end < span->addr ||
	    (at < spans->count && spans->span[at].addr < span->end) ||
	    (at && spans->span[at - 1].end > span->addr))
		return -EBADMSG;
	if (grow_array(&spans->span, &spans->room, spans->count,
		       sizeof(*spans->span)) < 0)
		return -ENOMEM;
	memmove(&spans->span[at + 1], &spans->span[at],
		(spans->count - at) * sizeof(*spans->span));
	spans->span[at] = *span;
	spans->count++;
	return 0;
}

void spans_remove(struct spans *spans, uint64_t addr)
{
	size_t at = find(spans, addr);

	spans->count--;
	memmove(&spans->span[at], &spans->span[at + 1],
		(spans->count - at) * sizeof(*spans->span));
}

size_t spans_from(const struct spans *spans, uint64_t addr)
{
	size_t at = find(spans, addr);

	return at && spans->span[at - 1].end > addr ? at - 1 : at;
}

const struct span *spans_find(const struct spans *spans, uint64_t addr)
{
	size_t at = find(spans, addr);

	if (at < spans->count && spans->span[at].addr == addr)
		return &spans->span[at];
	return at && addr < spans->span[at - 1].end ? &spans->span[at - 1] :
						      NULL;
}
