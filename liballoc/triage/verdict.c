// SPDX-License-Identifier: Apache-2.0
/* Facts to a verdict: the first cause that would have sufficed. */
#include <string.h>

#include "triage/amount.h"
#include "triage/margins.h"
#include "triage/situation.h"
#include "util/util.h"

static const char *const cause_names[] = {
	[LA_CAUSE_CANNOT_TELL] = "CANNOT_TELL",
	[LA_CAUSE_FRAGMENTATION] = "FRAGMENTATION",
	[LA_CAUSE_PAGE_FRAGMENTATION] = "PAGE_FRAGMENTATION",
	[LA_CAUSE_POOL_FRAGMENTATION] = "POOL_FRAGMENTATION",
	[LA_CAUSE_CROSS_STREAM] = "CROSS_STREAM",
	[LA_CAUSE_GRAPH_POOL_HOLD] = "GRAPH_POOL_HOLD",
	[LA_CAUSE_ROUNDING] = "ROUNDING",
	[LA_CAUSE_FRACTION_CAP] = "FRACTION_CAP",
	[LA_CAUSE_CUSTOM_LIMIT] = "CUSTOM_LIMIT",
	[LA_CAUSE_REQUEST_TOO_LARGE] = "REQUEST_TOO_LARGE",
	[LA_CAUSE_ABSURD_SIZE] = "ABSURD_SIZE",
	[LA_CAUSE_OTHER_PROCESS] = "OTHER_PROCESS",
	[LA_CAUSE_OTHER_ALLOCATOR] = "OTHER_ALLOCATOR",
	[LA_CAUSE_LEAK] = "LEAK",
	[LA_CAUSE_DRIVER_OVERHEAD] = "DRIVER_OVERHEAD",
	[LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT] =
		"DRIVER_FRAGMENTATION_OR_LIMIT",
	[LA_CAUSE_VA_EXHAUSTED] = "VA_EXHAUSTED",
	[LA_CAUSE_TRANSIENT] = "TRANSIENT",
	[LA_CAUSE_HOST_PINNED] = "HOST_PINNED",
	[LA_CAUSE_HOST_MEMORY] = "HOST_MEMORY",
	[LA_CAUSE_NOT_THIS_ALLOCATOR] = "NOT_THIS_ALLOCATOR",
	[LA_CAUSE_CAPACITY] = "CAPACITY",
	[LA_CAUSE_COMBINED] = "COMBINED",
};

LA_EXPORT const char *la_cause_name(enum la_cause cause)
{
	return cause_names[cause];
}

static const char *const grade_names[] = {
	[LA_GRADE_UNKNOWN] = "UNKNOWN",
	[LA_GRADE_CONSISTENT] = "CONSISTENT",
	[LA_GRADE_STRONG] = "STRONG",
	[LA_GRADE_PROVEN] = "PROVEN",
};

LA_EXPORT const char *la_grade_name(enum la_grade grade)
{
	return grade_names[grade];
}

/* Does a cause suffice? */
enum answer { NO, UNSURE, YES };

/* What is judged, and what follows of it. */
struct question {
	const struct la_facts *facts;
	const struct la_margin *margin; /* by enum la_margin_id */
	/* All is exact but the cap, known from what it let pass and what it
	 * refused, or from a message: where that leaves it open what suffices,
	 * its middle decides. */
	bool middle;
	struct la_margin room; /* see la_margin_room() */
	struct la_margin segment; /* see la_margin_segment() */
};

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

/* What was cached is below 1 GiB and a twenty-fifth of what was held: packed,
 * it would have served this request, and the next ones would have failed. */
static bool is_little(const struct la_facts *facts)
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
	if (is_little(q->facts) || is_outgrown(q))
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_CONTIGUOUS]);
}

/* Under a cap that counts too: it costs less to pack than to lift it. */
static enum answer late_fragmentation(const struct question *q)
{
	if (!q->margin[LA_MARGIN_UNCAPPED].known)
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_CONTIGUOUS]);
}

/* Room and these bytes, against the segment. */
static enum answer with_amount(const struct question *q, enum la_amount_id id)
{
	struct la_margin left = la_margin_difference(
		la_margin_sum(q->room, la_margin_of(q->facts, id)),
		q->segment);

	return answer_of(q, &left);
}

static enum answer graph_pool(const struct question *q)
{
	return with_amount(q, LA_AMOUNT_PRIVATE);
}

static enum answer other_allocator(const struct question *q)
{
	return with_amount(q, LA_AMOUNT_OTHER_CACHES);
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
	struct la_margin context = la_margin_of(q->facts, LA_AMOUNT_CONTEXT);

	if (!context.known || context.low < (int64_t)(2 * GIB))
		return NO;
	return answer_of(q, &q->margin[LA_MARGIN_LEAN]);
}

static enum answer cap(const struct question *q)
{
	return answer_of(q, &q->margin[LA_MARGIN_UNCAPPED]);
}

/* In the order of what it costs the user to end them. */
static const struct rule {
	enum la_cause cause;
	enum answer (*holds)(const struct question *q);
} rules[] = {
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

/* Which kind of fragmentation it is, where the facts tell. */
static enum la_cause fragmentation_kind(const struct question *q)
{
	struct la_margin own = la_margin_of(q->facts, LA_AMOUNT_OWN_FREE);
	struct la_margin streams =
		la_margin_of(q->facts, LA_AMOUNT_STREAM_FREE);
	struct la_margin largest = la_margin_of(q->facts, LA_AMOUNT_LARGEST);

	/* A block that fits was given back too late: a stream used it. */
	if (largest.known && largest.low >= la_margin_request(q->facts).high)
		return LA_CAUSE_CROSS_STREAM;
	if (own.known && streams.known && streams.low > own.high &&
	    with_amount(q, LA_AMOUNT_OWN_FREE) == NO)
		return LA_CAUSE_CROSS_STREAM;
	return la_is_expandable(q->facts) ? LA_CAUSE_PAGE_FRAGMENTATION :
					    LA_CAUSE_FRAGMENTATION;
}

static void contribute(struct la_verdict *verdict, enum la_cause cause)
{
	size_t i;

	if (cause == verdict->cause)
		return;
	for (i = 0; i < verdict->contributing_count; i++)
		if (verdict->contributing[i] == cause)
			return;
	verdict->contributing[verdict->contributing_count++] = cause;
}

static enum la_cause named(const struct question *q, const struct rule *rule)
{
	return rule->cause == LA_CAUSE_FRAGMENTATION ? fragmentation_kind(q) :
						       rule->cause;
}

/* The first that suffices; the others contribute.  A cap is the verdict only
 * if it is sure that nothing else would do.  False: none suffices. */
static bool find_sufficient(struct la_verdict *verdict,
			    const struct question *q)
{
	bool found = false, unsure = false;
	enum answer answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		answer = rules[i].holds(q);
		unsure |= answer == UNSURE && !found;
		if (answer != YES)
			continue;
		if (!found && unsure && rules[i].cause == LA_CAUSE_FRACTION_CAP)
			return false;
		if (found)
			contribute(verdict, named(q, &rules[i]));
		else
			verdict->cause = named(q, &rules[i]);
		found = true;
	}
	return found;
}

/* Bytes that a cause holds, for pairs of them; below 0: not known, or too few
 * to count: 5 % of what the process can have, at most 2 GiB. */
static int64_t weight(const struct question *q, enum la_amount_id id)
{
	struct la_margin amount = la_margin_of(q->facts, id);
	struct la_margin most = la_margin_of(q->facts, LA_AMOUNT_ALLOWED);
	int64_t much = 2 * GIB;

	if (id == LA_AMOUNT_CONTEXT)
		amount = la_margin_overhead(q->facts);
	if (!most.known)
		most = la_margin_of(q->facts, LA_AMOUNT_TOTAL);
	if (most.known && most.high / 20 < much)
		much = most.high / 20;
	return amount.known && amount.low >= much ? amount.low : -1;
}

static const struct part {
	enum la_cause cause;
	enum la_amount_id id;
} parts[] = {
	{ LA_CAUSE_FRAGMENTATION, LA_AMOUNT_UNALLOCATED },
	{ LA_CAUSE_GRAPH_POOL_HOLD, LA_AMOUNT_PRIVATE },
	{ LA_CAUSE_OTHER_ALLOCATOR, LA_AMOUNT_OTHER_CACHES },
	{ LA_CAUSE_ROUNDING, LA_AMOUNT_ROUNDING },
	{ LA_CAUSE_OTHER_PROCESS, LA_AMOUNT_OTHERS },
	{ LA_CAUSE_LEAK, LA_AMOUNT_LEAK },
	{ LA_CAUSE_DRIVER_OVERHEAD, LA_AMOUNT_CONTEXT },
};

/* Two that suffice together, the cheapest first. */
static bool find_pair(struct la_verdict *verdict, const struct question *q)
{
	int64_t missing = q->segment.high - q->room.low;
	size_t i, k;

	if (!q->room.known || !q->segment.known)
		return false;
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		for (k = i + 1; k < ARRAY_SIZE(parts); k++) {
			int64_t one = weight(q, parts[i].id);
			int64_t other = weight(q, parts[k].id);

			if (one < 0 || other < 0 || one + other < missing)
				continue;
			verdict->cause = LA_CAUSE_COMBINED;
			verdict->pair[0] = parts[i].cause;
			verdict->pair[1] = parts[k].cause;
			contribute(verdict, parts[i].cause);
			contribute(verdict, parts[k].cause);
			return true;
		}
	return false;
}

/* Packed, emptied and alone on the card it would have failed too? */
static bool is_capacity(const struct question *q)
{
	const struct la_margin *packed = &q->margin[LA_MARGIN_CONTIGUOUS];
	size_t i;

	if (!packed->known)
		return false;
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].holds(q) == UNSURE)
			return false;
	return la_margin_fails(packed) || is_little(q->facts);
}

static void cannot_tell(struct la_verdict *verdict, const struct question *q)
{
	size_t i;

	verdict->cause = LA_CAUSE_CANNOT_TELL;
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].holds(q) != NO)
			contribute(verdict, named(q, &rules[i]));
}

/* Enough was free, and no cap was in the way. */
static void judge_refused(struct la_verdict *verdict, const struct question *q)
{
	if (la_label_of(q->facts) == LA_LABEL_UNKNOWN) {
		verdict->cause = LA_CAUSE_CANNOT_TELL;
		contribute(verdict, LA_CAUSE_OTHER_PROCESS);
		contribute(verdict, LA_CAUSE_TRANSIENT);
		return;
	}
	verdict->cause = LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT;
	contribute(verdict, LA_CAUSE_TRANSIENT);
	if (la_is_expandable(q->facts))
		contribute(verdict, LA_CAUSE_VA_EXHAUSTED);
}

static void judge_numbers(struct la_verdict *verdict, const struct question *q)
{
	const struct la_margin *left = &verdict->margin[LA_MARGIN_AS_IT_WAS];

	if (la_margin_suffices(left)) {
		judge_refused(verdict, q);
		return;
	}
	if (find_sufficient(verdict, q) || find_pair(verdict, q)) {
		/* Nothing tells them apart from outside. */
		if (verdict->cause == LA_CAUSE_DRIVER_OVERHEAD)
			contribute(verdict, LA_CAUSE_OTHER_ALLOCATOR);
		return;
	}
	if (!is_capacity(q)) {
		cannot_tell(verdict, q);
		return;
	}
	verdict->cause = LA_CAUSE_CAPACITY;
	if (la_margin_suffices(&verdict->margin[LA_MARGIN_CONTIGUOUS]))
		contribute(verdict, fragmentation_kind(q));
}

static void judge_size(struct la_verdict *verdict, const struct question *q)
{
	if (la_is_absurd(q->facts))
		verdict->cause = LA_CAUSE_ABSURD_SIZE;
	else if (la_is_too_large(q->facts))
		verdict->cause = LA_CAUSE_REQUEST_TOO_LARGE;
	else
		judge_numbers(verdict, q);
}

/* Apple's GPUs: what is not the allocator's is the driver's, or others'. */
static void judge_mps(struct la_verdict *verdict, const struct question *q)
{
	switch (la_label_of(q->facts)) {
	case LA_LABEL_DRIVER_OR_CONTEXT:
		verdict->cause = LA_CAUSE_DRIVER_OVERHEAD;
		break;
	case LA_LABEL_CAPACITY:
		verdict->cause = LA_CAUSE_CAPACITY;
		break;
	default:
		verdict->cause = LA_CAUSE_CANNOT_TELL;
	}
}

static enum la_cause cause_of_kind(const struct la_facts *facts)
{
	switch (facts->kind) {
	case LA_OOM_CAP:
		return LA_CAUSE_FRACTION_CAP;
	case LA_OOM_ABSURD:
		return LA_CAUSE_ABSURD_SIZE;
	case LA_OOM_LIBRARY:
		return la_is_nccl(facts) ? LA_CAUSE_DRIVER_OVERHEAD :
					   LA_CAUSE_CANNOT_TELL;
	case LA_OOM_FRAMEWORK:
	case LA_OOM_HARMLESS:
	case LA_OOM_LOOKALIKE:
	case LA_OOM_FAULT:
		return LA_CAUSE_NOT_THIS_ALLOCATOR;
	case LA_OOM_HOST:
	case LA_OOM_KILLED:
	case LA_OOM_SHARED:
		return LA_CAUSE_HOST_MEMORY;
	case LA_OOM_PINNED:
		return LA_CAUSE_HOST_PINNED;
	default:
		return LA_CAUSE_CANNOT_TELL;
	}
}

static void judge(struct la_verdict *verdict, const struct question *q)
{
	bool foreign = la_label_of(q->facts) == LA_LABEL_NOT_PYTORCH;

	if (la_is_at_start(q->facts))
		verdict->cause = LA_CAUSE_OTHER_PROCESS;
	else if (la_is_block_limit(q->facts))
		verdict->cause = LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT;
	else if (!foreign && (q->facts->kind == LA_OOM_CACHING ||
			 q->facts->kind == LA_OOM_ASYNC))
		judge_size(verdict, q);
	else if (!foreign && q->facts->kind == LA_OOM_MPS)
		judge_mps(verdict, q);
	else
		verdict->cause = cause_of_kind(q->facts);
}

/* On a card, other processes may be behind a lack of memory. */
static bool needs_the_card(const struct la_verdict *verdict)
{
	return !verdict->margin[LA_MARGIN_UNCAPPED].known &&
	       (verdict->cause == LA_CAUSE_OTHER_PROCESS ||
		verdict->cause == LA_CAUSE_CAPACITY);
}

/* What decides holds over the whole interval, and so does what was asked
 * before it and does not hold. */
static bool is_sure(const struct question *q)
{
	struct question strict = *q;
	enum answer answer = NO;
	size_t i;

	strict.middle = false;
	for (i = 0; i < ARRAY_SIZE(rules) && answer == NO; i++)
		answer = rules[i].holds(&strict);
	return answer != UNSURE;
}

static enum la_grade grade_of(const struct la_verdict *verdict,
			      const struct question *q)
{
	if (verdict->cause == LA_CAUSE_CANNOT_TELL)
		return LA_GRADE_UNKNOWN;
	if (!q->facts->recorded || !is_sure(q))
		return LA_GRADE_CONSISTENT;
	return needs_the_card(verdict) && !la_card_is_explained(q->facts) ?
		       LA_GRADE_CONSISTENT :
		       LA_GRADE_STRONG;
}

/* Expandable segments hold little that is free: what may be held, less what
 * is allocated, has to cover the request. */
static void judge_expandable(struct la_verdict *verdict,
			     const struct question *q)
{
	struct la_margin left = verdict->margin[LA_MARGIN_CONTIGUOUS];

	if ((q->facts->kind != LA_OOM_CACHING) || !left.known)
		return;
	verdict->expandable_known = true;
	if (!la_is_expandable(q->facts) && la_margin_suffices(&left))
		verdict->expandable = LA_OUTCOME_RUNS;
	else if (la_is_expandable(q->facts) || la_margin_fails(&left))
		verdict->expandable = LA_OUTCOME_OOM;
	else
		verdict->expandable = LA_OUTCOME_DEPENDS;
}

LA_EXPORT void la_verdict_reach(struct la_verdict *verdict,
				const struct la_facts *facts)
{
	const struct la_amount *allowed = &facts->amount[LA_AMOUNT_ALLOWED];
	struct question q = { .facts = facts, .margin = verdict->margin };

	memset(verdict, 0, sizeof(*verdict));
	la_margins(verdict->margin, facts);
	la_ledger(verdict->ledger, facts);
	q.room = la_margin_room(facts);
	q.segment = la_margin_segment(facts);
	q.middle = facts->recorded && allowed->low < allowed->high;
	judge(verdict, &q);
	judge_expandable(verdict, &q);
	verdict->label = la_label_of(facts);
	verdict->grade = grade_of(verdict, &q);
}
