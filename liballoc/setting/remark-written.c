// SPDX-License-Identifier: Apache-2.0
/* What the string itself shows, before it is cut into tokens. */
#include <string.h>

#include "setting/meant.h"
#include "setting/release.h"
#include "setting/remark.h"
#include "setting/tokenizer.h"

static const char *advice(char meant)
{
	if (meant == ' ')
		return "not a blank that torch knows: leave it out";
	if (meant == '"')
		return "typographic quotes are part of the value: leave them "
		       "out";
	return "not the characters of ASCII that they look like";
}

/* One remark for those that stand together. */
static void remark_lookalikes(struct la_remarks *remarks, const char *source,
			      size_t length, enum la_setting_code code)
{
	size_t i = 0, start, size;
	char c, first;

	while (i < length) {
		start = i;
		first = c = la_meant_char(source + i, length - i, &size);
		i += size;
		while (c && i < length) {
			c = la_meant_char(source + i, length - i, &size);
			i += c ? size : 0;
		}
		if (first)
			la_remark(remarks, code, start, i, "%s", advice(first));
	}
}

static bool has_value(const char *piece, size_t length)
{
	const char *colon = memchr(piece, ':', length), *end = piece + length;

	while (colon && colon < end && *colon == ':')
		colon++;
	return colon && colon < end;
}

/* Up to 1.13 a piece between blanks and commas without a value is nothing. */
static void remark_skipped(struct la_remarks *remarks, const char *source,
			   size_t length)
{
	size_t i, start;

	for (i = 0; i < length; i++) {
		start = i;
		while (i < length && source[i] != ',' &&
		       !la_is_blank(source[i]))
			i++;
		if (i > start && !has_value(source + start, i - start))
			la_remark(remarks, LA_REMARK_SKIPPED, start, i,
				  "no option with its value: stepped over in "
				  "silence");
	}
}

void la_remark_written(struct la_remarks *remarks,
		       const struct la_tokens *tokens, bool accepted,
		       const struct la_setting_context *context)
{
	remark_lookalikes(remarks, tokens->source, tokens->source_length,
			  accepted ? LA_REMARK_LOOKALIKE :
				     LA_REMARK_TYPOGRAPHY);
	if (la_generation_of(context->release) == LA_GENERATION_A)
		remark_skipped(remarks, tokens->source, tokens->source_length);
}
