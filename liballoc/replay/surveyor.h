/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_SURVEYOR_H
#define LA_REPLAY_SURVEYOR_H

/* The survey under way, see survey.c. */

#include "replay/follow.h"
#include "replay/survey.h"

enum { RULES_MAX = 1 << 20 };

/* A span as long as it is followed. */
struct track {
	uint64_t addr; /* start */
	uint32_t set; /* of the heap; NO_SET: an OOM */
	uint32_t before, after; /* alive ones of the set, by number */
	uint32_t mark; /* the last mark set on it */
	bool chained;
};

/* The alive spans of a set. */
struct alive {
	uint32_t first, last;
};

struct given {
	uint32_t span;
	uint32_t event; /* the segment_free or segment_unmap */
};

struct surveyor {
	struct la_program *program; /* borrowed */
	struct survey *survey; /* borrowed; the result */
	struct involved *involved; /* borrowed; NULL: wanted are rules */
	size_t wanted; /* event whose spans are involved */
	bool done; /* they were found */
	struct follower follower;
	struct track *track; /* owned; by span */
	size_t track_room;
	struct alive *alive; /* owned; by set of the heap */
	size_t alive_count, alive_room;
	struct addr_map known; /* rules there are; value: unused */
	uint64_t work; /* steps left */
	uint32_t mark; /* the last that was used */
	int error; /* of what returns nothing: 0 or -ENOMEM */

	/* The stretch under way. */
	struct given *given; /* owned; what went back, in order */
	size_t given_count, given_room;
	struct index_list left; /* idle spans that did not give */
	struct index_list fit; /* spans with a block for the request */
	struct index_list fit_before; /* ... before completions */
};

/* Events up to a request, a free request, or the end. */
struct stretch {
	size_t begin, end;
	const struct la_event *request; /* alloc or oom at end, or NULL */
	uint64_t size; /* rounded request */
	enum size_class class;
	uint32_t set; /* that could serve the request, or NO_SET */
	bool miss; /* nothing in the cache served it */
	bool full; /* the limit refused new memory before */
	bool fits; /* are spans with a block for it of interest? */
	bool fit_known;
	int64_t excess; /* bytes that age collection wants back */
};

/* Take a step of all walks and comparisons; false if there are no more. */
static inline bool spend(struct surveyor *s)
{
	if (!s->work)
		return false;
	s->work--;
	return true;
}

/* Can a comparison add a rule still?  Else none needs to be made. */
static inline bool wants_rules(const struct surveyor *s)
{
	return !s->involved && s->survey->rule_count < RULES_MAX;
}

/* The event that brought a span. */
static inline const struct la_event *span_event(const struct surveyor *s,
						uint32_t span)
{
	return &s->program->event[s->survey->span[span].event];
}

static inline bool is_small_span(const struct surveyor *s, uint32_t span)
{
	return span_event(s, span)->size == SMALL_SEGMENT;
}

/* survey-spans.c: which spans are alive, and what the heap has in them */
int survey_add_span(struct surveyor *s, size_t event, uint32_t *span);
int survey_link_span(struct surveyor *s, uint32_t span, uint32_t set);
void survey_unlink_span(struct surveyor *s, uint32_t span);
uint32_t survey_first_alive(const struct surveyor *s, uint32_t set);
void survey_add_to(struct surveyor *s, struct index_list *list, uint32_t span);
void survey_list_fits(struct surveyor *s, const struct stretch *stretch,
		      uint32_t used, struct index_list *list);
void survey_settle_fits(struct surveyor *s, const struct stretch *stretch);
void survey_list_left(struct surveyor *s);

/* survey-rules.c: what a stretch says of two spans */
void survey_add_rule(struct surveyor *s, uint32_t a, uint32_t b,
		     enum rule_kind kind);
void survey_compare_given(struct surveyor *s, const struct stretch *stretch,
			  size_t at);
void survey_compare_kept(struct surveyor *s);
void survey_compare_missed(struct surveyor *s, const struct stretch *stretch,
			   uint32_t span);
void survey_compare_fit(struct surveyor *s, uint32_t span);

#endif /* LA_REPLAY_SURVEYOR_H */
