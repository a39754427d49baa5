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
	  "only the start of a word is read as its number",
	  "max_split_size_mb:128MB",
	  "write the number alone; sizes are in MiB" },
	{ LA_REMARK_WRAPPED, WARNING,
	  "a negative number is read as a huge one",
	  "max_split_size_mb:-1",
	  "leave the option out for its default" },
	{ LA_REMARK_NOT_INTEGER, WARNING,
	  "a fraction or exponent is cut off a whole number",
	  "pinned_reserve_segment_size_mb:1e3",
	  "write the number out: 1000" },
	{ LA_REMARK_COLON, WARNING, "something else stands for a colon",
	  "max_split_size_mb,128",
	  "write a colon" },
	{ LA_REMARK_COMMA, WARNING, "something else stands for a comma",
	  "max_split_size_mb:128:expandable_segments:True",
	  "write a comma" },
	{ LA_REMARK_DUPLICATE, WARNING,
	  "an option is named twice and the last one counts",
	  "max_split_size_mb:64,max_split_size_mb:128",
	  "remove the earlier one" },
	{ LA_REMARK_ROUNDUP_OFF, WARNING,
	  "one division rounds no more than none",
	  "roundup_power2_divisions:1",
	  "2, 4 or 8, or leave it out" },
	{ LA_REMARK_LIST_GAP, WARNING,
	  "sizes between two entries of a list stay unrounded",
	  "roundup_power2_divisions:[64:4,512:2]",
	  "name every power of two between" },
	{ LA_REMARK_NEEDS_MAX_SPLIT, WARNING,
	  "without max_split_size_mb this does nothing",
	  "max_non_split_rounding_mb:64",
	  "set max_split_size_mb too" },
	{ LA_REMARK_NEEDS_CAP, WARNING,
	  "without a memory fraction below 1 this does nothing",
	  "garbage_collection_threshold:0.8",
	  "set per_process_memory_fraction below 1 too, or call set_per_process_memory_fraction()" },
	{ LA_REMARK_SPLIT_IGNORED, WARNING,
	  "expandable segments are split whatever max_split_size_mb says",
	  "expandable_segments:True,max_split_size_mb:64",
	  "choose one of the two" },
	{ LA_REMARK_HOST_ONLY, NOTE,
	  "pinned host memory only, GPU memory is not affected",
	  "pinned_use_background_threads:True",
	  "nothing, if that was meant" },
	{ LA_REMARK_BLANK_DELETED, WARNING,
	  "blanks inside a word are deleted",
	  "max_split_size_mb:12 8",
	  "remove the blank" },
	{ LA_REMARK_NO_CAP, NOTE, "a memory fraction of 1 is no cap",
	  "per_process_memory_fraction:1.0",
	  "a value below 1 for a cap" },
	{ LA_REMARK_NATIVE_ONLY, WARNING,
	  "the cudaMallocAsync backend ignores this",
	  "backend:cudaMallocAsync,max_split_size_mb:64",
	  "remove the option or the backend" },
	{ LA_REMARK_CLAMPED, WARNING,
	  "larger than any memory, so it acts as no bound",
	  "max_split_size_mb:17592186044416",
	  "leave the option out" },
	{ LA_REMARK_TRAILING, WARNING, "what follows the last value is ignored",
	  "roundup_power2_divisions:[64:4]x",
	  "remove it" },
	{ LA_REMARK_SPLIT_IS_SEGMENT, WARNING,
	  "free segments for requests of 1 to 10 MiB cannot be reused",
	  "max_split_size_mb:20",
	  "any larger value" },
	{ LA_REMARK_LIST_SLOT, WARNING,
	  "a list's key lies outside the sizes that it can name",
	  "roundup_power2_divisions:[65536:4]",
	  "32768 names the last slot" },
	{ LA_REMARK_EMPTY_LIST, WARNING, "an empty list changes nothing",
	  "roundup_power2_divisions:[]",
	  "leave the option out" },
	{ LA_REMARK_CAP_TOO_SMALL, WARNING,
	  "the memory fraction leaves no room for one segment",
	  "per_process_memory_fraction:0",
	  "a larger value" },
	{ LA_REMARK_CAP_READ_ONCE, WARNING,
	  "the memory fraction is not read again at run time",
	  "per_process_memory_fraction:0.5",
	  "call set_per_process_memory_fraction()" },
	{ LA_REMARK_SKIPPED, WARNING,
	  "what has no colon is stepped over in silence",
	  "max_split_size_mb=128 (1.13)",
	  "write a colon, and no blank around it" },
	{ LA_REMARK_VARIABLE, WARNING,
	  "this release does not read the variable",
	  "PYTORCH_ALLOC_CONF=backend:native (2.9)",
	  "the name that is given" },
	{ LA_REMARK_PLATFORM, WARNING,
	  "the platform has no expandable segments, or may have none",
	  "expandable_segments:True on Windows",
	  "leave it out there" },
	{ LA_REMARK_SHARING, NOTE,
	  "expandable segments are shared with other processes differently",
	  "expandable_segments:True",
	  "nothing, if no memory is shared between processes" },
	{ LA_REMARK_HARMFUL_PAIR, WARNING,
	  "the two options together do harm in this release",
	  "expandable_segments:True,max_split_size_mb:64 (2.12)",
	  "choose one of the two" },
	{ LA_REMARK_STARTS_ANEW, NOTE,
	  "at run time, options that are not named change too",
	  "max_split_size_mb:64 with --set-at runtime",
	  "name every option that has to stay" },
	{ LA_REMARK_LOOKALIKE, WARNING,
	  "a character only looks like one that torch knows",
	  "a no-break space after a number",
	  "type it anew" },
	{ LA_REMARK_SETTER, WARNING,
	  "changing settings at run time has crashed torch",
	  "any setting with --set-at runtime",
	  "set the variable before the program starts" },
	{ LA_REMARK_GUIDES, NOTE, "guides recommend this value",
	  "max_split_size_mb:128",
	  "allocctl explain presets, then allocctl tune" },
	{ LA_REMARK_LIST_ORDER, WARNING,
	  "an entry of a list changes what an earlier one set",
	  "roundup_power2_divisions:[512:2,256:4]",
	  "rising keys, and up to 2.9 one power of two more before >" },
	{ LA_REMARK_UNKNOWN, HINT, "no release has such an option",
	  "expandable_segment:True",
	  "the name that is suggested" },
	{ LA_REMARK_OTHER_RELEASE, HINT, "another release has this option",
	  "throw_on_cudamalloc_oom:True",
	  "that release of torch" },
	{ LA_REMARK_DEBUG, HINT, "no release has ever accepted debug",
	  "debug:1",
	  "allocctl replay --log-splits" },
	{ LA_REMARK_EQUALS, HINT,
	  "an option and its value are separated by a colon",
	  "max_split_size_mb=128",
	  "write a colon" },
	{ LA_REMARK_SPELLING, HINT, "only True and False are accepted",
	  "expandable_segments:true",
	  "write True or False" },
	{ LA_REMARK_QUOTES, HINT, "the value itself contains quotes",
	  "\"max_split_size_mb:128\"",
	  "in cmd.exe: set \"NAME=value\"" },
	{ LA_REMARK_BACKEND_LATE, HINT,
	  "the backend is chosen while torch is imported",
	  "backend:cudaMallocAsync",
	  "set the variable before python starts" },
	{ LA_REMARK_ENDS_EARLY, HINT, "the string ends before a value",
	  "max_split_size_mb:",
	  "an option, a colon, a value" },
	{ LA_REMARK_TYPOGRAPHY, HINT,
	  "a character only looks like one that torch knows",
	  "typographic quotes, full-width letters",
	  "type it anew" },
	{ LA_REMARK_NO_KEY, HINT, "a value stands without its option",
	  "cudaMallocAsync",
	  "backend:cudaMallocAsync" },
	{ LA_REMARK_SEPARATOR, HINT, "options are separated by commas",
	  "expandable_segments:True;backend:native",
	  "write a comma" },
	{ LA_REMARK_VALUE, HINT, "the option does not take the value",
	  "max_split_size_mb:19",
	  "a value that it takes" },
	{ LA_POLICY_REFUSED, HINT,
	  "the policy wants settings that torch accepts",
	  "max_split_size_mb:19",
	  "the setting that is suggested" },
	{ LA_POLICY_FORBIDDEN, HINT, "the policy forbids the option",
	  "an option with rule: forbidden",
	  "leave it out" },
	{ LA_POLICY_REQUIRED, HINT,
	  "the policy requires an option that is not named",
	  "an option with rule: required",
	  "add it" },
	{ LA_POLICY_RANGE, HINT,
	  "the value is outside the range that the policy allows",
	  "an option with max: 512",
	  "a value within it" },
	{ LA_POLICY_VALUE, HINT,
	  "the value is not one of those that the policy allows",
	  "an option with values: [native]",
	  "one of them" },
	{ LA_POLICY_OTHERS, HINT,
	  "the policy forbids options that it does not list",
	  "other_options: forbidden",
	  "leave the option out" },
	{ LA_POLICY_VARIABLE, HINT, "the policy does not allow the variable",
	  "variables: [PYTORCH_ALLOC_CONF]",
	  "a variable on the list" },
	{ LA_POLICY_RELEASE, HINT,
	  "the policy does not allow the release of torch",
	  "torch: { from: 2.6 }",
	  "another release of torch" },
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
	if (x->code != y->code)
		return (int)x->code - (int)y->code;
	return strcmp(x->text, y->text);
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
	if (used == token->length)
		return;
	if (token->text[used])
		la_remark(remarks, code, token->offset, token->end,
			  "'%s' is read as '%.*s'", token->text, (int)used,
			  token->text);
	else
		la_remark(remarks, code, token->offset, token->end,
			  "read as '%s', up to a NUL byte", token->text);
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
	if (token->text[used] && strchr(".eE", token->text[used]))
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
