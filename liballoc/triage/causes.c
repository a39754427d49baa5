// SPDX-License-Identifier: Apache-2.0
/* Which causes would have sufficed alone: an inequality for each. */
#include "triage/causes.h"
#include "triage/amount.h"
#include "triage/margins.h"
#include "triage/situation.h"
#include "util/util.h"

static enum answer answer_of(const struct question *q,
			     const struct la_margin *margin)
{
	if (!margin->known || la_margin_fails(margin))
		return NO;
	if (la_margin_suffices(margin))
		return YES;
	if (q->middle)
		return la_margin_middle(margin) >= 0 ? YES : NO;
	return UNSURE;
}

bool la_is_little(const struct la_facts *facts)
{
	struct la_margin cached =
		la_margin_of(facts, LA_AMOUNT_UNALLOCATED);
	struct la_margin reserved = la_margin_reserved(facts);

	return cached.known && reserved.known &&
	       cached.high < (int64_t)GIB &&
	       cached.high < reserved.low / 25;
}

/* What leaks is more than what is cached: packed, it would leak on. */
static bool is_outgrown(const struct question *q)
{
	struct la_margin leak = la_margin_of(q->facts, LA_AMOUNT_LEAK);
	struct la_margin cached =
		la_margin_of(q->facts, LA_AMOUNT_UNALLOCATED);

	return q->facts->growth.grows && leak.known && cached.known &&
	       leak.low >= cached.high &&
	       answer_of(q, &q->margin[LA_MARGIN_NO_LEAK]) == YES;
}

static enum answer fragmentation(const struct question *q)
{
	if (la_is_little(q->facts) || is_outgrown(q))
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_CONTIGUOUS]);
}

/* What was cached is less than a sixteenth of what was asked for.  Only where
 * hardly anything was missing could it have been the cause. */
static bool is_trifle(const struct question *q)
{
	struct la_margin cached =
		la_margin_of(q->facts, LA_AMOUNT_UNALLOCATED);

	return cached.known && q->segment.known &&
	       cached.high < q->segment.low / 16;
}

/* Under a cap that counts too: it costs less to pack than to lift it. */
static enum answer late_fragmentation(const struct question *q)
{
	enum answer answer;

	if (!q->margin[LA_MARGIN_UNCAPPED].known)
		return NO;
	answer = answer_of(q, &q->margin[LA_MARGIN_CONTIGUOUS]);
	return answer == UNSURE && is_trifle(q) ? NO : answer;
}

enum answer la_answer_with(const struct question *q, enum la_amount_id id)
{
	struct la_margin left = la_margin_difference(
		la_margin_sum(q->room, la_margin_of(q->facts, id)),
		q->segment);

	return answer_of(q, &left);
}

static enum answer graph_pool(const struct question *q)
{
	return la_answer_with(q, LA_AMOUNT_PRIVATE);
}

static enum answer other_allocator(const struct question *q)
{
	return la_answer_with(q, LA_AMOUNT_OTHER_CACHES);
}

/* Blocks are never exactly as large as asked for: it is a cause where the
 * setting rounds up, or where it takes a twentieth of what is in use. */
static enum answer rounding(const struct question *q)
{
	struct la_margin lost = la_margin_of(q->facts, LA_AMOUNT_ROUNDING);
	struct la_margin used = la_margin_of(q->facts, LA_AMOUNT_ALLOCATED);

	if (!lost.known || !used.known ||
	    (!la_rounds_up(q->facts) && lost.high < used.low / 20))
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_UNROUNDED]);
}

/* A quarter of the card and more that nobody named holds. */
static enum answer unnamed_holders(const struct question *q)
{
	const struct la_facts *facts = q->facts;
	struct la_margin total = la_margin_of(facts, LA_AMOUNT_TOTAL);
	struct la_margin rest = la_margin_difference(
		total, la_margin_of(facts, LA_AMOUNT_FREE));
	struct la_margin held = la_margin_of(facts, LA_AMOUNT_PROCESS);
	struct la_margin left;

	if (!held.known)
		held = la_margin_reserved(facts);
	rest = la_margin_difference(rest, held);
	rest = la_margin_difference(rest,
				    la_margin_or_0(facts, LA_AMOUNT_OTHERS));
	if (!rest.known || rest.low < total.high / 4)
		return NO;
	left = la_margin_with(
		facts, la_margin_of(facts, LA_AMOUNT_FREE), rest);
	return answer_of(q, &left);
}

static enum answer other_process(const struct question *q)
{
	enum answer named = answer_of(q, &q->margin[LA_MARGIN_ALONE]);

	return named == YES ? YES : unnamed_holders(q);
}

static enum answer leak(const struct question *q)
{
	if (!q->facts->growth.grows)
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_NO_LEAK]);
}

/* Up to 2 GiB beyond the allocator are usual: a context, workspaces, NCCL. */
static enum answer overhead(const struct question *q)
{
	struct la_margin context = la_margin_context(q->facts);

	if (!context.known || context.low < (int64_t)(2 * GIB))
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_LEAN]);
}

static enum answer cap(const struct question *q)
{
	return answer_of(q, &q->margin[LA_MARGIN_UNCAPPED]);
}

const struct rule la_rules[RULES] = {
	{ LA_CAUSE_FRAGMENTATION, fragmentation },
	{ LA_CAUSE_GRAPH_POOL_HOLD, graph_pool },
	{ LA_CAUSE_OTHER_ALLOCATOR, other_allocator },
	{ LA_CAUSE_ROUNDING, rounding },
	{ LA_CAUSE_OTHER_PROCESS, other_process },
	{ LA_CAUSE_LEAK, leak },
	{ LA_CAUSE_DRIVER_OVERHEAD, overhead },
	{ LA_CAUSE_FRAGMENTATION, late_fragmentation },
	{ LA_CAUSE_FRACTION_CAP, cap },
};
