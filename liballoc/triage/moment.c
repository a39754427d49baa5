// SPDX-License-Identifier: Apache-2.0
/*
 * The heap at the moment of an OOM, by a probe's records alone: what was held
 * and free needs no replay.
 */
#include <errno.h>
#include <string.h>

#include "trace/probe.h"
#include "triage/moment.h"
#include "triage/recording.h"
#include "util/util.h"

/* torch's largest request of the small class. */
#define SMALL_REQUEST MIB

static bool is_report_of(const struct la_probe_record *record,
			 const struct la_probe_oom *oom)
{
	return record->op == LA_PROBE_OP_BLOCK_OOM &&
	       record->device == oom->device && record->size == oom->request &&
	       record->stream == oom->allocated &&
	       record->other == oom->reserved;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* The report next to the beginning of an episode, which it may have begun
 * itself; false: it is not there. */
static bool find_report(const struct la_probe *probe,
			const struct la_probe_oom *oom, size_t *report)
{
	const struct la_probe_record *record;
	uint64_t least = UINT64_MAX, far;
	size_t count, i;

	record = la_probe_records(probe, &count);
	for (i = 0; i < count; i++) {
		far = distance(record[i].time, oom->time);
		if (far >= least || !is_report_of(&record[i], oom))
			continue;
		least = far;
		*report = i;
	}
	return least != UINT64_MAX;
}

/* Free blocks of the request's pool: of its class, and of the other. */
static void split_holes(struct la_holes own[2],
			const struct la_picture *picture, uint64_t pool,
			bool small)
{
	size_t i;

	memset(own, 0, 2 * sizeof(*own));
	for (i = 0; i < picture->part_count; i++) {
		const struct la_picture_part *part = &picture->part[i];
		struct la_holes *holes = &own[part->small != small];

		if (part->pool[1] != pool)
			continue;
		holes->bytes += part->holes.bytes;
		if (holes->largest < part->holes.largest)
			holes->largest = part->holes.largest;
	}
}

/* One that would have served it is of another stream, or is not to be split:
 * then bounds are known. */
static void tell_free(struct la_facts *facts, const struct la_picture *picture,
		      uint64_t pool, uint64_t request)
{
	struct la_holes holes[2];

	split_holes(holes, picture, pool, request <= SMALL_REQUEST);
	set_exact(facts, LA_AMOUNT_CLASS_FREE, holes[1].bytes);
	if (holes[0].largest < request) {
		set_exact(facts, LA_AMOUNT_LARGEST, holes[0].largest);
		set_exact(facts, LA_AMOUNT_OWN_FREE, holes[0].bytes);
		return;
	}
	set_amount(facts, LA_AMOUNT_LARGEST, 0, holes[0].largest,
		   LA_BASIS_DERIVED);
	set_amount(facts, LA_AMOUNT_OWN_FREE, 0, holes[0].bytes,
		   LA_BASIS_DERIVED);
}

/* Only where it adds up to what the allocator itself said. */
static void tell_held(struct la_facts *facts, const struct la_picture *picture,
		      uint64_t pool, const struct la_probe_oom *oom)
{
	if (picture->total.reserved != oom->reserved ||
	    picture->total.live != oom->allocated)
		return;
	la_sum_up(facts, picture, oom->reserved, oom->allocated);
	la_forget_unseen(facts);
	tell_free(facts, picture, pool, oom->request);
	facts->private_request = pool;
}

int la_tell_moment(struct la_facts *facts, const struct la_probe *probe,
		   const struct la_probe_oom *oom)
{
	struct la_recording *recording;
	struct la_picture picture;
	uint64_t pool;
	size_t report;
	int err;

	if (!find_report(probe, oom, &report))
		return 0;
	err = la_probe_moment(&recording, probe, report, &pool);
	if (err < 0)
		return err;
	err = la_recording_picture(recording, oom->device, &picture);
	if (!err) {
		tell_held(facts, &picture, pool, oom);
		la_picture_release(&picture);
	}
	la_recording_free(recording);
	return err;
}
