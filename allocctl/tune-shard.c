// SPDX-License-Identifier: Apache-2.0
/* allocctl tune --shard: the replays that were made, as JSON. */

#include <inttypes.h>
#include <stdio.h>

#include <liballoc/version.h>

#include "print.h"
#include "tune.h"

static void json_list(struct la_json *json, const char *key,
		      const struct opt_list *list)
{
	size_t i;

	la_json_key(json, key);
	la_json_array_begin(json);
	for (i = 0; i < list->nr; i++)
		la_json_text(json, list->item[i]);
	la_json_array_end(json);
}

static void json_request(struct la_json *json, const struct tune *tune)
{
	const struct tune_request *request = tune->request;

	la_json_key(json, "request");
	la_json_object_begin(json);
	json_list(json, "files", &request->files);
	json_list(json, "settings", &request->settings);
	json_list(json, "presets", &request->presets);
	la_json_member_text(json, "card", request->card);
	la_json_member_text(json, "limit", request->limit);
	la_json_member_text(json, "costs",
			    *tune->costs_file ? tune->costs_file : NULL);
	la_json_member_text(json, "torch", request->torch);
	la_json_member_known_uint(json, "device",
				  request->device != SOURCE_MAIN_DEVICE,
				  request->device);
	la_json_member_text(json, "empty_cache_above",
			    request->empty_cache.above);
	la_json_member_known_uint(json, "empty_cache_every",
				  request->empty_cache.every !=
					  RELEASE_NOT_EVERY,
				  request->empty_cache.every);
	la_json_member_text(json, "method", tune_methods[request->method]);
	la_json_member_bool(json, "partial", request->partial);
	la_json_object_end(json);
}

/* [likeness, program, layout, kind, bytes, ran, peaks, operations, seconds];
 * the likeness is text, as it takes all of 64 bits. */
static void json_fact(struct la_json *json, const struct la_tune_fact *fact)
{
	const struct la_device_operations *operations = &fact->operations;
	char likeness[20];

	snprintf(likeness, sizeof(likeness), "%016" PRIx64, fact->likeness);
	la_json_array_begin(json);
	la_json_text(json, likeness);
	la_json_uint(json, fact->program);
	la_json_uint(json, fact->layout);
	la_json_uint(json, fact->limit.kind);
	la_json_uint(json, fact->limit.bytes);
	la_json_uint(json, fact->ran);
	la_json_uint(json, fact->reserved_peak);
	la_json_uint(json, fact->allocated_peak);
	la_json_uint(json, operations->mallocs);
	la_json_uint(json, operations->frees);
	la_json_uint(json, operations->maps);
	la_json_uint(json, operations->unmaps);
	la_json_uint(json, operations->synchronisations);
	la_json_double(json, fact->seconds);
	la_json_array_end(json);
}

void tune_print_shard(const struct tune *tune, uint64_t index, uint64_t count)
{
	const struct la_tune_fact *fact;
	struct la_json json;
	size_t facts, i;

	fact = la_tuning_facts(tune->tuning, &facts);
	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.tune-shard/1");
	la_json_member_text(&json, "version", LA_VERSION);
	la_json_member_uint(&json, "shard", index);
	la_json_member_uint(&json, "shards", count);
	la_json_member_bool(&json, "partial",
			    la_tuning_is_partial(tune->tuning));
	json_request(&json, tune);
	la_json_key(&json, "recordings");
	la_json_array_begin(&json);
	for (i = 0; i < tune->source_count; i++) {
		la_json_array_begin(&json);
		la_json_uint(&json, tune->source[i].info->event_count);
		la_json_uint(&json, tune->source[i].info->peak_live);
		la_json_array_end(&json);
	}
	la_json_array_end(&json);
	la_json_key(&json, "facts");
	la_json_array_begin(&json);
	for (i = 0; i < facts; i++)
		json_fact(&json, &fact[i]);
	la_json_array_end(&json);
	la_json_object_end(&json);
	putchar('\n');
}
