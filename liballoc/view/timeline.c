// SPDX-License-Identifier: Apache-2.0
/* Bytes over time: la_timeline_read(). */

#include <errno.h>
#include <stdlib.h>

#include "replay/program.h"
#include "util/error.h"
#include "view/phases.h"
#include "view/walk.h"

/* A timeline while it is drawn.  Whenever there are as many points as may be,
 * each two become one, so that all stand for equally many events. */
struct drawing {
	const struct scene *scene; /* borrowed */
	struct la_timeline timeline;
	size_t point_room, oom_room;
	size_t point_limit; /* 0: none */
	uint64_t events_per_point;
	struct phases phases;
};

static void widen(struct la_timeline_point *point,
		  const struct la_timeline_point *by)
{
	widen_range(point->live, by->live[0]);
	widen_range(point->live, by->live[1]);
	widen_range(point->reserved, by->reserved[0]);
	widen_range(point->reserved, by->reserved[1]);
}

static void halve(struct drawing *drawing)
{
	struct la_timeline *timeline = &drawing->timeline;
	size_t count = timeline->point_count, i;

	for (i = 0; i < count; i++) {
		if (i % 2)
			widen(&timeline->point[i / 2], &timeline->point[i]);
		else
			timeline->point[i / 2] = timeline->point[i];
	}
	timeline->point_count = (count + 1) / 2;
	drawing->events_per_point *= 2;
}

static int add_point(struct drawing *drawing,
		     const struct la_timeline_point *point)
{
	struct la_timeline *timeline = &drawing->timeline;

	if (drawing->point_limit &&
	    timeline->point_count == drawing->point_limit &&
	    !(point->event % drawing->events_per_point))
		halve(drawing);
	if (point->event % drawing->events_per_point) {
		widen(&timeline->point[timeline->point_count - 1], point);
		return 0;
	}
	if (grow_array(&timeline->point, &drawing->point_room,
		       timeline->point_count, sizeof(*point)) < 0)
		return -ENOMEM;
	timeline->point[timeline->point_count++] = *point;
	return 0;
}

static int add_oom(struct drawing *drawing, const struct la_view_event *event)
{
	struct la_timeline *timeline = &drawing->timeline;

	if (grow_array(&timeline->oom, &drawing->oom_room, timeline->oom_count,
		       sizeof(*timeline->oom)) < 0)
		return -ENOMEM;
	timeline->oom[timeline->oom_count++] = (struct la_view_oom){
		.event = event->event,
		.size = event->size,
	};
	return 0;
}

static struct la_timeline_point point_of(const struct drawing *drawing,
					 uint64_t event, uint64_t time_us)
{
	uint64_t live = scene_bytes(drawing->scene->live);
	uint64_t reserved = scene_bytes(drawing->scene->reserved);

	return (struct la_timeline_point){
		.event = event,
		.time_us = time_us,
		.live = { live, live },
		.reserved = { reserved, reserved },
	};
}

/* Before the next event, is more held than ever? */
static void find_peak(struct drawing *drawing)
{
	struct la_timeline *timeline = &drawing->timeline;
	uint64_t live = scene_bytes(drawing->scene->live);
	uint64_t reserved = scene_bytes(drawing->scene->reserved);

	if (live > timeline->peak_live) {
		timeline->peak_live = live;
		timeline->peak = timeline->event_count;
	}
	if (reserved > timeline->peak_reserved)
		timeline->peak_reserved = reserved;
}

/* A la_view_visitor. */
static int draw(void *data, const struct la_view_event *event)
{
	struct drawing *drawing = data;
	struct la_timeline_point point;
	int err;

	if (event->event == UINT64_MAX) {
		find_peak(drawing);
		return 0;
	}
	point = point_of(drawing, event->event, event->time_us);
	drawing->timeline.event_count++;
	find_peak(drawing);
	phases_pass(&drawing->phases, event);
	err = add_point(drawing, &point);
	if (!err && event->action == LA_OOM)
		err = add_oom(drawing, event);
	return err;
}

/* Without events there is a point, of what is held. */
static int finish(struct drawing *drawing)
{
	struct la_timeline *timeline = &drawing->timeline;
	struct la_timeline_point point = point_of(drawing, 0, 0);
	int err = timeline->point_count ? 0 : add_point(drawing, &point);

	return err ? err : phases_finish(&drawing->phases, timeline);
}

static int read_into(struct drawing *drawing, struct walk *walk,
		     unsigned int device, struct la_error *err)
{
	int code = phases_init(&drawing->phases, walk->recording, device);

	if (!code)
		code = walk_run(walk, err);
	if (!code)
		code = finish(drawing);
	return code == -ENOMEM ? la_error_set(err, code, LA_NO_OFFSET,
					      "out of memory") :
				 code;
}

static void tell_card(struct la_timeline *timeline, const struct walk *walk)
{
	const struct la_program *program = walk->program;

	if (program)
		timeline->limit = walk->replay && !walk->replay->as_recorded ?
					  walk->replay->limit :
					  program->info.limit;
	timeline->total = program ? program->info.total : walk->device->total;
}

LA_EXPORT int la_timeline_read(struct la_timeline *out,
			       const struct la_recording *recording,
			       unsigned int device,
			       const struct la_program *program,
			       const struct la_view_options *options,
			       struct la_error *err)
{
	struct drawing drawing = { .events_per_point = 1 };
	struct walk walk;
	int code = walk_init(&walk, recording, device, program, options, err);

	walk.visitor = draw;
	walk.data = &drawing;
	drawing.scene = &walk.scene;
	drawing.point_limit = options ? options->point_count : 0;
	if (!code)
		code = read_into(&drawing, &walk, device, err);
	if (!code)
		tell_card(&drawing.timeline, &walk);
	phases_destroy(&drawing.phases);
	walk_destroy(&walk);
	if (code < 0)
		la_timeline_release(&drawing.timeline);
	else
		*out = drawing.timeline;
	return code;
}

LA_EXPORT void la_timeline_release(struct la_timeline *timeline)
{
	free(timeline->point);
	free(timeline->oom);
	free(timeline->phase);
	*timeline = (struct la_timeline){ 0 };
}
