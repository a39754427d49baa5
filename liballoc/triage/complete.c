// SPDX-License-Identifier: Apache-2.0
/* Amounts that follow from others. */
#include <string.h>

#include "triage/amount.h"
#include "triage/situation.h"
#include "util/segment.h"
#include "util/util.h"

/* A context, libraries' workspaces and the like: more than this beyond its
 * allocator no process is taken to hold.  Source: measurements on an H200 and
 * reports, 0.3 to 2 GiB. */
#define CONTEXT_MOST (3 * GIB)

static void derive(struct la_facts *facts, enum la_amount_id id,
		   struct la_margin value)
{
	if (!value.known)
		return;
	value = la_margin_not_negative(value);
	facts->amount[id] = (struct la_amount){ (uint64_t)value.low,
						(uint64_t)value.high,
						LA_BASIS_DERIVED, 0 };
}

static void complete_reserved(struct la_facts *facts)
{
	struct la_margin reserved = la_margin_of(facts, LA_AMOUNT_RESERVED);
	struct la_margin allocated = la_margin_of(facts, LA_AMOUNT_ALLOCATED);
	struct la_margin unallocated =
		la_margin_of(facts, LA_AMOUNT_UNALLOCATED);
	struct la_margin pools = la_margin_or_0(facts, LA_AMOUNT_PRIVATE);

	if (!reserved.known)
		derive(facts, LA_AMOUNT_RESERVED,
		       la_margin_sum(la_margin_sum(allocated, unallocated),
				     pools));
	else if (!unallocated.known)
		derive(facts, LA_AMOUNT_UNALLOCATED,
		       la_margin_difference(
			       la_margin_difference(reserved, allocated),
			       pools));
}

/* Could this process be the one that failed, by what it holds? */
static bool may_be_self(const struct la_facts *facts,
			const struct la_process *process)
{
	struct la_margin reserved = la_margin_of(facts, LA_AMOUNT_RESERVED);
	int64_t low = la_amount_bound(process->memory.low);
	int64_t high = la_amount_bound(process->memory.high);

	return reserved.known && high >= reserved.low &&
	       low <= reserved.high + (int64_t)CONTEXT_MOST;
}

/* Does this process leave no room for another one on the card? */
static bool fills_the_card(const struct la_facts *facts,
			   const struct la_process *process)
{
	struct la_margin rest = la_margin_difference(
		la_margin_of(facts, LA_AMOUNT_TOTAL),
		la_margin_of(facts, LA_AMOUNT_FREE));

	return rest.known && rest.low - la_amount_bound(process->memory.high) <
				     rest.high / 20;
}

/*
 * A process in a container sees itself under a number that it does not know.
 * The one that holds what this one's allocator holds, and a context, is it.
 */
static size_t find_self(const struct la_facts *facts)
{
	size_t i, self = facts->process_count, found = 0;

	for (i = 0; i < facts->process_count; i++)
		if (facts->pid >= 0 &&
		    facts->process[i].pid == (uint64_t)facts->pid)
			return i;
	if (facts->process_count == 1 &&
	    !la_facts_know(facts, LA_AMOUNT_RESERVED))
		return fills_the_card(facts, facts->process) ? 0 : 1;
	for (i = 0; i < facts->process_count; i++)
		if (may_be_self(facts, &facts->process[i])) {
			self = i;
			found++;
		}
	return found == 1 ? self : facts->process_count;
}

static void complete_self(struct la_facts *facts)
{
	size_t self;

	if (la_facts_know(facts, LA_AMOUNT_PROCESS) || !facts->process_count)
		return;
	self = find_self(facts);
	if (self == facts->process_count)
		return;
	facts->amount[LA_AMOUNT_PROCESS] = facts->process[self].memory;
	facts->process_count--;
	memmove(&facts->process[self], &facts->process[self + 1],
		(facts->process_count - self) * sizeof(*facts->process));
}

/* Where it is not known which of several is this one: all but the largest.  A
 * probe knows of processes that it does not list. */
static void complete_others(struct la_facts *facts)
{
	struct la_margin sum = la_margin_exactly(0);
	int64_t largest = 0, high;
	size_t i;

	if (!facts->process_count ||
	    (facts->views && la_facts_know(facts, LA_AMOUNT_OTHERS)))
		return;
	for (i = 0; i < facts->process_count; i++) {
		high = la_amount_bound(facts->process[i].memory.high);
		sum.low += la_amount_bound(facts->process[i].memory.low);
		sum.high += high;
		largest = high > largest ? high : largest;
	}
	if (!la_facts_know(facts, LA_AMOUNT_PROCESS))
		sum.low -= largest;
	derive(facts, LA_AMOUNT_OTHERS, sum);
}

static void complete_context(struct la_facts *facts)
{
	if (!la_facts_know(facts, LA_AMOUNT_CONTEXT))
		derive(facts, LA_AMOUNT_CONTEXT,
		       la_margin_difference(
			       la_margin_of(facts, LA_AMOUNT_PROCESS),
			       la_margin_of(facts, LA_AMOUNT_RESERVED)));
}

/* Source: get_allocation_size() and round_size(), torch 1.4 to 2.15. */
static void complete_request(struct la_facts *facts)
{
	struct la_margin segment = la_margin_of(facts, LA_AMOUNT_SEGMENT);
	struct la_margin request = segment;

	if (facts->kind != LA_OOM_CACHING || !segment.known ||
	    la_facts_know(facts, LA_AMOUNT_REQUEST))
		return;
	if (segment.high <= (int64_t)SMALL_SEGMENT) {
		request.low = 1;
		request.high = la_margin_least(segment,
					       la_margin_exactly(MIB)).high;
	} else if (segment.low <= (int64_t)LARGE_SEGMENT &&
		   segment.high >= (int64_t)LARGE_SEGMENT) {
		request.low = MIB;
	} else {
		request.low -= (int64_t)SEGMENT_ROUND;
	}
	if (la_rounds_up(facts))
		request.low /= 2;
	derive(facts, LA_AMOUNT_REQUEST, request);
}

/* What was held was allowed. */
static void complete_allowed(struct la_facts *facts)
{
	struct la_amount *allowed = &facts->amount[LA_AMOUNT_ALLOWED];
	const struct la_amount *held = &facts->amount[LA_AMOUNT_RESERVED];

	if (allowed->basis == LA_BASIS_DERIVED && allowed->low < held->low &&
	    held->low <= allowed->high)
		allowed->low = held->low;
}

LA_EXPORT void la_facts_complete(struct la_facts *facts)
{
	complete_reserved(facts);
	complete_allowed(facts);
	complete_self(facts);
	complete_others(facts);
	complete_context(facts);
	complete_request(facts);
}
