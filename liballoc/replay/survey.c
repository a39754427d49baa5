// SPDX-License-Identifier: Apache-2.0
/*
 * Rules about owners: survey_read().  The recording is followed request by
 * request, and each says something of two spans: a better block was passed
 * over, or memory taken although some was free, so they are of two pools; a
 * flush took from one and not from the other; it took in the wrong order.
 * What served the request is compared with all others of its stream and class,
 * what gave memory back with all that are idle.
 */

#include <errno.h>
#include <stdlib.h>

#include "heap/round.h"
#include "replay/surveyor.h"
#include "util/array.h"

enum { WORK_MAX = 1 << 26 };

static int give(struct surveyor *s, size_t at)
{
	struct given given = { .event = (uint32_t)at };
	bool gone = false;
	int err = follow_give(&s->follower, &s->program->event[at], &s->work,
			      &given.span, &gone);

	if (err < 0)
		return err;
	if (gone)
		survey_unlink_span(s, given.span);
	if (grow_array(&s->given, &s->given_room, s->given_count,
		       sizeof(*s->given)) < 0)
		return -ENOMEM;
	s->given[s->given_count++] = given;
	return 0;
}

static void note_fits(struct surveyor *s, struct stretch *stretch)
{
	if (stretch->fits && !stretch->fit_known)
		survey_list_fits(s, stretch, LA_NO_BLOCK, &s->fit);
	stretch->fit_known = true;
}

/* Completions, and what goes back to the device. */
static int give_back(struct surveyor *s, struct stretch *stretch)
{
	size_t i;
	int err = 0;

	s->given_count = 0;
	for (i = stretch->begin; i < stretch->end && !err; i++) {
		const struct la_event *event = &s->program->event[i];

		if (event->action == LA_FREE_COMPLETED) {
			err = follow_complete(&s->follower, event->addr);
		} else if (is_given_back(event->action)) {
			note_fits(s, stretch);
			err = give(s, i);
		}
	}
	if (!err)
		note_fits(s, stretch);
	return err;
}

static int new_span(struct surveyor *s, size_t at, uint32_t *span)
{
	const struct la_event *event = &s->program->event[at];
	bool chained = event->action == LA_SEGMENT_MAP;
	uint32_t other, set;
	int err = survey_add_span(s, at, span);

	if (!err && chained)
		err = follow_chain(&s->follower, event, *span);
	else if (!err)
		err = follow_segment(&s->follower, event, *span);
	if (err < 0)
		return err;
	set = follow_set(&s->follower, event->stream, follow_class(event));
	/* A chain has room for all that its pool can get. */
	for (other = survey_first_alive(s, set);
	     chained && other != NO_SPAN && spend(s);
	     other = s->track[other].after)
		survey_add_rule(s, other, *span, RULE_DIFFER);
	s->track[*span].addr = event->addr;
	s->track[*span].chained = chained;
	return survey_link_span(s, *span, set);
}

/* Memory came; *span is that of the last. */
static int grow(struct surveyor *s, const struct stretch *stretch,
		uint32_t *span)
{
	size_t i;
	int err = 0;

	for (i = stretch->begin; i < stretch->end && !err; i++) {
		const struct la_event *event = &s->program->event[i];
		bool maps = event->action == LA_SEGMENT_MAP;
		uint32_t id = LA_NO_BLOCK;

		if (!maps && event->action != LA_SEGMENT_ALLOC)
			continue;
		if (maps)
			id = follow_block(&s->follower, event->addr,
					  BLOCK_UNMAPPED);
		if (id == LA_NO_BLOCK)
			err = new_span(s, i, span);
		if (!err && maps)
			id = follow_block(&s->follower, event->addr,
					  BLOCK_UNMAPPED);
		if (!err && maps)
			err = follow_map(&s->follower, event, id);
		if (!err && maps)
			*span = s->follower.span_of[id];
	}
	return err;
}

/* The block that was used is the best of its pool.  (Two chains of a stream
 * and class are never of one pool.) */
static int hit(struct surveyor *s, const struct stretch *stretch,
	       uint32_t *span)
{
	uint32_t id =
		follow_block(&s->follower, stretch->request->addr, BLOCK_FREE);

	if (id == LA_NO_BLOCK)
		return -EBADMSG;
	*span = s->follower.span_of[id];
	if (s->follower.heap->block[id].chained || !wants_rules(s))
		return 0;
	survey_list_fits(s, stretch, id, &s->fit);
	survey_compare_fit(s, *span);
	return 0;
}

static int take(struct surveyor *s, const struct stretch *stretch)
{
	uint32_t id =
		follow_block(&s->follower, stretch->request->addr, BLOCK_FREE);

	if (id == LA_NO_BLOCK ||
	    s->follower.heap->block[id].set !=
		    follow_set(&s->follower, stretch->request->stream,
			       stretch->class))
		return -EBADMSG;
	return follow_take(&s->follower, id, stretch->size,
			   stretch->request->size);
}

/* Is this what survey_involved() looks for?  Then keep it. */
static int keep_involved(struct surveyor *s, size_t at, uint32_t span)
{
	size_t i;

	if (!s->involved || at < s->wanted)
		return 0;
	s->involved->span = span;
	s->mark++;
	for (i = 0; i < s->given_count; i++) {
		struct track *track = &s->track[s->given[i].span];

		if (track->mark == s->mark)
			continue;
		track->mark = s->mark;
		survey_add_to(s, &s->involved->given, s->given[i].span);
	}
	for (i = 0; i < s->left.count; i++)
		survey_add_to(s, &s->involved->left, s->left.at[i]);
	s->done = true;
	return s->error;
}

/* A flush of the program, or the end of a pool. */
static int read_flush(struct surveyor *s, struct stretch *stretch)
{
	int err = give_back(s, stretch);

	if (err < 0 || !s->given_count)
		return err;
	survey_list_left(s);
	err = keep_involved(s, stretch->end - 1, NO_SPAN);
	survey_compare_given(s, stretch, stretch->end - 1);
	return err;
}

static int64_t excess(const struct surveyor *s)
{
	double threshold =
		s->follower.heap->setting.garbage_collection_threshold;
	uint64_t cap = s->program->cap;

	if (cap == UINT64_MAX || threshold <= 0)
		return 0;
	return (int64_t)(s->follower.heap->stats.reserved -
			 (uint64_t)(threshold * (double)cap));
}

static int begin_request(struct surveyor *s, struct stretch *stretch)
{
	const struct la_setting_values *setting = &s->follower.heap->setting;
	const struct la_event *request = stretch->request;
	bool oom = request->action == LA_OOM;
	size_t i;

	if (request->size >= REQUEST_MAX)
		return -EBADMSG;
	stretch->size = round_request(setting, request->size);
	stretch->class = class_of(stretch->size);
	stretch->set =
		follow_set(&s->follower, request->stream, stretch->class);
	stretch->miss = oom;
	for (i = stretch->begin; i < stretch->end && !stretch->miss; i++)
		stretch->miss =
			s->program->event[i].action == LA_SEGMENT_ALLOC ||
			s->program->event[i].action == LA_SEGMENT_MAP;
	stretch->full = s->program->cap != UINT64_MAX &&
			s->follower.heap->stats.reserved +
					round_segment(setting, stretch->size) >
				s->program->cap;
	stretch->excess = stretch->miss ? excess(s) : 0;
	stretch->fits = stretch->miss && wants_rules(s) &&
			(oom || !setting->expandable_segments);
	return 0;
}

/* Where the request was served; *span is that of its block, or the oom. */
static int find_server(struct surveyor *s, const struct stretch *stretch,
		       uint32_t *span)
{
	bool oom = stretch->request->action == LA_OOM;
	int err = 0;

	if (stretch->miss)
		err = grow(s, stretch, span);
	else
		err = hit(s, stretch, span);
	if (!err && oom)
		err = survey_add_span(s, stretch->end, span);
	return err;
}

static int serve(struct surveyor *s, struct stretch *stretch)
{
	uint32_t span = NO_SPAN;
	int err = begin_request(s, stretch);

	if (err < 0)
		return err;
	if (stretch->fits)
		survey_list_fits(s, stretch, LA_NO_BLOCK, &s->fit_before);
	err = give_back(s, stretch);
	if (err < 0)
		return err;
	survey_settle_fits(s, stretch);
	s->left.count = 0;
	if (s->given_count || stretch->excess > 0 || s->involved ||
	    stretch->request->action == LA_OOM)
		survey_list_left(s);
	err = find_server(s, stretch, &span);
	if (!err)
		err = keep_involved(s, stretch->end, span);
	if (err < 0)
		return err;
	if (stretch->excess > 0 && !s->given_count)
		survey_compare_kept(s);
	if (stretch->miss)
		survey_compare_missed(s, stretch, span);
	survey_compare_given(s, stretch, stretch->end);
	return stretch->request->action == LA_OOM ? 0 : take(s, stretch);
}

static bool ends_stretch(const struct la_event *event)
{
	return event->action == LA_ALLOC || event->action == LA_OOM ||
	       event->action == LA_FREE_REQUESTED;
}

/* Reads the stretch that begins at *at, and moves on behind it. */
static int read_stretch(struct surveyor *s, size_t *at)
{
	const struct la_event *event = s->program->event;
	size_t count = s->program->event_count;
	struct stretch stretch = { .begin = *at, .end = *at };

	if (event[*at].action == LA_FREE_REQUESTED)
		return follow_request(&s->follower, event[(*at)++].addr);
	while (stretch.end < count && !ends_stretch(&event[stretch.end]))
		stretch.end++;
	*at = stretch.end;
	if (stretch.end == count ||
	    event[stretch.end].action == LA_FREE_REQUESTED)
		return read_flush(s, &stretch);
	stretch.request = &event[stretch.end];
	++*at;
	return serve(s, &stretch);
}

static int read_events(struct surveyor *s)
{
	size_t at = 0;
	int err = 0;

	while (at < s->program->event_count && !err && !s->done) {
		err = read_stretch(s, &at);
		if (!err)
			err = s->error;
	}
	return err;
}

/* The pools of the spans that are there at the end. */
static int read_pools(struct surveyor *s)
{
	const struct la_recorded_device *device = s->program->device;
	size_t i;

	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *segment =
			&device->segments[i];
		int pool = program_segment_pool(s->program, segment);
		uint32_t id;

		if (pool < 0)
			return pool;
		if (!addr_map_get(&s->follower.block_at, segment->addr, &id) ||
		    s->follower.heap->block[id].addr != segment->addr ||
		    s->follower.heap->block[id].state == BLOCK_SPARE)
			return -EBADMSG;
		s->survey->span[s->follower.span_of[id]].pool = (uint32_t)pool;
	}
	return 0;
}

static int begin_survey(struct surveyor *s, struct survey *survey,
			struct la_program *program)
{
	*survey = (struct survey){ 0 };
	*s = (struct surveyor){
		.program = program,
		.survey = survey,
		.work = WORK_MAX,
	};
	return follow_init(&s->follower, program);
}

static void end_survey(struct surveyor *s)
{
	follow_destroy(&s->follower);
	free(s->track);
	free(s->alive);
	addr_map_destroy(&s->known);
	free(s->given);
	free(s->left.at);
	free(s->fit.at);
	free(s->fit_before.at);
}

int survey_read(struct survey *survey, struct la_program *program)
{
	struct surveyor s;
	int err = begin_survey(&s, survey, program);

	if (err < 0)
		return err;
	err = read_events(&s);
	if (!err)
		err = read_pools(&s);
	end_survey(&s);
	if (err < 0)
		survey_destroy(survey);
	return err;
}

int survey_involved(struct involved *involved, struct la_program *program,
		    size_t event)
{
	struct survey survey;
	struct surveyor s;
	int err = begin_survey(&s, &survey, program);

	*involved = (struct involved){ .span = NO_SPAN };
	if (err < 0)
		return err;
	s.involved = involved;
	s.wanted = event;
	err = read_events(&s);
	end_survey(&s);
	survey_destroy(&survey);
	if (err < 0)
		involved_destroy(involved);
	return err;
}

void survey_destroy(struct survey *survey)
{
	free(survey->span);
	free(survey->rule);
	free(survey->likely);
	*survey = (struct survey){ 0 };
}

void involved_destroy(struct involved *involved)
{
	free(involved->given.at);
	free(involved->left.at);
	*involved = (struct involved){ 0 };
}
