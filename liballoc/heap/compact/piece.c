// SPDX-License-Identifier: Apache-2.0
/* Pieces: made, put under addresses, taken from there, and given back. */

#include <errno.h>

#include "heap/compact/compact.h"
#include "util/array.h"

enum {
	LIMIT_PARTS = 4096, /* so many pieces at most fill the limit */
	REQUEST_PARTS = 256, /* a request is made of no more */
	DENSE_PART = 4, /* from this part of the limit on, small edges */
	PLENTY_PART = 8, /* up to this part of a card without a limit ... */
	QUANTUM_PART = 8 /* ... pieces are this part of what is held */
};

static unsigned int order_below(uint64_t pages)
{
	unsigned int order =
		pages ? 63 - (unsigned int)__builtin_clzll(pages) : 0;

	return order < ORDERS ? order : ORDERS - 1;
}

static void push_spare(struct compact *compact, uint32_t piece)
{
	struct piece *spare = &compact->piece[piece];

	spare->next = compact->spare[spare->order];
	compact->spare[spare->order] = piece;
}

static uint32_t pop_spare(struct compact *compact, unsigned int order)
{
	uint32_t piece = compact->spare[order];

	compact->spare[order] = compact->piece[piece].next;
	return piece;
}

/* The largest order below `end` of which there are spare pieces, or -1. */
static int spare_order(const struct compact *compact, unsigned int end)
{
	int order = (int)end;

	while (order-- && compact->spare[order] == NO_PIECE)
		;
	return order;
}

/* A number for one more piece, left as it is until the piece is there. */
static int new_number(struct compact *compact, uint32_t *number)
{
	if (compact->unused == NO_PIECE) {
		if (grow_array(&compact->piece, &compact->piece_room,
			       compact->piece_count,
			       sizeof(*compact->piece)) < 0)
			return -ENOMEM;
		*number = (uint32_t)compact->piece_count;
		return 0;
	}
	*number = compact->unused;
	return 0;
}

static int create_piece(struct la_heap *heap, unsigned int order, uint32_t *out)
{
	struct compact *compact = heap->compact;
	struct piece piece = { .order = (uint8_t)order, .next = NO_PIECE };
	uint32_t number;
	int err;

	if (new_number(compact, &number) < 0)
		return -ENOMEM;
	err = heap->device->ops->create(heap->device, piece_size(&piece),
					&piece.handle);
	if (err < 0)
		return err;
	if (number == compact->unused)
		compact->unused = compact->piece[number].next;
	else
		compact->piece_count++;
	compact->piece[number] = piece;
	heap->stats.creates++;
	heap->stats.reserved += piece_size(&piece);
	if (heap->stats.reserved > heap->stats.reserved_peak)
		heap->stats.reserved_peak = heap->stats.reserved;
	*out = number;
	return 0;
}

static int release_spare(struct la_heap *heap, unsigned int order)
{
	struct compact *compact = heap->compact;
	uint32_t number = compact->spare[order];
	struct piece *piece = &compact->piece[number];
	int err = heap->device->ops->release(heap->device, piece->handle,
					     piece_size(piece));

	if (err < 0)
		return err;
	pop_spare(compact, order);
	heap->stats.releases++;
	heap->stats.reserved -= piece_size(piece);
	piece->handle = 0;
	piece->next = compact->unused;
	compact->unused = number;
	return 0;
}

/* Give back spare pieces until so many bytes are held, or none is left. */
int compact_release_spares(struct la_heap *heap, uint64_t bytes)
{
	int order = 0, err = 0;

	while (!err && order >= 0 && heap->stats.reserved > bytes) {
		order = spare_order(heap->compact, ORDERS);
		if (order >= 0)
			err = release_spare(heap, (unsigned int)order);
	}
	return err;
}

/* One more piece that the limit allows.  If the device refuses, the limit is
 * what is held. */
static int create_within_limit(struct la_heap *heap, unsigned int order,
			       uint32_t *piece)
{
	struct compact *compact = heap->compact;
	uint64_t size = PAGE << order, held = heap->stats.reserved;
	int err;

	if (size > compact->limit || held > compact->limit - size)
		return -ENOSPC;
	err = create_piece(heap, order, piece);
	if (err == -ENOSPC) {
		compact->limit = held;
		compact->refusals++;
	}
	return err;
}

/* A piece that lies nowhere, of the order or, where that spares a create at
 * the limit, another of no more than so many pages. */
static int take_piece(struct la_heap *heap, unsigned int order, uint64_t pages,
		      uint32_t *piece)
{
	struct compact *compact = heap->compact;
	int other, err;

	for (;;) {
		if (compact->spare[order] != NO_PIECE) {
			*piece = pop_spare(compact, order);
			return 0;
		}
		err = create_within_limit(heap, order, piece);
		if (err != -ENOSPC)
			return err;
		other = spare_order(compact, order_below(pages) + 1);
		if (other >= 0) {
			*piece = pop_spare(compact, (unsigned int)other);
			return 0;
		}
		other = spare_order(compact, ORDERS);
		if (other < 0)
			return -ENOSPC;
		err = release_spare(heap, (unsigned int)other);
		if (err < 0)
			return err;
	}
}

/* Put a piece under the start of a hole's part, which becomes free. */
static int attach(struct la_heap *heap, uint32_t number, uint32_t *id,
		  uint64_t addr, uint32_t set)
{
	struct compact *compact = heap->compact;
	struct piece *piece = &compact->piece[number];
	uint64_t size = piece_size(piece);
	int err = compact_enter(heap, number, addr);

	if (!err) {
		err = heap->device->ops->attach(heap->device, addr, size,
						piece->handle);
		if (err < 0)
			compact_leave(heap, number);
	}
	if (err < 0) {
		push_spare(compact, number);
		return err;
	}
	compact->mapped += size;
	heap->stats.device_allocs++;
	heap->stats.device_maps++;
	emit(heap, LA_SEGMENT_MAP, addr, size, set);
	*id = compact_turn(heap, *id, addr, size, BLOCK_FREE, set);
	return 0;
}

/* Bytes that may be held at most, as far as is known. */
static uint64_t most_held(const struct la_heap *heap)
{
	uint64_t limit = heap->compact->limit;

	return limit < heap->total ? limit : heap->total;
}

/* The largest pieces of which what is backed for a request is made. */
static unsigned int largest_order(const struct la_heap *heap, uint64_t size)
{
	uint64_t part = most_held(heap) / LIMIT_PARTS;

	if (part < size / REQUEST_PARTS)
		part = size / REQUEST_PARTS;
	return order_below(part / PAGE);
}

/* Is so little held, without a limit, that more than is needed may be taken,
 * to come back less often? */
static bool is_plenty(const struct la_heap *heap)
{
	return heap->compact->limit == page_down(UINT64_MAX) &&
	       heap->compact->mapped <= heap->total / PLENTY_PART;
}

/* Is so much held that small edges pay? */
static bool is_dense(const struct la_heap *heap)
{
	return heap->compact->mapped > most_held(heap) / DENSE_PART;
}

/* Pages without a piece that a request touches. */
struct stretch {
	uint64_t at, from, end; /* addresses: to be backed next, of all */
	uint64_t room; /* where the hole ends */
	unsigned int largest; /* order of a piece */
	bool plenty, dense;
};

/* The order of the next piece where there is plenty. */
static unsigned int generous_order(const struct la_heap *heap,
				   const struct stretch *stretch)
{
	uint64_t left = (stretch->end - stretch->at) / PAGE;
	uint64_t room = (stretch->room - stretch->at) / PAGE;
	uint64_t pages = heap->compact->mapped / QUANTUM_PART / PAGE;

	if (pages < 2 * left - 1)
		pages = 2 * left - 1;
	return order_below(pages < room ? pages : room);
}

/* The order of the next piece; where it is dense, growing from both ends. */
static unsigned int next_order(const struct la_heap *heap,
			       const struct stretch *stretch)
{
	uint64_t done = (stretch->at - stretch->from) / PAGE;
	uint64_t left = (stretch->end - stretch->at) / PAGE;
	uint64_t edge = done + 1 < (left + 1) / 2 ? done + 1 : (left + 1) / 2;
	unsigned int order = order_below(stretch->dense ? edge : left);

	if (stretch->plenty)
		return generous_order(heap, stretch);
	return order < stretch->largest ? order : stretch->largest;
}

static struct stretch stretch_under(const struct la_heap *heap, uint32_t id,
				    uint64_t addr, uint64_t size)
{
	uint64_t hole = heap->block[id].addr, room = block_end(heap, id);
	struct stretch stretch = {
		.from = addr > hole ? page_down(addr) : hole,
		.end = addr + size < room ? page_up(addr + size) : room,
		.room = room,
		.largest = largest_order(heap, size),
		.plenty = is_plenty(heap),
		.dense = is_dense(heap),
	};

	stretch.at = stretch.from;
	return stretch;
}

/*
 * Put pieces under the pages of a hole that [addr, addr + size) touches; they
 * become free for a set.  *id is the hole, and then the block that holds them.
 * If it fails, those before are there.
 */
int compact_back(struct la_heap *heap, uint32_t *id, uint64_t addr,
		 uint64_t size, uint32_t set)
{
	struct stretch stretch = stretch_under(heap, *id, addr, size);
	uint32_t piece;
	int err;

	while (stretch.at < stretch.end) {
		if (block_reserve(heap) < 0)
			return -ENOMEM;
		err = take_piece(heap, next_order(heap, &stretch),
				 (stretch.end - stretch.at) / PAGE, &piece);
		if (!err)
			err = attach(heap, piece, id, stretch.at, set);
		if (err < 0)
			return err;
		stretch.at += piece_size(&heap->compact->piece[piece]);
		if (stretch.at < stretch.end)
			*id = heap->block[*id].next;
	}
	return 0;
}

/*
 * Take a piece from its address; what lay over it becomes a hole.  *id is a
 * block of its area that does not lie behind it, and then the hole.
 */
int compact_unback(struct la_heap *heap, uint32_t number, uint32_t *id)
{
	struct compact *compact = heap->compact;
	struct piece piece = compact->piece[number];
	uint64_t at = piece.addr, end = at + piece_size(&piece), stop;
	uint32_t hole, owner;
	int err;

	while (block_end(heap, *id) <= at)
		*id = heap->block[*id].next;
	owner = heap->block[*id].set;
	if (block_reserve(heap) < 0 ||
	    compact_hole_set(heap, heap->set[owner].pool, &hole) < 0)
		return -ENOMEM;
	err = heap->device->ops->detach(heap->device, at, piece_size(&piece));
	if (err < 0)
		return err;
	compact_leave(heap, number);
	push_spare(compact, number);
	compact->mapped -= piece_size(&piece);
	heap->stats.device_frees++;
	heap->stats.device_unmaps++;
	emit(heap, LA_SEGMENT_UNMAP, piece.addr, piece_size(&piece), owner);
	while (at < end) {
		stop = block_end(heap, *id) < end ? block_end(heap, *id) : end;
		*id = compact_turn(heap, *id, at, stop - at, BLOCK_UNMAPPED,
				   hole);
		at = stop;
		if (at < end)
			*id = heap->block[*id].next;
	}
	return 0;
}
