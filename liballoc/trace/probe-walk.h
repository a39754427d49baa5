/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose memory the driver gave, by its records and those of the allocator: what
 * a block of the allocator ever lay in is PyTorch's.
 */
#ifndef LA_TRACE_PROBE_WALK_H
#define LA_TRACE_PROBE_WALK_H

#include "trace/live.h"
#include "trace/probe.h"

/* What comes and goes by address. */
enum la_walk_family {
	LA_WALK_MEMORY, /* device memory that has an address of its own */
	LA_WALK_RESERVED, /* addresses */
	LA_WALK_MAPPED, /* memory mapped there */
	LA_WALK_BLOCK, /* the allocator's */
	LA_WALK_FAMILIES
};

#define LA_NO_SPAN UINT32_MAX

/* Memory that the driver gave at once, or addresses that it reserved. */
struct la_walk_span {
	uint64_t addr, size; /* bytes */
	uint64_t largest; /* bytes of the largest block that lay there */
	uint64_t granule; /* addresses: most bytes that were mapped at once */
	uint32_t capture; /* in which it was got, from 1; 0: in none */
	uint32_t stream; /* see probe-streams.h; 0 until then */
	uint8_t device; /* ordinal */
	bool reserved; /* addresses */
	bool torch; /* a block lay there */
};

/* Something that came to, or went from, one of the families; family -1: a
 * request failed, addr is the number of its record. */
struct la_walk_step {
	uint64_t addr, size; /* bytes */
	uint32_t span; /* in which it lies, or which it is; LA_NO_SPAN */
	int8_t family; /* enum la_walk_family */
	bool comes;
};

/* The records of a probe, walked to their end, or to a moment. */
struct la_walk {
	const struct la_probe *probe;
	struct la_live live[LA_WALK_FAMILIES]; /* as it is then; tags: numbers
						* of spans */
	struct la_walk_span *span; /* owned */
	size_t span_count, span_room;
	uint32_t *span_of; /* owned; by record: the span it is about */
	/* Owned; by number of the capture: one whose pool it shares; that of
	 * its own, if none. */
	uint32_t *capture;
	size_t capture_count, capture_room;
	uint8_t *failed_in; /* owned; by record: stream of a failure; else 0 */
	uint32_t stream_count; /* streams of spans and failures */
	uint32_t *capture_of; /* owned; by record: in which capture it is */
	struct la_walk_step *step; /* owned; in order */
	size_t step_count, step_room;
	size_t start_count; /* of these: what was there at the start */
	uint64_t max_split_size; /* bytes; UINT64_MAX: no limit */
};

/* 0 or -ENOMEM; then la_walk_release() has been called. */
int la_walk_probe(struct la_walk *walk, const struct la_probe *probe);
/* The same, to a report of the allocator, and not beyond. */
int la_walk_to_report(struct la_walk *walk, const struct la_probe *probe,
		      size_t report);
void la_walk_release(struct la_walk *walk);

/* Blocks are multiples of it; and what is left of a large block is not worth
 * a split.  Bytes, of torch's allocator. */
enum { LA_WALK_UNIT = 512, LA_WALK_REST = 1 << 20 };

/* Bytes that were asked for, as far as that can be told of a block. */
uint64_t la_walk_request(const struct la_walk *walk, uint64_t size);

/* Is it memory of torch's small blocks? */
bool la_walk_is_small(const struct la_walk_span *span);

/* The capture that names the pool which another one uses; 0: none. */
uint32_t la_walk_pool(struct la_walk *walk, uint32_t capture);

/* Was it a call that went well, or a report? */
static inline bool la_walk_counts(const struct la_probe_record *record)
{
	return !record->result && record->addr;
}

#endif /* LA_TRACE_PROBE_WALK_H */
