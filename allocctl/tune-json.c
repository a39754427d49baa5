// SPDX-License-Identifier: Apache-2.0
/* allocctl tune --format json. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "tune.h"

/* null where it is not known */
static void json_known(struct la_json *json, const char *key, bool known,
		       uint64_t value)
{
	la_json_key(json, key);
	if (known)
		la_json_uint(json, value);
	else
		la_json_null(json);
}

static void json_range(struct la_json *json, const char *key, bool known,
		       const uint64_t range[2])
{
	if (known) {
		source_json_range(json, key, range);
		return;
	}
	la_json_key(json, key);
	la_json_null(json);
}

static void json_fits(struct la_json *json, const struct la_tuned *tuned)
{
	la_json_key(json, "fits");
	if (!tuned->replayed || tuned->outcome == LA_OUTCOME_DEPENDS)
		la_json_null(json);
	else
		la_json_bool(json, tuned->outcome == LA_OUTCOME_RUNS);
}

static void json_operations(struct la_json *json, const struct la_tuned *tuned)
{
	const struct la_device_operations *operations = &tuned->operations;
	bool known = tuned->minimum_memory != 0;

	la_json_key(json, "device_operations");
	if (known) {
		la_json_object_begin(json);
		la_json_member_uint(json, "mallocs", operations->mallocs);
		la_json_member_uint(json, "frees", operations->frees);
		la_json_member_uint(json, "maps", operations->maps);
		la_json_member_uint(json, "unmaps", operations->unmaps);
		la_json_member_uint(json, "synchronisations",
				    operations->synchronisations);
		la_json_object_end(json);
	} else {
		la_json_null(json);
	}
	la_json_key(json, "estimated_seconds");
	if (known)
		la_json_double(json, tuned->seconds);
	else
		la_json_null(json);
}

static void json_setting(struct la_json *json, const struct la_tuned *tuned)
{
	bool known = tuned->minimum_memory != 0;

	la_json_object_begin(json);
	la_json_member_text(json, "setting", tuned->setting);
	la_json_member_text(json, "policy", "torch");
	json_fits(json, tuned);
	la_json_member_bool(json, "pareto", tuned->pareto);
	la_json_member_text(json, "limit_kind",
			    source_limit_kinds[tuned->limit.kind]);
	json_known(json, "limit", known, tuned->limit.bytes);
	json_known(json, "peak_reserved", tuned->replayed,
		   tuned->peak_reserved);
	json_range(json, "peak_reserved_range", tuned->replayed,
		   tuned->peak_reserved_range);
	json_known(json, "minimum_memory", known, tuned->minimum_memory);
	json_range(json, "minimum_memory_range", known,
		   tuned->minimum_memory_range);
	la_json_member_uint(json, "minimum_memory_at_least",
			    tuned->minimum_memory_at_least);
	json_known(json, "islands", known, tuned->islands);
	json_known(json, "layouts", tuned->replayed, tuned->layouts);
	json_operations(json, tuned);
	if (!tuned->replayed) {
		la_json_member_text(json, "why", "not in this version");
	}
	la_json_object_end(json);
}

static void json_warnings(struct la_json *json, const char *line)
{
	size_t length;

	la_json_key(json, "warnings");
	la_json_array_begin(json);
	for (; *line; line += length + 1) {
		length = strcspn(line, "\n");
		la_json_string(json, line, length);
	}
	la_json_array_end(json);
}

/* Lines by shell, null where a shell has none. */
static void json_paste(struct la_json *json, const struct tune *tune)
{
	char *line;
	int i;

	la_json_key(json, "paste");
	if (!tune->winner) {
		la_json_null(json);
		return;
	}
	la_json_object_begin(json);
	la_json_member_text(json, "value", la_strbuf_text(&tune->paste));
	for (i = 0; i < TUNE_SHELL_COUNT; i++) {
		line = tune_paste_line(tune, tune_shells[i], NULL);
		la_json_key(json, la_shell_name(tune_shells[i]));
		la_json_text(json, line);
		free(line);
	}
	la_json_member_bool(json, "needs_cap", tune->needs_cap);
	la_json_object_end(json);
}

static void json_winner(struct la_json *json, const struct tune *tune)
{
	la_json_member_text(json, "winner",
			    tune->winner ? tune->winner->setting : NULL);
	if (tune->winner)
		source_json_limit(json, "winner_limit", &tune->winner->limit);
}

void tune_print_json(const struct tune *tune)
{
	struct la_json json;
	size_t i;

	la_json_init(&json, report_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.tune/1");
	source_json(&tune->source, &json);
	source_json_limit(&json, "limit", &tune->limit);
	la_json_member_text(&json, "limit_source", tune->limit_from);
	la_json_member_bool(&json, "lower_bound",
			    tune->source.info->ends_in_oom);
	la_json_key(&json, "settings");
	la_json_array_begin(&json);
	for (i = 0; i < tune->count; i++)
		json_setting(&json, &tune->tuned[i]);
	la_json_array_end(&json);
	json_warnings(&json, la_strbuf_text(&tune->warnings));
	json_winner(&json, tune);
	tune_guides_json(tune, &json);
	json_paste(&json, tune);
	la_json_object_end(&json);
	putchar('\n');
}
