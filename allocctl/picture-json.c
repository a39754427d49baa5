// SPDX-License-Identifier: Apache-2.0
/* What a heap holds, for programs. */

#include "picture.h"
#include "source.h"

enum { HOLDERS_TOLD = 100 };

const char *const picture_layouts[] = {
	[LA_LAYOUT_RULE] = "rule",
	[LA_LAYOUT_UP] = "up",
	[LA_LAYOUT_DOWN] = "down",
	[LA_LAYOUT_SHUFFLE_1] = "shuffle 1",
	[LA_LAYOUT_SHUFFLE_2] = "shuffle 2",
};

static void json_holes(struct la_json *json, const char *key,
		       const struct la_holes *holes)
{
	int k;

	la_json_key(json, key);
	la_json_object_begin(json);
	la_json_member_uint(json, "bytes", holes->bytes);
	la_json_member_uint(json, "count", holes->count);
	la_json_member_uint(json, "largest", holes->largest);
	la_json_key(json, "histogram");
	la_json_array_begin(json);
	for (k = 0; k < LA_HOLE_BINS; k++) {
		if (!holes->bin_count[k])
			continue;
		la_json_object_begin(json);
		la_json_member_uint(json, "from", (uint64_t)1 << k);
		la_json_member_uint(json, "count", holes->bin_count[k]);
		la_json_member_uint(json, "bytes", holes->bin_bytes[k]);
		la_json_object_end(json);
	}
	la_json_array_end(json);
	la_json_object_end(json);
}

static void json_pool(struct la_json *json, const uint64_t pool[2])
{
	la_json_key(json, "pool");
	la_json_array_begin(json);
	la_json_uint(json, pool[0]);
	la_json_uint(json, pool[1]);
	la_json_array_end(json);
}

static void json_sums(struct la_json *json, const struct la_picture_part *part)
{
	la_json_member_uint(json, "reserved", part->reserved);
	la_json_member_uint(json, "segments", part->segments);
	la_json_member_uint(json, "expandable", part->range_bytes);
	la_json_member_uint(json, "expandable_ranges", part->ranges);
	la_json_member_uint(json, "live", part->live);
	la_json_member_uint(json, "live_blocks", part->live_count);
	la_json_member_uint(json, "pending", part->pending);
	la_json_member_uint(json, "pending_blocks", part->pending_count);
	la_json_member_uint(json, "requested", part->requested);
	la_json_member_uint(json, "releasable", part->idle);
	json_holes(json, "free", &part->holes);
}

void picture_json(struct la_json *json, const char *key,
		  const struct la_picture *picture)
{
	size_t i;

	la_json_key(json, key);
	la_json_object_begin(json);
	json_sums(json, &picture->total);
	la_json_key(json, "parts");
	la_json_array_begin(json);
	for (i = 0; i < picture->part_count; i++) {
		const struct la_picture_part *part = &picture->part[i];

		la_json_object_begin(json);
		json_pool(json, part->pool);
		la_json_member_uint(json, "stream", part->stream);
		la_json_member_bool(json, "small", part->small);
		json_sums(json, part);
		la_json_object_end(json);
	}
	la_json_array_end(json);
	la_json_object_end(json);
}

static void json_free(struct la_json *json, const struct la_oom_state *oom)
{
	static const char *const places[LA_FREE_PLACES] = {
		[LA_FREE_OWN] = "own",
		[LA_FREE_STREAMS] = "other_streams",
		[LA_FREE_CLASS] = "other_class",
		[LA_FREE_POOLS] = "other_pools",
	};
	int i;

	la_json_key(json, "free");
	la_json_object_begin(json);
	for (i = 0; i < LA_FREE_PLACES; i++)
		json_holes(json, places[i], &oom->free[i]);
	la_json_object_end(json);
}

static void json_holders(struct la_json *json, const struct la_oom_state *oom,
			 const struct holders *holders)
{
	size_t i;

	la_json_member_uint(json, "holder_count", oom->holder_count);
	la_json_key(json, "holders");
	la_json_array_begin(json);
	for (i = 0; i < oom->holder_count && i < HOLDERS_TOLD; i++) {
		const struct la_holder *holder = &oom->holder[i];

		holders_json(json, holders->recording, holder,
			     holders_stack(holders, holder->event));
	}
	la_json_array_end(json);
}

void picture_json_moment(struct la_json *json, const struct la_oom_state *oom,
			 const struct holders *holders)
{
	la_json_object_begin(json);
	la_json_member_uint(json, "event", oom->event);
	la_json_member_uint(json, "size", oom->size);
	la_json_member_uint(json, "rounded", oom->rounded);
	la_json_member_uint(json, "segment", oom->segment);
	la_json_member_uint(json, "stream", oom->stream);
	json_pool(json, oom->pool);
	la_json_member_bool(json, "small", oom->small);
	la_json_member_text(json, "layout", picture_layouts[oom->layout]);
	source_json_limit(json, "limit", &oom->limit);
	la_json_member_uint(json, "reserved", oom->stats.reserved);
	la_json_member_uint(json, "allocated", oom->stats.allocated);
	la_json_member_uint(json, "active", oom->stats.active);
	json_free(json, oom);
	picture_json(json, "held", &oom->picture);
	json_holders(json, oom, holders);
	la_json_object_end(json);
}

void picture_json_oom(struct la_json *json, const struct la_oom_state *oom,
		      const struct holders *holders)
{
	la_json_key(json, "oom");
	picture_json_moment(json, oom, holders);
}
