// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "trace/pairs.h"

static bool same(const struct la_pair *pair, uint64_t first, uint64_t second)
{
	return pair->first == first && pair->second == second;
}

/* The bucket that holds the pair, or the free one where it belongs. */
static uint32_t *find(const struct la_pairs *set, uint64_t first,
		      uint64_t second)
{
	uint64_t hash =
		(first ^ second * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
	size_t i = (hash ^ hash >> 32) & (set->bucket_count - 1);

	while (set->buckets[i] &&
	       !same(&set->pairs[set->buckets[i] - 1], first, second))
		i = (i + 1) & (set->bucket_count - 1);
	return &set->buckets[i];
}

/* Keep the table at most half full. */
static int rehash(struct la_pairs *set, struct la_budget *budget)
{
	size_t room = 0, i, count = set->bucket_count * 2;
	uint32_t *buckets = NULL;
	int err;

	if (count < 64)
		count = 64;
	err = la_budget_grow(budget, &buckets, &room, count, sizeof(*buckets));
	if (err < 0)
		return err;
	for (i = 0; i < count; i++)
		buckets[i] = 0;
	budget->used -= set->bucket_count * sizeof(*buckets);
	free(set->buckets);
	set->buckets = buckets;
	set->bucket_count = count;
	for (i = 0; i < set->count; i++)
		*find(set, set->pairs[i].first, set->pairs[i].second) =
			(uint32_t)i + 1;
	return 0;
}

static int add(struct la_pairs *set, struct la_budget *budget, uint64_t first,
	       uint64_t second)
{
	int err;

	if (set->count >= UINT32_MAX - 1)
		return -E2BIG;
	if (set->count == set->room) {
		err = la_budget_grow(budget, &set->pairs, &set->room,
				     set->count + 1, sizeof(*set->pairs));
		if (err < 0)
			return err;
	}
	set->pairs[set->count].first = first;
	set->pairs[set->count].second = second;
	set->count++;
	*find(set, first, second) = (uint32_t)set->count;
	return 0;
}

bool la_pairs_search(struct la_pairs *set, uint64_t first, uint64_t second,
		     uint32_t *number)
{
	uint32_t bucket = *find(set, first, second);

	if (!bucket)
		return false;
	set->last = bucket - 1;
	*number = set->last;
	return true;
}

int la_pairs_intern(struct la_pairs *set, struct la_budget *budget,
		    uint64_t first, uint64_t second, uint32_t *number)
{
	int err;

	if (la_pairs_find(set, first, second, number))
		return 0;
	if (set->count * 2 >= set->bucket_count) {
		err = rehash(set, budget);
		if (err < 0)
			return err;
	}
	err = add(set, budget, first, second);
	if (err < 0)
		return err;
	set->last = (uint32_t)set->count - 1;
	*number = set->last;
	return 0;
}

void la_pairs_release(struct la_pairs *set)
{
	free(set->pairs);
	free(set->buckets);
}
