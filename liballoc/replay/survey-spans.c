// SPDX-License-Identifier: Apache-2.0
/* The spans of a survey: which are alive, and what the heap has in them. */

#include <errno.h>

#include "heap/round.h"
#include "replay/surveyor.h"
#include "util/array.h"

enum { SPANS_MAX = 1 << 20 };

void survey_add_to(struct surveyor *s, struct index_list *list, uint32_t span)
{
	if (list_add(list, span) < 0)
		s->error = -ENOMEM;
}

/* ---- spans */

int survey_add_span(struct surveyor *s, size_t event, uint32_t *span)
{
	struct survey *survey = s->survey;

	if (survey->span_count == SPANS_MAX)
		return -E2BIG;
	if (grow_array(&survey->span, &survey->span_room, survey->span_count,
		       sizeof(*survey->span)) < 0 ||
	    grow_array(&s->track, &s->track_room, survey->span_count,
		       sizeof(*s->track)) < 0)
		return -ENOMEM;
	*span = (uint32_t)survey->span_count++;
	survey->span[*span] = (struct survey_span){ (uint32_t)event, NO_POOL };
	s->track[*span] = (struct track){ .set = NO_SET };
	return 0;
}

int survey_link_span(struct surveyor *s, uint32_t span, uint32_t set)
{
	struct track *track = &s->track[span];
	struct alive *alive;

	while (s->alive_count <= set) {
		if (grow_array(&s->alive, &s->alive_room, s->alive_count,
			       sizeof(*s->alive)) < 0)
			return -ENOMEM;
		s->alive[s->alive_count++] = (struct alive){ NO_SPAN, NO_SPAN };
	}
	alive = &s->alive[set];
	track->set = set;
	track->before = alive->last;
	track->after = NO_SPAN;
	if (alive->last != NO_SPAN)
		s->track[alive->last].after = span;
	else
		alive->first = span;
	alive->last = span;
	return 0;
}

void survey_unlink_span(struct surveyor *s, uint32_t span)
{
	const struct track *track = &s->track[span];
	struct alive *alive = &s->alive[track->set];

	if (track->before != NO_SPAN)
		s->track[track->before].after = track->after;
	else
		alive->first = track->after;
	if (track->after != NO_SPAN)
		s->track[track->after].before = track->before;
	else
		alive->last = track->before;
}

uint32_t survey_first_alive(const struct surveyor *s, uint32_t set)
{
	return set < s->alive_count ? s->alive[set].first : NO_SPAN;
}

static void mark_given(struct surveyor *s)
{
	size_t i;

	s->mark++;
	for (i = 0; i < s->given_count; i++)
		s->track[s->given[i].span].mark = s->mark;
}

static void mark_list(struct surveyor *s, const struct index_list *list)
{
	size_t i;

	s->mark++;
	for (i = 0; i < list->count; i++)
		s->track[list->at[i]].mark = s->mark;
}

/* Leave in a list what has the last mark, or what has not. */
static void sift(const struct surveyor *s, struct index_list *list, bool marked)
{
	size_t i, kept = 0;

	for (i = 0; i < list->count; i++)
		if ((s->track[list->at[i]].mark == s->mark) == marked)
			list->at[kept++] = list->at[i];
	list->count = kept;
}

/* ---- questions about the heap */

/* Blocks of at least so many bytes are passed over for a request. */
static uint64_t search_bound(const struct la_setting_values *setting,
			     uint64_t size)
{
	if (size < setting->max_split_size)
		return setting->max_split_size;
	return size + setting->max_non_split_rounding;
}

/* The block that a chain, alone in its pool, has for a request; with
 * expandable segments on. */
static uint32_t search_chain(struct surveyor *s, uint32_t span, uint64_t size)
{
	const struct la_heap *heap = s->follower.heap;
	const struct free_set *free = &heap->set[s->track[span].set].free;
	uint32_t best = LA_NO_BLOCK, id;

	for (id = free_set_from(free, heap->block, size, 0);
	     id != LA_NO_BLOCK && spend(s);
	     id = free_set_next(free, heap->block, id)) {
		if (s->follower.span_of[id] != span)
			continue;
		if (best != LA_NO_BLOCK &&
		    block_reach(heap, id) >= block_reach(heap, best))
			break;
		best = id;
	}
	if (best != LA_NO_BLOCK &&
	    heap->block[best].size >= search_bound(&heap->setting, size))
		best = LA_NO_BLOCK;
	return best;
}

static bool stands_before(const struct block *a, const struct block *b)
{
	return a->size < b->size || (a->size == b->size && a->addr < b->addr);
}

/* Is a block, if it is one, before `used`, if that is one? */
static bool is_better(const struct la_heap *heap, uint32_t id, uint32_t used)
{
	return id != LA_NO_BLOCK &&
	       (used == LA_NO_BLOCK ||
		stands_before(&heap->block[id], &heap->block[used]));
}

static void list_fit_chains(struct surveyor *s, const struct stretch *stretch,
			    uint32_t used, struct index_list *list)
{
	const struct la_heap *heap = s->follower.heap;
	uint32_t span;

	for (span = survey_first_alive(s, stretch->set);
	     span != NO_SPAN && spend(s); span = s->track[span].after)
		if (s->track[span].chained &&
		    is_better(heap, search_chain(s, span, stretch->size), used))
			survey_add_to(s, list, span);
}

/* Spans in which a request would find a block if their pool held nothing else;
 * with `used`, only if that stands before this one. */
void survey_list_fits(struct surveyor *s, const struct stretch *stretch,
		      uint32_t used, struct index_list *list)
{
	const struct la_heap *heap = s->follower.heap;
	uint64_t bound = search_bound(&heap->setting, stretch->size);
	const struct free_set *free;
	uint32_t id, span;

	list->count = 0;
	if (stretch->set == NO_SET)
		return;
	s->mark++;
	free = &heap->set[stretch->set].free;
	for (id = free_set_from(free, heap->block, stretch->size, 0);
	     is_better(heap, id, used) && heap->block[id].size < bound &&
	     spend(s);
	     id = free_set_next(free, heap->block, id)) {
		span = s->follower.span_of[id];
		if (heap->block[id].chained || s->track[span].mark == s->mark)
			continue;
		s->track[span].mark = s->mark;
		survey_add_to(s, list, span);
	}
	if (heap->setting.expandable_segments)
		list_fit_chains(s, stretch, used, list);
}

static bool has_idle_granule(struct surveyor *s, const struct track *track)
{
	const struct la_heap *heap = s->follower.heap;
	const struct set *set = &heap->set[track->set];
	uint64_t granule = heap_granule(heap, set->class);
	uint32_t span = (uint32_t)(track - s->track), id;

	for (id = free_set_from(&set->free, heap->block, granule, 0);
	     id != LA_NO_BLOCK && spend(s);
	     id = free_set_next(&set->free, heap->block, id)) {
		uint64_t at = heap->block[id].addr - track->addr;

		if (s->follower.span_of[id] == span &&
		    (at + heap->block[id].size) / granule >
			    (at + granule - 1) / granule)
			return true;
	}
	return false;
}

/* Would a flush of its pool take from a span? */
static bool is_idle(struct surveyor *s, uint32_t span)
{
	const struct track *track = &s->track[span];
	uint32_t id;

	if (track->chained)
		return has_idle_granule(s, track);
	id = follow_block(&s->follower, track->addr, BLOCK_FREE);
	return id != LA_NO_BLOCK &&
	       is_idle_segment(&s->follower.heap->block[id]);
}

/* Those that a flush of their pool would take from, and that gave nothing. */
void survey_list_left(struct surveyor *s)
{
	uint32_t set, span;

	s->left.count = 0;
	mark_given(s);
	for (set = 0; set < s->alive_count; set++)
		for (span = s->alive[set].first; span != NO_SPAN && spend(s);
		     span = s->track[span].after)
			if (s->track[span].mark != s->mark && is_idle(s, span))
				survey_add_to(s, &s->left, span);
}

/* What the request could have got: of it, what it had before and after the
 * completions, as those may belong to a flush behind the search. */
void survey_settle_fits(struct surveyor *s, const struct stretch *stretch)
{
	if (!stretch->fits)
		return;
	if (stretch->full || s->given_count) {
		mark_list(s, &s->fit_before);
		sift(s, &s->fit, true);
	}
	mark_given(s);
	sift(s, &s->fit, false);
}
