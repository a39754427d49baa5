// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/labels.h"
#include "util/array.h"

void labels_destroy(struct labels *labels)
{
	free(labels->at);
	*labels = (struct labels){ 0 };
}

/* Index of the first label that is not of an earlier event. */
static size_t find(const struct labels *labels, uint32_t event)
{
	size_t low = 0, high = labels->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (labels->at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int labels_set(struct labels *labels, uint32_t event, uint32_t pool)
{
	size_t at = find(labels, event);

	if (at == labels->count || labels->at[at].event != event) {
		if (grow_array(&labels->at, &labels->room, labels->count,
			       sizeof(*labels->at)) < 0)
			return -ENOMEM;
		memmove(&labels->at[at + 1], &labels->at[at],
			(labels->count - at) * sizeof(*labels->at));
		labels->count++;
	}
	labels->at[at] = (struct label){ event, pool };
	return 0;
}

int labels_add(struct labels *labels, uint32_t event, uint32_t pool)
{
	if (grow_array(&labels->at, &labels->room, labels->count,
		       sizeof(*labels->at)) < 0)
		return -ENOMEM;
	labels->at[labels->count++] = (struct label){ event, pool };
	return 0;
}

void labels_reverse(struct labels *labels)
{
	struct label moved;
	size_t i, other;

	for (i = 0; i < labels->count / 2; i++) {
		other = labels->count - 1 - i;
		moved = labels->at[i];
		labels->at[i] = labels->at[other];
		labels->at[other] = moved;
	}
}

int labels_copy(struct labels *to, const struct labels *from)
{
	size_t i;
	int err = 0;

	to->count = 0;
	for (i = 0; i < from->count && !err; i++)
		err = labels_add(to, from->at[i].event, from->at[i].pool);
	return err;
}

bool labels_get(const struct labels *labels, uint32_t event, uint32_t *pool)
{
	size_t at = find(labels, event);

	if (at == labels->count || labels->at[at].event != event)
		return false;
	*pool = labels->at[at].pool;
	return true;
}
