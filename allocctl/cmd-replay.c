// SPDX-License-Identifier: Apache-2.0
/* allocctl replay: a recording, played again as it was or otherwise. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <liballoc/replay.h>

#include "cmd.h"
#include "events.h"
#include "opt.h"
#include "report.h"
#include "setting.h"
#include "source.h"
#include "util/json.h"
#include "util/size.h"

struct options {
	const char *setting; /* NULL: the recorded one */
	const char *limit; /* SIZE, none, auto or NULL */
	const char *card; /* SIZE or NULL */
	const char *events; /* where the events go, or NULL */
	int policy;
	int format;
	bool verify, log_splits;
};

/* What is asked, and what came out. */
struct question {
	struct source source;
	struct la_setting *setting; /* owned; NULL: the recorded one */
	const char *setting_text;
	struct la_limit limit;
	bool limit_given;
	bool as_recorded; /* recorded setting and limit */
	struct la_answer answer;
	bool is_cut; /* it runs as far as the events were understood */
	bool hangs_on_limit; /* the recorded limit is known only as an
			      * interval, and its ends give two answers */
};

static const char *const policies[] = { "torch", NULL };

/* --limit and --card; false after a message. */
static bool read_limit(const struct options *options, struct question *question)
{
	struct la_limit *limit = &question->limit;
	bool none = options->limit && !strcmp(options->limit, "none");
	bool is_auto = options->limit && !strcmp(options->limit, "auto");

	question->limit_given = options->card || (options->limit && !is_auto);
	if (options->card && options->limit && !is_auto) {
		report_error("--card and --limit exclude each other");
		return false;
	}
	if (!question->limit_given || none)
		return true;
	limit->kind = options->card ? LA_LIMIT_CARD : LA_LIMIT_CAP;
	return opt_size(options->card ? "card" : "limit",
			options->card ? options->card : options->limit,
			&limit->bytes);
}

/* A fraction in the setting that is asked for caps the card. */
static void apply_fraction(struct question *question)
{
	double fraction = la_setting_values(question->setting)
				  ->per_process_memory_fraction;

	if (fraction >= 1)
		return;
	if (!question->source.info->total) {
		report_error("warning: per_process_memory_fraction has no "
			     "effect here: the card's total is not known");
		return;
	}
	question->limit.kind = LA_LIMIT_CAP;
	question->limit.bytes = (uint64_t)(
		fraction * (double)question->source.info->total);
}

/* What is not given is as recorded; what is given may say the same. */
static void complete_question(struct question *question)
{
	const struct la_program_info *info = question->source.info;
	struct la_limit *limit = &question->limit;

	if (!question->limit_given) {
		*limit = info->limit;
		if (question->setting)
			apply_fraction(question);
	}
	question->setting_text = question->setting ?
					 la_setting_text(question->setting) :
					 info->setting;
	question->as_recorded =
		!strcmp(question->setting_text, info->setting) &&
		limit->kind == info->limit.kind &&
		(limit->kind == LA_LIMIT_NONE ||
		 limit->bytes == info->limit.bytes);
}

static int cannot_replay(const struct la_error *err)
{
	report_error("%s", err->text);
	return STATUS_CANNOT_TELL;
}

/* Does the lower end of the limit's interval give the same answer? */
static int ask_lower_end(struct question *question,
			 struct la_replay_options *options)
{
	const struct la_program_info *info = question->source.info;
	struct la_answer lower;
	struct la_error err;

	if (question->as_recorded || question->limit_given ||
	    question->limit.kind == LA_LIMIT_NONE ||
	    question->limit.bytes != info->limit.bytes ||
	    info->limit_range[0] == info->limit_range[1])
		return STATUS_DONE;
	options->listener = NULL;
	options->split_listener = NULL;
	options->limit.bytes = info->limit_range[0];
	if (la_replay_all_layouts(question->source.program, options, &lower,
				  &err) < 0)
		return cannot_replay(&err);
	question->hangs_on_limit = lower.outcome != question->answer.outcome;
	return STATUS_DONE;
}

static int replay(struct question *question, struct event_log *log)
{
	struct la_replay_options options = {
		.setting = question->setting ?
				   la_setting_values(question->setting) :
				   la_program_setting(question->source.program),
		.limit = question->limit,
		.as_recorded = question->as_recorded,
		.listener = log->file ? event_log_hear : NULL,
		.split_listener = log->splits ? event_log_split : NULL,
		.listener_data = log,
	};
	struct la_error err;

	if (la_replay_all_layouts(question->source.program, &options,
				  &question->answer, &err) < 0)
		return cannot_replay(&err);
	question->is_cut = question->answer.outcome == LA_OUTCOME_RUNS &&
			   !source_is_understood(&question->source);
	return ask_lower_end(question, &options);
}

static const char *const outcomes[] = {
	[LA_OUTCOME_RUNS] = "runs",
	[LA_OUTCOME_OOM] = "oom",
	[LA_OUTCOME_DEPENDS] = "depends on placement",
};

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
		report_paint(REPORT_YELLOW, "depends on the limit");
		puts(", of which only an interval is known; give --limit");
		return;
	}
	if (question->is_cut) {
		report_paint(REPORT_YELLOW, "not known");
		puts(": runs as far as the events were understood");
		return;
	}
	switch (answer->outcome) {
	case LA_OUTCOME_RUNS:
		report_paint(REPORT_GREEN, "runs");
		if (!question->source.info->request_count)
			fputs(": the history has no requests", stdout);
		if (question->source.info->ends_in_oom)
			fputs(": the request that failed is served; what came "
			      "after it is not known", stdout);
		putchar('\n');
		return;
	case LA_OUTCOME_OOM:
		report_paint(REPORT_RED, "out of memory");
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
		report_paint(REPORT_YELLOW, "depends on the driver's placement");
		printf(": runs under %u of %u layouts\n", answer->ran,
		       LA_LAYOUT_COUNT);
	}
}

static void print_text(const struct question *question)
{
	const struct la_answer *answer = &question->answer;
	const struct la_heap_stats *stats = &answer->rule.stats;
	char limit[64], low[LA_SIZE_TEXT], high[LA_SIZE_TEXT];

	source_print(&question->source);
	fputs("replayed    setting '", stdout);
	report_escaped(question->setting_text, strlen(question->setting_text));
	printf("', limit %s%s\n", source_limit_text(limit, &question->limit),
	       question->as_recorded ? ", both as recorded" : "");
	fputs("outcome     ", stdout);
	print_outcome(question);
	print_size("peak live", question->source.info->peak_live);
	print_size("reserved", stats->reserved_peak);
	if (answer->reserved_peak_range[0] != answer->reserved_peak_range[1])
		printf("            %s to %s over the layouts\n",
		       la_size_format(low, answer->reserved_peak_range[0]),
		       la_size_format(high, answer->reserved_peak_range[1]));
	printf("operations  %" PRIu64 " cudaMalloc, %" PRIu64
	       " cudaFree, %" PRIu64 " retries, %" PRIu64 " OOMs\n",
	       stats->device_allocs, stats->device_frees, stats->retries,
	       stats->ooms);
}

static void json_operations(struct la_json *json,
			    const struct la_heap_stats *stats)
{
	la_json_key(json, "device_operations");
	la_json_object_begin(json);
	la_json_member_uint(json, "mallocs",
			    stats->device_allocs - stats->device_maps);
	la_json_member_uint(json, "frees",
			    stats->device_frees - stats->device_unmaps);
	la_json_member_uint(json, "maps", stats->device_maps);
	la_json_member_uint(json, "unmaps", stats->device_unmaps);
	la_json_member_uint(json, "synchronisations", stats->syncs);
	la_json_object_end(json);
}

static const char *outcome_text(const struct question *question)
{
	if (question->hangs_on_limit)
		return "depends on the limit";
	if (question->is_cut)
		return "not known";
	return outcomes[question->answer.outcome];
}

static void json_answer(struct la_json *json, const struct question *question)
{
	const struct la_answer *answer = &question->answer;

	la_json_member_text(json, "outcome", outcome_text(question));
	la_json_key(json, "oom");
	if (answer->rule.ran) {
		la_json_null(json);
	} else {
		la_json_object_begin(json);
		la_json_member_uint(json, "event", answer->rule.oom_event);
		la_json_member_uint(json, "size", answer->rule.oom_size);
		la_json_object_end(json);
	}
	la_json_member_uint(json, "peak_reserved",
			    answer->rule.stats.reserved_peak);
	source_json_range(json, "peak_reserved_range",
			  answer->reserved_peak_range);
	json_operations(json, &answer->rule.stats);
	la_json_member_uint(json, "retries", answer->rule.stats.retries);
	la_json_member_uint(json, "ooms", answer->rule.stats.ooms);
}

static void print_json(const struct question *question)
{
	struct la_json json;

	la_json_init(&json, report_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.replay/1");
	source_json(&question->source, &json);
	la_json_member_text(&json, "setting", question->setting_text);
	source_json_limit(&json, "limit", &question->limit);
	la_json_member_bool(&json, "as_recorded", question->as_recorded);
	json_answer(&json, question);
	la_json_object_end(&json);
	putchar('\n');
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

static void print_verification(const struct source *source)
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

/* A setting or recording that this version cannot answer for. */
static int no_answer(const struct options *options, int status)
{
	if (status == STATUS_CANNOT_TELL && options->format == REPORT_JSON)
		puts("null");
	return status;
}

static int status_of(const struct question *question)
{
	static const int status[] = {
		[LA_OUTCOME_RUNS] = STATUS_DONE,
		[LA_OUTCOME_OOM] = STATUS_FINDINGS,
		[LA_OUTCOME_DEPENDS] = STATUS_CANNOT_TELL,
	};

	if (question->hangs_on_limit || question->is_cut)
		return STATUS_CANNOT_TELL;
	return status[question->answer.outcome];
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat left, right;

	return !stat(a, &left) && !stat(b, &right) &&
	       left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* The replay, with events and splits going where they are wanted. */
static int replay_and_log(const struct options *options,
			  struct question *question)
{
	struct event_log log = {
		.device = question->source.device,
		.splits = options->log_splits,
	};
	int status;

	if (options->events &&
	    is_same_file(options->events, question->source.path)) {
		report_error("--emit-events: '%s' is the recording itself",
			     options->events);
		return STATUS_USAGE;
	}
	if (options->events && !event_log_open(&log, options->events))
		return STATUS_CANNOT_TELL;
	status = replay(question, &log);
	return event_log_close(&log) ? status : STATUS_CANNOT_TELL;
}

/* Events or splits on standard output leave no room for a report. */
static bool is_stdout_taken(const struct options *options)
{
	return options->log_splits ||
	       (options->events && !strcmp(options->events, "-"));
}

/* --verify: flags tell what was in force when recording. */
static int verify(const struct options *options, struct question *question)
{
	const struct la_program_options known = {
		.setting = options->setting,
		.limit = question->limit_given ? &question->limit : NULL,
	};
	struct la_json json;
	int status = source_open(&question->source, &known);

	if (status != STATUS_DONE)
		return no_answer(options, status);
	complete_question(question);
	status = replay_and_log(options, question);
	if (status != STATUS_DONE)
		return no_answer(options, status);
	status = question->source.check.exact ? STATUS_DONE : STATUS_FINDINGS;
	if (is_stdout_taken(options))
		return status;
	if (options->format == REPORT_TEXT) {
		print_verification(&question->source);
		return status;
	}
	la_json_init(&json, report_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "allocctl.verify/1");
	source_json(&question->source, &json);
	la_json_object_end(&json);
	putchar('\n');
	return status;
}

/* Without --verify: would it run? */
static int ask(const struct options *options, struct question *question)
{
	int status = source_open(&question->source, NULL);

	if (status != STATUS_DONE)
		return no_answer(options, status);
	complete_question(question);
	status = replay_and_log(options, question);
	if (status != STATUS_DONE)
		return no_answer(options, status);
	if (is_stdout_taken(options))
		return status_of(question);
	if (options->format == REPORT_JSON)
		print_json(question);
	else
		print_text(question);
	return status_of(question);
}

static int run(const struct options *options, struct question *question)
{
	int status = STATUS_DONE;

	if (!read_limit(options, question))
		return STATUS_USAGE;
	if (options->setting)
		status = setting_read(&question->setting, options->setting);
	if (status != STATUS_DONE)
		return status;
	return options->verify ? verify(options, question) :
				 ask(options, question);
}

static int replay_run(int argc, char **argv)
{
	struct question question = { .source.device = SOURCE_MAIN_DEVICE };
	struct options options = { 0 };
	const struct opt opts[] = {
		{ OPT_STRING, "setting", &options.setting, "SETTING",
		  "replay under this one instead of the recorded", NULL },
		{ OPT_STRING, "limit", &options.limit, "SIZE",
		  "most bytes to reserve, a cap; none; auto: recorded", NULL },
		{ OPT_STRING, "card", &options.card, "SIZE",
		  "most bytes that the card has for this process", NULL },
		{ OPT_NUMBER, "device", &question.source.device, "N",
		  "device (default: the one with most events)", NULL },
		{ OPT_CHOICE, "policy", &options.policy, "POLICY",
		  "torch", policies },
		{ OPT_FLAG, "verify", &options.verify, NULL,
		  "compare with the recording, event by event", NULL },
		{ OPT_STRING, "emit-events", &options.events, "OUT",
		  "write the events, one JSON object a line", NULL },
		{ OPT_FLAG, "log-splits", &options.log_splits, NULL,
		  "print each block that is split", NULL },
		{ OPT_FLAG, "partial", &question.source.partial, NULL,
		  "use what a truncated file gives", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json", report_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "replay FILE [OPTIONS]",
		.about = "Play a snapshot's program on the allocator. Status 0 "
			 "if it runs, 1 if not, 3 if\nthat hangs on the driver; "
			 "with --verify 0 if every event is reproduced.",
		.opts = opts,
		.examples = "  allocctl replay run.pickle --verify\n"
			    "  allocctl replay run.pickle --card 40GiB "
			    "--setting max_split_size_mb:128",
	};
	int nr = opt_parse(argc, argv, &spec), status;

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	if (nr != 1) {
		report_error("replay wants one FILE, got %d", nr);
		return STATUS_USAGE;
	}
	question.source.path = argv[1];
	status = run(&options, &question);
	source_close(&question.source);
	la_setting_free(question.setting);
	return status;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "play a recording again, as it was or otherwise",
	.run = replay_run,
};
