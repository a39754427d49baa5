// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <string.h>

#include "util/card.h"
#include "util/util.h"

static const struct la_card cards[] = {
#include "cards.inc"
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static const char *skip_filling(const char *name)
{
	return name + strspn(name, " -_");
}

/* What follows word at the start of name, or name. */
static const char *skip_word(const char *name, const char *word)
{
	const char *rest = name;

	for (; *word; word++, rest++)
		if (lower(*rest) != *word)
			return name;
	return skip_filling(rest);
}

static bool same(const char *a, const char *b)
{
	for (;; a++, b++) {
		a = skip_filling(a);
		b = skip_filling(b);
		if (lower(*a) != lower(*b))
			return false;
		if (!*a)
			return true;
	}
}

static const char *skip_makers(const char *name)
{
	static const char *const words[] = { "nvidia", "geforce", "tesla",
					     "rtx" };
	size_t i;

	name = skip_filling(name);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		name = skip_word(name, words[i]);
	return name;
}

const struct la_card *la_card_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cards); i++)
		if (same(skip_makers(name), skip_makers(cards[i].name)))
			return &cards[i];
	return NULL;
}
