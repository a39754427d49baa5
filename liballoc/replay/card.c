// SPDX-License-Identifier: Apache-2.0
/*
 * The size of a card that nothing tells: chains reserve 9/8 of it, one behind
 * the other on multiples of 32 MiB, so that their distance is a little more
 * than that.
 */

#include <stdlib.h>

#include "heap/internal.h"
#include "replay/program.h"

#define RESERVE_STEP (32 * MIB)
#define LARGEST_GRANULE (20 * MIB)

/* Mapped memory, at the end or by an event. */
struct mapped {
	uint64_t addr;
	uint64_t end; /* address behind the last byte */
};

static int by_addr(const void *a, const void *b)
{
	const struct mapped *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

/* All mapped memory by address.  Returns the number, 0 also without memory. */
static size_t list_mapped(const struct la_program *program,
			  struct mapped **out)
{
	const struct la_recorded_device *device = program->device;
	size_t most = device->segment_count + program->event_count, i;
	struct mapped *mapped = malloc((most + 1) * sizeof(*mapped));
	size_t count = 0;

	*out = mapped;
	for (i = 0; i < device->segment_count && mapped; i++) {
		const struct la_recorded_segment *s = &device->segments[i];

		if (s->expandable)
			mapped[count++] =
				(struct mapped){ s->addr, s->addr + s->size };
	}
	for (i = 0; i < program->event_count && mapped; i++) {
		const struct la_event *event = &program->event[i];

		if (event->action == LA_SEGMENT_MAP)
			mapped[count++] = (struct mapped){
				event->addr, event->addr + event->size
			};
	}
	if (count)
		qsort(mapped, count, sizeof(*mapped), by_addr);
	return count;
}

/* The least distance of starts of chains that are big enough for what was
 * held; UINT64_MAX: there are no two. */
static uint64_t least_distance(const struct mapped *mapped, size_t count,
			       uint64_t held)
{
	uint64_t least = UINT64_MAX, start = 0, end = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t distance = mapped[i].addr - start;

		if (i && mapped[i].addr > end &&
		    mapped[i].addr - end >= GIB) {
			if (distance >= held + held / 8 && distance < least)
				least = distance;
			start = mapped[i].addr;
		}
		if (!i)
			start = mapped[i].addr;
		if (mapped[i].end > end)
			end = mapped[i].end;
	}
	return least;
}

/* Bytes that the card has at least, rounded down by less than 64 MiB; 0: there
 * are no two chains to tell it. */
uint64_t program_card_by_chains(const struct la_program *program)
{
	struct mapped *mapped;
	size_t count = list_mapped(program, &mapped);
	uint64_t held = limit_recorded_peak(program);
	uint64_t least = least_distance(mapped, count, held);

	free(mapped);
	if (least == UINT64_MAX)
		return 0;
	return (least - RESERVE_STEP - LARGEST_GRANULE) / 9 * 8;
}
