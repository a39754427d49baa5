// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "view/phases.h"

/* An annotation of the device, for sorting. */
struct mark {
	uint64_t time_us;
	uint32_t number; /* of the annotation */
};

static int by_time(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->time_us != y->time_us)
		return x->time_us < y->time_us ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Returns how many there are. */
static size_t list_marks(const struct la_recording *recording,
			 unsigned int device, struct mark *mark)
{
	size_t all, count = 0, i;
	const struct la_annotation *annotation =
		la_recording_annotations(recording, &all);

	for (i = 0; i < all; i++)
		if (annotation[i].device == device)
			mark[count++] = (struct mark){
				.time_us = annotation[i].time_us,
				.number = (uint32_t)i,
			};
	if (count)
		qsort(mark, count, sizeof(*mark), by_time);
	return count;
}

int phases_init(struct phases *phases, const struct la_recording *recording,
		unsigned int device)
{
	struct mark *mark;
	size_t all, i;

	*phases = (struct phases){ .recording = recording };
	la_recording_annotations(recording, &all);
	mark = malloc((all + 1) * sizeof(*mark));
	phases->order = malloc((all + 1) * sizeof(*phases->order));
	phases->event = malloc((all + 1) * sizeof(*phases->event));
	if (mark && phases->order && phases->event)
		phases->count = list_marks(recording, device, mark);
	for (i = 0; i < phases->count; i++)
		phases->order[i] = mark[i].number;
	free(mark);
	return mark && phases->order && phases->event ? 0 : -ENOMEM;
}

void phases_destroy(struct phases *phases)
{
	free(phases->order);
	free(phases->event);
}

void phases_pass(struct phases *phases, const struct la_view_event *event)
{
	const struct la_annotation *annotation;
	size_t all;

	if (!event->time_us)
		return;
	annotation = la_recording_annotations(phases->recording, &all);
	while (phases->passed < phases->count &&
	       annotation[phases->order[phases->passed]].time_us <=
		       event->time_us)
		phases->event[phases->passed++] = event->event;
}

static int by_event(const void *a, const void *b)
{
	const struct la_view_phase *x = a, *y = b;

	if (x->event[0] != y->event[0])
		return x->event[0] < y->event[0] ? -1 : 1;
	return (x->event[1] < y->event[1]) - (x->event[1] > y->event[1]);
}

/* The phase that an end belongs to: the last of its name that is open. */
static struct la_view_phase *find_open(struct la_timeline *timeline,
				       const char *name)
{
	size_t i = timeline->phase_count;

	while (i--)
		if (timeline->phase[i].event[1] == UINT64_MAX &&
		    !strcmp(timeline->phase[i].name, name))
			return &timeline->phase[i];
	return NULL;
}

static void add_mark(struct la_timeline *timeline, uint64_t event,
		     const struct la_annotation *annotation)
{
	struct la_view_phase *open;

	if (!annotation->is_end) {
		timeline->phase[timeline->phase_count++] =
			(struct la_view_phase){
				.event = { event, UINT64_MAX },
				.name = annotation->name,
			};
		return;
	}
	open = find_open(timeline, annotation->name);
	if (open)
		open->event[1] = event;
}

/* What did not end lasts; what holds no event is none. */
static void close_all(struct la_timeline *timeline)
{
	size_t kept = 0, i;

	for (i = 0; i < timeline->phase_count; i++) {
		struct la_view_phase *phase = &timeline->phase[i];

		if (phase->event[1] == UINT64_MAX)
			phase->event[1] = timeline->event_count;
		if (phase->event[0] < phase->event[1])
			timeline->phase[kept++] = *phase;
	}
	timeline->phase_count = kept;
	if (kept)
		qsort(timeline->phase, kept, sizeof(*timeline->phase),
		      by_event);
}

int phases_finish(struct phases *phases, struct la_timeline *timeline)
{
	size_t all, i;
	const struct la_annotation *annotation =
		la_recording_annotations(phases->recording, &all);

	timeline->phase = malloc((phases->count + 1) *
				 sizeof(*timeline->phase));
	if (!timeline->phase)
		return -ENOMEM;
	for (i = 0; i < phases->count; i++)
		add_mark(timeline,
			 i < phases->passed ? phases->event[i] :
					      timeline->event_count,
			 &annotation[phases->order[i]]);
	close_all(timeline);
	return 0;
}
