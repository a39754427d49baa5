/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: a number for each distinct run of bytes. */
#ifndef LA_TRACE_CHUNKS_H
#define LA_TRACE_CHUNKS_H

#include <stdbool.h>

#include "trace/budget.h"

struct la_chunks {
	uint8_t *bytes; /* of all chunks, one after the other */
	size_t size, byte_room;
	uint32_t *ends; /* by number: offset in bytes behind the chunk */
	size_t count, end_room;
	uint32_t *buckets; /* number + 1, 0 if free; open addressing */
	size_t bucket_count; /* a power of two, or 0 */
	uint32_t last; /* number of the chunk found last */
};

/* The number of a chunk, added if new: 0, -ENOMEM or -E2BIG. */
int la_chunks_intern(struct la_chunks *set, struct la_budget *budget,
		     const void *data, size_t size, uint32_t *number);
/* The number of a chunk that is there, or false. */
bool la_chunks_find(struct la_chunks *set, const void *data, size_t size,
		    uint32_t *number);

void la_chunks_release(struct la_chunks *set);

static inline size_t la_chunk_start(const struct la_chunks *set,
				    uint32_t number)
{
	return number ? set->ends[number - 1] : 0;
}

static inline const void *la_chunk(const struct la_chunks *set,
				   uint32_t number)
{
	return set->bytes + la_chunk_start(set, number);
}

static inline size_t la_chunk_size(const struct la_chunks *set,
				   uint32_t number)
{
	return set->ends[number] - la_chunk_start(set, number);
}

/* Bytes of memory that the chunks themselves take. */
static inline size_t la_chunks_used(const struct la_chunks *set)
{
	return set->size + set->count * sizeof(*set->ends) +
	       set->bucket_count * sizeof(*set->buckets);
}

#endif /* LA_TRACE_CHUNKS_H */
