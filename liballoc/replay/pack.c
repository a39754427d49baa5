// SPDX-License-Identifier: Apache-2.0
/* What was live when a recording began, as a heap would have it at best that
 * was asked for nothing else. */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "replay/program.h"

/* A piece and where its request went. */
struct resident {
	const struct start_piece *piece;
	const struct start_segment *segment;
};

/* The largest first, of equals by slot: what is small goes into what the
 * large ones leave. */
static int by_size(const void *a, const void *b)
{
	const struct start_piece *x = ((const struct resident *)a)->piece;
	const struct start_piece *y = ((const struct resident *)b)->piece;

	if (x->asked != y->asked)
		return x->asked > y->asked ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static size_t list_residents(const struct la_program *program,
			     struct resident *resident)
{
	size_t count = 0, i;
	uint32_t p;

	for (i = 0; i < program->start_count; i++) {
		const struct start_segment *segment = &program->start[i];

		for (p = 0; p < segment->piece_count; p++) {
			const struct start_piece *piece =
				&program->piece[segment->first_piece + p];

			if (is_busy(piece))
				resident[count++] = (struct resident){
					piece, segment
				};
		}
	}
	if (count)
		qsort(resident, count, sizeof(*resident), by_size);
	return count;
}

int program_pack(const struct la_program *program, struct la_heap *heap,
		 la_block *slot)
{
	struct resident *resident = malloc((program->piece_count + 1) *
					   sizeof(*resident));
	size_t count, i;
	int err;

	if (!resident)
		return -ENOMEM;
	count = list_residents(program, resident);
	err = program_introduce(program, heap);
	for (i = 0; i < count && !err; i++)
		err = la_heap_alloc(heap, resident[i].piece->asked,
				    (int)resident[i].segment->stream,
				    (int)resident[i].segment->pool,
				    &slot[resident[i].piece->slot]);
	for (i = 0; i < count && !err; i++)
		if (resident[i].piece->state == PIECE_PENDING)
			la_heap_free_request(heap,
					     slot[resident[i].piece->slot]);
	free(resident);
	return err;
}
