// SPDX-License-Identifier: Apache-2.0
/* An ordered set of free blocks: bins of small treaps. */

#include <stdbool.h>
#include <string.h>

#include "heap/free-set.h"
#include "heap/treap.h"

/* Sizes of the same bin are neighbours; a bigger size has no lower bin. */
static uint32_t bin_of(uint64_t size)
{
	uint64_t units = size / 512;
	unsigned int shift;

	if (units < 1 << FREE_EXACT_BITS)
		return (uint32_t)units;
	shift = 63 - FREE_EXACT_BITS - (unsigned int)__builtin_clzll(units);
	if (shift >= FREE_DOUBLINGS)
		return FREE_BINS - 1;
	return (shift << FREE_EXACT_BITS) + (uint32_t)(units >> shift);
}

static bool is_empty(const struct free_set *set, uint32_t bin)
{
	return !(set->word[bin / 64] >> bin % 64 & 1);
}

static void mark_used(struct free_set *set, uint32_t bin)
{
	set->word[bin / 64] |= (uint64_t)1 << bin % 64;
	set->words |= (uint64_t)1 << bin / 64;
}

static void mark_empty(struct free_set *set, uint32_t bin)
{
	set->word[bin / 64] &= ~((uint64_t)1 << bin % 64);
	if (!set->word[bin / 64])
		set->words &= ~((uint64_t)1 << bin / 64);
}

/* The first bin behind another that is not empty, or FREE_BINS. */
static uint32_t bin_behind(const struct free_set *set, uint32_t bin)
{
	uint32_t w = bin / 64;
	uint64_t bits = set->word[w] & ((uint64_t)-2 << bin % 64);

	if (!bits) {
		uint64_t words = set->words & ((uint64_t)-2 << w);

		if (!words)
			return FREE_BINS;
		w = (uint32_t)__builtin_ctzll(words);
		bits = set->word[w];
	}
	return 64 * w + (uint32_t)__builtin_ctzll(bits);
}

/* The last bin before another that is not empty, or FREE_BINS. */
static uint32_t bin_before(const struct free_set *set, uint32_t bin)
{
	uint32_t w = bin / 64;
	uint64_t bits = set->word[w] & (((uint64_t)1 << bin % 64) - 1);

	if (!bits) {
		uint64_t words = set->words & (((uint64_t)1 << w) - 1);

		if (!words)
			return FREE_BINS;
		w = 63 - (uint32_t)__builtin_clzll(words);
		bits = set->word[w];
	}
	return 64 * w + 63 - (uint32_t)__builtin_clzll(bits);
}

static bool by_size(const struct block *block, const struct block *key)
{
	return block->size < key->size ||
	       (block->size == key->size && block->order < key->order);
}

void free_set_insert(struct free_set *set, struct block *block, uint32_t id)
{
	uint32_t bin = bin_of(block[id].size);

	if (is_empty(set, bin)) {
		mark_used(set, bin);
		set->root[bin] = LA_NO_BLOCK;
	}
	treap_insert(block, &set->root[bin], id, by_size);
}

void free_set_remove(struct free_set *set, struct block *block, uint32_t id)
{
	uint32_t bin = bin_of(block[id].size);

	treap_remove(block, &set->root[bin], id, by_size);
	if (set->root[bin] == LA_NO_BLOCK)
		mark_empty(set, bin);
}

/* The neighbour of (size, order) in a bin. */
static inline uint32_t neighbour(const struct free_set *set,
				 const struct block *block, uint32_t bin,
				 uint64_t size, uint64_t order, bool before)
{
	const struct block key = { .size = size, .order = order };

	if (is_empty(set, bin))
		return LA_NO_BLOCK;
	return treap_neighbour(block, set->root[bin], &key, before, by_size);
}

uint32_t free_set_from(const struct free_set *set, const struct block *block,
		       uint64_t size, uint64_t order)
{
	uint32_t bin = bin_of(size);
	uint32_t found = neighbour(set, block, bin, size, order, false);

	if (found != LA_NO_BLOCK)
		return found;
	bin = bin_behind(set, bin);
	return bin == FREE_BINS ? LA_NO_BLOCK :
				  treap_outermost(block, set->root[bin], LEFT);
}

uint32_t free_set_before(const struct free_set *set, const struct block *block,
			 uint64_t size, uint64_t order)
{
	uint32_t bin = bin_of(size);
	uint32_t found = neighbour(set, block, bin, size, order, true);

	if (found != LA_NO_BLOCK)
		return found;
	bin = bin_before(set, bin);
	return bin == FREE_BINS ? LA_NO_BLOCK :
				  treap_outermost(block, set->root[bin], RIGHT);
}

void free_set_copy(struct free_set *to, const struct free_set *from)
{
	uint64_t words = to->words | from->words;
	uint32_t w;

	to->words = from->words;
	for (; words; words &= words - 1) {
		w = (uint32_t)__builtin_ctzll(words);
		to->word[w] = from->word[w];
		if (from->word[w])
			memcpy(&to->root[64 * w], &from->root[64 * w],
			       64 * sizeof(*to->root));
	}
}
