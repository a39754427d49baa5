// SPDX-License-Identifier: Apache-2.0
/* Undoing the events of a recording, the last one first; see window.h.  A
 * recording from the first allocation on rewinds to nothing. */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "replay/window.h"

/* Bytes that one event maps or unmaps: more than any card has. */
#define MAPPED_MAX ((uint64_t)1 << 42)

/* Granules that are walked over in all: 8 TiB, and 2 GiB for each event. */
#define GRANULES_LEAST ((uint64_t)1 << 22)
#define GRANULES_PER_EVENT ((uint64_t)1 << 10)

#define NO_RANGE UINT32_MAX

static void rewind_destroy(struct rewind *rewind)
{
	free(rewind->piece);
	free(rewind->range);
	free(rewind->unmap_kind);
	addr_map_destroy(&rewind->unmapped);
	addr_set_destroy(&rewind->piece_at);
	addr_set_destroy(&rewind->range_at);
}

static uint64_t least_end(const struct piece *piece)
{
	return piece->addr + (piece->size != UNKNOWN ?
				      piece->size :
				      least_size(piece->asked));
}

/* The range that holds an address, or NULL. */
static struct range *range_of(const struct rewind *rewind, uint64_t addr)
{
	struct range *range;
	uint32_t at;

	if (!addr_set_before(&rewind->range_at, addr, &at))
		return NULL;
	range = &rewind->range[at];
	return addr - range->addr < range->size ? range : NULL;
}

static struct piece *piece_at(const struct rewind *rewind, uint64_t addr)
{
	uint32_t at;

	if (!addr_set_before(&rewind->piece_at, addr, &at) ||
	    rewind->piece[at].addr != addr)
		return NULL;
	return &rewind->piece[at];
}

static int add_piece(struct rewind *rewind, const struct piece *piece)
{
	if (grow_array(&rewind->piece, &rewind->piece_room,
		       rewind->piece_count, sizeof(*piece)) < 0 ||
	    addr_set_add(&rewind->piece_at, piece->addr,
			 (uint32_t)rewind->piece_count) < 0)
		return -ENOMEM;
	rewind->piece[rewind->piece_count++] = *piece;
	return 0;
}

static int add_range(struct rewind *rewind, const struct range *range)
{
	uint32_t at = rewind->spare;

	if (at != NO_RANGE) {
		rewind->spare = rewind->range[at].next_spare;
	} else {
		if (grow_array(&rewind->range, &rewind->range_room,
			       rewind->range_count, sizeof(*range)) < 0)
			return -ENOMEM;
		at = (uint32_t)rewind->range_count++;
	}
	rewind->range[at] = *range;
	return addr_set_add(&rewind->range_at, range->addr, at);
}

static void remove_range(struct rewind *rewind, struct range *range)
{
	addr_set_remove(&rewind->range_at, range->addr);
	range->gone = true;
	range->next_spare = rewind->spare;
	rewind->spare = (uint32_t)(range - rewind->range);
}

/* A recording can claim to map anything; it is not followed without end. */
static int spend(struct rewind *rewind, uint64_t size)
{
	uint64_t granules = size / SMALL_SEGMENT;

	if (granules > rewind->granules_left)
		return -E2BIG;
	rewind->granules_left -= granules;
	return 0;
}

/* Mapped memory of a chain. */
static int add_granules(struct rewind *rewind, uint64_t addr, uint64_t size,
			const struct kind *kind)
{
	struct range range = { .size = SMALL_SEGMENT,
			       .kind = *kind,
			       .chained = true };
	uint64_t end = addr + size;
	int err = 0;

	if (!size || size % SMALL_SEGMENT || size > MAPPED_MAX || end < addr ||
	    range_of(rewind, addr) ||
	    addr_set_any(&rewind->range_at, addr, end))
		return -EBADMSG;
	err = spend(rewind, size);
	for (range.addr = addr; range.addr < end && !err;
	     range.addr += SMALL_SEGMENT)
		err = add_range(rewind, &range);
	return err;
}

static int add_final_range(struct rewind *rewind,
			   const struct la_recorded_segment *from)
{
	int pool = program_segment_pool(rewind->program, from), err;
	struct range range = {
		.addr = from->addr,
		.size = from->size,
		.kind = { from->stream, (uint32_t)pool, from->small },
	};

	if (pool < 0)
		return pool;
	if (!from->expandable)
		return add_range(rewind, &range);
	err = add_granules(rewind, from->addr, from->size, &range.kind);
	return err == -EBADMSG ? add_range(rewind, &range) : err;
}

/* Take over a final segment with its live and pending blocks. */
static int add_final(struct rewind *rewind,
		     const struct la_recorded_segment *from)
{
	const struct la_recorded_device *device = rewind->program->device;
	uint64_t addr = from->addr;
	uint32_t i;
	int err = add_final_range(rewind, from);

	for (i = 0; i < from->block_count && !err; i++) {
		const struct la_recorded_block *block =
			&device->blocks[from->first_block + i];
		struct piece piece = {
			.addr = addr,
			.size = block->size,
			.asked = block->requested ? block->requested : UNKNOWN,
			.state = block->state == LA_RECORDED_LIVE ?
					 PIECE_LIVE :
					 PIECE_PENDING,
		};

		if (block->state != LA_RECORDED_FREE)
			err = add_piece(rewind, &piece);
		addr += block->size;
	}
	return err;
}

/* Undo an event.  Each returns 0, -EBADMSG if what came later contradicts it,
 * or -ENOMEM. */

static int undo_alloc(struct rewind *rewind, const struct la_event *event)
{
	struct piece *piece = piece_at(rewind, event->addr);

	if (!piece || piece->state != PIECE_LIVE ||
	    (piece->asked != UNKNOWN && piece->asked != event->size))
		return -EBADMSG;
	piece->gone = true;
	addr_set_remove(&rewind->piece_at, event->addr);
	return 0;
}

static int undo_free_request(struct rewind *rewind,
			     const struct la_event *event)
{
	struct piece *piece = piece_at(rewind, event->addr);

	if (!piece || piece->state != PIECE_PENDING)
		return -EBADMSG;
	piece->state = PIECE_LIVE;
	return 0;
}

/* Where the memory ends that holds an address, granules that follow one
 * another being one; 0: nothing of the stream holds it. */
static uint64_t memory_end(const struct rewind *rewind, uint64_t addr,
			   uint64_t enough, uint32_t stream)
{
	const struct range *range = range_of(rewind, addr);
	uint64_t end = 0;

	while (range && range->kind.stream == stream && end < enough) {
		end = range->addr + range->size;
		range = range->chained ? range_of(rewind, end) : NULL;
		if (range && !range->chained)
			break;
	}
	return end;
}

static int undo_free_complete(struct rewind *rewind,
			      const struct la_event *event)
{
	struct piece piece = {
		.addr = event->addr,
		.size = UNKNOWN,
		.asked = event->size,
		.state = PIECE_PENDING,
	};
	uint64_t end = least_end(&piece);
	uint32_t before;

	if (end < event->addr ||
	    memory_end(rewind, event->addr, end, event->stream) < end ||
	    addr_set_any(&rewind->piece_at, event->addr, end))
		return -EBADMSG;
	if (addr_set_before(&rewind->piece_at, event->addr, &before) &&
	    least_end(&rewind->piece[before]) > event->addr)
		return -EBADMSG;
	return add_piece(rewind, &piece);
}

static int undo_segment_alloc(struct rewind *rewind,
			      const struct la_event *event)
{
	struct range *range = range_of(rewind, event->addr);

	if (!range || range->chained || range->addr != event->addr ||
	    range->size != event->size ||
	    range->kind.stream != event->stream ||
	    addr_set_any(&rewind->piece_at, event->addr,
			 event->addr + event->size))
		return -EBADMSG;
	remove_range(rewind, range);
	return 0;
}

static int undo_segment_free(struct rewind *rewind,
			     const struct la_event *event)
{
	struct range range = {
		.addr = event->addr,
		.size = event->size,
		.kind = { event->stream, LA_DEFAULT_POOL,
			  event->size == SMALL_SEGMENT },
	};

	program_event_pool(rewind->program, event, &range.kind.pool);
	if (!event->size || range_of(rewind, event->addr) ||
	    addr_set_any(&rewind->range_at, event->addr,
			 event->addr + event->size))
		return -EBADMSG;
	return add_range(rewind, &range);
}

static int undo_segment_map(struct rewind *rewind,
			    const struct la_event *event)
{
	uint64_t end = event->addr + event->size, addr;

	if (!event->size || event->size % SMALL_SEGMENT ||
	    memory_end(rewind, event->addr, end, event->stream) < end ||
	    addr_set_any(&rewind->piece_at, event->addr, end))
		return -EBADMSG;
	for (addr = event->addr; addr < end; addr += SMALL_SEGMENT) {
		struct range *range = range_of(rewind, addr);

		if (range->addr != addr || !range->chained)
			return -EBADMSG;
		remove_range(rewind, range);
	}
	return 0;
}

static int undo_segment_unmap(struct rewind *rewind,
			      const struct la_event *event, size_t i)
{
	uint32_t at;

	if (!addr_map_get(&rewind->unmapped, i, &at))
		return -EBADMSG;
	return add_granules(rewind, event->addr, event->size,
			    &rewind->unmap_kind[at]);
}

static int undo(struct rewind *rewind, size_t i)
{
	const struct la_event *event = &rewind->program->event[i];

	switch (event->action) {
	case LA_ALLOC:
		return undo_alloc(rewind, event);
	case LA_FREE_REQUESTED:
		return undo_free_request(rewind, event);
	case LA_FREE_COMPLETED:
		return undo_free_complete(rewind, event);
	case LA_SEGMENT_ALLOC:
		return undo_segment_alloc(rewind, event);
	case LA_SEGMENT_FREE:
		return undo_segment_free(rewind, event);
	case LA_SEGMENT_MAP:
		return undo_segment_map(rewind, event);
	case LA_SEGMENT_UNMAP:
		return undo_segment_unmap(rewind, event, i);
	default:
		return 0;
	}
}

/* Undo the events down to `from`.  Where one contradicts what came later, the
 * history was paused: the program starts behind it. */
static int undo_all(struct rewind *rewind, size_t from)
{
	struct la_program *program = rewind->program;
	size_t i;
	int err = 0;

	for (i = program->event_count; i > from && !err; i--)
		err = undo(rewind, i - 1);
	program->info.first_event = err == -EBADMSG ? i + 1 : i;
	return err == -EBADMSG ? 0 : err;
}

/* What is known of granules while the events go by: address of a granule of
 * 2 MiB -> is it small? */
static int note_small(struct rewind *rewind, struct addr_map *small,
		      const struct la_event *event, bool is_small)
{
	uint64_t addr = event->addr / SMALL_SEGMENT * SMALL_SEGMENT;
	uint64_t end = event->addr + event->size;
	int err = 0;

	if (event->action != LA_SEGMENT_MAP)
		return addr_map_set(small, addr, is_small);
	err = spend(rewind, event->size);
	for (; addr < end && !err; addr += SMALL_SEGMENT)
		err = addr_map_set(small, addr, is_small);
	return err;
}

/* The kind of memory that an unmap took: as mappings or blocks were seen
 * there, or else as its size tells. */
static int note_unmap(struct rewind *rewind, struct addr_map *small, size_t i)
{
	const struct la_setting_values *setting =
		la_setting_values(rewind->program->setting);
	const struct la_event *event = &rewind->program->event[i];
	uint64_t addr = event->addr, end = event->addr + event->size;
	uint32_t is_small = 0, seen;
	bool known = false;
	struct kind kind = { .stream = event->stream };
	int pool = spend(rewind, event->size);

	if (pool < 0)
		return pool;
	for (; addr < end; addr += SMALL_SEGMENT) {
		if (!addr_map_take(small, addr, &seen))
			continue;
		is_small = known ? is_small : seen;
		known = true;
	}
	kind.small = known ? is_small : maps_small(setting, event->size);
	pool = program_chain_pool(rewind->program, event, kind.small);
	if (pool < 0)
		return pool;
	kind.pool = (uint32_t)pool;
	program_event_pool(rewind->program, event, &kind.pool);
	if (grow_array(&rewind->unmap_kind, &rewind->unmap_room,
		       rewind->unmap_count, sizeof(kind)) < 0 ||
	    addr_map_set(&rewind->unmapped, i,
			 (uint32_t)rewind->unmap_count) < 0)
		return -ENOMEM;
	rewind->unmap_kind[rewind->unmap_count++] = kind;
	return 0;
}

static bool any_unmap(const struct la_program *program)
{
	size_t i;

	for (i = 0; i < program->event_count; i++)
		if (program->event[i].action == LA_SEGMENT_UNMAP)
			return true;
	return false;
}

static int find_unmaps(struct rewind *rewind)
{
	const struct la_program *program = rewind->program;
	const struct la_setting_values *setting =
		la_setting_values(program->setting);
	struct addr_map small = { 0 };
	size_t i;
	int err = 0;

	if (!any_unmap(program))
		return 0;
	for (i = 0; i < program->event_count && !err; i++) {
		const struct la_event *event = &program->event[i];

		if (event->size > MAPPED_MAX)
			continue;
		if (event->action == LA_SEGMENT_UNMAP)
			err = note_unmap(rewind, &small, i);
		else if (event->action == LA_SEGMENT_MAP)
			err = note_small(rewind, &small, event,
					 maps_small(setting, event->size));
		else if (event->action <= LA_FREE_COMPLETED)
			err = note_small(rewind, &small, event,
					 event->size <= SMALL_MAX);
	}
	addr_map_destroy(&small);
	return err;
}

int program_rewind(struct la_program *program, size_t from)
{
	const struct la_recorded_device *device = program->device;
	struct rewind rewind = { .program = program,
				 .spare = NO_RANGE,
				 .granules_left = GRANULES_LEAST +
						  program->event_count *
							  GRANULES_PER_EVENT,
				 .chain_bytes = program_chain_bytes(program) };
	int err = find_unmaps(&rewind);
	size_t i;

	for (i = 0; i < device->segment_count && !err; i++)
		err = add_final(&rewind, &device->segments[i]);
	if (!err)
		err = undo_all(&rewind, from);
	if (!err)
		err = rewind_assemble(&rewind);
	rewind_destroy(&rewind);
	return err;
}
