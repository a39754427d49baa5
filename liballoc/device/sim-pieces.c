// SPDX-License-Identifier: Apache-2.0
/* Simulated devices: reservations, and the memory that is mapped in them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim.h"
#include "util/array.h"

#define RESERVE_BASE 0x302000000 /* the lowest reservation */
#define RESERVE_TAKEN ((uint64_t)1 << 40) /* the driver's own, ... */
#define RESERVE_TAKEN_SIZE (64 * MIB) /* ... as was seen */

/* Note a reservation in front of one, by its index. */
static int take(struct sim *sim, size_t at, uint64_t addr, uint64_t size)
{
	if (grow_array(&sim->taken, &sim->taken_room, sim->taken_count,
		       sizeof(*sim->taken)) < 0)
		return -ENOMEM;
	memmove(&sim->taken[at + 1], &sim->taken[at],
		(sim->taken_count - at) * sizeof(*sim->taken));
	sim->taken[at] = (struct reservation){ addr, size, NULL, 0 };
	sim->taken_count++;
	return 0;
}

int la_sim_begin_pieces(struct sim *sim)
{
	sim->piece.element = sizeof(struct piece);
	return take(sim, 0, RESERVE_TAKEN, RESERVE_TAKEN_SIZE);
}

void la_sim_end_pieces(struct sim *sim)
{
	size_t i;

	for (i = 0; i < sim->taken_count; i++)
		free(sim->taken[i].page);
	free(sim->taken);
	free(sim->piece.slot);
}

int la_sim_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct sim *sim = (struct sim *)dev;
	uint64_t base = RESERVE_BASE;
	size_t i;

	if (size > RESERVE_TAKEN)
		return -ENOSPC;
	for (i = 0; i < sim->taken_count; i++) {
		const struct reservation *taken = &sim->taken[i];

		if (base + size <= taken->addr)
			break;
		if (base < taken->addr + taken->size)
			base = whole_chunks(taken->addr + taken->size);
	}
	if (take(sim, i, base, size) < 0)
		return -ENOMEM;
	*addr = base;
	count(&sim->counts.reserve, size);
	return 0;
}

/* The reservation that an address lies in, or NULL. */
static struct reservation *find_reservation(const struct sim *sim,
					    uint64_t addr)
{
	size_t i;

	for (i = 0; i < sim->taken_count; i++) {
		struct reservation *taken = &sim->taken[i];

		if (addr >= taken->addr && addr - taken->addr < taken->size)
			return taken;
	}
	return NULL;
}

int la_sim_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct sim *sim = (struct sim *)dev;
	struct reservation *taken = find_reservation(sim, addr);
	size_t at;

	if (!taken || taken->addr != addr || taken->size != size ||
	    taken->attached)
		return -EINVAL;
	free(taken->page);
	at = (size_t)(taken - sim->taken);
	sim->taken_count--;
	memmove(taken, taken + 1, (sim->taken_count - at) * sizeof(*taken));
	count(&sim->counts.unreserve, size);
	return 0;
}

int la_sim_map(struct la_device *dev, uint64_t addr, uint64_t size,
	       uint64_t granule)
{
	struct sim *sim = (struct sim *)dev;

	(void)addr, (void)granule;
	if (is_full(sim, size))
		return -ENOSPC;
	sim->held += size;
	count(&sim->counts.map, size);
	return 0;
}

int la_sim_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct sim *sim = (struct sim *)dev;

	la_sim_taken_away(sim, addr, size);
	sim->held -= size;
	count(&sim->counts.unmap, size);
	return 0;
}

int la_sim_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct sim *sim = (struct sim *)dev;
	struct piece *made;

	if (!size || size % PAGE)
		return -EINVAL;
	if (is_full(sim, size))
		return -ENOSPC;
	made = la_slots_take(&sim->piece);
	if (!made)
		return -ENOMEM;
	made->size = size;
	made->held = true;
	sim->held += size;
	*piece = made->slot.handle;
	count(&sim->counts.create, size);
	return 0;
}

static struct piece *held_piece(const struct sim *sim, uint64_t handle,
				uint64_t size)
{
	struct piece *piece = la_slots_at(&sim->piece, handle);

	return piece && piece->held && piece->size == size ? piece : NULL;
}

static void drop_if_unused(struct sim *sim, struct piece *piece)
{
	if (piece->held || piece->attached)
		return;
	sim->held -= piece->size;
	la_slots_drop(&sim->piece, piece);
}

int la_sim_release(struct la_device *dev, uint64_t handle, uint64_t size)
{
	struct sim *sim = (struct sim *)dev;
	struct piece *piece = held_piece(sim, handle, size);

	if (!piece)
		return -EINVAL;
	piece->held = false;
	drop_if_unused(sim, piece);
	count(&sim->counts.release, size);
	return 0;
}

/* The pages of a range within one reservation; NULL: there is no such. */
static struct page *pages_of(const struct reservation *taken, uint64_t addr,
			     uint64_t size)
{
	if (!size || (addr | size) % PAGE || !taken || !taken->page ||
	    size > taken->size - (addr - taken->addr))
		return NULL;
	return &taken->page[(addr - taken->addr) / PAGE];
}

static int want_pages(struct reservation *taken)
{
	if (taken && !taken->page)
		taken->page = calloc(taken->size / PAGE, sizeof(*taken->page));
	return !taken ? -EINVAL : taken->page ? 0 : -ENOMEM;
}

int la_sim_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		  uint64_t handle)
{
	struct sim *sim = (struct sim *)dev;
	struct piece *piece = held_piece(sim, handle, size);
	struct reservation *taken = find_reservation(sim, addr);
	int err = want_pages(taken);
	struct page *page;
	uint64_t i;

	if (err < 0)
		return err;
	page = pages_of(taken, addr, size);
	if (!piece || !page)
		return -EINVAL;
	for (i = 0; i < size / PAGE; i++)
		if (page[i].piece)
			return -EINVAL;
	for (i = 0; i < size / PAGE; i++)
		page[i] = (struct page){ handle, i };
	taken->attached += size / PAGE;
	piece->attached++;
	count(&sim->counts.attach, size);
	return 0;
}

/* Whether pages are whole pieces, one behind the other. */
static bool are_whole(const struct sim *sim, const struct page *page,
		      uint64_t pages)
{
	const struct piece *piece;
	uint64_t i = 0;

	while (i < pages) {
		piece = la_slots_at(&sim->piece, page[i].piece);
		if (!piece || page[i].index || piece->size / PAGE > pages - i)
			return false;
		i += piece->size / PAGE;
	}
	return true;
}

int la_sim_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct sim *sim = (struct sim *)dev;
	struct reservation *taken = find_reservation(sim, addr);
	struct page *page = pages_of(taken, addr, size);
	uint64_t i = 0, length;

	if (!page || !are_whole(sim, page, size / PAGE))
		return -EINVAL;
	la_sim_taken_away(sim, addr, size);
	sim->counts.detaches++;
	while (i < size / PAGE) {
		struct piece *piece = la_slots_at(&sim->piece, page[i].piece);

		length = piece->size / PAGE;
		memset(&page[i], 0, length * sizeof(*page));
		piece->attached--;
		count(&sim->counts.detach, piece->size);
		drop_if_unused(sim, piece);
		i += length;
	}
	taken->attached -= size / PAGE;
	return 0;
}

const struct page *la_sim_page(const struct sim *sim, uint64_t addr)
{
	const struct reservation *taken = find_reservation(sim, addr);

	return pages_of(taken, addr / PAGE * PAGE, PAGE);
}

LA_EXPORT int la_device_sim_hold_reservation(struct la_device *dev,
					     uint64_t addr, uint64_t size,
					     uint64_t mapped)
{
	struct sim *sim = (struct sim *)dev;
	size_t i = 0;

	while (i < sim->taken_count && sim->taken[i].addr < addr)
		i++;
	if (take(sim, i, addr, size) < 0)
		return -ENOMEM;
	sim->held += mapped;
	return 0;
}
