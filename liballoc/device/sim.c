// SPDX-License-Identifier: Apache-2.0
/*
 * Simulated devices: where segments go.
 *
 * The rule layout is the closest simple one to what the CUDA driver was seen
 * to do with cudaMalloc: the lowest gap that fits in the range handed out so
 * far; else the range grows downwards by the size rounded up to 32 MiB, and
 * the segment sits at its new start.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device/shuffle.h"
#include "device/sim.h"
#include "util/array.h"
#include "util/util.h"

#define DEFAULT_TOP 0x7f0000000000
#define SLOT_BASE 0x600000000000
#define SLOT_SIZE (64 * GIB)
#define HUGE_BASE ((uint64_t)1 << 60) /* slots end here */

/* Index of the first gap that does not lie before addr. */
static size_t find_gap(const struct sim *sim, uint64_t addr)
{
	size_t low = 0, high = sim->gap_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sim->gap[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_gap(struct sim *sim, size_t at)
{
	sim->gap_count--;
	memmove(&sim->gap[at], &sim->gap[at + 1],
		(sim->gap_count - at) * sizeof(*sim->gap));
}

static int reserve_gap(struct sim *sim)
{
	return grow_array(&sim->gap, &sim->gap_room, sim->gap_count,
			  sizeof(*sim->gap));
}

/* Add a gap, joined with its neighbours; there must be room. */
static void add_gap(struct sim *sim, uint64_t addr, uint64_t size)
{
	size_t at = find_gap(sim, addr);
	struct gap *prev = at ? &sim->gap[at - 1] : NULL;

	if (at < sim->gap_count && sim->gap[at].addr == addr + size) {
		size += sim->gap[at].size;
		remove_gap(sim, at);
	}
	if (prev && prev->addr + prev->size == addr) {
		prev->size += size;
		return;
	}
	memmove(&sim->gap[at + 1], &sim->gap[at],
		(sim->gap_count - at) * sizeof(*sim->gap));
	sim->gap[at] = (struct gap){ addr, size };
	sim->gap_count++;
}

static int move_up(uint64_t *edge, uint64_t size, uint64_t *addr)
{
	uint64_t room = whole_chunks(size);

	if (room < size || room >= UINT64_MAX - *edge)
		return -ENOSPC;
	*addr = *edge;
	*edge += room;
	return 0;
}

/* The address 0 is never given out. */
static int move_down(uint64_t *edge, uint64_t size, uint64_t *addr)
{
	uint64_t room = whole_chunks(size);

	if (room < size || room >= *edge)
		return -ENOSPC;
	*edge -= room;
	*addr = *edge;
	return 0;
}

static int alloc_by_rule(struct sim *sim, uint64_t size, uint64_t *addr)
{
	size_t i;
	int err;

	for (i = 0; i < sim->gap_count; i++) {
		struct gap *gap = &sim->gap[i];

		if (gap->size < size)
			continue;
		*addr = gap->addr;
		gap->addr += size;
		gap->size -= size;
		if (!gap->size)
			remove_gap(sim, i);
		return 0;
	}
	if (reserve_gap(sim) < 0)
		return -ENOMEM;
	err = move_down(&sim->edge, size, addr);
	if (err < 0)
		return err;
	if (whole_chunks(size) > size)
		add_gap(sim, sim->edge + size, whole_chunks(size) - size);
	return 0;
}

/* Each segment in a slot of its own; when all were used, in a new round. */
static int next_slot(struct sim *sim, uint64_t size, uint64_t *addr)
{
	uint64_t round = sim->slots_used / SHUFFLE_COUNT;
	uint64_t drawn = sim->slots_used % SHUFFLE_COUNT;
	uint64_t slot =
		round * SHUFFLE_COUNT + sim->slot[SHUFFLE_COUNT - 1 - drawn];

	if (size > SLOT_SIZE)
		return move_up(&sim->huge, size, addr);
	if (sim->edge > HUGE_BASE ||
	    slot >= (HUGE_BASE - sim->edge) / SLOT_SIZE)
		return -ENOSPC;
	*addr = sim->edge + slot * SLOT_SIZE;
	sim->slots_used++;
	return 0;
}

static int sim_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct sim *sim = (struct sim *)dev;
	int err = 0;

	if (is_full(sim, size))
		return -ENOSPC;
	switch (sim->layout) {
	case LA_LAYOUT_UP:
		err = move_up(&sim->edge, size, addr);
		break;
	case LA_LAYOUT_DOWN:
		err = move_down(&sim->edge, size, addr);
		break;
	case LA_LAYOUT_SHUFFLE_1:
	case LA_LAYOUT_SHUFFLE_2:
		err = next_slot(sim, size, addr);
		break;
	default:
		err = alloc_by_rule(sim, size, addr);
	}
	if (err < 0)
		return err;
	sim->held += size;
	count(&sim->counts.alloc, size);
	return 0;
}

static int sim_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct sim *sim = (struct sim *)dev;

	la_device_sim_run_all(dev);
	if (sim->layout == LA_LAYOUT_RULE) {
		if (reserve_gap(sim) < 0)
			return -ENOMEM;
		add_gap(sim, addr, size);
	}
	sim->held -= size;
	count(&sim->counts.free, size);
	return 0;
}

static void sim_destroy(struct la_device *dev)
{
	struct sim *sim = (struct sim *)dev;

	free(sim->gap);
	free(sim->slot);
	la_sim_end_pieces(sim);
	la_sim_end_streams(sim);
	free(sim);
}

static const struct la_device_ops sim_ops = {
	.alloc = sim_alloc,
	.free = sim_free,
	.reserve = la_sim_reserve,
	.unreserve = la_sim_unreserve,
	.map = la_sim_map,
	.unmap = la_sim_unmap,
	.create = la_sim_create,
	.release = la_sim_release,
	.attach = la_sim_attach,
	.detach = la_sim_detach,
	.record = la_sim_record,
	.query = la_sim_query,
	.order = la_sim_order,
	.await = la_sim_await,
	.drain = la_sim_drain,
	.forget = la_sim_forget,
	.capturing = la_sim_capturing,
	.destroy = sim_destroy,
};

static bool is_shuffled(enum la_layout layout)
{
	return layout == LA_LAYOUT_SHUFFLE_1 || layout == LA_LAYOUT_SHUFFLE_2;
}

/* The order in which a shuffled layout takes its slots. */
static int draw_slots(struct sim *sim, uint32_t seed)
{
	sim->slot = malloc(SHUFFLE_COUNT * sizeof(*sim->slot));
	if (!sim->slot)
		return -ENOMEM;
	la_shuffle(sim->slot, seed);
	return 0;
}

LA_EXPORT int la_device_sim(struct la_device **out, enum la_layout layout,
			    uint64_t card, uint64_t top)
{
	struct sim *sim;

	if ((unsigned int)layout >= LA_LAYOUT_COUNT)
		return -EINVAL;
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return -ENOMEM;
	sim->device.ops = &sim_ops;
	sim->card = card;
	sim->layout = layout;
	sim->edge = (top ? top : DEFAULT_TOP) / CHUNK * CHUNK;
	sim->event.element = sizeof(struct event);
	if (la_sim_begin_pieces(sim) < 0) {
		free(sim);
		return -ENOMEM;
	}
	if (is_shuffled(layout)) {
		sim->edge = SLOT_BASE;
		sim->huge = HUGE_BASE;
		if (draw_slots(sim, layout == LA_LAYOUT_SHUFFLE_1 ? 1 : 2)) {
			sim_destroy(&sim->device);
			return -ENOMEM;
		}
	}
	*out = &sim->device;
	return 0;
}

LA_EXPORT void la_device_sim_hold(struct la_device *dev, uint64_t addr,
				  uint64_t size)
{
	struct sim *sim = (struct sim *)dev;
	uint64_t end = addr + size;

	sim->held += size;
	if (sim->layout == LA_LAYOUT_UP || is_shuffled(sim->layout)) {
		end = end < size || whole_chunks(end) < end ? UINT64_MAX :
							      whole_chunks(end);
		if (sim->edge < end)
			sim->edge = end;
		if (sim->huge < end)
			sim->huge = end;
	} else if (sim->edge > addr) {
		sim->edge = addr / CHUNK * CHUNK;
	}
}

LA_EXPORT const struct la_device_sim_counts *
la_device_sim_counts(const struct la_device *dev)
{
	return &((const struct sim *)dev)->counts;
}

LA_EXPORT void la_device_destroy(struct la_device *dev)
{
	if (dev)
		dev->ops->destroy(dev);
}
