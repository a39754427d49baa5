// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl verify: texts that are no script but a setting, or what torch says
 * of one; and what to write instead of a line that does not arrive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assignment.h"
#include "set.h"
#include "util/distance.h"
#include "util/util.h"
#include "verify.h"

static const char variable[] = "PYTORCH_CUDA_ALLOC_CONF";

/* What torch says: before the word that it does not know, and after it; or of
 * a value (after NULL), and what that is. */
static const struct {
	const char *before, *after, *kind;
	enum la_setting_code code;
} errors[] = {
	{ "Unrecognized CachingAllocator option: ", "\r\n", NULL, 0 },
	{ "Unrecognized key '", "'\r\n", NULL, 0 },
	{ "Expected a single True/False argument", NULL, "boolean_not_True_False",
	  LA_REMARK_SPELLING },
	{ "Expected 'True' or 'False'", NULL, "boolean_not_True_False",
	  LA_REMARK_SPELLING },
	{ "too small, must be", NULL, "below_or_at_minimum", LA_REMARK_VALUE },
	{ "garbage_collect_threshold too ", NULL, "threshold_out_of_range",
	  LA_REMARK_VALUE },
};

static const struct la_setting_option *find_option(const char *name,
						   size_t length, size_t off)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++)
		if (la_distance(name, length, option->name,
				strlen(option->name)) <= off)
			return option;
	return NULL;
}

static const char *watched(const struct verify *verify)
{
	return verify->request.variable ? verify->request.variable : variable;
}

/* Of a setting only the start is known: the key that torch objects to. */
static void take_error(struct verify *verify, const char *word, size_t length)
{
	const struct la_setting_option *option = find_option(word, length, 0);
	uint64_t offset = (uint64_t)(word - verify->text);
	struct verify_place *place;
	char text[256];

	place = verify_add(verify, watched(verify), NULL, LA_SCRIPT_UNKNOWN,
			   offset, length);
	if (!place)
		return;
	if (option)
		snprintf(text, sizeof(text),
			 "torch was given this option and does not have it: "
			 "it is there since torch %s",
			 option->since);
	else
		snprintf(text, sizeof(text),
			 "torch was given this in place of an option: the rest "
			 "of the value is not told");
	verify_say(verify, &place->list,
		   option ? LA_REMARK_OTHER_RELEASE : LA_REMARK_UNKNOWN,
		   option ? "option_newer_than_torch" :
			    "unknown_or_missing_key",
		   text, offset, length);
}

/* Torch objects to a value that its words do not tell. */
static void take_refusal(struct verify *verify, size_t error, const char *at)
{
	size_t length = strlen(errors[error].before);
	uint64_t offset = (uint64_t)(at - verify->text);
	struct verify_place *place;

	place = verify_add(verify, watched(verify), NULL, LA_SCRIPT_UNKNOWN,
			   offset, length);
	if (place)
		verify_say(verify, &place->list, errors[error].code,
			   errors[error].kind,
			   "torch was given a value that it refuses: the value "
			   "is not told",
			   offset, length);
}

static bool recognise_error(struct verify *verify)
{
	const char *at;
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		at = strstr(verify->text, errors[i].before);
		if (!at)
			continue;
		if (!errors[i].after) {
			take_refusal(verify, i, at);
			return true;
		}
		at += strlen(errors[i].before);
		length = strcspn(at, errors[i].after);
		while (length && at[length - 1] == ' ')
			length--;
		take_error(verify, at, length);
		return true;
	}
	return false;
}

/* One word, or several behind commas, that begins with an option's name. */
static bool recognise_setting(struct verify *verify)
{
	size_t start = strspn(verify->text, " \t\r\n");
	size_t end = verify->length, name;
	char *value;

	while (end > start && strchr(" \t\r\n", verify->text[end - 1]))
		end--;
	name = strcspn(verify->text + start, ":=, \t\r\n");
	if (start + name >= end || !strchr(":=", verify->text[start + name]) ||
	    memchr(verify->text + start, '\n', end - start) ||
	    !find_option(verify->text + start, name, 2))
		return false;
	value = strndup(verify->text + start, end - start);
	if (value)
		verify_add(verify, watched(verify), value, LA_SCRIPT_ARRIVES,
			   start, end - start);
	else
		verify->failed = true;
	free(value);
	return true;
}

bool verify_recognise(struct verify *verify)
{
	verify->alone = recognise_error(verify) || recognise_setting(verify);
	return verify->alone;
}

static const struct verify_said *find_said(const struct verify_list *list,
					   int code)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->said[i].code == code)
			return &list->said[i];
	return NULL;
}

/* Bytes from the place on that set it: with >:8] of a list without quotes,
 * which a shell takes for a file that output goes to. */
static size_t whole_length(const struct verify *verify,
			   const struct verify_place *place)
{
	static const char key[] = ">:";
	size_t end = place->offset + place->length;

	if (end < strlen(verify->text) &&
	    !strncmp(verify->text + end, key, strlen(key)))
		end += strcspn(verify->text + end, " \t\r\n;&|");
	return end - place->offset;
}

/* What the line seems to be meant to set, to be freed, or NULL. */
static char *meant(const struct verify *verify,
		   const struct verify_place *place)
{
	const char *text = verify->text + place->offset;
	size_t length = whole_length(verify, place);
	struct assignment found = assignment_read(text, length);

	if (verify->request.wanted)
		return strdup(verify->request.wanted);
	if (place->value && length == place->length)
		return strdup(place->value);
	if (!*found.name || found.end <= found.start)
		return NULL;
	return strndup(text + found.start, found.end - found.start);
}

/* As torch takes it; NULL if that cannot be said. */
static char *corrected(struct verify *verify, char *value)
{
	struct la_setting_check *check;
	const char *correction;
	char *right = NULL;

	if (!value || la_setting_check_new(&check, value, strlen(value),
					   &verify->context) < 0)
		return NULL;
	correction = la_setting_check_correction(check);
	if (correction && *correction)
		right = strdup(correction);
	else if (la_setting_check_setting(check))
		right = strdup(value);
	la_setting_check_free(check);
	return right;
}

/* The line that sets it; for a launcher that does not pass it on its own, for
 * which there may be none. */
static char *write_cure(const struct verify *verify,
			const struct verify_place *place, const char *value)
{
	const struct verify_said *launcher =
		find_said(&place->list, LA_SCRIPT_NOT_PASSED);
	const struct set_target *target = NULL;
	char *line = NULL, *whole, *name;

	if (launcher) {
		name = strndup(verify->text + launcher->offset,
			       launcher->length);
		target = name ? set_target_find(name) : NULL;
		free(name);
		if (!target || !target->before)
			return NULL;
	}
	if (la_script_write(target ? target->kind : verify->kind,
			    place->variable, value, &line, NULL) < 0)
		return NULL;
	if (!target)
		return line;
	whole = set_target_wrap(target, line);
	free(line);
	return whole;
}

void verify_cure(struct verify *verify, struct verify_place *place)
{
	char *value, *right;

	if (verify->alone || !place->list.count)
		return;
	value = meant(verify, place);
	right = corrected(verify, value);
	if (right && (!place->value || place->fate != LA_SCRIPT_ARRIVES ||
		      strcmp(right, place->value)))
		place->cure = write_cure(verify, place, right);
	free(right);
	free(value);
}
