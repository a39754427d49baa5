// SPDX-License-Identifier: Apache-2.0
/* What would have been left if ..., and where the card's bytes are. */
#include "triage/margins.h"
#include "triage/amount.h"
#include "util/util.h"

static const char *const margin_names[] = {
	[LA_MARGIN_AS_IT_WAS] = "as_it_was",
	[LA_MARGIN_CONTIGUOUS] = "contiguous",
	[LA_MARGIN_UNCACHED] = "uncached",
	[LA_MARGIN_ALONE] = "alone",
	[LA_MARGIN_UNCAPPED] = "uncapped",
	[LA_MARGIN_NO_LEAK] = "no_leak",
	[LA_MARGIN_LEAN] = "lean",
	[LA_MARGIN_UNROUNDED] = "unrounded",
	[LA_MARGIN_ALL] = "all",
};

LA_EXPORT const char *la_margin_name(enum la_margin_id id)
{
	return margin_names[id];
}

static const char *const ledger_names[] = {
	[LA_LEDGER_REQUESTED] = "requested",
	[LA_LEDGER_ROUNDING] = "rounding",
	[LA_LEDGER_UNALLOCATED] = "unallocated",
	[LA_LEDGER_PRIVATE] = "private",
	[LA_LEDGER_CONTEXT] = "context",
	[LA_LEDGER_OTHER_ALLOCATORS] = "other_allocators",
	[LA_LEDGER_OTHERS] = "others",
	[LA_LEDGER_UNEXPLAINED] = "unexplained",
	[LA_LEDGER_FREE] = "free",
};

LA_EXPORT const char *la_ledger_name(enum la_ledger_id id)
{
	return ledger_names[id];
}

struct la_margin la_margin_segment(const struct la_facts *facts)
{
	struct la_margin segment = la_margin_of(facts, LA_AMOUNT_SEGMENT);

	return segment.known ? segment :
			       la_margin_of(facts, LA_AMOUNT_REQUEST);
}

struct la_margin la_margin_request(const struct la_facts *facts)
{
	struct la_margin request = la_margin_of(facts, LA_AMOUNT_REQUEST);
	struct la_margin segment = la_margin_segment(facts);

	if (!request.known)
		return segment;
	if (facts->amount[LA_AMOUNT_REQUEST].basis == LA_BASIS_DERIVED)
		request.high = segment.high;
	return request;
}

/* Between what is allocated and what it may hold at most. */
struct la_margin la_margin_reserved(const struct la_facts *facts)
{
	struct la_margin reserved = la_margin_of(facts, LA_AMOUNT_RESERVED);
	struct la_margin least = la_margin_or_0(facts, LA_AMOUNT_ALLOCATED);
	struct la_margin most = la_margin_least(
		la_margin_of(facts, LA_AMOUNT_ALLOWED),
		la_margin_difference(la_margin_of(facts, LA_AMOUNT_TOTAL),
				     la_margin_or_0(facts, LA_AMOUNT_FREE)));

	if (reserved.known || !most.known || most.high < least.low)
		return reserved;
	return (struct la_margin){ true, least.low, most.high };
}

/* What a cap leaves; nothing known where there is none. */
static struct la_margin under_cap(const struct la_facts *facts)
{
	return la_margin_difference(la_margin_of(facts, LA_AMOUNT_ALLOWED),
				    la_margin_reserved(facts));
}

struct la_margin la_margin_room(const struct la_facts *facts)
{
	return la_margin_least(la_margin_of(facts, LA_AMOUNT_FREE),
			       under_cap(facts));
}

/* A cap bounds what could be held if only live blocks were. */
static struct la_margin packed_under_cap(const struct la_facts *facts)
{
	struct la_margin held =
		la_margin_sum(la_margin_of(facts, LA_AMOUNT_ALLOCATED),
			      la_margin_or_0(facts, LA_AMOUNT_PRIVATE));

	return la_margin_difference(la_margin_of(facts, LA_AMOUNT_ALLOWED),
				    held);
}

/* The same where cached bytes are not known: they are between none and all
 * that the card or the cap has. */
static struct la_margin packed_at_most(const struct la_facts *facts,
				       struct la_margin room)
{
	struct la_margin most =
		la_margin_least(la_margin_of(facts, LA_AMOUNT_ALLOWED),
				la_margin_of(facts, LA_AMOUNT_TOTAL));

	most = la_margin_difference(most,
				    la_margin_of(facts, LA_AMOUNT_ALLOCATED));
	if (!most.known)
		return most;
	most.low = room.known && room.low > 0 ? room.low : 0;
	if (most.high < most.low)
		most.high = most.low;
	return most;
}

static struct la_margin contiguous(const struct la_facts *facts,
				   struct la_margin room)
{
	struct la_margin cached =
		la_margin_of(facts, LA_AMOUNT_UNALLOCATED);
	struct la_margin packed = la_margin_sum(
		la_margin_of(facts, LA_AMOUNT_FREE), cached);

	if (packed.known)
		packed = la_margin_least(packed, packed_under_cap(facts));
	else
		packed = packed_at_most(facts, room);
	return la_margin_difference(packed, la_margin_request(facts));
}

struct la_margin la_margin_context(const struct la_facts *facts)
{
	return la_margin_difference(
		la_margin_of(facts, LA_AMOUNT_CONTEXT),
		la_margin_or_0(facts, LA_AMOUNT_OTHER_ALLOCATORS));
}

/* What a context took beyond what one takes at least. */
struct la_margin la_margin_overhead(const struct la_facts *facts)
{
	static const struct la_margin least = { true, 300 * MIB, 600 * MIB };

	return la_margin_difference(la_margin_context(facts), least);
}

struct la_margin la_margin_with(const struct la_facts *facts,
				struct la_margin free, struct la_margin more)
{
	free = la_margin_sum(free, more);
	if (free.known)
		free = la_margin_least(free, under_cap(facts));
	return la_margin_difference(free, la_margin_segment(facts));
}

static struct la_margin all(const struct la_facts *facts,
			    const struct la_margin *margin)
{
	static const enum la_amount_id parts[] = {
		LA_AMOUNT_PRIVATE, LA_AMOUNT_OTHER_CACHES, LA_AMOUNT_OTHERS,
		LA_AMOUNT_LEAK, LA_AMOUNT_ROUNDING,
	};
	struct la_margin sum = margin[LA_MARGIN_CONTIGUOUS];
	struct la_margin overhead =
		la_margin_not_negative(la_margin_overhead(facts));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		sum = la_margin_sum(sum, la_margin_or_0(facts, parts[i]));
	return overhead.known ? la_margin_sum(sum, overhead) : sum;
}

void la_margins(struct la_margin margin[LA_MARGIN_COUNT],
		const struct la_facts *facts)
{
	struct la_margin free = la_margin_of(facts, LA_AMOUNT_FREE);
	struct la_margin room = la_margin_room(facts);
	struct la_margin segment = la_margin_segment(facts);

	margin[LA_MARGIN_AS_IT_WAS] = la_margin_difference(room, segment);
	margin[LA_MARGIN_CONTIGUOUS] = contiguous(facts, room);
	margin[LA_MARGIN_UNCACHED] =
		la_margin_with(facts, room,
			       la_margin_of(facts, LA_AMOUNT_OTHER_CACHES));
	margin[LA_MARGIN_ALONE] =
		la_margin_with(facts, free,
			       la_margin_of(facts, LA_AMOUNT_OTHERS));
	margin[LA_MARGIN_UNCAPPED] = (struct la_margin){ 0 };
	if (la_amount_known(&facts->amount[LA_AMOUNT_ALLOWED]))
		margin[LA_MARGIN_UNCAPPED] =
			la_margin_difference(free, segment);
	margin[LA_MARGIN_NO_LEAK] = la_margin_difference(
		la_margin_sum(room, la_margin_of(facts, LA_AMOUNT_LEAK)),
		segment);
	margin[LA_MARGIN_LEAN] =
		la_margin_with(facts, free, la_margin_overhead(facts));
	margin[LA_MARGIN_UNROUNDED] = la_margin_difference(
		la_margin_sum(room, la_margin_of(facts, LA_AMOUNT_ROUNDING)),
		segment);
	margin[LA_MARGIN_ALL] = all(facts, margin);
}

void la_ledger(struct la_margin row[LA_LEDGER_COUNT],
	       const struct la_facts *facts)
{
	struct la_margin rest = la_margin_of(facts, LA_AMOUNT_TOTAL);
	int i;

	row[LA_LEDGER_ROUNDING] = la_margin_of(facts, LA_AMOUNT_ROUNDING);
	row[LA_LEDGER_REQUESTED] = la_margin_difference(
		la_margin_of(facts, LA_AMOUNT_ALLOCATED),
		la_margin_or_0(facts, LA_AMOUNT_ROUNDING));
	row[LA_LEDGER_UNALLOCATED] =
		la_margin_of(facts, LA_AMOUNT_UNALLOCATED);
	row[LA_LEDGER_PRIVATE] = la_margin_of(facts, LA_AMOUNT_PRIVATE);
	row[LA_LEDGER_CONTEXT] = la_margin_context(facts);
	row[LA_LEDGER_OTHER_ALLOCATORS] = (struct la_margin){ 0 };
	if (row[LA_LEDGER_CONTEXT].known)
		row[LA_LEDGER_OTHER_ALLOCATORS] =
			la_margin_of(facts, LA_AMOUNT_OTHER_ALLOCATORS);
	row[LA_LEDGER_OTHERS] = la_margin_of(facts, LA_AMOUNT_OTHERS);
	row[LA_LEDGER_FREE] = la_margin_of(facts, LA_AMOUNT_FREE);
	row[LA_LEDGER_UNEXPLAINED] = (struct la_margin){ 0 };
	for (i = 0; i < LA_LEDGER_COUNT; i++)
		if (row[i].known)
			rest = la_margin_difference(rest, row[i]);
	row[LA_LEDGER_UNEXPLAINED] = rest;
}

bool la_card_is_explained(const struct la_facts *facts)
{
	struct la_margin total = la_margin_of(facts, LA_AMOUNT_TOTAL);
	struct la_margin row[LA_LEDGER_COUNT];
	int64_t little = total.high / 200;

	la_ledger(row, facts);
	if (little < (int64_t)(32 * MIB))
		little = 32 * MIB;
	return row[LA_LEDGER_UNEXPLAINED].known &&
	       row[LA_LEDGER_UNEXPLAINED].high <= little;
}
