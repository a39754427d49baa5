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
