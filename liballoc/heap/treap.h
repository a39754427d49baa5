/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_TREAP_H
#define LA_HEAP_TREAP_H

/*
 * Treaps of blocks: a search tree that is a heap by a hash of the address,
 * with its links in the blocks.  Each kind of tree brings its order, which the
 * compiler inlines.
 */

#include "heap/block.h"

enum { LEFT, RIGHT };

/* Does a block stand before another, of which only what the order looks at
 * need be set? */
typedef bool treap_order(const struct block *block, const struct block *key);

#define TREAP_INLINE static inline __attribute__((always_inline))

/* Which block stands above the other. */
static inline uint32_t treap_rank(const struct block *block)
{
	return (uint32_t)(block->addr * 0x9e3779b97f4a7c15 >> 32);
}

/* Part the tree at `node` into what is before a block and what is behind it,
 * which become the children of the block. */
TREAP_INLINE void treap_split(struct block *block, uint32_t node, uint32_t id,
			      treap_order *is_before)
{
	uint32_t *left = &block[id].child[LEFT];
	uint32_t *right = &block[id].child[RIGHT];

	while (node != LA_NO_BLOCK) {
		if (is_before(&block[node], &block[id])) {
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
static inline void treap_join(struct block *block, uint32_t *link,
			      uint32_t left, uint32_t right)
{
	while (left != LA_NO_BLOCK && right != LA_NO_BLOCK) {
		if (treap_rank(&block[left]) > treap_rank(&block[right])) {
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

TREAP_INLINE void treap_insert(struct block *block, uint32_t *root,
			       uint32_t id, treap_order *is_before)
{
	uint32_t rank = treap_rank(&block[id]), *link = root;

	while (*link != LA_NO_BLOCK && treap_rank(&block[*link]) >= rank)
		link = &block[*link].child[is_before(&block[*link],
						     &block[id])];
	treap_split(block, *link, id, is_before);
	*link = id;
}

TREAP_INLINE void treap_remove(struct block *block, uint32_t *root,
			       uint32_t id, treap_order *is_before)
{
	uint32_t *link = root;

	while (*link != id)
		link = &block[*link].child[is_before(&block[*link],
						     &block[id])];
	treap_join(block, link, block[id].child[LEFT],
		   block[id].child[RIGHT]);
}

/* The neighbour of a place: the last block before it, or the first that
 * is not; or LA_NO_BLOCK. */
TREAP_INLINE uint32_t treap_neighbour(const struct block *block,
				      uint32_t root, const struct block *key,
				      bool before, treap_order *is_before)
{
	uint32_t node = root, found = LA_NO_BLOCK;

	while (node != LA_NO_BLOCK) {
		bool is = is_before(&block[node], key);

		found = is == before ? node : found;
		node = block[node].child[is];
	}
	return found;
}

/* The outermost block of a tree that is not empty. */
static inline uint32_t treap_outermost(const struct block *block,
				       uint32_t node, int side)
{
	while (block[node].child[side] != LA_NO_BLOCK)
		node = block[node].child[side];
	return node;
}

#endif /* LA_HEAP_TREAP_H */
