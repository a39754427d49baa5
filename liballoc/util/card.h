/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU of some name really has. */
#ifndef LA_UTIL_CARD_H
#define LA_UTIL_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One card of conf/cards.yaml. */
struct la_card {
	const char *name;
	uint64_t total; /* bytes, as torch reports them */
	bool about; /* total is only known rounded */
};

/*
 * The card of that name, or NULL.  Case, blanks, dashes, makers and the like
 * of SXM4 or HBM3 do not matter, so that a card's full name finds it.
 */
const struct la_card *la_card_find(const char *name);

/* The cards in the order of the file; NULL behind the last. */
const struct la_card *la_card_at(size_t index);

#endif /* LA_UTIL_CARD_H */
