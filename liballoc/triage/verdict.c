// SPDX-License-Identifier: Apache-2.0
/* Facts to a verdict: the first cause that would have sufficed. */
#include <string.h>

#include "triage/amount.h"
#include "triage/causes.h"
#include "triage/driver.h"
#include "triage/label.h"
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

/* Which kind of fragmentation it is, where the facts tell. */
static enum la_cause fragmentation_kind(const struct question *q)
{
	struct la_margin own = la_margin_of(q->facts, LA_AMOUNT_OWN_FREE);
	struct la_margin streams =
		la_margin_of(q->facts, LA_AMOUNT_STREAM_FREE);
	struct la_margin largest = la_margin_of(q->facts, LA_AMOUNT_LARGEST);

	/* A block that fits is another stream's, or was given back too late,
	 * as a stream used it. */
	if (largest.known && largest.high >= la_margin_request(q->facts).high)
		return LA_CAUSE_CROSS_STREAM;
	if (own.known && streams.known && streams.low > own.high &&
	    la_answer_with(q, LA_AMOUNT_OWN_FREE) == NO)
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

/* The pool that cudaMallocAsync takes from is not another's. */
static bool is_own_pool(const struct question *q, const struct rule *rule)
{
	return rule->cause == LA_CAUSE_OTHER_ALLOCATOR &&
	       q->facts->kind == LA_OOM_ASYNC;
}

static enum la_cause named(const struct question *q, const struct rule *rule)
{
	if (is_own_pool(q, rule))
		return LA_CAUSE_POOL_FRAGMENTATION;
	return rule->cause == LA_CAUSE_FRAGMENTATION ? fragmentation_kind(q) :
						       rule->cause;
}

/* The first that suffices; the others contribute.  A cap is the verdict only
 * if it is sure that nothing else would do.  False: none suffices. */
static bool find_sufficient(struct la_verdict *verdict,
			    const struct question *q)
{
	bool found = false, unsure = false;
	const struct rule *rule;
	enum answer answer;

	for (rule = la_rules; rule < la_rules + RULES; rule++) {
		answer = rule->holds(q);
		unsure |= answer == UNSURE && !found;
		if (answer != YES)
			continue;
		if (!found && unsure && rule->cause == LA_CAUSE_FRACTION_CAP)
			return false;
		if (found)
			contribute(verdict, named(q, rule));
		else
			verdict->cause = named(q, rule);
		found = true;
	}
	return found;
}

/* Does it lie beyond the allocator, where a cap refused what the card had? */
static bool is_beyond_cap(const struct question *q, enum la_amount_id id)
{
	const struct la_margin *uncapped = &q->margin[LA_MARGIN_UNCAPPED];

	return uncapped->known && la_margin_suffices(uncapped) &&
	       (id == LA_AMOUNT_OTHERS || id == LA_AMOUNT_CONTEXT ||
		id == LA_AMOUNT_OTHER_CACHES);
}

/* Bytes that a cause holds, for pairs of them; below 0: not known, without
 * effect, or too few to count: 5 % of what the process can have, at most
 * 2 GiB. */
static int64_t weight(const struct question *q, enum la_amount_id id)
{
	struct la_margin amount = la_margin_of(q->facts, id);
	struct la_margin most = la_margin_of(q->facts, LA_AMOUNT_ALLOWED);
	int64_t much = 2 * GIB;

	if (is_beyond_cap(q, id))
		return -1;
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
	for (i = 0; i < RULES; i++)
		if (la_rules[i].holds(q) == UNSURE)
			return false;
	return la_margin_fails(packed) || la_is_little(q->facts);
}

static void cannot_tell(struct la_verdict *verdict, const struct question *q)
{
	size_t i;

	verdict->cause = LA_CAUSE_CANNOT_TELL;
	for (i = 0; i < RULES; i++)
		if (la_rules[i].holds(q) != NO)
			contribute(verdict, named(q, &la_rules[i]));
	if (!la_sees_driver_alone(q->facts))
		return;
	contribute(verdict, LA_CAUSE_FRAGMENTATION);
	contribute(verdict, LA_CAUSE_CAPACITY);
}

/* The driver keeps the last of a card: of 3.1 MiB that an H200 showed as free
 * it gave no 2 MiB. */
static bool is_last(const struct question *q)
{
	return !q->margin[LA_MARGIN_UNCAPPED].known &&
	       q->margin[LA_MARGIN_AS_IT_WAS].high < (int64_t)(2 * MIB);
}

/* Enough was free, and no cap was in the way. */
static void judge_refused(struct la_verdict *verdict, const struct question *q)
{
	if (verdict->label == LA_LABEL_UNKNOWN) {
		verdict->cause = LA_CAUSE_CANNOT_TELL;
		contribute(verdict, LA_CAUSE_OTHER_PROCESS);
		contribute(verdict, LA_CAUSE_TRANSIENT);
		return;
	}
	if (is_last(q)) {
		verdict->cause = LA_CAUSE_CAPACITY;
		return;
	}
	verdict->cause = LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT;
	contribute(verdict, LA_CAUSE_TRANSIENT);
	if (la_is_expandable(q->facts))
		contribute(verdict, LA_CAUSE_VA_EXHAUSTED);
}

static void judge_numbers(struct la_verdict *verdict, const struct question *q)
{
	if (la_margin_suffices(&verdict->margin[LA_MARGIN_AS_IT_WAS])) {
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
static void judge_mps(struct la_verdict *verdict)
{
	switch (verdict->label) {
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
	case LA_OOM_MAPPING:
		return la_is_of_driver(facts) ? LA_CAUSE_VA_EXHAUSTED :
						LA_CAUSE_CANNOT_TELL;
	default:
		return LA_CAUSE_CANNOT_TELL;
	}
}

/* Do its numbers decide? */
static bool has_numbers(const struct la_facts *facts)
{
	return facts->kind == LA_OOM_CACHING || facts->kind == LA_OOM_ASYNC ||
	       (facts->kind == LA_OOM_CALL && la_is_of_driver(facts));
}

static void judge(struct la_verdict *verdict, const struct question *q)
{
	bool foreign = verdict->label == LA_LABEL_NOT_PYTORCH;

	if (la_is_at_start(q->facts))
		verdict->cause = LA_CAUSE_OTHER_PROCESS;
	else if (la_is_block_limit(q->facts))
		verdict->cause = LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT;
	else if (!foreign && has_numbers(q->facts))
		judge_size(verdict, q);
	else if (!foreign && q->facts->kind == LA_OOM_MPS)
		judge_mps(verdict);
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
	for (i = 0; i < RULES && answer == NO; i++)
		answer = la_rules[i].holds(&strict);
	return answer != UNSURE;
}

static enum la_grade grade_of(const struct la_verdict *verdict,
			      const struct question *q)
{
	if (verdict->cause == LA_CAUSE_CANNOT_TELL)
		return LA_GRADE_UNKNOWN;
	if (la_is_told_by_call(q->facts))
		return LA_GRADE_STRONG;
	if (la_is_decided(q->facts, verdict->cause))
		return LA_GRADE_PROVEN;
	if ((!q->facts->recorded && !la_is_of_driver(q->facts)) ||
	    !is_sure(q) || verdict->cause == LA_CAUSE_DRIVER_OVERHEAD)
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

	if (q->facts->kind != LA_OOM_CACHING || !left.known)
		return;
	if (!la_is_expandable(q->facts) && la_margin_suffices(&left))
		verdict->expandable = LA_PAST_PAST;
	else if (la_is_expandable(q->facts) || la_margin_fails(&left))
		verdict->expandable = LA_PAST_STUCK;
	else
		verdict->expandable = LA_PAST_DEPENDS;
}

LA_EXPORT void la_verdict_reach(struct la_verdict *verdict,
				const struct la_facts *facts)
{
	const struct la_amount *allowed = &facts->amount[LA_AMOUNT_ALLOWED];
	struct question q = { .facts = facts, .margin = verdict->margin };

	memset(verdict, 0, sizeof(*verdict));
	verdict->label = la_label_of(facts);
	la_margins(verdict->margin, facts);
	la_ledger(verdict->ledger, facts);
	q.room = la_margin_room(facts);
	q.segment = la_margin_segment(facts);
	q.middle = facts->recorded && allowed->low < allowed->high;
	judge(verdict, &q);
	judge_expandable(verdict, &q);
	verdict->grade = grade_of(verdict, &q);
}
