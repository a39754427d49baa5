// SPDX-License-Identifier: Apache-2.0
/* An ordered set of free blocks: bins of small treaps. */

#include <string.h>

#include <stdbool.h>

#include "heap/free-set.h"

enum { LEFT, RIGHT };

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

static bool is_before(const struct block *block, uint64_t size, uint64_t addr)
{
	return block->size < size ||
	       (block->size == size && block->addr < addr);
}

/* Which block stands above the other in a treap. */
static uint32_t rank_of(const struct block *block)
{
	return (uint32_t)(block->addr * 0x9e3779b97f4a7c15 >> 32);
}

/* Part the tree at `node` into what is before a block and what is behind it,
 * which become the children of the block. */
static void split(struct block *block, uint32_t node, uint32_t id)
{
	uint32_t *left = &block[id].child[LEFT];
	uint32_t *right = &block[id].child[RIGHT];

	while (node != LA_NO_BLOCK) {
		if (is_before(&block[node], block[id].size, block[id].addr)) {
			*left = node;
			left = &block[node].child[RIGHT];
			node = *left;
		} else {
			*right = node;
			right = &block[node].child[LEFT];
			node = *right;
		}
	}
	*left = *right = LA_NO_BLOCK;
}

/* Join two trees, all of one before all of the other, at *link. */
static void join(struct block *block, uint32_t *link, uint32_t left,
		 uint32_t right)
{
	while (left != LA_NO_BLOCK && right != LA_NO_BLOCK) {
		if (rank_of(&block[left]) > rank_of(&block[right])) {
			*link = left;
			link = &block[left].child[RIGHT];
			left = *link;
		} else {
			*link = right;
			link = &block[right].child[LEFT];
			right = *link;
		}
	}
	*link = left != LA_NO_BLOCK ? left : right;
}

void free_set_insert(struct free_set *set, struct block *block, uint32_t id)
{
	uint32_t bin = bin_of(block[id].size), rank = rank_of(&block[id]);
	uint32_t *link = &set->root[bin];

	if (is_empty(set, bin)) {
		mark_used(set, bin);
		*link = LA_NO_BLOCK;
	}
	while (*link != LA_NO_BLOCK && rank_of(&block[*link]) >= rank)
		link = &block[*link].child[is_before(
			&block[*link], block[id].size, block[id].addr)];
	split(block, *link, id);
	*link = id;
}

void free_set_remove(struct free_set *set, struct block *block, uint32_t id)
{
	uint32_t bin = bin_of(block[id].size);
	uint32_t *link = &set->root[bin];

	while (*link != id)
		link = &block[*link].child[is_before(
			&block[*link], block[id].size, block[id].addr)];
	join(block, link, block[id].child[LEFT], block[id].child[RIGHT]);
	if (set->root[bin] == LA_NO_BLOCK)
		mark_empty(set, bin);
}

/* The outermost block of a tree that is not empty. */
static uint32_t outermost(const struct block *block, uint32_t node, int side)
{
	while (block[node].child[side] != LA_NO_BLOCK)
		node = block[node].child[side];
	return node;
}

/* The neighbour of (size, addr) in a bin: the last block before it, or the
 * first that is not; or LA_NO_BLOCK. */
static inline uint32_t neighbour(const struct free_set *set,
				 const struct block *block, uint32_t bin,
				 uint64_t size, uint64_t addr, bool before)
{
	uint32_t node = is_empty(set, bin) ? LA_NO_BLOCK : set->root[bin];
	uint32_t found = LA_NO_BLOCK;

	while (node != LA_NO_BLOCK) {
		bool is = is_before(&block[node], size, addr);

		found = is == before ? node : found;
		node = block[node].child[is];
	}
	return found;
}

uint32_t free_set_from(const struct free_set *set, const struct block *block,
		       uint64_t size, uint64_t addr)
{
	uint32_t bin = bin_of(size);
	uint32_t found = neighbour(set, block, bin, size, addr, false);

	if (found != LA_NO_BLOCK)
		return found;
	bin = bin_behind(set, bin);
	return bin == FREE_BINS ? LA_NO_BLOCK :
				  outermost(block, set->root[bin], LEFT);
}

uint32_t free_set_before(const struct free_set *set, const struct block *block,
			 uint64_t size, uint64_t addr)
{
	uint32_t bin = bin_of(size);
	uint32_t found = neighbour(set, block, bin, size, addr, true);

	if (found != LA_NO_BLOCK)
		return found;
	bin = bin_before(set, bin);
	return bin == FREE_BINS ? LA_NO_BLOCK :
				  outermost(block, set->root[bin], RIGHT);
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
