// SPDX-License-Identifier: Apache-2.0
/* allocctl check: a setting as text, with a caret under what is meant. */
#include <inttypes.h>
#include <stdio.h>

#include "check.h"
#include "print.h"
#include "util/size.h"

/* No memory has that many bytes. */
#define NO_CARD (UINT64_C(1) << 60)

static void text_bytes(const char *name, uint64_t bytes, const char *none)
{
	char size[LA_SIZE_TEXT];

	if (none)
		printf("  %-34s %s\n", name, none);
	else if (bytes > NO_CARD)
		printf("  %-34s no bound in effect (%" PRIu64 " bytes)\n",
		       name, bytes);
	else
		printf("  %-34s %s (%" PRIu64 " bytes)\n", name,
		       la_size_format(size, bytes), bytes);
}

static void text_bool(const char *name, bool value)
{
	printf("  %-34s %s\n", name, value ? "True" : "False");
}

/* Runs of equal slots: "64 MiB to 1 GiB: 4". */
static void text_roundup(const uint64_t *slots)
{
	const char *const name = "roundup_power2_divisions";
	int from, to;

	for (from = 0; from < LA_ROUNDUP_SLOTS; from = to) {
		for (to = from; to < LA_ROUNDUP_SLOTS; to++)
			if (slots[to] != slots[from])
				break;
		printf("  %-34s ", from ? "" : name);
		if (slots[from] > 1)
			printf("%" PRIu64, slots[from]);
		else
			printf("off");
		if (from)
			printf(", from %d MiB", 1 << from);
		if (to < LA_ROUNDUP_SLOTS)
			printf(", below %d MiB", 1 << to);
		putchar('\n');
	}
}

/* What only some releases have is told where it is set. */
static void text_rare(const struct la_setting_values *v)
{
	if (v->roundup_bypass_threshold != UINT64_MAX)
		text_bytes("roundup_bypass_threshold",
			   v->roundup_bypass_threshold, NULL);
	if (v->pinned_max_round_threshold != UINT64_MAX)
		text_bytes("pinned_max_round_threshold",
			   v->pinned_max_round_threshold, NULL);
	if (v->pinned_max_cached_size != UINT64_MAX)
		text_bytes("pinned_max_cached_size", v->pinned_max_cached_size,
			   NULL);
	if (v->pinned_free_catch_all)
		text_bool("pinned_free_catch_all", true);
	if (v->throw_on_cudamalloc_oom)
		text_bool("throw_on_cudamalloc_oom", true);
	if (v->expandable_segments_reserve > 0)
		printf("  %-34s %g of the card\n",
		       "expandable_segments_reserve",
		       v->expandable_segments_reserve);
	else if (v->expandable_segments_reserve < 0)
		printf("  %-34s %g GiB\n", "expandable_segments_reserve",
		       -v->expandable_segments_reserve);
	if (v->expandable_segments_reserve_by_class)
		printf("  %-34s a list\n",
		       "expandable_segments_reserve_by_class");
}

static void text_values(const struct la_setting_values *v)
{
	text_bytes("max_split_size", v->max_split_size,
		   v->max_split_size == UINT64_MAX ? "no bound" : NULL);
	text_bytes("max_non_split_rounding", v->max_non_split_rounding, NULL);
	text_bytes("large_segment_size", v->large_segment_size, NULL);
	if (v->garbage_collection_threshold > 0)
		printf("  %-34s %g\n", "garbage_collection_threshold",
		       v->garbage_collection_threshold);
	else
		printf("  %-34s off\n", "garbage_collection_threshold");
	printf("  %-34s %g%s\n", "per_process_memory_fraction",
	       v->per_process_memory_fraction,
	       v->per_process_memory_fraction < 1 ? "" : " (no cap)");
	text_roundup(v->roundup_power2_divisions);
	text_bool("expandable_segments", v->expandable_segments);
	printf("  %-34s %s\n", "backend",
	       v->cuda_malloc_async ? "cudaMallocAsync" : "native");
	text_bool("release_lock_on_cudamalloc", v->release_lock_on_cudamalloc);
	text_bool("graph_capture_record_stream_reuse",
		  v->graph_capture_record_stream_reuse);
	text_bool("pinned_use_cuda_host_register",
		  v->pinned_use_cuda_host_register);
	text_bool("pinned_use_background_threads",
		  v->pinned_use_background_threads);
	printf("  %-34s %" PRIu64 "\n", "pinned_num_register_threads",
	       v->pinned_num_register_threads);
	text_bytes("pinned_reserve_segment_size",
		   v->pinned_reserve_segment_size,
		   v->pinned_reserve_segment_size ? NULL : "off");
	text_rare(v);
}

const char *check_severity_name(enum la_severity severity)
{
	static const char *const names[] = {
		[LA_SEVERITY_NOTE] = "note",
		[LA_SEVERITY_WARNING] = "warning",
		[LA_SEVERITY_HINT] = "hint",
	};

	return names[severity];
}

static void text_remarks(const struct la_setting_check *check, const char *text,
			 size_t length)
{
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++) {
		putchar('\n');
		print_paint(remark[i].severity == LA_SEVERITY_WARNING ?
				    PRINT_YELLOW :
				    PRINT_BOLD,
			    check_severity_name(remark[i].severity));
		printf(": %s [LA%d]\n", remark[i].text, (int)remark[i].code);
		print_caret(text, length, remark[i].offset, remark[i].length);
	}
}

/* What happens to the program, not only what the text is. */
static void text_refusal(const struct la_setting_refusal *refusal, int set_at)
{
	static const char *const when[] = {
		[LA_SET_AT_IMPORT] = "the first use of CUDA raises",
		[LA_SET_AT_INIT] = "the first use of CUDA raises",
		[LA_SET_AT_RUNTIME] = "the setter raises",
	};

	print_paint(PRINT_RED, "invalid");
	if (refusal->aborts_import)
		fputs(": import torch aborts with\n  ", stdout);
	else
		printf(": %s %s\n  ", when[set_at], refusal->exception);
	print_escaped(refusal->text);
	putchar('\n');
}

static void text_options(const struct la_setting_check *check)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_check_option(check, i)); i++) {
		putchar('\n');
		print_paint(PRINT_BOLD, option->name);
		printf(" (%s; default %s; since torch %s)\n", option->type,
		       option->fallback, option->since);
		printf("    takes %s\n", option->range);
		print_wrapped(4, option->summary);
	}
}

static void text_correction(const char *correction)
{
	if (!correction)
		return;
	putchar('\n');
	print_paint(PRINT_BOLD, "did you mean");
	if (*correction)
		printf(": %s\n", correction);
	else
		puts(" to leave the variable unset?");
}

static void text_unread(const struct check_answer *answer)
{
	if (!answer->unread)
		return;
	putchar('\n');
	print_paint(PRINT_YELLOW, "warning");
	printf(": %s: %s [LA%d]\n", answer->source->variable, answer->unread,
	       LA_REMARK_VARIABLE);
}

static void text_policy(const struct check_answer *answer, const char *path)
{
	const struct la_policy_violation *violation;
	size_t i, nr, exempt;

	violation = la_policy_violations(answer->policy, &nr);
	exempt = la_policy_exemption_line(answer->policy);
	if (exempt)
		printf("\nexempt from the policy, see %s:%zu\n", path, exempt);
	else if (!nr)
		printf("\nas the policy wants it, see %s\n", path);
	for (i = 0; i < nr; i++) {
		putchar('\n');
		print_paint(PRINT_RED, "policy");
		printf(": %s [LA%d]\n", violation[i].text,
		       (int)violation[i].code);
		if (violation[i].line)
			printf("    see %s:%zu\n", path, violation[i].line);
		if (violation[i].length)
			print_caret(answer->source->text,
				   answer->source->length,
				   violation[i].offset, violation[i].length);
	}
}

void check_print_text(const struct check_answer *answer,
		      const struct check_options *options)
{
	const struct la_setting_check *check = answer->check;
	const struct la_setting *setting = la_setting_check_setting(check);
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	const struct check_source *source = answer->source;

	if (setting) {
		print_paint(PRINT_GREEN, "valid");
		printf(" in torch %s\n", options->release);
		text_values(la_setting_values(setting));
	} else {
		text_refusal(refusal, options->context.set_at);
		print_caret(source->text, source->length, refusal->offset,
			   refusal->length);
	}
	text_unread(answer);
	text_remarks(check, source->text, source->length);
	text_correction(la_setting_check_correction(check));
	if (answer->policy)
		text_policy(answer, options->policy_path);
	text_options(check);
}
