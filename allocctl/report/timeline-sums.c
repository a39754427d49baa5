// SPDX-License-Identifier: Apache-2.0
/* What the pictures of bytes over time say and share. */

#include "allocctl/source.h"
#include "timeline-sums.h"
#include "util/size.h"

/* The limit is drawn if it is no higher than so many times the peak. */
#define LIMIT_SEEN 2.5

void timeline_widen(uint64_t range[2], const uint64_t by[2])
{
	if (by[0] < range[0])
		range[0] = by[0];
	if (by[1] > range[1])
		range[1] = by[1];
}

static uint64_t higher(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void timeline_sum(struct timeline_sums *sums, const struct la_timeline *view)
{
	uint64_t high = higher(view->peak_live, view->peak_reserved);
	uint64_t limit = view->limit.bytes;
	bool seen = view->limit.kind != LA_LIMIT_NONE &&
		    (!high || (double)limit <= LIMIT_SEEN * (double)high);

	*sums = (struct timeline_sums){
		.view = view,
		.limit_seen = seen,
		.high = higher(higher(high, seen ? limit : 0), 1),
	};
}

static void describe_ooms(struct la_strbuf *text,
			  const struct la_timeline *view)
{
	char size[LA_SIZE_TEXT], count[32];

	if (view->oom_count == 1)
		la_strbuf_addf(text, "; a request of %s failed",
			       la_size_format(size, view->oom[0].size));
	else
		la_strbuf_addf(text, "; %s requests failed, the first of %s",
			       source_count_text(count, view->oom_count),
			       la_size_format(size, view->oom[0].size));
	la_strbuf_addf(text, " at event %s",
		       source_count_text(count, view->oom[0].event));
}

void timeline_describe(struct la_strbuf *text,
		       const struct timeline_sums *sums)
{
	const struct la_timeline *view = sums->view;
	char size[LA_SIZE_TEXT], count[32], limit[64];

	la_strbuf_addf(text, "%s event%s; peak %s live",
		       source_count_text(count, view->event_count),
		       view->event_count == 1 ? "" : "s",
		       la_size_format(size, view->peak_live));
	la_strbuf_addf(text, " before event %s",
		       source_count_text(count, view->peak));
	la_strbuf_addf(text, ", %s reserved",
		       la_size_format(size, view->peak_reserved));
	if (view->limit.kind != LA_LIMIT_NONE)
		la_strbuf_addf(text, "; %s%s",
			       source_limit_text(limit, &view->limit),
			       sums->limit_seen ? "" : ", far above");
	if (view->oom_count)
		describe_ooms(text, view);
}
