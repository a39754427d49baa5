/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of bytes that are known within bounds. */
#ifndef LA_TRIAGE_AMOUNT_H
#define LA_TRIAGE_AMOUNT_H

#include <liballoc/triage.h>

/* Nothing that a computer holds or asks for is larger; what is, counts as
 * this, so that sums of bounds never overflow. */
#define LA_AMOUNT_MOST (INT64_MAX / 64)

static inline bool la_amount_known(const struct la_amount *amount)
{
	return amount->basis != LA_BASIS_NONE;
}

static inline bool la_facts_know(const struct la_facts *facts,
				 enum la_amount_id id)
{
	return la_amount_known(&facts->amount[id]);
}

/* Two known amounts may be the same bytes. */
static inline bool la_amounts_overlap(const struct la_amount *one,
				      const struct la_amount *other)
{
	return one->low <= other->high && other->low <= one->high;
}

static inline int64_t la_amount_bound(uint64_t bytes)
{
	return bytes < LA_AMOUNT_MOST ? (int64_t)bytes : LA_AMOUNT_MOST;
}

static inline struct la_margin la_margin_exactly(int64_t bytes)
{
	return (struct la_margin){ true, bytes, bytes };
}

static inline struct la_margin la_margin_of(const struct la_facts *facts,
					    enum la_amount_id id)
{
	const struct la_amount *amount = &facts->amount[id];

	if (!la_amount_known(amount))
		return (struct la_margin){ 0 };
	return (struct la_margin){ true, la_amount_bound(amount->low),
				   la_amount_bound(amount->high) };
}

/* As la_margin_of(), nothing where it is not known. */
static inline struct la_margin la_margin_or_0(const struct la_facts *facts,
					      enum la_amount_id id)
{
	struct la_margin margin = la_margin_of(facts, id);

	return margin.known ? margin : la_margin_exactly(0);
}

static inline struct la_margin la_margin_sum(struct la_margin a,
					     struct la_margin b)
{
	if (!a.known || !b.known)
		return (struct la_margin){ 0 };
	return (struct la_margin){ true, a.low + b.low, a.high + b.high };
}

static inline struct la_margin la_margin_difference(struct la_margin a,
						    struct la_margin b)
{
	if (!a.known || !b.known)
		return (struct la_margin){ 0 };
	return (struct la_margin){ true, a.low - b.high, a.high - b.low };
}

/* The smaller of two; of one where the other is not known. */
static inline struct la_margin la_margin_least(struct la_margin a,
					       struct la_margin b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return (struct la_margin){ true, a.low < b.low ? a.low : b.low,
				   a.high < b.high ? a.high : b.high };
}

static inline struct la_margin la_margin_not_negative(struct la_margin a)
{
	if (a.low < 0)
		a.low = 0;
	if (a.high < 0)
		a.high = 0;
	return a;
}

/* Not negative for all amounts within the bounds; for none of them. */
static inline bool la_margin_suffices(const struct la_margin *margin)
{
	return margin->known && margin->low >= 0;
}

static inline bool la_margin_fails(const struct la_margin *margin)
{
	return margin->known && margin->high < 0;
}

static inline int64_t la_margin_middle(const struct la_margin *margin)
{
	return margin->low + (margin->high - margin->low) / 2;
}

#endif /* LA_TRIAGE_AMOUNT_H */
