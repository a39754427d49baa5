// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/chunks.h"

#define FACTOR 0x9e3779b97f4a7c15

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * FACTOR;
	return hash ^ hash >> 29;
}

static uint64_t hash_of(const uint8_t *data, size_t size)
{
	uint64_t hash = size * FACTOR, word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		hash = mix(hash, word);
		data += sizeof(word);
	}
	word = 0;
	if (size)
		memcpy(&word, data, size);
	hash = mix(hash, word);
	return hash ^ hash >> 32;
}

static bool is_chunk(const struct la_chunks *set, uint32_t number,
		     const void *data, size_t size)
{
	return la_chunk_size(set, number) == size &&
	       (!size || !memcmp(la_chunk(set, number), data, size));
}

/* The bucket that holds the chunk, or the free one where it belongs. */
static uint32_t *find_bucket(const struct la_chunks *set, const void *data,
			     size_t size)
{
	size_t i = hash_of(data, size) & (set->bucket_count - 1);

	while (set->buckets[i] &&
	       !is_chunk(set, set->buckets[i] - 1, data, size))
		i = (i + 1) & (set->bucket_count - 1);
	return &set->buckets[i];
}

/* Keep the table at most half full. */
static int rehash(struct la_chunks *set, struct la_budget *budget)
{
	size_t room = 0, count = set->bucket_count * 2;
	uint32_t *buckets = NULL, i;
	int err;

	if (count < 64)
		count = 64;
	err = la_budget_grow(budget, &buckets, &room, count, sizeof(*buckets));
	if (err < 0)
		return err;
	memset(buckets, 0, count * sizeof(*buckets));
	budget->used -= set->bucket_count * sizeof(*buckets);
	free(set->buckets);
	set->buckets = buckets;
	set->bucket_count = count;
	for (i = 0; i < set->count; i++)
		*find_bucket(set, la_chunk(set, i), la_chunk_size(set, i)) =
			i + 1;
	return 0;
}

/* Room for one more chunk of `size` bytes. */
static int grow(struct la_chunks *set, struct la_budget *budget, size_t size)
{
	int err = 0;

	if (size > UINT32_MAX - set->size || set->count >= UINT32_MAX - 1)
		return -E2BIG;
	if (set->byte_room - set->size < size || !set->bytes)
		err = la_budget_grow(budget, &set->bytes, &set->byte_room,
				     set->size + size, 1);
	if (err == 0 && set->count == set->end_room)
		err = la_budget_grow(budget, &set->ends, &set->end_room,
				     set->count + 1, sizeof(*set->ends));
	if (err == 0 && set->count * 2 >= set->bucket_count)
		err = rehash(set, budget);
	return err;
}

bool la_chunks_find(struct la_chunks *set, const void *data, size_t size,
		    uint32_t *number)
{
	uint32_t bucket;

	if (!set->count)
		return false;
	if (!is_chunk(set, set->last, data, size)) {
		bucket = *find_bucket(set, data, size);
		if (!bucket)
			return false;
		set->last = bucket - 1;
	}
	*number = set->last;
	return true;
}

int la_chunks_intern(struct la_chunks *set, struct la_budget *budget,
		     const void *data, size_t size, uint32_t *number)
{
	int err;

	if (la_chunks_find(set, data, size, number))
		return 0;
	err = grow(set, budget, size);
	if (err < 0)
		return err;
	*number = (uint32_t)set->count;
	*find_bucket(set, data, size) = *number + 1;
	if (size)
		memcpy(set->bytes + set->size, data, size);
	set->size += size;
	set->ends[set->count++] = (uint32_t)set->size;
	set->last = *number;
	return 0;
}

void la_chunks_release(struct la_chunks *set)
{
	free(set->bytes);
	free(set->ends);
	free(set->buckets);
}
