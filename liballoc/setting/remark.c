// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "setting/number.h"
#include "setting/remark.h"
#include "util/util.h"

#define NOTE LA_SEVERITY_NOTE
#define WARNING LA_SEVERITY_WARNING
#define HINT LA_SEVERITY_HINT

static const struct la_setting_code_info codes[] = {
	{ LA_REMARK_PREFIX, WARNING,
	  "only the start of a word is read as its number" },
	{ LA_REMARK_WRAPPED, WARNING,
	  "a negative number is read as a huge one" },
	{ LA_REMARK_NOT_INTEGER, WARNING,
	  "a fraction or exponent is cut off a whole number" },
	{ LA_REMARK_COLON, WARNING, "something else stands for a colon" },
	{ LA_REMARK_COMMA, WARNING, "something else stands for a comma" },
	{ LA_REMARK_DUPLICATE, WARNING,
	  "an option is named twice and the last one counts" },
	{ LA_REMARK_ROUNDUP_OFF, WARNING,
	  "one division rounds no more than none" },
	{ LA_REMARK_LIST_GAP, WARNING,
	  "sizes between two entries of a list stay unrounded" },
	{ LA_REMARK_NEEDS_MAX_SPLIT, WARNING,
	  "without max_split_size_mb this does nothing" },
	{ LA_REMARK_NEEDS_CAP, WARNING,
	  "without a memory fraction below 1 this does nothing" },
	{ LA_REMARK_SPLIT_IGNORED, WARNING,
	  "expandable segments are split whatever max_split_size_mb says" },
	{ LA_REMARK_HOST_ONLY, NOTE,
	  "pinned host memory only, GPU memory is not affected" },
	{ LA_REMARK_BLANK_DELETED, WARNING,
	  "blanks inside a word are deleted" },
	{ LA_REMARK_NO_CAP, NOTE, "a memory fraction of 1 is no cap" },
	{ LA_REMARK_NATIVE_ONLY, WARNING,
	  "the cudaMallocAsync backend ignores this" },
	{ LA_REMARK_CLAMPED, WARNING,
	  "larger than any memory, so it acts as no bound" },
	{ LA_REMARK_TRAILING, WARNING, "what follows the last value is ignored" },
	{ LA_REMARK_SPLIT_IS_SEGMENT, WARNING,
	  "free segments for requests of 1 to 10 MiB cannot be reused" },
	{ LA_REMARK_LIST_SLOT, WARNING,
	  "a list's key lies outside the sizes that it can name" },
	{ LA_REMARK_EMPTY_LIST, WARNING, "an empty list changes nothing" },
	{ LA_REMARK_CAP_TOO_SMALL, WARNING,
	  "the memory fraction leaves no room for one segment" },
	{ LA_REMARK_CAP_READ_ONCE, WARNING,
	  "the memory fraction is not read again at run time" },
	{ LA_REMARK_SKIPPED, WARNING,
	  "what has no colon is stepped over in silence" },
	{ LA_REMARK_VARIABLE, WARNING,
	  "this release does not read the variable" },
	{ LA_REMARK_PLATFORM, WARNING,
	  "the platform has no expandable segments, or may have none" },
	{ LA_REMARK_SHARING, NOTE,
	  "expandable segments are shared with other processes differently" },
	{ LA_REMARK_HARMFUL_PAIR, WARNING,
	  "the two options together do harm in this release" },
	{ LA_REMARK_STARTS_ANEW, NOTE,
	  "at run time, options that are not named change too" },
	{ LA_REMARK_LOOKALIKE, WARNING,
	  "a character only looks like one that torch knows" },
	{ LA_REMARK_SETTER, WARNING,
	  "changing settings at run time has crashed torch" },
	{ LA_REMARK_GUIDES, NOTE, "guides recommend this value" },
	{ LA_REMARK_UNKNOWN, HINT, "no release has such an option" },
	{ LA_REMARK_OTHER_RELEASE, HINT, "another release has this option" },
	{ LA_REMARK_DEBUG, HINT, "no release has ever accepted debug" },
	{ LA_REMARK_EQUALS, HINT,
	  "an option and its value are separated by a colon" },
	{ LA_REMARK_SPELLING, HINT, "only True and False are accepted" },
	{ LA_REMARK_QUOTES, HINT, "the value itself contains quotes" },
	{ LA_REMARK_BACKEND_LATE, HINT,
	  "the backend is chosen while torch is imported" },
	{ LA_REMARK_ENDS_EARLY, HINT, "the string ends before a value" },
	{ LA_REMARK_TYPOGRAPHY, HINT,
	  "a character only looks like one that torch knows" },
	{ LA_REMARK_NO_KEY, HINT, "a value stands without its option" },
	{ LA_REMARK_SEPARATOR, HINT, "options are separated by commas" },
	{ LA_REMARK_VALUE, HINT, "the option does not take the value" },
	{ LA_POLICY_REFUSED, HINT,
	  "the policy wants settings that torch accepts" },
	{ LA_POLICY_FORBIDDEN, HINT, "the policy forbids the option" },
	{ LA_POLICY_REQUIRED, HINT,
	  "the policy requires an option that is not named" },
	{ LA_POLICY_RANGE, HINT,
	  "the value is outside the range that the policy allows" },
	{ LA_POLICY_VALUE, HINT,
	  "the value is not one of those that the policy allows" },
	{ LA_POLICY_OTHERS, HINT,
	  "the policy forbids options that it does not list" },
	{ LA_POLICY_VARIABLE, HINT, "the policy does not allow the variable" },
	{ LA_POLICY_RELEASE, HINT,
	  "the policy does not allow the release of torch" },
};

LA_EXPORT const struct la_setting_code_info *la_setting_code_at(size_t index)
{
	return index < ARRAY_SIZE(codes) ? &codes[index] : NULL;
}

static enum la_severity severity_of(enum la_setting_code code)
{
	size_t i = 0;

	while (codes[i].code != code)
		i++;
	return codes[i].severity;
}

void la_remarks_release(struct la_remarks *remarks)
{
	size_t i;

	for (i = 0; i < remarks->nr; i++)
		free((char *)remarks->remark[i].text);
	free(remarks->remark);
	*remarks = (struct la_remarks){ 0 };
}

static bool reserve(struct la_remarks *remarks)
{
	size_t capacity = remarks->capacity ? 2 * remarks->capacity : 8;
	struct la_setting_remark *remark;

	if (remarks->nr < remarks->capacity)
		return true;
	remark = reallocarray(remarks->remark, capacity, sizeof(*remark));
	if (!remark)
		return false;
	remarks->remark = remark;
	remarks->capacity = capacity;
	return true;
}

void la_remark(struct la_remarks *remarks, enum la_setting_code code,
	       size_t offset, size_t end, const char *format, ...)
{
	struct la_strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	la_strbuf_vaddf(&text, format, args);
	va_end(args);
	if (text.failed || !reserve(remarks)) {
		la_strbuf_release(&text);
		remarks->failed = true;
		return;
	}
	remarks->remark[remarks->nr++] = (struct la_setting_remark){
		.code = code,
		.severity = severity_of(code),
		.offset = offset,
		.length = end - offset,
		.text = text.data,
	};
}

static int by_offset(const void *a, const void *b)
{
	const struct la_setting_remark *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)x->code - (int)y->code;
}

void la_remarks_sort(struct la_remarks *remarks)
{
	if (remarks->nr)
		qsort(remarks->remark, remarks->nr, sizeof(*remarks->remark),
		      by_offset);
}

/* A number of which only the first used bytes are read. */
static void remark_prefix(struct la_remarks *remarks,
			  const struct la_token *token, size_t used,
			  enum la_setting_code code)
{
	if (used < token->length)
		la_remark(remarks, code, token->offset, token->end,
			  "'%s' is read as '%.*s'", token->text, (int)used,
			  token->text);
}

uint64_t la_remark_integer(struct la_remarks *remarks,
			   const struct la_token *token)
{
	enum la_setting_code code = LA_REMARK_PREFIX;
	uint64_t value;
	size_t used;

	if (la_stoull(token->text, &value, &used) < 0)
		return 0;
	if (token->text[0] == '-' && value)
		la_remark(remarks, LA_REMARK_WRAPPED, token->offset,
			  token->end, "'%s' wraps around to %" PRIu64,
			  token->text, value);
	if (used < token->length && strchr(".eE", token->text[used]))
		code = LA_REMARK_NOT_INTEGER;
	remark_prefix(remarks, token, used, code);
	return value;
}

void la_remark_double(struct la_remarks *remarks, const struct la_token *token)
{
	double value;
	size_t used;

	if (!la_stod(token->text, &value, &used))
		remark_prefix(remarks, token, used, LA_REMARK_PREFIX);
}
