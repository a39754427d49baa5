// SPDX-License-Identifier: Apache-2.0
/* allocctl tune --format json. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "tune.h"

/* null where it is not known */
static void json_range(struct la_json *json, const char *key, bool known,
		       const uint64_t range[2])
{
	if (known)
		source_json_range(json, key, range);
	else
		la_json_member_null(json, key);
}

static void json_fits(struct la_json *json, const struct la_tuned *tuned)
{
	la_json_key(json, "fits");
	if (!tuned->replayed || tuned->outcome == LA_OUTCOME_DEPENDS)
		la_json_null(json);
	else
		la_json_bool(json, tuned->outcome == LA_OUTCOME_RUNS);
}

/* Were operations counted?  What was cut off was run where it fits. */
static bool is_counted(const struct la_tuned *tuned)
{
	return tuned->minimum_memory || (tuned->cut && tuned->limit.bytes);
}

static void json_operations(struct la_json *json, const struct la_tuned *tuned)
{
	bool known = is_counted(tuned);

	if (known)
		source_json_operations(json, "device_operations",
				       &tuned->operations);
	else
		la_json_member_null(json, "device_operations");
	la_json_member_known_double(json, "estimated_seconds", known,
				    tuned->seconds);
	la_json_member_known_double(json, "estimated_seconds_unlimited",
				    tuned->replayed, tuned->seconds_unlimited);
}

/* How much more than a lower bound a setting needs; it may be less than the
 * plan. */
static void json_gap(struct la_json *json, const char *key,
		     const struct la_tuned *tuned, uint64_t bound)
{
	la_json_key(json, key);
	if (tuned->minimum_memory && bound)
		la_json_int(json, (int64_t)(tuned->minimum_memory - bound));
	else
		la_json_null(json);
}

/* Lower bounds: bytes, 0 where not known. */
struct bounds {
	uint64_t live, plan;
};

static void json_setting(struct la_json *json, const struct la_tuned *tuned,
			 const struct bounds *bounds)
{
	bool known = tuned->minimum_memory != 0;

	la_json_object_begin(json);
	la_json_member_text(json, "setting", tuned->setting);
	la_json_member_text(json, "policy", "torch");
	la_json_member_text(json, "objection", tuned->objection);
	json_fits(json, tuned);
	la_json_member_bool(json, "pareto", tuned->pareto);
	la_json_member_bool(json, "cut", tuned->cut);
	la_json_member_text(json, "limit_kind",
			    source_limit_kinds[tuned->limit.kind]);
	la_json_member_known_uint(json, "limit", known, tuned->limit.bytes);
	la_json_member_known_uint(json, "peak_reserved", tuned->replayed,
				  tuned->peak_reserved);
	json_range(json, "peak_reserved_range", tuned->replayed,
		   tuned->peak_reserved_range);
	la_json_member_known_uint(json, "minimum_memory", known,
				  tuned->minimum_memory);
	json_range(json, "minimum_memory_range", known,
		   tuned->minimum_memory_range);
	la_json_member_uint(json, "minimum_memory_at_least",
			    tuned->minimum_memory_at_least);
	json_gap(json, "gap_to_peak_live", tuned, bounds->live);
	json_gap(json, "gap_to_plan", tuned, bounds->plan);
	la_json_member_known_uint(json, "islands", known, tuned->islands);
	la_json_member_known_uint(json, "layouts", tuned->replayed,
				  tuned->layouts);
	json_operations(json, tuned);
	if (!tuned->replayed)
		la_json_member_text(json, "why", "not in this version");
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
	int i;

	if (!tune->winner) {
		la_json_member_null(json, "paste");
		return;
	}
	la_json_key(json, "paste");
	la_json_object_begin(json);
	la_json_member_text(json, "value", la_strbuf_text(&tune->paste));
	for (i = 0; i < TUNE_SHELL_COUNT; i++) {
		la_json_key(json, tune_shells[i].name);
		la_json_text(json, tune->line[i].text);
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

static void json_settings(struct la_json *json, const struct la_tuned *tuned,
			  size_t count, const struct bounds *bounds)
{
	size_t i;

	la_json_key(json, "settings");
	la_json_array_begin(json);
	for (i = 0; i < count; i++)
		json_setting(json, &tuned[i], bounds);
	la_json_array_end(json);
}

/* Where there are several, each with its own figures. */
static void json_files(struct la_json *json, const struct tune *tune)
{
	size_t i;

	if (tune->source_count == 1)
		return;
	la_json_key(json, "files");
	la_json_array_begin(json);
	for (i = 0; i < tune->source_count; i++) {
		struct bounds bounds = { tune->source[i].info->peak_live,
					 tune->plan[i] };

		la_json_object_begin(json);
		source_json(&tune->source[i], json);
		la_json_member_known_uint(json, "plan", bounds.plan != 0,
					  bounds.plan);
		json_settings(json, la_tuning_of_program(tune->tuning, i),
			      tune->count, &bounds);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

/* The only file as it is, else what is worst over all of them. */
static void json_head(struct la_json *json, const struct tune *tune)
{
	if (tune->source_count == 1)
		source_json(&tune->source[0], json);
	else
		la_json_member_uint(json, "peak_live", tune_peak_live(tune));
	la_json_member_known_uint(json, "plan", tune_plan(tune) != 0,
				  tune_plan(tune));
	la_json_member_text(json, "release", tune->torch);
	la_json_member_bool(json, "partial",
			    la_tuning_is_partial(tune->tuning));
	source_json_limit(json, "limit", &tune->limit);
	la_json_member_text(json, "limit_source", tune->limit_from);
	la_json_member_text(json, "costs",
			    *tune->costs_file ? tune->costs_file : NULL);
	if (tune->policy[0].kind != LA_RELEASE_NONE) {
		la_json_key(json, "empty_cache");
		la_json_object_begin(json);
		release_json(json, &tune->policy[0]);
		la_json_object_end(json);
	}
	la_json_member_bool(json, "lower_bound", tune_ends_in_oom(tune));
}

static void json_answer(struct la_json *json, const struct tune *tune)
{
	static const char *const names[] = {
		[TUNE_NOT_ASKED] = NULL,
		[TUNE_FITS] = "fits",
		[TUNE_FITS_AT_A_COST] = "fits at a cost",
		[TUNE_DOES_NOT_FIT] = "does not fit",
	};

	la_json_member_text(json, "answer", names[tune->answer]);
	la_json_member_known_double(json, "cost_seconds",
				    tune->answer == TUNE_FITS ||
					    tune->answer == TUNE_FITS_AT_A_COST,
				    tune->cost);
	la_json_member_uint(json, "replays", tune->replays);
}

void tune_json(struct la_json *json, const struct tune *tune)
{
	const struct bounds bounds = { tune_peak_live(tune), tune_plan(tune) };

	la_json_object_begin(json);
	la_json_member_text(json, "schema", "allocctl.tune/1");
	json_head(json, tune);
	json_files(json, tune);
	json_settings(json, tune->tuned, tune->count, &bounds);
	json_warnings(json, la_strbuf_text(&tune->warnings));
	json_winner(json, tune);
	json_answer(json, tune);
	tune_guides_json(tune, json);
	tune_method_json(tune, json);
	json_paste(json, tune);
	la_json_object_end(json);
}

void tune_print_json(const struct tune *tune)
{
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	tune_json(&json, tune);
	putchar('\n');
}
