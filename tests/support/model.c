// SPDX-License-Identifier: Apache-2.0
/* The obvious heap, see model.h. */

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/model.h"

#define MIB (UINT64_C(1) << 20)

uint64_t model_round(const struct la_setting_values *setting, uint64_t size)
{
	uint64_t power = 1, divisions, step;
	int slot = -20;

	if (size < 512)
		return 512;
	while (power * 2 <= size) {
		power *= 2;
		slot++;
	}
	slot = slot < 0 ? 0 : slot > 15 ? 15 : slot;
	divisions = setting->roundup_power2_divisions[slot];
	step = 512;
	if (divisions > 1 && size > 512 * divisions)
		step = power / divisions;
	if (!step)
		return 2 * power;
	return (size + step - 1) / step * step;
}

uint64_t model_segment(const struct la_setting_values *setting, uint64_t size)
{
	if (size <= MIB)
		return 2 * MIB;
	if (size < 10 * MIB)
		return setting->large_segment_size;
	return (size + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
}

struct model *model_new(const struct la_setting_values *setting,
			struct la_device *device, uint64_t cap)
{
	struct model *m = calloc(1, sizeof(*m));

	assert(m);
	m->setting = *setting;
	m->device = device;
	m->cap = cap;
	return m;
}

void model_free(struct model *m)
{
	free(m);
}

static void emit(struct model *m, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	assert(m->nr_events < MODEL_EVENTS);
	m->event[m->nr_events++] = (struct model_event){
		.action = action, .addr = addr, .size = size, .stream = stream
	};
}

static void raise_to(uint64_t *peak, uint64_t value)
{
	if (*peak < value)
		*peak = value;
}

static struct model_block *add(struct model *m, const struct model_block *blk)
{
	assert(m->nr_blocks < MODEL_BLOCKS);
	m->block[m->nr_blocks] = *blk;
	return &m->block[m->nr_blocks++];
}

static void drop(struct model *m, struct model_block *blk)
{
	*blk = m->block[--m->nr_blocks];
}

static struct model_block *find(struct model *m, uint64_t addr,
				enum model_state state)
{
	unsigned int i;

	for (i = 0; i < m->nr_blocks; i++)
		if (m->block[i].addr == addr && m->block[i].state == state)
			return &m->block[i];
	assert(!"no such block");
	return NULL;
}

static bool is_whole(const struct model_block *blk)
{
	return blk->size == blk->segment_size;
}

/* Order of the free set: stream, size, address. */
static bool before(const struct model_block *a, const struct model_block *b)
{
	if (a->stream != b->stream)
		return a->stream < b->stream;
	if (a->size != b->size)
		return a->size < b->size;
	return a->addr < b->addr;
}

/* Does the program's limit make blocks age? */
static bool ages(const struct model *m)
{
	return m->cap != UINT64_MAX &&
	       m->setting.garbage_collection_threshold > 0;
}

/* First free block of a pool and stream with at least `size` bytes. */
static struct model_block *first_fit(struct model *m, int large,
				     uint64_t stream, uint64_t size)
{
	struct model_block *best = NULL;
	unsigned int i;

	for (i = 0; i < m->nr_blocks; i++) {
		struct model_block *b = &m->block[i];

		if (b->state == MODEL_FREE && b->large == large &&
		    b->stream == stream && b->size >= size &&
		    (!best || before(b, best)))
			best = b;
	}
	return best;
}

/* Last free block of a pool and stream with less than `size` bytes. */
static struct model_block *last_below(struct model *m, int large,
				      uint64_t stream, uint64_t size)
{
	struct model_block *best = NULL;
	unsigned int i;

	for (i = 0; i < m->nr_blocks; i++) {
		struct model_block *b = &m->block[i];

		if (b->state == MODEL_FREE && b->large == large &&
		    b->stream == stream && b->size < size &&
		    (!best || before(best, b)))
			best = b;
	}
	return best;
}

/* First whole free block of a pool, after `after` if that is not NULL. */
static struct model_block *next_whole(struct model *m, int large,
				      const struct model_block *after)
{
	struct model_block *best = NULL;
	unsigned int i;

	for (i = 0; i < m->nr_blocks; i++) {
		struct model_block *b = &m->block[i];

		if (b->state == MODEL_FREE && b->large == large &&
		    is_whole(b) && (!after || before(after, b)) &&
		    (!best || before(b, best)))
			best = b;
	}
	return best;
}

static struct model_block *search(struct model *m, int large, uint64_t stream,
				  uint64_t size)
{
	struct model_block *blk = first_fit(m, large, stream, size);
	const struct la_setting_values *s = &m->setting;

	if (!blk)
		return NULL;
	if (size < s->max_split_size && blk->size >= s->max_split_size)
		return NULL;
	if (size >= s->max_split_size &&
	    blk->size >= size + s->max_non_split_rounding)
		return NULL;
	return blk;
}

static int release(struct model *m, struct model_block *blk)
{
	int err = m->device->ops->free(m->device, blk->addr, blk->size);

	if (err < 0)
		return err;
	m->stats.reserved -= blk->size;
	m->stats.device_frees++;
	emit(m, LA_SEGMENT_FREE, blk->addr, blk->size, blk->stream);
	drop(m, blk);
	return 0;
}

static int collect_old(struct model *m)
{
	double share = m->setting.garbage_collection_threshold;
	uint64_t keep = (uint64_t)(share * (double)m->cap);
	bool given = true;

	while (given && m->stats.reserved > keep) {
		struct model_block *blk = NULL, last;
		uint64_t count = 0, total = 0;
		int err;

		while ((blk = next_whole(m, 1, blk))) {
			count++;
			total += m->searches[1] - blk->stamp;
		}
		given = false;
		last = (struct model_block){ 0 };
		while ((blk = next_whole(m, 1, &last))) {
			last = *blk;
			if ((m->searches[1] - blk->stamp) * count < total)
				continue;
			err = release(m, blk);
			if (err < 0)
				return err;
			given = true;
		}
	}
	return 0;
}

static int release_oversize(struct model *m, int large, uint64_t stream,
			    uint64_t size)
{
	uint64_t bound = m->setting.max_split_size, given = 0;
	uint64_t want = size > bound ? size : bound;
	struct model_block *blk = first_fit(m, large, stream, want);
	int err;

	if (bound == UINT64_MAX)
		return 0;
	if (blk) {
		err = release(m, blk);
		return err < 0 ? err : 1;
	}
	while (given < want) {
		blk = last_below(m, large, stream, want);
		if (!blk || blk->size < bound)
			break;
		given += blk->size;
		err = release(m, blk);
		if (err < 0)
			return err;
	}
	return given >= want;
}

static int release_whole(struct model *m, int large)
{
	struct model_block *blk;
	int err;

	while ((blk = next_whole(m, large, NULL))) {
		err = release(m, blk);
		if (err < 0)
			return err;
	}
	return 0;
}

static struct model_block *first_pending(struct model *m)
{
	struct model_block *first = NULL;
	unsigned int i;

	for (i = 0; i < m->nr_blocks; i++)
		if (m->block[i].state == MODEL_PENDING &&
		    (!first || m->block[i].stamp < first->stamp))
			first = &m->block[i];
	return first;
}

int model_empty_cache(struct model *m)
{
	struct model_block *blk;
	int err;

	m->stats.syncs++;
	while ((blk = first_pending(m)))
		model_free_complete(m, blk->addr);
	err = release_whole(m, 1);
	return err < 0 ? err : release_whole(m, 0);
}

/* A segment as one free block; -ENOSPC if cap or device refuse. */
static int grow(struct model *m, int large, uint64_t stream, uint64_t size,
		struct model_block **blk)
{
	struct model_block new = { .large = large, .stream = stream };
	int err;

	if (m->cap != UINT64_MAX && m->stats.reserved + size > m->cap)
		return -ENOSPC;
	err = m->device->ops->alloc(m->device, size, &new.addr);
	if (err < 0)
		return err;
	m->stats.reserved += size;
	raise_to(&m->stats.reserved_peak, m->stats.reserved);
	m->stats.device_allocs++;
	emit(m, LA_SEGMENT_ALLOC, new.addr, size, stream);
	new.size = new.segment_size = size;
	new.segment = new.addr;
	*blk = add(m, &new);
	return 0;
}

static int obtain(struct model *m, int large, uint64_t stream, uint64_t size,
		  struct model_block **blk)
{
	uint64_t segment = model_segment(&m->setting, size);
	int err = ages(m) ? collect_old(m) : 0;

	if (err < 0)
		return err;
	err = grow(m, large, stream, segment, blk);
	if (err != -ENOSPC)
		return err;
	err = release_oversize(m, large, stream, size);
	if (err < 0)
		return err;
	if (err) {
		err = grow(m, large, stream, segment, blk);
		if (err != -ENOSPC)
			return err;
	}
	err = model_empty_cache(m);
	if (err < 0)
		return err;
	m->stats.retries++;
	err = grow(m, large, stream, segment, blk);
	if (err == -ENOSPC) {
		m->stats.ooms++;
		emit(m, LA_OOM, 0, size, stream);
	}
	return err;
}

static bool splits(const struct model *m, const struct model_block *blk,
		   uint64_t size)
{
	uint64_t rest = blk->size - size;

	if (!blk->large)
		return rest >= 512;
	return size < m->setting.max_split_size && rest > MIB;
}

int model_alloc(struct model *m, uint64_t size, uint64_t stream,
		uint64_t *addr)
{
	uint64_t rounded = model_round(&m->setting, size);
	int large = rounded > MIB, err;
	struct model_block *blk;

	if (ages(m))
		m->searches[large]++;
	blk = search(m, large, stream, rounded);
	if (!blk) {
		err = obtain(m, large, stream, rounded, &blk);
		if (err < 0)
			return err;
	}
	if (splits(m, blk, rounded)) {
		struct model_block tail = *blk;

		tail.addr += rounded;
		tail.size -= rounded;
		tail.state = MODEL_FREE;
		tail.stamp = m->searches[large];
		blk->size = rounded;
		add(m, &tail);
	}
	blk->state = MODEL_LIVE;
	blk->asked = size;
	emit(m, LA_ALLOC, blk->addr, size, stream);
	m->stats.allocated += blk->size;
	raise_to(&m->stats.allocated_peak, m->stats.allocated);
	m->stats.active += blk->size;
	raise_to(&m->stats.active_peak, m->stats.active);
	*addr = blk->addr;
	return 0;
}

void model_free_request(struct model *m, uint64_t addr)
{
	struct model_block *blk = find(m, addr, MODEL_LIVE);

	blk->state = MODEL_PENDING;
	blk->stamp = m->frees++;
	emit(m, LA_FREE_REQUESTED, addr, blk->asked, blk->stream);
	m->stats.allocated -= blk->size;
}

/* A free block of the same segment that ends at `end` or starts there. */
static struct model_block *neighbour(struct model *m, uint64_t segment,
				     uint64_t at, bool ends)
{
	unsigned int i;

	for (i = 0; i < m->nr_blocks; i++) {
		struct model_block *b = &m->block[i];

		if (b->state == MODEL_FREE && b->segment == segment &&
		    b->addr + (ends ? b->size : 0) == at)
			return b;
	}
	return NULL;
}

void model_free_complete(struct model *m, uint64_t addr)
{
	struct model_block *blk = find(m, addr, MODEL_PENDING), *other;
	struct model_block merged = *blk;

	emit(m, LA_FREE_COMPLETED, addr, blk->asked, blk->stream);
	m->stats.active -= blk->size;
	drop(m, blk);
	other = neighbour(m, merged.segment, merged.addr, true);
	if (other) {
		merged.addr = other->addr;
		merged.size += other->size;
		drop(m, other);
	}
	other = neighbour(m, merged.segment, merged.addr + merged.size, false);
	if (other) {
		merged.size += other->size;
		drop(m, other);
	}
	merged.state = MODEL_FREE;
	merged.stamp = m->searches[merged.large];
	add(m, &merged);
}
