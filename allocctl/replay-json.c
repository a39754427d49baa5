// SPDX-License-Identifier: Apache-2.0
/* allocctl replay: the report as JSON. */

#include "picture.h"
#include "replay.h"

static void json_figures(struct la_json *json, const struct la_answer *answer)
{
	la_json_member_uint(json, "peak_reserved",
			    answer->rule.stats.reserved_peak);
	source_json_range(json, "peak_reserved_range",
			  answer->reserved_peak_range);
	source_json_operations(json, "device_operations",
			       &answer->rule.operations);
	la_json_member_double(json, "seconds_estimated", answer->rule.seconds);
	la_json_member_uint(json, "retries", answer->rule.stats.retries);
	la_json_member_uint(json, "ooms", answer->rule.stats.ooms);
}

static void json_release(struct la_json *json, const struct question *question)
{
	if (question->release.kind == LA_RELEASE_NONE) {
		la_json_member_null(json, "empty_cache");
		return;
	}
	la_json_key(json, "empty_cache");
	la_json_object_begin(json);
	release_json(json, &question->release);
	la_json_member_uint(json, "calls", question->answer.rule.release_count);
	la_json_key(json, "without");
	la_json_object_begin(json);
	la_json_member_text(json, "outcome",
			    replay_outcome_of(&question->without));
	json_figures(json, &question->without);
	la_json_object_end(json);
	la_json_object_end(json);
}

/* What was held at the end of the recording; null without memory for it. */
static void json_held(const struct source *source, struct la_json *json)
{
	struct la_picture picture;

	if (la_recording_picture(source->recording,
				 (unsigned int)source->device, &picture) < 0) {
		la_json_member_null(json, "held_at_end");
		return;
	}
	picture_json(json, "held_at_end", &picture);
	la_picture_release(&picture);
}

/* What policy torch has not. */
static void json_compact(struct la_json *json, const struct question *question)
{
	const struct la_replay_result *result = &question->answer.rule;

	if (question->policy != LA_HEAP_COMPACT)
		return;
	la_json_key(json, "compact");
	la_json_object_begin(json);
	la_json_member_uint(json, "creates", result->operations.creates);
	la_json_member_uint(json, "releases", result->operations.releases);
	la_json_member_uint(json, "waits", result->operations.waits);
	la_json_member_uint(json, "stalls", result->operations.stalls);
	la_json_member_double(json, "first_touch_seconds",
			      result->first_touch_seconds);
	la_json_member_uint(json, "minimum_memory", question->minimum.bytes);
	la_json_object_end(json);
}

void replay_json(struct la_json *json, const struct question *question)
{
	const struct la_answer *answer = &question->answer;

	la_json_object_begin(json);
	la_json_member_text(json, "schema", "allocctl.replay/1");
	source_json(&question->source, json);
	json_held(&question->source, json);
	la_json_member_text(json, "setting", question->setting_text);
	source_json_limit(json, "limit", &question->limit);
	la_json_member_text(json, "release",
			    la_release_name(question->torch));
	la_json_member_bool(json, "as_recorded", question->as_recorded);
	la_json_member_text(json, "outcome", replay_outcome(question));
	if (answer->outcome != LA_OUTCOME_RUNS)
		picture_json_oom(json, &question->oom, &question->holders);
	else
		la_json_member_null(json, "oom");
	json_figures(json, answer);
	json_compact(json, question);
	json_release(json, question);
	la_json_object_end(json);
}

void replay_json_verification(struct la_json *json, const struct source *source)
{
	la_json_object_begin(json);
	la_json_member_text(json, "schema", "allocctl.verify/1");
	source_json(source, json);
	la_json_object_end(json);
}

void replay_json_held(struct la_json *json, const struct source *source)
{
	la_json_object_begin(json);
	la_json_member_text(json, "schema", "allocctl.replay/1");
	la_json_member_text(json, "file", source->path);
	la_json_member_uint(json, "device", source->device);
	la_json_member_null(json, "self_check");
	la_json_member_text(json, "setting", source_setting(source));
	json_held(source, json);
	la_json_member_text(json, "outcome", "no history");
	la_json_object_end(json);
}
