// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "util/card.h"
#include "util/util.h"

static const struct la_card cards[] = {
#include "cards.inc"
};

/* Words of a full name that tell no two cards here apart. */
static const char *const filling[] = {
	"nvidia", "geforce", "tesla", "sxm",  "sxm2",  "sxm3", "sxm4",
	"sxm5",	  "pcie",    "hbm2",  "hbm2e", "hbm3", "hbm3e",
};

static bool is_filling(const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(filling); i++)
		if (strlen(filling[i]) == length &&
		    !strncasecmp(filling[i], word, length))
			return true;
	return false;
}

/* What is left of a name without blanks, dashes and filling; cut to fit. */
static void shorten(const char *name, char *out, size_t room)
{
	static const char gaps[] = " -_";
	size_t length;

	for (name += strspn(name, gaps); *name; name += strspn(name, gaps)) {
		if (!strncasecmp(name, "rtx", 3)) /* of "RTX3090" */
			name += 3;
		length = strcspn(name, gaps);
		if (!is_filling(name, length) && length < room) {
			memcpy(out, name, length);
			out += length;
			room -= length;
		}
		name += length;
	}
	*out = '\0';
}

const struct la_card *la_card_find(const char *name)
{
	char given[64], known[64];
	size_t i;

	shorten(name, given, sizeof(given));
	if (!*given)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(cards); i++) {
		shorten(cards[i].name, known, sizeof(known));
		if (!strcasecmp(given, known))
			return &cards[i];
	}
	return NULL;
}

const struct la_card *la_card_at(size_t index)
{
	return index < ARRAY_SIZE(cards) ? &cards[index] : NULL;
}
