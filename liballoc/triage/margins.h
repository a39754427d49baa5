/* SPDX-License-Identifier: Apache-2.0 */
/* What would have been left if ..., and where the card's bytes are. */
#ifndef LA_TRIAGE_MARGINS_H
#define LA_TRIAGE_MARGINS_H

#include <liballoc/triage.h>

/* Bytes asked of the device; where that is unknown, by the program. */
struct la_margin la_margin_segment(const struct la_facts *facts);

/* Bytes asked by the program; at most the segment where they are derived of
 * it, so that what is said of a message holds for all that it can mean. */
struct la_margin la_margin_request(const struct la_facts *facts);

/* Bytes held by the allocator, or bounds that always hold. */
struct la_margin la_margin_reserved(const struct la_facts *facts);

/* Bytes that could still be had: free ones that the cap allows. */
struct la_margin la_margin_room(const struct la_facts *facts);

/* Bytes of the context: of the process beyond all of its allocators. */
struct la_margin la_margin_context(const struct la_facts *facts);

/* Bytes of the context beyond what one needs at least. */
struct la_margin la_margin_overhead(const struct la_facts *facts);

/* What would be left if so much more were free, as far as the cap lets. */
struct la_margin la_margin_with(const struct la_facts *facts,
				struct la_margin free, struct la_margin more);

/* All margins, and all rows of the ledger. */
void la_margins(struct la_margin margin[LA_MARGIN_COUNT],
		const struct la_facts *facts);
void la_ledger(struct la_margin row[LA_LEDGER_COUNT],
	       const struct la_facts *facts);

/* All of the card but 0.5 % or 32 MiB is known to be somebody's, or free. */
bool la_card_is_explained(const struct la_facts *facts);

#endif /* LA_TRIAGE_MARGINS_H */
