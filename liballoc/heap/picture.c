// SPDX-License-Identifier: Apache-2.0
/* What is held, by pool and stream, and its holes: la_heap_picture(). */

#include <errno.h>
#include <stdlib.h>

#include "heap/picture.h"
#include "util/array.h"
#include "util/util.h"

static bool is_of(const struct la_picture_part *part,
		  const struct la_block_info *info)
{
	return part->stream == info->stream && part->small == info->small &&
	       part->pool[0] == info->pool[0] && part->pool[1] == info->pool[1];
}

/* The part that a block is of, made if there is none; or NULL. */
static struct la_picture_part *find_part(struct drawing *drawing,
					 const struct la_block_info *info)
{
	struct la_picture *picture = &drawing->picture;
	size_t count = picture->part_count, i;

	if (count && is_of(&picture->part[drawing->last], info))
		return &picture->part[drawing->last];
	for (i = 0; i < count && !is_of(&picture->part[i], info);)
		i++;
	if (i == count) {
		drawing->err = grow_array(&picture->part, &drawing->room, count,
					  sizeof(*picture->part));
		if (drawing->err)
			return NULL;
		picture->part[picture->part_count++] =
			(struct la_picture_part){
				.pool = { info->pool[0], info->pool[1] },
				.stream = info->stream,
				.small = info->small,
			};
	}
	drawing->last = i;
	return &picture->part[i];
}

static void add_hole(struct la_holes *holes, uint64_t size)
{
	int bin = 63 - __builtin_clzll(size | 1);

	holes->count++;
	holes->bytes += size;
	if (size > holes->largest)
		holes->largest = size;
	holes->bin_count[bin]++;
	holes->bin_bytes[bin] += size;
}

/* Bytes of a free block that are a whole segment, or whole granules. */
static uint64_t idle_bytes(const struct la_block_info *info)
{
	uint64_t from, end;

	if (!info->granule)
		return info->size == info->segment_size ? info->size : 0;
	from = info->addr - info->segment_addr;
	end = from + info->size;
	from += info->granule - 1;
	from -= from % info->granule;
	end -= end % info->granule;
	return end > from ? end - from : 0;
}

static void add_segment(struct la_picture_part *part,
			const struct la_block_info *info)
{
	part->segments++;
	part->reserved += info->segment_size;
	if (!info->granule)
		return;
	part->ranges++;
	part->range_bytes += info->segment_size;
}

void drawing_add(void *data, const struct la_block_info *info)
{
	struct drawing *drawing = data;
	struct la_picture_part *part = find_part(drawing, info);

	if (!part)
		return;
	if (info->addr == info->segment_addr)
		add_segment(part, info);
	part->requested += info->requested;
	switch (info->state) {
	case LA_BLOCK_FREE:
		part->idle += idle_bytes(info);
		add_hole(&part->holes, info->size);
		return;
	case LA_BLOCK_LIVE:
		part->live += info->size;
		part->live_count++;
		return;
	case LA_BLOCK_PENDING:
		part->pending += info->size;
		part->pending_count++;
	}
}

void holes_add(struct la_holes *to, const struct la_holes *from)
{
	int i;

	to->count += from->count;
	to->bytes += from->bytes;
	if (from->largest > to->largest)
		to->largest = from->largest;
	for (i = 0; i < LA_HOLE_BINS; i++) {
		to->bin_count[i] += from->bin_count[i];
		to->bin_bytes[i] += from->bin_bytes[i];
	}
}

static void add_part(struct la_picture_part *to,
		     const struct la_picture_part *from)
{
	to->segments += from->segments;
	to->ranges += from->ranges;
	to->reserved += from->reserved;
	to->range_bytes += from->range_bytes;
	to->live += from->live;
	to->live_count += from->live_count;
	to->pending += from->pending;
	to->pending_count += from->pending_count;
	to->requested += from->requested;
	to->idle += from->idle;
	holes_add(&to->holes, &from->holes);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_owner(const void *a, const void *b)
{
	const struct la_picture_part *x = a, *y = b;
	int order = compare_numbers(x->pool[0], y->pool[0]);

	if (!order)
		order = compare_numbers(x->pool[1], y->pool[1]);
	if (!order)
		order = compare_numbers(x->stream, y->stream);
	return order ? order : x->small - y->small;
}

int drawing_finish(struct drawing *drawing, struct la_picture *out)
{
	struct la_picture *picture = &drawing->picture;
	size_t i;

	if (drawing->err < 0) {
		la_picture_release(picture);
		return drawing->err;
	}
	for (i = 0; i < picture->part_count; i++)
		add_part(&picture->total, &picture->part[i]);
	if (picture->part_count)
		qsort(picture->part, picture->part_count,
		      sizeof(*picture->part), by_owner);
	*out = *picture;
	return 0;
}

LA_EXPORT int la_heap_picture(const struct la_heap *heap,
			      struct la_picture *out)
{
	struct drawing drawing = { 0 };

	la_heap_walk(heap, drawing_add, &drawing);
	return drawing_finish(&drawing, out);
}

LA_EXPORT void la_picture_release(struct la_picture *picture)
{
	free(picture->part);
	*picture = (struct la_picture){ 0 };
}
