// SPDX-License-Identifier: Apache-2.0
/* What a stretch of events says of the owners of two spans. */

#include <errno.h>

#include "replay/surveyor.h"
#include "util/array.h"

/* ---- what is found */

void survey_add_rule(struct surveyor *s, uint32_t a, uint32_t b,
		     enum rule_kind kind)
{
	struct survey *survey = s->survey;
	struct rule rule = { a < b ? a : b, a < b ? b : a, kind };
	uint64_t key = (uint64_t)rule.a << 32 | rule.b << 2 | kind;
	uint32_t there;

	if (!wants_rules(s) || (a == b && kind != RULE_NOT_DEFAULT) ||
	    addr_map_get(&s->known, key, &there))
		return;
	if (addr_map_set(&s->known, key, 0) < 0 ||
	    grow_array(&survey->rule, &survey->rule_room, survey->rule_count,
		       sizeof(*survey->rule)) < 0) {
		s->error = -ENOMEM;
		return;
	}
	survey->rule[survey->rule_count++] = rule;
}

static void add_likely(struct surveyor *s, size_t event, uint32_t a, uint32_t b)
{
	struct survey *survey = s->survey;

	if (s->involved || a == b || survey->likely_count == RULES_MAX)
		return;
	if (grow_array(&survey->likely, &survey->likely_room,
		       survey->likely_count, sizeof(*survey->likely)) < 0) {
		s->error = -ENOMEM;
		return;
	}
	survey->likely[survey->likely_count++] = (struct likely_rule){
		.event = (uint32_t)event,
		.rule = { a < b ? a : b, a < b ? b : a, RULE_SAME },
	};
}

static bool is_large_segment(const struct surveyor *s, uint32_t span)
{
	return !s->track[span].chained && !is_small_span(s, span);
}

/* Would the targeted release take an idle span for a request of its pool? */
static bool is_oversize(const struct surveyor *s, const struct stretch *stretch,
			uint32_t span)
{
	return stretch->class == LARGE_CLASS &&
	       s->track[span].set == stretch->set && !s->track[span].chained &&
	       span_event(s, span)->size >=
		       s->follower.heap->setting.max_split_size;
}

/* May age collection or the targeted release have given it back?  They leave
 * others behind. */
static bool is_partial(const struct surveyor *s, const struct stretch *stretch,
		       const struct la_event *event)
{
	if (!stretch->miss || event->action != LA_SEGMENT_FREE ||
	    event->size == SMALL_SEGMENT)
		return false;
	return stretch->excess > 0 ||
	       (stretch->class == LARGE_CLASS &&
		event->stream == stretch->request->stream &&
		event->size >= s->follower.heap->setting.max_split_size);
}

/* ---- comparisons */

static bool is_out_of_order(const struct la_event *first,
			    const struct la_event *second,
			    const struct surveyor *s)
{
	uint64_t a = s->program->streams[first->stream];
	uint64_t b = s->program->streams[second->stream];

	if (a != b || first->action != LA_SEGMENT_FREE)
		return a > b;
	if (first->size != second->size)
		return first->size > second->size;
	return first->addr > second->addr;
}

/* Two that gave one after the other.  A flush takes large before small, the
 * end of a private pool small before large, each in the order of the set. */
static void compare_order(struct surveyor *s, const struct given *given,
			  const struct given *later, bool is_next, size_t at)
{
	const struct la_event *event = s->program->event;
	bool small = is_small_span(s, given->span);

	if (small != is_small_span(s, later->span))
		survey_add_rule(s, given->span, later->span,
				small ? RULE_NOT_DEFAULT : RULE_NOT_PRIVATE);
	else if (is_out_of_order(&event[given->event], &event[later->event], s))
		survey_add_rule(s, given->span, later->span, RULE_DIFFER);
	else if (is_next) /* the same walk through one pool goes on */
		add_likely(s, at, given->span, later->span);
}

/* One walk takes all that is idle in its pool. */
void survey_compare_given(struct surveyor *s, const struct stretch *stretch,
			  size_t at)
{
	size_t i, j, count = 0;

	for (i = 0; i < s->given_count; i++)
		if (!is_partial(s, stretch,
				&s->program->event[s->given[i].event]))
			s->given[count++] = s->given[i];
	for (i = 0; i < count; i++) {
		const struct given *given = &s->given[i];

		for (j = 0; j < s->left.count && spend(s); j++)
			survey_add_rule(s, given->span, s->left.at[j],
					RULE_DIFFER);
		for (j = i + 1; j < count && spend(s); j++)
			if (s->given[j].span != given->span)
				compare_order(s, given, &s->given[j],
					      s->given[j].span == given[1].span,
					      at);
	}
}

/* Age collection would have taken something. */
void survey_compare_kept(struct surveyor *s)
{
	size_t i;

	for (i = 0; i < s->left.count; i++)
		if (is_large_segment(s, s->left.at[i]))
			survey_add_rule(s, s->left.at[i], s->left.at[i],
					RULE_NOT_DEFAULT);
}

/* The default pool would have been flushed before an OOM. */
static void compare_oom(struct surveyor *s, const struct stretch *stretch,
			uint32_t span)
{
	size_t i;

	for (i = 0; i < s->left.count; i++) {
		survey_add_rule(s, span, s->left.at[i], RULE_NOT_DEFAULT);
		if (is_oversize(s, stretch, s->left.at[i]))
			survey_add_rule(s, span, s->left.at[i], RULE_DIFFER);
	}
}

void survey_compare_fit(struct surveyor *s, uint32_t span)
{
	size_t i;

	for (i = 0; i < s->fit.count; i++)
		survey_add_rule(s, span, s->fit.at[i], RULE_DIFFER);
}

void survey_compare_missed(struct surveyor *s, const struct stretch *stretch,
			   uint32_t span)
{
	size_t i;

	if (stretch->request->action == LA_OOM)
		compare_oom(s, stretch, span);
	if (stretch->fits)
		survey_compare_fit(s, span);
	/* Its own flush, in all likelihood. */
	for (i = 0; stretch->full && stretch->excess <= 0 && i < s->given_count;
	     i++)
		add_likely(s, stretch->end, span, s->given[i].span);
}
