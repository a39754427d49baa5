// SPDX-License-Identifier: Apache-2.0
/* allocctl verify: what torch makes of a value, in the words of reports. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/util.h"
#include "verify.h"

/* Remarks that say what slipped; others are no business of this command. */
static const struct {
	enum la_setting_code code;
	const char *kind;
} kinds[] = {
	{ LA_REMARK_PREFIX, "suffix_or_comment_accepted_by_luck" },
	{ LA_REMARK_TRAILING, "suffix_or_comment_accepted_by_luck" },
	{ LA_REMARK_BLANK_DELETED, "blank_in_value" },
	{ LA_REMARK_WRAPPED, "number_misread" },
	{ LA_REMARK_NOT_INTEGER, "number_misread" },
	{ LA_REMARK_COLON, "other_sign_in_place_of_colon" },
	{ LA_REMARK_COMMA, "other_sign_in_place_of_comma" },
	{ LA_REMARK_DUPLICATE, "option_named_twice" },
	{ LA_REMARK_SPLIT_IGNORED, "max_split_with_expandable_segments" },
	{ LA_REMARK_HARMFUL_PAIR, "max_split_with_expandable_segments" },
	{ LA_REMARK_NATIVE_ONLY, "option_ignored_under_cudaMallocAsync" },
	{ LA_REMARK_SPLIT_IS_SEGMENT, "below_or_at_minimum" },
	{ LA_REMARK_PLATFORM, "unsupported_on_platform" },
	{ LA_REMARK_SKIPPED, "unknown_or_missing_key" },
	{ LA_REMARK_LOOKALIKE, "lookalike_character" },
	{ LA_REMARK_UNKNOWN, "unknown_or_missing_key" },
	{ LA_REMARK_OTHER_RELEASE, "option_newer_than_torch" },
	{ LA_REMARK_DEBUG, "unknown_or_missing_key" },
	{ LA_REMARK_EQUALS, "equals_in_place_of_colon" },
	{ LA_REMARK_SPELLING, "boolean_not_True_False" },
	{ LA_REMARK_QUOTES, "quotes_in_value" },
	{ LA_REMARK_BACKEND_LATE, "set_too_late" },
	{ LA_REMARK_ENDS_EARLY, "value_missing" },
	{ LA_REMARK_TYPOGRAPHY, "lookalike_character" },
	{ LA_REMARK_NO_KEY, "unknown_or_missing_key" },
	{ LA_REMARK_SEPARATOR, "other_sign_in_place_of_comma" },
	{ LA_REMARK_VALUE, "value_not_taken" },
};

/* What the refusals of a value are about, by torch's words. */
static const struct {
	const char *word, *kind;
} refusals[] = {
	{ "too small", "below_or_at_minimum" },
	{ "garbage_collect", "threshold_out_of_range" },
	{ "True/False", "boolean_not_True_False" },
};

/* What guides leave for the reader to replace. */
static const char *const blanks_to_fill[] = { "...",  "xxx", "XXX",   "your",
					      "YOUR", "{",   "\u2026" };

static const char *refusal_kind(const struct la_setting_refusal *refusal)
{
	size_t i;

	for (i = 0; refusal && i < ARRAY_SIZE(refusals); i++)
		if (strstr(refusal->text, refusals[i].word))
			return refusals[i].kind;
	return "value_not_taken";
}

/* The word for a remark on the value, or NULL. */
static const char *remark_kind(const struct la_setting_check *check,
			       const struct la_setting_remark *remark,
			       const char *value)
{
	size_t i;

	/* A word without a value is no option, whatever was meant. */
	if (remark->code == LA_REMARK_ENDS_EARLY && !strchr(value, ':'))
		return "unknown_or_missing_key";
	if (remark->code == LA_REMARK_SKIPPED && strchr(value, '='))
		return "equals_in_place_of_colon";
	if (remark->code == LA_REMARK_VALUE)
		return refusal_kind(la_setting_check_refusal(check));
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].code == remark->code)
			return kinds[i].kind;
	return NULL;
}

/* Where bytes of the value stand in the text, else the whole place. */
static void find_in_place(const struct verify *verify,
			  const struct verify_place *place, uint64_t *offset,
			  uint64_t *length)
{
	const char *at = strstr(verify->text + place->offset, place->value);
	size_t bytes = strlen(place->value);

	if (at && bytes &&
	    (uint64_t)(at - verify->text) + bytes <=
		    place->offset + place->length) {
		*offset += (uint64_t)(at - verify->text);
		return;
	}
	*offset = place->offset;
	*length = place->length;
}

static void say(struct verify *verify, struct verify_place *place, int code,
		const char *kind, const char *text, uint64_t offset,
		uint64_t length)
{
	find_in_place(verify, place, &offset, &length);
	verify_say(verify, &place->list, code, kind, text, offset, length);
}

static void say_placeholder(struct verify *verify, struct verify_place *place)
{
	const char *value = place->value, *at = strchr(value, '<');
	const char *end = at ? strchr(at, '>') : NULL;
	size_t i;

	for (i = 0; i < place->list.count; i++)
		if (place->list.said[i].code == LA_SCRIPT_PLACEHOLDER)
			return;
	if (!end || !isalpha((unsigned char)at[1])) {
		end = NULL;
		for (i = 0; !end && i < ARRAY_SIZE(blanks_to_fill); i++) {
			at = strstr(value, blanks_to_fill[i]);
			if (at)
				end = at + strlen(blanks_to_fill[i]) - 1;
		}
	}
	if (end)
		say(verify, place, LA_SCRIPT_PLACEHOLDER, "placeholder_left_in",
		    "this still stands for a value of your own",
		    (uint64_t)(at - value), (uint64_t)(end + 1 - at));
}

static void say_refusal(struct verify *verify, struct verify_place *place,
			const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	const struct la_setting_remark *remark;
	char text[512];
	size_t count, i;

	if (!refusal)
		return;
	place->refused = true;
	remark = la_setting_check_remarks(check, &count);
	for (i = 0; i < count; i++)
		if (remark[i].severity == LA_SEVERITY_HINT)
			return;
	snprintf(text, sizeof(text), "torch refuses it: %s", refusal->text);
	say(verify, place, LA_REMARK_VALUE, refusal_kind(refusal), text,
	    refusal->offset, refusal->length);
}

/* Of memory on the card, under a backend that does not read it. */
static void say_ignored(struct verify *verify, struct verify_place *place,
			const struct la_setting_check *check)
{
	const struct la_setting_values *values = la_setting_check_values(check);
	const struct la_setting_option *option;
	const char *at;
	size_t i;

	for (i = 0; values->cuda_malloc_async &&
		    (option = la_setting_check_option(check, i));
	     i++) {
		at = strstr(place->value, option->name);
		if (option->side != LA_SIDE_DEVICE || !at ||
		    !strcmp(option->name, "backend"))
			continue;
		say(verify, place, LA_REMARK_NATIVE_ONLY,
		    "option_ignored_under_cudaMallocAsync",
		    "the cudaMallocAsync backend ignores this",
		    (uint64_t)(at - place->value), strlen(option->name));
	}
}

static void say_remarks(struct verify *verify, struct verify_place *place,
			const struct la_setting_check *check)
{
	const struct la_setting_remark *remark;
	const char *kind;
	size_t count, i;

	say_refusal(verify, place, check);
	remark = la_setting_check_remarks(check, &count);
	for (i = 0; i < count; i++) {
		kind = remark_kind(check, &remark[i], place->value);
		if (kind && remark[i].code != LA_REMARK_NATIVE_ONLY)
			say(verify, place, (int)remark[i].code, kind,
			    remark[i].text, remark[i].offset, remark[i].length);
	}
	say_ignored(verify, place, check);
}

/* Where no release was named: up to which the variable is not read. */
static void say_unread(struct verify *verify, struct verify_place *place)
{
	struct la_setting_context context = verify->context;
	const char *why = NULL, *release = NULL, *now;
	char text[256];
	size_t i;

	if (verify->request.torch) {
		why = la_setting_variable_unread(place->variable, &context);
	} else if (!strcmp(place->variable, "PYTORCH_ALLOC_CONF")) {
		for (i = 0; la_release_at(i); i++) {
			context.release = la_release_at(i)->number;
			now = la_setting_variable_unread(place->variable,
							 &context);
			why = now ? now : why;
			release = now ? la_release_at(i)->name : release;
		}
	}
	if (!why)
		return;
	snprintf(text, sizeof(text), "%s%s%s%s", release ? "up to torch " : "",
		 release ? release : "", release ? ": " : "", why);
	verify_say(verify, &place->list, LA_REMARK_VARIABLE,
		   "new_name_ignored_before_2.10", text, place->offset,
		   place->length);
}

static bool is_of_torch(const char *variable)
{
	return !strcmp(variable, "PYTORCH_CUDA_ALLOC_CONF") ||
	       !strcmp(variable, "PYTORCH_HIP_ALLOC_CONF") ||
	       !strcmp(variable, "PYTORCH_ALLOC_CONF");
}

void verify_value(struct verify *verify, struct verify_place *place)
{
	struct la_setting_check *check;

	if (!is_of_torch(place->variable) || !place->value)
		return;
	if (!strcmp(place->variable, "PYTORCH_HIP_ALLOC_CONF"))
		verify->context.build = LA_BUILD_ROCM;
	else
		verify->context.build = LA_BUILD_CUDA;
	say_unread(verify, place);
	if (la_setting_check_new(&check, place->value, strlen(place->value),
				 &verify->context) < 0) {
		verify->failed = true;
		return;
	}
	say_placeholder(verify, place);
	say_remarks(verify, place, check);
	la_setting_check_free(check);
}
