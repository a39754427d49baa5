// SPDX-License-Identifier: Apache-2.0
/* allocctl replay: the report as text. */

#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "picture.h"
#include "print.h"
#include "replay.h"
#include "util/size.h"

static void print_size(const char *label, uint64_t bytes)
{
	char size[LA_SIZE_TEXT];

	printf("%-11s %s (%" PRIu64 " bytes)\n", label,
	       la_size_format(size, bytes), bytes);
}

static void print_outcome(const struct question *question)
{
	const struct la_answer *answer = &question->answer;
	char size[LA_SIZE_TEXT], count[32];

	if (question->hangs_on_limit) {
		print_paint(PRINT_YELLOW, "depends on the limit");
		puts(", of which only an interval is known; give --limit");
		return;
	}
	if (question->is_cut) {
		print_paint(PRINT_YELLOW, "not known");
		puts(": runs as far as the events were understood");
		return;
	}
	switch (answer->outcome) {
	case LA_OUTCOME_RUNS:
		print_paint(PRINT_GREEN, "runs");
		if (!question->source.info->request_count)
			fputs(": the history has no requests", stdout);
		if (question->source.info->ends_in_oom)
			fputs(": the request that failed is served; what came "
			      "after it is not known", stdout);
		putchar('\n');
		return;
	case LA_OUTCOME_OOM:
		print_paint(PRINT_RED, "out of memory");
		if (!answer->rule.oom_size) {
			puts(": what is held when the recording begins does "
			     "not fit");
			return;
		}
		printf(": event %s asks for %s\n",
		       source_count_text(count, answer->rule.oom_event),
		       la_size_format(size, answer->rule.oom_size));
		return;
	case LA_OUTCOME_DEPENDS:
		print_paint(PRINT_YELLOW, "depends on the driver's placement");
		printf(": runs under %u of %u layouts\n", answer->ran,
		       LA_LAYOUT_COUNT);
	}
}

static void print_operations(const struct la_replay_result *result)
{
	const struct la_device_operations *done = &result->operations;

	printf("operations  %" PRIu64 " cudaMalloc, %" PRIu64 " cudaFree, ",
	       done->mallocs, done->frees);
	if (done->maps)
		printf("%" PRIu64 " maps, %" PRIu64 " unmaps, ", done->maps,
		       done->unmaps);
	printf("%" PRIu64 " retries, %" PRIu64 " OOMs;\n            about %.3f "
	       "s on an idle GPU of the cost table\n",
	       result->stats.retries, result->stats.ooms, result->seconds);
}

/* What policy compact does instead, and what it would do with. */
static void print_compact(const struct question *question)
{
	const struct la_replay_result *result = &question->answer.rule;
	const struct la_device_operations *done = &result->operations;

	printf("operations  %" PRIu64 " creates, %" PRIu64 " maps, %" PRIu64
	       " unmaps, %" PRIu64 " releases, %" PRIu64 " waits of streams,\n"
	       "            %" PRIu64 " stalls, %" PRIu64 " retries, %" PRIu64
	       " OOMs; about %.3f s on an idle GPU of the\n"
	       "            cost table, %.3f of them where memory is touched "
	       "for the first time\n",
	       done->creates, done->maps, done->unmaps, done->releases,
	       done->waits, done->stalls, result->stats.retries,
	       result->stats.ooms, result->seconds,
	       result->first_touch_seconds);
	if (question->minimum.bytes)
		print_size("minimum", question->minimum.bytes);
}

static void print_release_row(const char *label, const struct la_answer *answer)
{
	const struct la_replay_result *rule = &answer->rule;
	const struct la_device_operations *done = &rule->operations;
	char size[LA_SIZE_TEXT];

	printf("    %-8s %11s %7" PRIu64 " %7" PRIu64 " %6" PRIu64
	       " %8.3f  %s\n", label,
	       la_size_format(size, rule->stats.reserved_peak),
	       done->mallocs + done->maps, done->frees + done->unmaps,
	       done->synchronisations, rule->seconds,
	       replay_outcome_of(answer));
}

/* What the calls that were put in change. */
static void print_release(const struct question *question)
{
	const struct la_release_policy *release = &question->release;
	char count[32];

	if (release->kind == LA_RELEASE_NONE)
		return;
	printf("put in      %s calls of empty_cache(), ",
	       source_count_text(count, question->answer.rule.release_count));
	release_print(release, &question->limit);
	printf("\n    %-8s %11s %7s %7s %6s %8s  %s\n", "", "reserved",
	       "mallocs", "frees", "syncs", "seconds", "outcome");
	print_release_row("without", &question->without);
	print_release_row("with", &question->answer);
}

/* Briefly, where there is more to say. */
static void print_held(const struct source *source)
{
	struct la_picture picture;

	if (!source_has_segments(source) ||
	    la_recording_picture(source->recording,
				 (unsigned int)source->device, &picture) < 0)
		return;
	fputs("at its end  ", stdout);
	picture_print_sums(&picture);
	la_picture_release(&picture);
}

static void print_oom(const struct question *question)
{
	const struct la_program_info *info = question->source.info;
	bool may_be_less = !question->limit_given &&
			   question->limit.kind != LA_LIMIT_NONE &&
			   question->limit.bytes == info->limit.bytes &&
			   info->limit_range[0] != info->limit_range[1];

	if (question->answer.outcome == LA_OUTCOME_RUNS)
		return;
	if (question->answer.outcome == LA_OUTCOME_DEPENDS)
		printf("layout      '%s' is the first that fails; there:\n",
		       picture_layouts[question->oom.layout]);
	picture_print_oom(&question->oom, &question->holders, may_be_less);
}

static void print_replayed(const struct question *question)
{
	char limit[64];

	source_limit_text(limit, &question->limit);
	if (question->policy == LA_HEAP_COMPACT) {
		printf("replayed    policy compact, limit %s\n", limit);
		return;
	}
	fputs("replayed    setting '", stdout);
	print_escaped(question->setting_text);
	printf("', limit %s", limit);
	if (question->torch != question->source.info->release)
		printf(", torch %s\n", la_release_name(question->torch));
	else
		puts(question->as_recorded ? ", both as recorded" : "");
}

void replay_print(const struct question *question)
{
	const struct la_answer *answer = &question->answer;
	char low[LA_SIZE_TEXT], high[LA_SIZE_TEXT];

	source_print(&question->source);
	print_held(&question->source);
	print_replayed(question);
	fputs("outcome     ", stdout);
	print_outcome(question);
	print_oom(question);
	print_size("peak live", question->source.info->peak_live);
	print_size("reserved", answer->rule.stats.reserved_peak);
	if (answer->reserved_peak_range[0] != answer->reserved_peak_range[1])
		printf("            %s to %s over the layouts\n",
		       la_size_format(low, answer->reserved_peak_range[0]),
		       la_size_format(high, answer->reserved_peak_range[1]));
	if (question->policy == LA_HEAP_COMPACT)
		print_compact(question);
	else
		print_operations(&answer->rule);
	print_release(question);
}

/* Of an expandable segment a snapshot shows what is mapped alone. */
static void print_ranges(const struct la_picture_part *total)
{
	char size[LA_SIZE_TEXT], count[32];

	if (total->ranges)
		printf("expandable  %s in %s mapped ranges\n",
		       la_size_format(size, total->range_bytes),
		       source_count_text(count, total->ranges));
}

static void print_unplayed(const struct source *source)
{
	const char *setting = source_setting(source);

	fputs("recording   ", stdout);
	print_escaped(source->path);
	printf(", device %" PRIu64 ", no requests in its history\n",
	       source->device);
	if (!setting)
		return;
	fputs("recorded    setting '", stdout);
	print_escaped(setting);
	puts("'");
}

int replay_print_held(const struct source *source)
{
	const struct la_picture_part *total;
	struct la_picture picture;
	char size[LA_SIZE_TEXT], count[32];

	if (la_recording_picture(source->recording,
				 (unsigned int)source->device, &picture) < 0)
		return print_no_memory();
	total = &picture.total;
	print_unplayed(source);
	fputs("held        ", stdout);
	picture_print_sums(&picture);
	printf("segments    %s\n", source_count_text(count, total->segments));
	print_ranges(total);
	printf("largest     %s is free in one piece",
	       la_size_format(size, total->holes.largest));
	printf(", of %s holes\n", source_count_text(count, total->holes.count));
	printf("releasable  %s by empty_cache()\n",
	       la_size_format(size, total->idle));
	picture_print_parts(&picture);
	picture_print_histogram(&total->holes);
	puts("not known   peaks, the limit, who holds what, and what another "
	     "setting would do;\n            record with "
	     "torch.cuda.memory._record_memory_history()");
	la_picture_release(&picture);
	return STATUS_DONE;
}

static void print_event(const char *label, const struct la_replay_event *event)
{
	if (event->action == LA_ACTION_COUNT)
		printf("  %s  nothing\n", label);
	else if (event->action == LA_OOM)
		printf("  %s  oom of %" PRIu64 " bytes on stream 0x%" PRIx64
		       "\n", label, event->size, event->stream);
	else
		printf("  %s  %s of %" PRIu64 " bytes at 0x%" PRIx64
		       " on stream 0x%" PRIx64 "\n", label,
		       la_action_name(event->action), event->size, event->addr,
		       event->stream);
}

void replay_print_verification(const struct source *source)
{
	const struct la_verification *check = &source->check;
	char count[32];

	source_print(source);
	printf("adopted     %s events\n",
	       source_count_text(count, check->adopted));
	print_size("recorded", check->reserved_peak_recorded);
	print_size("replayed", check->reserved_peak_replayed);
	if (check->first_difference != UINT64_MAX) {
		printf("difference  at event %s\n",
		       source_count_text(count, check->first_difference));
		print_event("recorded", &check->recorded);
		print_event("replayed", &check->replayed);
	}
}
