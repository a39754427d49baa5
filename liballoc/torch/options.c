// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torch/options.h"
#include "util/error.h"
#include "util/size.h"
#include "util/util.h"

enum {
	HISTORY_DEFAULT = 100000, /* events, where a recording is wanted */
	HISTORY_MOST = 100000000,
	VALUE_SIZE = PATH_MAX
};

const struct la_options la_options_default = {
	.policy = LA_HEAP_COMPACT,
	.limit = UINT64_MAX,
};

/* One option; take: 0, or -EINVAL after la_error_set() without an offset. */
struct option {
	const char *name;
	int (*take)(struct la_options *options, const char *value,
		    struct la_error *err);
};

static int refuse(struct la_error *err, const char *text)
{
	return la_error_set(err, -EINVAL, LA_NO_OFFSET, "%s", text);
}

const char *const la_options_policies[] = {
	[LA_HEAP_TORCH] = "torch",
	[LA_HEAP_COMPACT] = "compact",
};

static int take_policy(struct la_options *options, const char *value,
		       struct la_error *err)
{
	size_t i;

	for (i = 0; i < LA_HEAP_POLICIES; i++) {
		if (!strcmp(value, la_options_policies[i])) {
			options->policy = (enum la_heap_policy)i;
			return 0;
		}
	}
	return refuse(err, "policy wants torch or compact");
}

static int take_limit(struct la_options *options, const char *value,
		      struct la_error *err)
{
	uint64_t size;

	if (la_size_parse(value, &size, NULL) < 0 || !size)
		return refuse(err, "limit wants a size such as 20GiB");
	options->limit = size;
	return 0;
}

static int take_history(struct la_options *options, const char *value,
			struct la_error *err)
{
	char *end;
	unsigned long long count = strtoull(value, &end, 10);

	if (end == value || *end || *value == '-' || count > HISTORY_MOST)
		return refuse(err, "history wants a number of events, at most "
				   "100000000");
	options->history = count;
	return 0;
}

static int take_smart_cache(struct la_options *options, const char *value,
			    struct la_error *err)
{
	char *end;
	double share = strtod(value, &end);

	if (end == value || *end || !(share >= 0 && share < 1))
		return refuse(err, "smart_cache wants a share of the limit or "
				   "the card, from 0 (off) to below 1");
	options->smart_cache = share;
	return 0;
}

static int take_log(struct la_options *options, const char *value,
		    struct la_error *err)
{
	if (strcmp(value, "split") != 0)
		return refuse(err, "log wants split");
	options->log_split = true;
	return 0;
}

static int take_path(char path[PATH_MAX], const char *value,
		     struct la_error *err)
{
	if (!*value || strlen(value) >= PATH_MAX)
		return refuse(err, "a path is wanted");
	strcpy(path, value);
	return 0;
}

static int take_record(struct la_options *options, const char *value,
		       struct la_error *err)
{
	int status = take_path(options->record, value, err);

	if (status == 0 && !options->history)
		options->history = HISTORY_DEFAULT;
	return status;
}

static int take_report(struct la_options *options, const char *value,
		       struct la_error *err)
{
	return take_path(options->report, value, err);
}

static const struct option table[] = {
	{ "policy", take_policy },	     { "limit", take_limit },
	{ "history", take_history },	     { "record", take_record },
	{ "smart_cache", take_smart_cache }, { "log", take_log },
	{ "report", take_report },
};

static const struct option *find(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (strlen(table[i].name) == length &&
		    !memcmp(table[i].name, name, length))
			return &table[i];
	return NULL;
}

/* One option of length bytes; at: where it begins in the whole text. */
static int parse_one(struct la_options *options, const char *text,
		     size_t length, uint64_t at, struct la_error *err)
{
	const char *colon = memchr(text, ':', length);
	size_t name = colon ? (size_t)(colon - text) : length;
	const struct option *option = find(text, name);
	char value[VALUE_SIZE];
	int status;

	if (!option)
		return la_error_set(err, -EINVAL, at,
				    "no option is called '%.*s'",
				    (int)(name < 40 ? name : 40), text);
	if (!colon)
		return la_error_set(err, -EINVAL, at + length,
				    "'%s' wants a colon and a value",
				    option->name);
	if (length - name > sizeof(value))
		return la_error_set(err, -EINVAL, at + name + 1,
				    "the value is too long");
	memcpy(value, colon + 1, length - name - 1);
	value[length - name - 1] = '\0';
	status = option->take(options, value, err);
	if (status < 0 && err)
		err->offset = at + name + 1;
	return status;
}

int la_options_parse(struct la_options *options, const char *text,
		     struct la_error *err)
{
	const char *at = text;
	int status = 0;

	while (*at && status == 0) {
		size_t length = strcspn(at, ",");

		if (length)
			status = parse_one(options, at, length,
					   (uint64_t)(at - text), err);
		at += length + (at[length] == ',');
	}
	return status;
}
