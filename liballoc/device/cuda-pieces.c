// SPDX-License-Identifier: Apache-2.0
/*
 * The device on a GPU: reservations, and what is mapped in them.
 *
 * Which page begins a handle is noted, so that a peer that comes later can be
 * let at all that is mapped.  The handles of mapped granules are given back at
 * once: their memory lasts until it is unmapped.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda.h"
#include "util/array.h"

void la_cuda_end_pieces(struct cuda *cuda)
{
	size_t i;

	for (i = 0; i < cuda->range_count; i++)
		free(cuda->range[i].page);
	free(cuda->range);
}

/* Note a reservation that is to come; its address follows. */
static int add_range(struct cuda *cuda, uint64_t size)
{
	struct cuda_range range = { .size = size };

	if (grow_array(&cuda->range, &cuda->range_room, cuda->range_count,
		       sizeof(range)) < 0)
		return -ENOMEM;
	range.page = calloc(size / PAGE, 1);
	if (!range.page)
		return -ENOMEM;
	cuda->range[cuda->range_count++] = range;
	return 0;
}

static void drop_range(struct cuda *cuda, struct cuda_range *range)
{
	free(range->page);
	*range = cuda->range[--cuda->range_count];
}

static struct cuda_range *find_range(const struct cuda *cuda, uint64_t addr)
{
	size_t i;

	for (i = 0; i < cuda->range_count; i++) {
		struct cuda_range *range = &cuda->range[i];

		if (addr >= range->addr && addr - range->addr < range->size)
			return range;
	}
	return NULL;
}

/* The notes on the pages of a range; NULL: it is in no reservation. */
static unsigned char *pages_of(const struct cuda *cuda, uint64_t addr,
			       uint64_t size)
{
	const struct cuda_range *range = find_range(cuda, addr);

	if (!range || !size || (addr | size) % PAGE ||
	    size > range->size - (addr - range->addr))
		return NULL;
	return &range->page[(addr - range->addr) / PAGE];
}

int la_cuda_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct cuda *cuda = (struct cuda *)dev;
	struct visit visit;
	la_cu_addr got = 0;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	err = !size || size % PAGE ? -EINVAL : add_range(cuda, size);
	if (!err) {
		err = CALL(cuda, reserve, &got, size, PAGE, 0, 0);
		cuda->range[cuda->range_count - 1].addr = got;
		if (err < 0)
			drop_range(cuda, &cuda->range[cuda->range_count - 1]);
	}
	la_cuda_leave(cuda, &visit);
	if (!err)
		*addr = got;
	return err;
}

int la_cuda_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct cuda *cuda = (struct cuda *)dev;
	struct cuda_range *range = find_range(cuda, addr);
	struct visit visit;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	if (range && range->addr == addr && range->size == size)
		err = CALL(cuda, unreserve, addr, size);
	else
		err = -EINVAL;
	la_cuda_leave(cuda, &visit);
	if (!err)
		drop_range(cuda, range);
	return err;
}

static int create(struct cuda *cuda, uint64_t size, la_cu_piece *piece)
{
	return CALL(cuda, create, piece, size, &cuda->kind, 0);
}

/* Put a new handle under addresses and give it back; what undoes that after a
 * failure may fail as well, then the first one counts. */
static int map_granule(struct cuda *cuda, uint64_t addr, uint64_t size)
{
	la_cu_piece piece;
	int err = create(cuda, size, &piece);

	if (err < 0)
		return err;
	err = CALL(cuda, map, addr, size, 0, piece, 0);
	if (err < 0)
		goto err_release;
	err = CALL(cuda, release, piece);
	if (err < 0)
		goto err_unmap;
	return 0;

err_unmap:
	(void)cuda->cu.unmap(addr, size);
err_release:
	(void)cuda->cu.release(piece);
	return err;
}

static int set_access(struct cuda *cuda, uint64_t addr, uint64_t size)
{
	return CALL(cuda, set_access, addr, size, cuda->access,
		    cuda->access_count);
}

static int map_granules(struct cuda *cuda, uint64_t addr, uint64_t size,
			uint64_t granule)
{
	uint64_t mapped = 0;
	int err = 0;

	while (!err && mapped < size) {
		err = map_granule(cuda, addr + mapped, granule);
		if (!err)
			mapped += granule;
	}
	if (!err)
		err = set_access(cuda, addr, size);
	if (err < 0 && mapped)
		(void)cuda->cu.unmap(addr, mapped); /* err counts */
	return err;
}

static void note_handle(unsigned char *page, uint64_t size)
{
	memset(page, PAGE_MORE, size / PAGE);
	page[0] = PAGE_FIRST;
}

int la_cuda_map(struct la_device *dev, uint64_t addr, uint64_t size,
		uint64_t granule)
{
	struct cuda *cuda = (struct cuda *)dev;
	unsigned char *page = pages_of(cuda, addr, size);
	struct visit visit;
	uint64_t at;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	if (!page || !granule || granule % PAGE || size % granule)
		err = -EINVAL;
	else
		err = map_granules(cuda, addr, size, granule);
	la_cuda_leave(cuda, &visit);
	for (at = 0; !err && at < size; at += granule)
		note_handle(&page[at / PAGE], granule);
	return err;
}

int la_cuda_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct cuda *cuda = (struct cuda *)dev;
	unsigned char *page = pages_of(cuda, addr, size);
	int err = VISIT(cuda, page ? CALL(cuda, unmap, addr, size) : -EINVAL);

	if (!err)
		memset(page, PAGE_EMPTY, size / PAGE);
	return err;
}

int la_cuda_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct cuda *cuda = (struct cuda *)dev;
	la_cu_piece got = 0;
	int err = VISIT(cuda, create(cuda, size, &got));

	if (!err)
		*piece = got;
	return err;
}

int la_cuda_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	struct cuda *cuda = (struct cuda *)dev;

	(void)size;
	return VISIT(cuda, CALL(cuda, release, piece));
}

int la_cuda_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		   uint64_t piece)
{
	struct cuda *cuda = (struct cuda *)dev;
	unsigned char *page = pages_of(cuda, addr, size);
	struct visit visit;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	err = page ? CALL(cuda, map, addr, size, 0, piece, 0) : -EINVAL;
	if (!err) {
		err = set_access(cuda, addr, size);
		if (err < 0)
			(void)cuda->cu.unmap(addr, size); /* err counts */
	}
	la_cuda_leave(cuda, &visit);
	if (!err)
		note_handle(page, size);
	return err;
}
