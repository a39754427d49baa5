// SPDX-License-Identifier: Apache-2.0
/* Memory that others know by its address: its pieces stay where they are. */

#include <errno.h>

#include "heap/compact/compact.h"

/* Does memory lie at each address? */
static bool is_backed(const struct la_heap *heap, uint64_t addr, uint64_t size)
{
	uint64_t at = addr;

	do {
		uint32_t number = compact_piece_at(heap, at);

		if (number == NO_PIECE)
			return false;
		at = heap->compact->piece[number].addr +
		     piece_size(&heap->compact->piece[number]);
	} while (at < addr + size);
	return true;
}

int compact_pin(struct la_heap *heap, uint64_t addr, uint64_t size, bool pinned)
{
	uint64_t at = addr;

	if (!is_backed(heap, addr, size))
		return -ENOENT;
	do {
		struct piece *piece =
			&heap->compact->piece[compact_piece_at(heap, at)];

		if (pinned)
			piece->pins++;
		else if (piece->pins)
			piece->pins--;
		at = piece->addr + piece_size(piece);
	} while (at < addr + size);
	return 0;
}

int compact_base(const struct la_heap *heap, uint64_t addr, uint64_t *base,
		 uint64_t *size)
{
	uint32_t number = compact_piece_at(heap, addr);

	if (number == NO_PIECE)
		return -ENOENT;
	*base = heap->compact->piece[number].addr;
	*size = piece_size(&heap->compact->piece[number]);
	return 0;
}
