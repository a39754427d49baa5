// SPDX-License-Identifier: Apache-2.0
/* What was held: the sums of a heap, replayed or as it was at the end. */

#include <errno.h>

#include "triage/recording.h"
#include "util/segment.h"
#include "util/util.h"

static bool is_private(const struct la_picture_part *part)
{
	return part->pool[0] || part->pool[1];
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of a part that has segments of both kinds, bounds are known. */
static void tell_pages(struct la_facts *facts, const struct la_picture *picture)
{
	uint64_t low = 0, high = 0, plain, most;
	size_t i;

	for (i = 0; i < picture->part_count; i++) {
		const struct la_picture_part *part = &picture->part[i];

		plain = part->reserved - part->range_bytes;
		most = smaller(part->holes.bytes, part->range_bytes);
		high += most;
		low += part->holes.bytes > plain ? part->holes.bytes - plain :
						   0;
	}
	set_amount(facts, LA_AMOUNT_PAGES_FREE, low, high,
		   low == high ? LA_BASIS_RECORDED : LA_BASIS_DERIVED);
}

/* Blocks whose requests are not known count as unrounded. */
static void tell_rounding(struct la_facts *facts,
			  const struct la_picture_part *total)
{
	uint64_t used = total->live + total->pending;

	if (total->requested && total->requested <= used)
		set_exact(facts, LA_AMOUNT_ROUNDING,
			  used - total->requested);
}

void la_sum_up(struct la_facts *facts, const struct la_picture *picture,
	       uint64_t reserved, uint64_t active)
{
	uint64_t private = 0;
	size_t i;

	for (i = 0; i < picture->part_count; i++)
		if (is_private(&picture->part[i]))
			private += picture->part[i].holes.bytes;
	set_exact(facts, LA_AMOUNT_RESERVED, reserved);
	set_exact(facts, LA_AMOUNT_ALLOCATED, active);
	set_exact(facts, LA_AMOUNT_PRIVATE, private);
	set_exact(facts, LA_AMOUNT_UNALLOCATED,
		  reserved > active + private ? reserved - active - private :
						0);
	set_exact(facts, LA_AMOUNT_PENDING, picture->total.pending);
	tell_rounding(facts, &picture->total);
	tell_pages(facts, picture);
}

void la_forget_unseen(struct la_facts *facts)
{
	static const enum la_amount_id unseen[] = {
		LA_AMOUNT_ROUNDING,
		LA_AMOUNT_STREAM_FREE,
		LA_AMOUNT_PENDING,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unseen); i++)
		facts->amount[unseen[i]] = (struct la_amount){ 0 };
}

static void tell_event(const struct witness *witness)
{
	struct la_facts *facts = witness->facts;
	uint64_t size = witness->oom->size;

	set_exact(facts, LA_AMOUNT_REQUEST, size);
	set_amount(facts, LA_AMOUNT_SEGMENT, segment_for(size, LARGE_SEGMENT),
		   segment_for(size, LARGE_SEGMENT), LA_BASIS_DERIVED);
}

/* Bytes that came since the OOM and those that went. */
struct since {
	uint64_t came, went; /* segments */
	uint64_t taken, freed; /* blocks */
	bool any; /* something happened */
};

static struct since sum_since(const struct witness *witness)
{
	const struct la_recorded_device *device = witness->device;
	struct since since = { 0 };
	const struct la_event *event;

	for (event = witness->oom + 1;
	     event < device->events + device->event_count; event++) {
		since.any |= !is_mark(event);
		if (event->action == LA_SEGMENT_ALLOC ||
		    event->action == LA_SEGMENT_MAP)
			since.came += event->size;
		else if (event->action == LA_SEGMENT_FREE ||
			 event->action == LA_SEGMENT_UNMAP)
			since.went += event->size;
		else if (event->action == LA_ALLOC)
			since.taken += whole_blocks(event->size);
		else if (event->action == LA_FREE_COMPLETED)
			since.freed += whole_blocks(event->size);
	}
	return since;
}

static uint64_t undo(uint64_t bytes, uint64_t came, uint64_t went)
{
	return bytes + went > came ? bytes + went - came : 0;
}

/* The sums, undone back to the OOM; holes are not known then. */
static void sum_up_before(const struct witness *witness,
			  const struct la_picture_part *total,
			  const struct since *since)
{
	struct la_facts *facts = witness->facts;
	uint64_t reserved = undo(total->reserved, since->came, since->went);
	uint64_t active = undo(total->live + total->pending, since->taken,
			       since->freed);

	if (active > reserved)
		active = reserved;
	set_amount(facts, LA_AMOUNT_RESERVED, reserved, reserved,
		   LA_BASIS_DERIVED);
	set_amount(facts, LA_AMOUNT_ALLOCATED, active, active,
		   LA_BASIS_DERIVED);
	set_amount(facts, LA_AMOUNT_UNALLOCATED, 0, reserved - active,
		   LA_BASIS_DERIVED);
	set_amount(facts, LA_AMOUNT_PRIVATE, 0, reserved - active,
		   LA_BASIS_DERIVED);
}

/* The largest hole outside private pools. */
static uint64_t largest_hole(const struct la_picture *picture)
{
	uint64_t largest = 0;
	size_t i;

	for (i = 0; i < picture->part_count; i++)
		if (!is_private(&picture->part[i]) &&
		    picture->part[i].holes.largest > largest)
			largest = picture->part[i].holes.largest;
	return largest;
}

/* All is as it was; of what the request could have used, a bound. */
static int sum_up_end(struct witness *witness,
		      const struct la_picture *picture)
{
	const struct la_picture_part *total = &picture->total;

	la_sum_up(witness->facts, picture, total->reserved,
		  total->live + total->pending);
	set_amount(witness->facts, LA_AMOUNT_LARGEST, 0, largest_hole(picture),
		   LA_BASIS_DERIVED);
	return witness_list_holders(witness);
}

int witness_see_end(struct witness *witness)
{
	unsigned int device = (unsigned int)witness->facts->device;
	struct since since = { 0 };
	struct la_picture picture;
	int err = la_recording_picture(witness->recording, device, &picture);

	if (err < 0)
		return err;
	if (witness->oom) {
		since = sum_since(witness);
		tell_event(witness);
	}
	if (since.any)
		sum_up_before(witness, &picture.total, &since);
	else
		err = sum_up_end(witness, &picture);
	la_picture_release(&picture);
	return err;
}
