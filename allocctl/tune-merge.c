// SPDX-License-Identifier: Apache-2.0
/* allocctl tune --merge: what shards found, read back. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <liballoc/version.h>

#include "cmd.h"
#include "print.h"
#include "tune.h"

/* Members of a fact, as tune-shard.c writes them. */
enum { FACT_MEMBERS = 14 };

static int not_a_shard(const char *path, const char *why)
{
	print_error("'%s' is not what 'allocctl tune --shard' wrote: %s",
		    path, why);
	return STATUS_CANNOT_TELL;
}

static bool has_text(const json_t *object, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value && !strcmp(value, text);
}

static uint64_t number(const json_t *value)
{
	json_int_t got = json_integer_value(value);

	return got > 0 ? (uint64_t)got : 0;
}

/* Append the file's shard to the list of shards. */
static int read_file(json_t *shards, const char *path)
{
	json_error_t err;
	json_t *shard = json_load_file(path, 0, &err);

	if (!shard) {
		print_error("cannot read '%s': %s", path, err.text);
		return STATUS_CANNOT_TELL;
	}
	if (json_array_append_new(shards, shard) < 0)
		return print_no_memory();
	if (!has_text(shard, "schema", "allocctl.tune-shard/1"))
		return not_a_shard(path, "it has another schema");
	if (!has_text(shard, "version", LA_VERSION))
		return not_a_shard(path, "it is of another version");
	if (json_is_true(json_object_get(shard, "partial"))) {
		print_error("'%s' was interrupted: run that shard again",
			    path);
		return STATUS_CANNOT_TELL;
	}
	return STATUS_DONE;
}

/* Are they shards of one search, all of them? */
static int check_shards(const json_t *shards, const struct opt_list *files)
{
	const json_t *first = json_array_get(shards, 0);
	uint64_t count = number(json_object_get(first, "shards")), index;
	static const char *const alike[] = { "shards", "request",
					     "recordings" };
	size_t i, k;

	for (i = 0; i < files->nr; i++)
		for (k = 0; k < sizeof(alike) / sizeof(*alike); k++)
			if (!json_equal(json_object_get(first, alike[k]),
					json_object_get(json_array_get(shards,
								       i),
							alike[k]))) {
				print_error("'%s' and '%s' are of different "
					    "searches", files->item[0],
					    files->item[i]);
				return STATUS_CANNOT_TELL;
			}
	for (index = 1; index <= count; index++) {
		for (i = 0; i < files->nr; i++)
			if (number(json_object_get(json_array_get(shards, i),
						   "shard")) == index)
				break;
		if (i == files->nr) {
			print_error("shard %" PRIu64 " of %" PRIu64
				    " is missing", index, count);
			return STATUS_CANNOT_TELL;
		}
	}
	return STATUS_DONE;
}

static bool read_list(const json_t *object, const char *key,
		      struct opt_list *list)
{
	const json_t *array = json_object_get(object, key);
	size_t count = json_array_size(array), i;

	list->item = calloc(count + 1, sizeof(*list->item));
	for (i = 0; list->item && i < count; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (!text)
			return false;
		list->item[list->nr++] = text;
	}
	return list->item != NULL;
}

static const char *read_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static bool read_request(const json_t *json, struct tune_request *request)
{
	const json_t *device = json_object_get(json, "device");
	const json_t *every = json_object_get(json, "empty_cache_every");

	request->card = read_text(json, "card");
	request->limit = read_text(json, "limit");
	request->costs = read_text(json, "costs");
	request->torch = read_text(json, "torch");
	request->device = json_is_integer(device) ? number(device) :
						    SOURCE_MAIN_DEVICE;
	request->empty_cache.above = read_text(json, "empty_cache_above");
	request->empty_cache.every = json_is_integer(every) ?
					     number(every) :
					     RELEASE_NOT_EVERY;
	request->method = has_text(json, "method", tune_methods[TUNE_GUIDE]) ?
				  TUNE_GUIDE :
				  TUNE_SEARCH;
	request->partial = json_is_true(json_object_get(json, "partial"));
	return read_list(json, "files", &request->files) &&
	       read_list(json, "settings", &request->settings) &&
	       read_list(json, "presets", &request->presets) &&
	       request->files.nr;
}

static bool read_fact(const json_t *json, struct la_tune_fact *fact)
{
	const char *likeness = json_string_value(json_array_get(json, 0));
	uint64_t value[FACT_MEMBERS];
	size_t i;

	if (!likeness || json_array_size(json) != FACT_MEMBERS)
		return false;
	for (i = 1; i < FACT_MEMBERS; i++)
		value[i] = number(json_array_get(json, i));
	if (value[2] >= LA_LAYOUT_COUNT || value[3] > LA_LIMIT_CARD)
		return false;
	*fact = (struct la_tune_fact){
		.likeness = strtoull(likeness, NULL, 16),
		.program = (uint32_t)value[1],
		.layout = (enum la_layout)value[2],
		.limit = { (enum la_limit_kind)value[3], value[4] },
		.ran = value[5],
		.reserved_peak = value[6],
		.allocated_peak = value[7],
		.operations = {
			.mallocs = value[8],
			.frees = value[9],
			.maps = value[10],
			.unmaps = value[11],
			.synchronisations = value[12],
		},
		.seconds = json_number_value(json_array_get(json, 13)),
	};
	return true;
}

static int read_facts(struct tune_merge *merge, const json_t *shard,
		      const char *path)
{
	const json_t *facts = json_object_get(shard, "facts");
	size_t count = json_array_size(facts), i;
	struct la_tune_fact *bigger =
		reallocarray(merge->fact, merge->fact_count + count + 1,
			     sizeof(*bigger));

	if (!bigger)
		return print_no_memory();
	merge->fact = bigger;
	for (i = 0; i < count; i++)
		if (!read_fact(json_array_get(facts, i),
			       &merge->fact[merge->fact_count++]))
			return not_a_shard(path, "a fact is damaged");
	return STATUS_DONE;
}

int tune_merge_read(struct tune_merge *merge, const struct opt_list *files)
{
	json_t *shards = json_array(), *first;
	int status = shards ? STATUS_DONE : print_no_memory();
	size_t i;

	merge->root = shards;
	for (i = 0; i < files->nr && status == STATUS_DONE; i++)
		status = read_file(shards, files->item[i]);
	if (status == STATUS_DONE)
		status = check_shards(shards, files);
	for (i = 0; i < files->nr && status == STATUS_DONE; i++)
		status = read_facts(merge, json_array_get(shards, i),
				    files->item[i]);
	if (status != STATUS_DONE)
		return status;
	first = json_array_get(shards, 0);
	if (!read_request(json_object_get(first, "request"), &merge->request))
		return not_a_shard(files->item[0], "its request is damaged");
	return STATUS_DONE;
}

int tune_merge_check(const struct tune_merge *merge, const struct tune *tune)
{
	const json_t *shard = json_array_get(merge->root, 0);
	const json_t *recordings = json_object_get(shard, "recordings");
	size_t i;

	for (i = 0; i < tune->source_count; i++) {
		const json_t *was = json_array_get(recordings, i);
		const struct la_program_info *info = tune->source[i].info;

		if (number(json_array_get(was, 0)) == info->event_count &&
		    number(json_array_get(was, 1)) == info->peak_live)
			continue;
		print_error("'%s' is not what the shards have read",
			    tune->source[i].path);
		return STATUS_CANNOT_TELL;
	}
	return STATUS_DONE;
}

void tune_merge_release(struct tune_merge *merge)
{
	opt_list_release(&merge->request.files);
	opt_list_release(&merge->request.settings);
	opt_list_release(&merge->request.presets);
	free(merge->fact);
	json_decref(merge->root);
}
