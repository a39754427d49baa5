// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "triage-words.h"
#include "util/util.h"

enum { MOST_PARTS = 10 };

static const char *const words[][LA_LANGUAGE_COUNT] = {
#define WORD(name, english, chinese) [W_##name] = { english, chinese },
#include "triage-words.inc"
#undef WORD
};

static_assert(W_grade_unknown - W_cause_cannot_tell == LA_CAUSE_COUNT,
	      "a text for each cause");
static_assert(W_margin_as_it_was - W_ledger_requested == LA_LEDGER_COUNT,
	      "a text for each row of the ledger");
static_assert(W_amount_request - W_margin_as_it_was == LA_MARGIN_COUNT,
	      "a text for each margin");
static_assert(W_basis_none - W_amount_request == LA_AMOUNT_COUNT,
	      "a text for each amount");

/* Of the first that is set, as for any program. */
static enum la_language language_here(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	const char *value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		value = getenv(names[i]);
		if (value && *value)
			return strncmp(value, "zh", 2) ? LA_LANGUAGE_ENGLISH :
							 LA_LANGUAGE_CHINESE;
	}
	return LA_LANGUAGE_ENGLISH;
}

int triage_language(const char *name)
{
	if (!name)
		return (int)language_here();
	if (!strcmp(name, "en"))
		return LA_LANGUAGE_ENGLISH;
	return strcmp(name, "zh") ? -1 : (int)LA_LANGUAGE_CHINESE;
}

const char *triage_word(enum la_language language, enum triage_word word)
{
	return words[word][language];
}

/* {N} at text, or -1. */
static int place(const char *text)
{
	return text[0] == '{' && text[1] >= '0' && text[1] <= '9' &&
			       text[2] == '}' ?
		       text[1] - '0' :
		       -1;
}

void triage_say(struct la_strbuf *out, enum la_language language,
		enum triage_word word, ...)
{
	const char *part[MOST_PARTS + 1], *text = words[word][language];
	size_t length;
	va_list args;
	int count = 0, n;

	va_start(args, word);
	while (count < MOST_PARTS && (part[count] = va_arg(args, const char *)))
		count++;
	va_end(args);
	for (; *text; text += length) {
		n = place(text);
		length = n < 0 ? 1 + strcspn(text + 1, "{") : 3;
		if (n < 0)
			la_strbuf_add(out, text, length);
		else if (n < count)
			print_escaped_add(out, part[n], strlen(part[n]));
	}
}
