// SPDX-License-Identifier: Apache-2.0
/* conf/remedies.yaml as tables. */
#include <string.h>

#include <liballoc/triage.h>

#include "triage/remedy-table.h"
#include "util/util.h"

static const struct la_remedy remedies[] = {
#include "remedies.inc"
};

static const struct la_remedy_rule rules[] = {
#include "remedy-rules.inc"
};

_Static_assert(ARRAY_SIZE(remedies) == ARRAY_SIZE(rules), "one rule each");

LA_EXPORT const struct la_remedy *la_remedies(size_t *count)
{
	*count = ARRAY_SIZE(remedies);
	return remedies;
}

const struct la_remedy_rule *la_remedy_rule(size_t index)
{
	return &rules[index];
}

bool la_remedy_word(const char *list, const char *word)
{
	size_t length = strlen(word), n;

	if (!list)
		return true;
	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == length && !memcmp(list, word, n))
			return true;
	}
	return false;
}
