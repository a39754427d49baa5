// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: amounts and margins for people. */

#include <stdio.h>
#include <string.h>

#include "triage.h"
#include "util/size.h"

/* A range of bytes, of which one text is enough if both ends have it or if
 * they differ by rounding alone. */
static const char *range_text(char text[TRIAGE_SIZE], enum la_language language,
			      uint64_t low, uint64_t high, bool rounded)
{
	char a[LA_SIZE_TEXT], b[LA_SIZE_TEXT];
	struct la_strbuf out = { 0 };

	la_size_format(a, low);
	la_size_format(b, high);
	if (!strcmp(a, b))
		return strcpy(text, a);
	if (rounded)
		return strcpy(text, la_size_format(a, low + (high - low) / 2));
	if (low <= high / 64)
		triage_say(&out, language, W_explain_up_to, b, NULL);
	else
		triage_say(&out, language, W_explain_range, a, b, NULL);
	snprintf(text, TRIAGE_SIZE, "%s", la_strbuf_text(&out));
	la_strbuf_release(&out);
	return text;
}

/* Is that no more than what two decimals of a unit leave open? */
static bool triage_is_rounding(uint64_t low, uint64_t high)
{
	return high - low <= high / 64;
}

const char *triage_amount_text(char text[TRIAGE_SIZE],
			       enum la_language language,
			       const struct la_amount *amount)
{
	if (amount->basis == LA_BASIS_NONE)
		return strcpy(text, triage_word(language, W_explain_unknown));
	return range_text(
		text, language, amount->low, amount->high,
		amount->basis == LA_BASIS_PRINTED ||
			triage_is_rounding(amount->low, amount->high));
}

static void signed_text(char text[LA_SIZE_TEXT + 1], int64_t bytes)
{
	char size[LA_SIZE_TEXT];
	uint64_t magnitude = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;

	la_size_format(size, magnitude);
	snprintf(text, LA_SIZE_TEXT + 1, "%s%s", bytes < 0 ? "-" : "", size);
}

const char *triage_margin_text(char text[TRIAGE_SIZE],
			       enum la_language language,
			       const struct la_margin *margin)
{
	char a[LA_SIZE_TEXT + 1], b[LA_SIZE_TEXT + 1];
	struct la_strbuf out = { 0 };

	if (!margin->known)
		return strcpy(text, triage_word(language, W_explain_unknown));
	if (margin->low >= 0)
		return range_text(text, language, (uint64_t)margin->low,
				  (uint64_t)margin->high,
				  triage_is_rounding((uint64_t)margin->low,
						     (uint64_t)margin->high));
	signed_text(a, margin->low);
	signed_text(b, margin->high);
	if (!strcmp(a, b) ||
	    (margin->high < 0 && triage_is_rounding(-(uint64_t)margin->high,
						    -(uint64_t)margin->low)))
		return strcpy(text, b);
	triage_say(&out, language, W_explain_range, a, b, NULL);
	snprintf(text, TRIAGE_SIZE, "%s", la_strbuf_text(&out));
	la_strbuf_release(&out);
	return text;
}

bool triage_cap_is_open(const struct la_facts *facts)
{
	const struct la_amount *cap = &facts->amount[LA_AMOUNT_ALLOWED];

	return cap->basis != LA_BASIS_NONE && cap->basis != LA_BASIS_PRINTED &&
	       !triage_is_rounding(cap->low, cap->high);
}
