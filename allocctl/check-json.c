// SPDX-License-Identifier: Apache-2.0
/* allocctl check: one JSON object for a setting. */
#include <stdio.h>

#include "check.h"
#include "print.h"

static void json_roundup(struct la_json *json, const uint64_t *slots)
{
	int i;

	la_json_key(json, "roundup_power2_divisions");
	la_json_array_begin(json);
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		la_json_uint(json, slots[i]);
	la_json_array_end(json);
}

static void json_known(struct la_json *json, const char *key, uint64_t value)
{
	if (value != UINT64_MAX)
		la_json_member_uint(json, key, value);
}

/* What only some releases have is there where it is set. */
static void json_rare(struct la_json *json, const struct la_setting_values *v)
{
	json_known(json, "roundup_bypass_threshold",
		   v->roundup_bypass_threshold);
	json_known(json, "pinned_max_round_threshold",
		   v->pinned_max_round_threshold);
	json_known(json, "pinned_max_cached_size", v->pinned_max_cached_size);
	if (v->pinned_free_catch_all)
		la_json_member_bool(json, "pinned_free_catch_all", true);
	if (v->throw_on_cudamalloc_oom)
		la_json_member_bool(json, "throw_on_cudamalloc_oom", true);
	/* Below 0: that many GiB, else a share of the card. */
	if (v->expandable_segments_reserve < 0 ||
	    v->expandable_segments_reserve > 0)
		la_json_member_double(json, "expandable_segments_reserve",
				      v->expandable_segments_reserve);
}

static void json_values(struct la_json *json, const struct la_setting_values *v)
{
	la_json_object_begin(json);
	/* Signed, as torch's snapshot has it: no bound is -1. */
	la_json_key(json, "max_split_size");
	la_json_int(json, (int64_t)v->max_split_size);
	la_json_member_uint(json, "max_non_split_rounding",
			    v->max_non_split_rounding);
	la_json_member_uint(json, "large_segment_size", v->large_segment_size);
	la_json_member_double(json, "garbage_collection_threshold",
			      v->garbage_collection_threshold);
	la_json_member_double(json, "per_process_memory_fraction",
			      v->per_process_memory_fraction);
	json_roundup(json, v->roundup_power2_divisions);
	la_json_member_bool(json, "expandable_segments",
			    v->expandable_segments);
	la_json_key(json, "backend");
	la_json_text(json, v->cuda_malloc_async ? "cudaMallocAsync" : "native");
	la_json_member_bool(json, "release_lock_on_cudamalloc",
			    v->release_lock_on_cudamalloc);
	la_json_member_bool(json, "graph_capture_record_stream_reuse",
			    v->graph_capture_record_stream_reuse);
	la_json_member_bool(json, "pinned_use_cuda_host_register",
			    v->pinned_use_cuda_host_register);
	la_json_member_bool(json, "pinned_use_background_threads",
			    v->pinned_use_background_threads);
	la_json_member_uint(json, "pinned_num_register_threads",
			    v->pinned_num_register_threads);
	la_json_member_uint(json, "pinned_reserve_segment_size",
			    v->pinned_reserve_segment_size);
	json_rare(json, v);
	la_json_object_end(json);
}

static void json_remarks(struct la_json *json,
			 const struct la_setting_check *check, bool severity)
{
	const struct la_setting_remark *remark;
	size_t i, nr;
	char code[16];

	remark = la_setting_check_remarks(check, &nr);
	la_json_array_begin(json);
	for (i = 0; i < nr; i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "code",
				    print_code(code, (int)remark[i].code));
		la_json_key(json, "offset");
		la_json_uint(json, remark[i].offset);
		la_json_key(json, "length");
		la_json_uint(json, remark[i].length);
		la_json_key(json, "text");
		la_json_text(json, remark[i].text);
		if (severity)
			la_json_member_text(
				json, "severity",
				check_severity_name(remark[i].severity));
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_refusal(struct la_json *json,
			 const struct la_setting_refusal *refusal)
{
	la_json_key(json, "type");
	la_json_text(json, refusal->exception);
	la_json_key(json, "offset");
	la_json_uint(json, refusal->offset);
	la_json_key(json, "length");
	la_json_uint(json, refusal->length);
	la_json_member_bool(json, "aborts_import", refusal->aborts_import);
}

static void json_violation(struct la_json *json,
			   const struct la_policy_violation *violation)
{
	char code[16];

	la_json_object_begin(json);
	la_json_member_text(json, "code",
			    print_code(code, (int)violation->code));
	la_json_member_uint(json, "offset", violation->offset);
	la_json_member_uint(json, "length", violation->length);
	la_json_member_uint(json, "line", violation->line);
	la_json_member_text(json, "text", violation->text);
	la_json_object_end(json);
}

static void json_policy(struct la_json *json, const struct check_answer *answer,
			const struct check_options *options)
{
	const struct la_policy_violation *violation;
	size_t i, nr;

	violation = la_policy_violations(answer->policy, &nr);
	la_json_key(json, "policy");
	la_json_object_begin(json);
	la_json_member_text(json, "file", options->policy_path);
	la_json_member_uint(json, "exempt_line",
			    la_policy_exemption_line(answer->policy));
	la_json_key(json, "violations");
	la_json_array_begin(json);
	for (i = 0; i < nr; i++)
		json_violation(json, &violation[i]);
	la_json_array_end(json);
	la_json_object_end(json);
}

/* What --json-lines has never had. */
static void json_more(struct la_json *json, const struct check_answer *answer,
		      const struct check_options *options)
{
	la_json_member_text(json, "torch", options->release);
	la_json_member_text(json, "correction",
			la_setting_check_correction(answer->check));
	if (answer->source->variable) {
		la_json_member_text(json, "variable", answer->source->variable);
		la_json_member_text(json, "variable_unread", answer->unread);
	}
	if (answer->policy)
		json_policy(json, answer, options);
}

void check_print_json(const struct check_answer *answer,
		      const struct check_options *options)
{
	const struct la_setting_check *check = answer->check;
	const struct la_setting *setting = la_setting_check_setting(check);
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_bool(&json, "accepted", setting);
	la_json_member_text(&json, "error", refusal ? refusal->text : NULL);
	if (refusal)
		json_refusal(&json, refusal);
	la_json_member_text(&json, "set_at",
			check_set_at_names[options->context.set_at]);
	la_json_key(&json, "settings");
	if (setting)
		json_values(&json, la_setting_values(setting));
	else
		la_json_null(&json);
	la_json_key(&json, "warnings");
	json_remarks(&json, check, !options->json_lines);
	if (!options->json_lines)
		json_more(&json, answer, options);
	la_json_object_end(&json);
	putchar('\n');
}
