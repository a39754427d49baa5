// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/live.h"

static int compare(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Sort; each once.  How many are left. */
static size_t unique(uint64_t *addr, size_t count)
{
	size_t i, kept = 0;

	qsort(addr, count, sizeof(*addr), compare);
	for (i = 0; i < count; i++)
		if (!kept || addr[kept - 1] != addr[i])
			addr[kept++] = addr[i];
	return kept;
}

int la_live_init(struct la_live *live, uint64_t *addr, size_t count)
{
	size_t words = count = unique(addr, count);
	bool failed = false;
	int level;

	memset(live, 0, sizeof(*live));
	live->count = count;
	live->addr = malloc((count + 1) * sizeof(*live->addr));
	live->size = calloc(count + 1, sizeof(*live->size));
	live->tag = calloc(count + 1, sizeof(*live->tag));
	for (level = 0; level < LA_LIVE_LEVELS; level++) {
		words = words / 64 + 1;
		live->bits[level] = calloc(words, sizeof(*live->bits[level]));
		failed |= !live->bits[level];
	}
	if (!live->addr || !live->size || !live->tag || failed) {
		la_live_release(live);
		return -ENOMEM;
	}
	if (count)
		memcpy(live->addr, addr, count * sizeof(*addr));
	return 0;
}

void la_live_release(struct la_live *live)
{
	int level;

	free(live->addr);
	free(live->size);
	free(live->tag);
	for (level = 0; level < LA_LIVE_LEVELS; level++)
		free(live->bits[level]);
	memset(live, 0, sizeof(*live));
}

/* How many addresses are below this one. */
static size_t count_below(const struct la_live *live, uint64_t addr)
{
	size_t low = 0, high = live->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (live->addr[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t la_live_place(const struct la_live *live, uint64_t addr)
{
	size_t place = count_below(live, addr);

	return place < live->count && live->addr[place] == addr ? place :
								  LA_NOT_LIVE;
}

void la_live_add(struct la_live *live, size_t place, uint64_t size,
		 uint32_t tag)
{
	size_t at = place;
	int level;

	live->size[place] = size;
	live->tag[place] = tag;
	for (level = 0; level < LA_LIVE_LEVELS; level++, at /= 64)
		live->bits[level][at / 64] |= (uint64_t)1 << at % 64;
}

void la_live_remove(struct la_live *live, size_t place)
{
	size_t at = place;
	int level;

	for (level = 0; level < LA_LIVE_LEVELS; level++, at /= 64) {
		live->bits[level][at / 64] &= ~((uint64_t)1 << at % 64);
		if (live->bits[level][at / 64])
			break;
	}
}

/* The first bit of a level at a place or behind it. */
static size_t first_from(const struct la_live *live, int level, size_t at)
{
	uint64_t rest = live->bits[level][at / 64] & ~(uint64_t)0 << at % 64;
	size_t word = at / 64;

	if (!rest) {
		if (level + 1 == LA_LIVE_LEVELS)
			return LA_NOT_LIVE;
		word = first_from(live, level + 1, word + 1);
		if (word == LA_NOT_LIVE)
			return word;
		rest = live->bits[level][word];
	}
	return word * 64 + (size_t)__builtin_ctzll(rest);
}

/* The last bit of a level at a place or ahead of it. */
static size_t last_until(const struct la_live *live, int level, size_t at)
{
	uint64_t rest =
		live->bits[level][at / 64] & ~(uint64_t)0 >> (63 - at % 64);
	size_t word = at / 64;

	if (!rest) {
		if (level + 1 == LA_LIVE_LEVELS || !word)
			return LA_NOT_LIVE;
		word = last_until(live, level + 1, word - 1);
		if (word == LA_NOT_LIVE)
			return word;
		rest = live->bits[level][word];
	}
	return word * 64 + 63 - (size_t)__builtin_clzll(rest);
}

size_t la_live_from(const struct la_live *live, uint64_t addr)
{
	return first_from(live, 0, count_below(live, addr));
}

size_t la_live_around(const struct la_live *live, uint64_t addr)
{
	size_t below = count_below(live, addr), place;

	if (below < live->count && live->addr[below] == addr)
		below++;
	if (!below)
		return LA_NOT_LIVE;
	place = last_until(live, 0, below - 1);
	if (place == LA_NOT_LIVE ||
	    addr - live->addr[place] >= live->size[place])
		return LA_NOT_LIVE;
	return place;
}
