/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_SURVEY_H
#define LA_REPLAY_SURVEY_H

/*
 * What the events of a full recording say of the pools that its memory
 * belonged to.  A pool is an owner of spans: a span is a segment or a chain,
 * or a request that ended in OOM, as that went to some pool too.
 */

#include "replay/decode.h"

/* What a rule says of the owners of two spans. */
enum rule_kind {
	RULE_DIFFER, /* they are two */
	RULE_NOT_DEFAULT, /* not both the default pool */
	RULE_NOT_PRIVATE, /* not both the same private pool */
	RULE_SAME, /* they are one */
};

struct rule {
	uint32_t a, b; /* numbers of spans; a < b, but a = b where a span is
			* not of the default pool */
	uint32_t kind; /* enum rule_kind */
};

/* What holds as a rule, by what happened at one event. */
struct likely_rule {
	uint32_t event;
	struct rule rule;
};

#define NO_SPAN UINT32_MAX
#define NO_POOL UINT32_MAX

struct survey_span {
	uint32_t event; /* that brought it: the segment_alloc, the first
			 * segment_map, or the oom */
	uint32_t pool; /* number in the program's pools if it is there at the
			* end; else NO_POOL */
};

/* Lists in the order of events; all owned. */
struct survey {
	struct survey_span *span; /* by number */
	size_t span_count, span_room;
	struct rule *rule; /* all different */
	size_t rule_count, rule_room;
	struct likely_rule *likely;
	size_t likely_count, likely_room;
};

/* The spans that a request or flush has to do with. */
struct involved {
	uint32_t span; /* that served the request, or NO_SPAN */
	struct index_list given; /* that gave memory back, in order, each
				  * once */
	struct index_list left; /* others that a flush of their pool would
				 * take from */
};

/*
 * Read all rules from a recording of which the program knows events, streams,
 * setting, limit and card.  A flood of rules is cut off.  Returns 0, -ENOMEM,
 * -E2BIG for too many pools or spans, or -EBADMSG if the events do not fit
 * together: not a full recording, or a pool was restored.
 */
int survey_read(struct survey *survey, struct la_program *program);

/* The spans of the first request, or flush that gave, at or behind an event;
 * numbers are as in the survey.  None if there is no such event.  Returns as
 * survey_read(). */
int survey_involved(struct involved *involved, struct la_program *program,
		    size_t event);

void survey_destroy(struct survey *survey);
void involved_destroy(struct involved *involved);

#endif /* LA_REPLAY_SURVEY_H */
