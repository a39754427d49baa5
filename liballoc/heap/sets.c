// SPDX-License-Identifier: Apache-2.0
/* Streams, pools, and the sets of idle blocks that belong to them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"

/* Room in set_at for one more stream; what was known stays. */
static int widen_sets(struct la_heap *heap)
{
	size_t rows = (size_t)heap->pool_count * CLASS_COUNT, row;
	size_t streams = (size_t)heap->stream_count + 1;
	uint32_t *at = malloc((rows * streams + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	memset(at, 0xff, rows * streams * sizeof(*at));
	for (row = 0; row < rows && heap->stream_count; row++)
		memcpy(&at[row * streams],
		       &heap->set_at[row * heap->stream_count],
		       heap->stream_count * sizeof(*at));
	free(heap->set_at);
	heap->set_at = at;
	return 0;
}

/* The same for one more pool: its rows stand behind the others. */
static int lengthen_sets(struct la_heap *heap)
{
	size_t row = (size_t)CLASS_COUNT * heap->stream_count;
	size_t known = heap->pool_count * row;
	uint32_t *at = realloc(heap->set_at,
			       (known + row + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	memset(&at[known], 0xff, row * sizeof(*at));
	heap->set_at = at;
	return 0;
}

/* One more stream, whose raw value and place in the order are not set. */
static int add_stream(struct la_heap *heap)
{
	size_t count = heap->stream_count + 1;
	uint64_t *stream;
	uint32_t *order;

	stream = realloc(heap->stream, count * sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	heap->stream = stream;
	order = realloc(heap->stream_order, count * sizeof(*order));
	if (!order)
		return -ENOMEM;
	heap->stream_order = order;
	if (widen_sets(heap) < 0)
		return -ENOMEM;
	heap->stream_count++;
	return 0;
}

LA_EXPORT int la_heap_stream(struct la_heap *heap, uint64_t stream)
{
	uint32_t count = heap->stream_count, i;

	for (i = 0; i < count; i++)
		if (heap->stream[i] == stream)
			return (int)i;
	if (add_stream(heap) < 0)
		return -ENOMEM;
	heap->stream[count] = stream;
	for (i = count; i && heap->stream[heap->stream_order[i - 1]] > stream;
	     i--)
		heap->stream_order[i] = heap->stream_order[i - 1];
	heap->stream_order[i] = count;
	return (int)count;
}

/* One more pool.  Returns its number or -ENOMEM. */
int heap_add_pool(struct la_heap *heap, const uint64_t id[2])
{
	size_t count = heap->pool_count + 1;
	struct pool *pool;
	uint32_t *given_up;

	pool = realloc(heap->pool, count * sizeof(*pool));
	if (!pool)
		return -ENOMEM;
	heap->pool = pool;
	given_up = realloc(heap->given_up, count * sizeof(*given_up));
	if (!given_up)
		return -ENOMEM;
	heap->given_up = given_up;
	if (lengthen_sets(heap) < 0)
		return -ENOMEM;
	pool[heap->pool_count] = (struct pool){ .id = { id[0], id[1] } };
	return (int)heap->pool_count++;
}

LA_EXPORT int la_heap_pool(struct la_heap *heap, const uint64_t id[2])
{
	uint32_t i;

	for (i = 0; i < heap->pool_count; i++)
		if (heap->pool[i].id[0] == id[0] &&
		    heap->pool[i].id[1] == id[1])
			return (int)i;
	return heap_add_pool(heap, id);
}

/* The set of a stream, pool and class, which has none; its index goes to the
 * slot.  Returns 0 or -ENOMEM. */
int heap_add_set(struct la_heap *heap, uint32_t stream, uint32_t pool,
		 enum size_class class, uint32_t *slot)
{
	struct set *bigger = realloc(heap->set, (heap->set_count + 1) *
							sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	heap->set = bigger;
	memset(&bigger[heap->set_count], 0, sizeof(*bigger));
	bigger[heap->set_count].unmapped = LA_NO_BLOCK;
	bigger[heap->set_count].pool = pool;
	bigger[heap->set_count].stream = stream;
	bigger[heap->set_count].class = class;
	*slot = heap->set_count++;
	return 0;
}

/* A pool is no longer among those that were given up. */
void heap_reopen_pool(struct la_heap *heap, uint32_t pool)
{
	uint32_t i, kept = 0;

	for (i = 0; i < heap->given_up_count; i++)
		if (heap->given_up[i] != pool)
			heap->given_up[kept++] = heap->given_up[i];
	heap->given_up_count = kept;
	heap->pool[pool].given_up = false;
	pool_table_remove(&heap->table, pool);
}

int heap_give_up_pool(struct la_heap *heap, int pool)
{
	const uint64_t *id = heap->pool[pool].id;
	uint32_t number = (uint32_t)pool;

	if (heap->in_order) {
		heap_reopen_pool(heap, number);
		heap->given_up[heap->given_up_count++] = number;
	} else {
		if (pool_table_insert(&heap->table, id[0] ? id[0] : id[1],
				      number) < 0)
			return -ENOMEM;
		heap->given_up_count = pool_table_list(&heap->table,
						       heap->given_up);
	}
	heap->pool[pool].given_up = true;
	return 0;
}
