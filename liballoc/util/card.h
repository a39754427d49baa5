/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU of some name really has. */
#ifndef LA_UTIL_CARD_H
#define LA_UTIL_CARD_H

#include <stdbool.h>
#include <stdint.h>

/* One card of conf/cards.yaml. */
struct la_card {
	const char *name;
	uint64_t total; /* bytes, as torch reports them */
	bool about; /* total is only known rounded */
};

/*
 * The card of that name, or NULL.  Case, blanks, dashes and a leading
 * "NVIDIA", "GeForce", "RTX" or "Tesla" do not matter.
 */
const struct la_card *la_card_find(const char *name);

#endif /* LA_UTIL_CARD_H */
