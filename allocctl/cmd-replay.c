// SPDX-License-Identifier: Apache-2.0
/* allocctl replay: a recording, played again as it was or otherwise. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "events.h"
#include "platform.h"
#include "print.h"
#include "replay.h"

enum { MINIMUM_PROBES = 16 };

/* The recording at hand, and how to answer. */
struct run {
	struct replay_options options;
	struct replay_known known;
	struct la_json json;
	bool reported; /* a report was written */
};

/* A fraction in the setting that is asked for caps the card. */
static void apply_fraction(struct question *question)
{
	double fraction = la_setting_values(question->setting)
				  ->per_process_memory_fraction;

	if (fraction >= 1)
		return;
	if (!question->source.info->total) {
		print_error("warning: per_process_memory_fraction has no "
			    "effect here: the card's total is not known");
		return;
	}
	question->limit.kind = LA_LIMIT_CAP;
	question->limit.bytes = la_heap_cap(
		fraction, question->source.info->total, question->torch);
}

/* What is not given is as recorded; what is given may say the same. */
static void complete_question(struct question *question)
{
	const struct la_program_info *info = question->source.info;
	struct la_limit *limit = &question->limit;

	if (!question->torch)
		question->torch = info->release;
	if (!question->limit_given) {
		*limit = info->limit;
		if (question->setting)
			apply_fraction(question);
	}
	question->setting_text = question->setting ?
					 la_setting_text(question->setting) :
					 info->setting;
	question->as_recorded =
		question->policy == LA_HEAP_TORCH &&
		question->torch == info->release &&
		!strcmp(question->setting_text, info->setting) &&
		limit->kind == info->limit.kind &&
		(limit->kind == LA_LIMIT_NONE ||
		 limit->bytes == info->limit.bytes);
}

static int cannot_replay(const struct la_error *err)
{
	print_error("%s", err->text);
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

static int ask_layouts(struct question *question,
		       const struct la_replay_options *options,
		       struct la_answer *answer)
{
	struct la_error err;

	if (la_replay_all_layouts(question->source.program, options, answer,
				  &err) < 0)
		return cannot_replay(&err);
	return STATUS_DONE;
}

/* The same without and with the calls that are put in. */
static int ask_with_release(struct question *question,
			    struct la_replay_options *options)
{
	struct la_replay_options plain = *options;
	int status = release_find_steps(&question->source, &question->limit,
					&question->release, &question->steps);

	plain.listener = NULL;
	plain.split_listener = NULL;
	plain.oom = NULL;
	if (status == STATUS_DONE)
		status = ask_layouts(question, &plain, &question->without);
	if (status != STATUS_DONE)
		return status;
	question->as_recorded = options->as_recorded = false;
	options->release = question->release;
	return ask_layouts(question, options, &question->answer);
}

/* What policy compact would do with. */
static int ask_minimum(struct question *question,
		       const struct la_replay_options *options)
{
	struct la_replay_options any = *options;
	struct la_error err = { .offset = LA_NO_OFFSET };
	int code;

	if (question->policy != LA_HEAP_COMPACT)
		return STATUS_DONE;
	any.listener = NULL;
	any.split_listener = NULL;
	if (any.limit.kind == LA_LIMIT_NONE)
		any.limit.kind = LA_LIMIT_CAP;
	code = la_minimum_memory(question->source.program, &any,
				 MINIMUM_PROBES, &question->minimum, &err);
	return code < 0 && code != -ERANGE ? cannot_replay(&err) : STATUS_DONE;
}

static int replay(struct question *question, struct event_log *log)
{
	struct la_replay_options options = {
		.policy = question->policy,
		.setting = question->setting ?
				   la_setting_values(question->setting) :
				   la_program_setting(question->source.program),
		.torch_release = question->torch,
		.limit = question->limit,
		.as_recorded = question->as_recorded,
		.listener = log->file ? event_log_hear : NULL,
		.split_listener = log->splits ? event_log_split : NULL,
		.listener_data = log,
		.costs = la_costs_default(),
		.oom = &question->oom,
		.holder_key = holders_key,
		.holder_data = &question->holders,
	};
	int status;

	if (!holders_init(&question->holders, &question->source))
		return print_no_memory();
	status = question->release.kind == LA_RELEASE_NONE ?
			     ask_layouts(question, &options,
					 &question->answer) :
			     ask_with_release(question, &options);

	if (status != STATUS_DONE)
		return status;
	question->is_cut = question->answer.outcome == LA_OUTCOME_RUNS &&
			   !source_is_understood(&question->source);
	options.oom = NULL;
	status = ask_lower_end(question, &options);
	return status == STATUS_DONE ? ask_minimum(question, &options) :
				       status;
}

const char *replay_outcome_of(const struct la_answer *answer)
{
	static const char *const outcomes[] = {
		[LA_OUTCOME_RUNS] = "runs",
		[LA_OUTCOME_OOM] = "oom",
		[LA_OUTCOME_DEPENDS] = "depends on placement",
	};

	return outcomes[answer->outcome];
}

const char *replay_outcome(const struct question *question)
{
	if (question->hangs_on_limit)
		return "depends on the limit";
	if (question->is_cut)
		return "not known";
	return replay_outcome_of(&question->answer);
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

/* The replay, with events and splits going where they are wanted. */
static int replay_and_log(const struct replay_options *options,
			  struct question *question)
{
	struct event_log log = {
		.device = question->source.device,
		.splits = options->log_splits,
	};
	int status;

	if (options->events &&
	    platform_is_same(options->events, question->source.path)) {
		print_error("--emit-events: '%s' is the recording itself",
			    options->events);
		return STATUS_USAGE;
	}
	if (options->events && !event_log_open(&log, options->events))
		return STATUS_CANNOT_TELL;
	status = replay(question, &log);
	return event_log_close(&log) ? status : STATUS_CANNOT_TELL;
}

/* Events or splits on standard output leave no room for a report. */
static bool is_stdout_taken(const struct replay_options *options)
{
	return options->log_splits ||
	       (options->events && !strcmp(options->events, "-"));
}

/* --verify: flags tell what was in force when recording. */
static int verify(struct run *run, struct question *question)
{
	const struct la_program_options given = {
		.setting = run->options.setting,
		.limit = question->limit_given ? &question->limit : NULL,
		.release = question->torch,
		.set_at = run->known.set_at,
		.set_at_count = run->known.set_at_count,
	};
	int status = source_open_program(&question->source, &given);

	if (status != STATUS_DONE)
		return status;
	complete_question(question);
	status = replay_and_log(&run->options, question);
	if (status != STATUS_DONE)
		return status;
	status = question->source.check.exact ? STATUS_DONE : STATUS_FINDINGS;
	if (is_stdout_taken(&run->options))
		return status;
	run->reported = true;
	if (run->options.format == PRINT_JSON)
		replay_json_verification(&run->json, &question->source);
	else
		replay_print_verification(&question->source);
	return status;
}

/* Is nothing asked that a recording without requests cannot answer? */
static bool asks_nothing(const struct replay_options *options)
{
	return !(options->setting || options->limit || options->card ||
		 options->torch ||
		 options->release.above ||
		 options->release.every != RELEASE_NOT_EVERY ||
		 options->events || options->log_splits || options->set_at.nr);
}

static int show_held(struct run *run, const struct source *source)
{
	run->reported = true;
	if (run->options.format == PRINT_TEXT)
		return replay_print_held(source);
	replay_json_held(&run->json, source);
	return STATUS_DONE;
}

/* Without --verify: would it run? */
static int ask(struct run *run, struct question *question)
{
	const struct la_program_options given = {
		.set_at = run->known.set_at,
		.set_at_count = run->known.set_at_count,
		/* A companion knows better who recorded. */
		.release = la_recording_torch(question->source.recording) ?
				   0 :
				   question->torch,
	};
	int status;

	if (!source_has_requests(&question->source) &&
	    source_has_segments(&question->source) &&
	    asks_nothing(&run->options))
		return show_held(run, &question->source);
	status = source_open_program(&question->source, &given);
	if (status != STATUS_DONE)
		return status;
	complete_question(question);
	status = replay_and_log(&run->options, question);
	if (status != STATUS_DONE)
		return status;
	if (is_stdout_taken(&run->options))
		return status_of(question);
	run->reported = true;
	if (run->options.format == PRINT_JSON)
		replay_json(&run->json, question);
	else
		replay_print(question);
	return status_of(question);
}

/* In JSON, what cannot be answered is null. */
static int replay_device(struct run *run, const struct question *common,
			 uint64_t device)
{
	struct question question = *common;
	int status;

	run->reported = false;
	question.source.device = device;
	status = run->options.verify ? verify(run, &question) :
				       ask(run, &question);
	if (!run->reported && status == STATUS_CANNOT_TELL &&
	    run->options.format == PRINT_JSON) {
		la_json_null(&run->json);
		run->reported = true;
	}
	la_program_free(question.source.program);
	la_oom_state_release(&question.oom);
	holders_release(&question.holders);
	la_steps_release(&question.steps);
	return status;
}

static int worse(int a, int b)
{
	static const int rank[] = {
		[STATUS_DONE] = 0,
		[STATUS_CANNOT_TELL] = 1,
		[STATUS_FINDINGS] = 2,
		[STATUS_USAGE] = 3,
	};

	return rank[a] > rank[b] ? a : b;
}

/* --device all: those of which something was recorded. */
static int replay_devices(struct run *run, struct question *common)
{
	struct source *source = &common->source;
	unsigned int count = la_recording_device_count(source->recording);
	bool json = run->options.format == PRINT_JSON, first = true;
	int status = STATUS_DONE;

	if (json) {
		la_json_object_begin(&run->json);
		la_json_member_text(&run->json, "schema",
				    "allocctl.replay-devices/1");
		la_json_key(&run->json, "devices");
		la_json_array_begin(&run->json);
	}
	for (source->device = 0; source->device < count; source->device++) {
		if (!source_has_history(source) && !source_has_segments(source))
			continue;
		if (!json && !first)
			putchar('\n');
		first = false;
		status = worse(status,
			       replay_device(run, common, source->device));
	}
	if (json) {
		la_json_array_end(&run->json);
		la_json_object_end(&run->json);
		run->reported = true;
	}
	return status;
}

/* --device: SOURCE_MAIN_DEVICE if it is not one number. */
static int read_device(const char *text, uint64_t *device)
{
	char *end;

	*device = SOURCE_MAIN_DEVICE;
	if (!text || !strcmp(text, "all"))
		return STATUS_DONE;
	errno = 0;
	*device = strtoull(text, &end, 10);
	if (!errno && !*end && *text >= '0' && *text <= '9')
		return STATUS_DONE;
	print_error("--device wants a whole number or all, not '%s'", text);
	return STATUS_USAGE;
}

static int replay_file(struct run *run, struct question *common)
{
	const struct replay_options *options = &run->options;
	struct source *source = &common->source;
	int status = read_device(options->device, &source->device);

	common->policy = options->policy;
	if (options->verify && options->policy != LA_HEAP_TORCH) {
		print_error("--verify: recordings are of policy torch");
		return STATUS_USAGE;
	}

	if (status == STATUS_DONE)
		status = replay_read_options(options, &run->known, common);
	if (status != STATUS_DONE)
		return status;
	la_json_init(&run->json, print_json_sink, stdout);
	status = source_open_recording(source);
	if (status == STATUS_DONE)
		status = options->device && !strcmp(options->device, "all") ?
				 replay_devices(run, common) :
				 replay_device(run, common, source->device);
	else if (status == STATUS_CANNOT_TELL && options->format == PRINT_JSON)
		puts("null");
	if (run->reported && options->format == PRINT_JSON)
		putchar('\n');
	return status;
}

static int parse(int argc, char **argv, struct replay_options *options)
{
	const struct opt opts[] = {
		{ OPT_STRING, "setting", &options->setting, "SETTING",
		  "replay under this one instead of the recorded", NULL },
		{ OPT_STRING, "limit", &options->limit, "SIZE",
		  "most bytes to reserve, a cap; none; auto: recorded", NULL },
		{ OPT_STRING, "card", &options->card, "SIZE",
		  "most bytes that the card has for this process", NULL },
		{ OPT_STRING, "torch", &options->torch, "VERSION",
		  "the allocator of this release; auto: the recorded one",
		  NULL },
		{ OPT_STRING, "device", &options->device, "N",
		  "device, or all (default: the one with most events)", NULL },
		{ OPT_CHOICE, "policy", &options->policy, "POLICY",
		  "torch (default) or compact, liballoc's own",
		  print_policies },
		{ OPT_LIST, "set-at", &options->set_at, "EVENT:SETTING",
		  "this was given to torch's setter before that event", NULL },
		{ OPT_STRING, "empty-cache-above", &options->release.above,
		  "RATIO", "put in empty_cache() at steps with more reserved",
		  NULL },
		{ OPT_NUMBER, "empty-cache-every", &options->release.every,
		  "N", "put in empty_cache() at each N-th step", NULL },
		{ OPT_FLAG, "verify", &options->verify, NULL,
		  "compare with the recording, event by event", NULL },
		{ OPT_STRING, "emit-events", &options->events, "OUT",
		  "write the events, one JSON object a line", NULL },
		{ OPT_FLAG, "log-splits", &options->log_splits, NULL,
		  "print each block that is split", NULL },
		{ OPT_FLAG, "partial", &options->partial, NULL,
		  "use what a truncated file gives", NULL },
		{ OPT_CHOICE, "format", &options->format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "replay FILE [OPTIONS]",
		.about = "Play a snapshot's program on the allocator. Status 0 "
			 "if it runs, 1 if not, 3 if\nthat hangs on the driver; "
			 "with --verify 0 if every event is reproduced.",
		.opts = opts,
		.examples = "  allocctl replay run.pickle --card 40GiB "
			    "--setting max_split_size_mb:128\n"
			    "  allocctl replay run.pickle --limit 12GiB "
			    "--empty-cache-above 0.8",
	};

	return opt_parse(argc, argv, &spec);
}

static int replay_run(int argc, char **argv)
{
	struct run run = { .options.release.every = RELEASE_NOT_EVERY };
	struct question common = { 0 };
	int nr = parse(argc, argv, &run.options), status = STATUS_USAGE;

	if (nr == OPT_HELP) {
		status = STATUS_DONE;
	} else if (nr == 1) {
		common.source.path = argv[1];
		common.source.partial = run.options.partial;
		status = replay_file(&run, &common);
	} else if (nr >= 0) {
		print_error("replay wants one FILE, got %d", nr);
	}
	source_close(&common.source);
	replay_known_release(&run.known);
	opt_list_release(&run.options.set_at);
	return status;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "play a recording again, as it was or otherwise",
	.run = replay_run,
};
