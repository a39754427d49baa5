// SPDX-License-Identifier: Apache-2.0
/* allocctl tune: the setting under which recorded programs fit best. */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/replay.h>

#include "cmd.h"
#include "costs-file.h"
#include "opt.h"
#include "platform.h"
#include "report.h"
#include "setting.h"
#include "tune.h"
#include "util/card.h"

enum { MOST_JOBS = 1024, MOST_SHARDS = 1000000 };
/* What a shell makes of a program that SIGINT ended. */
enum { STATUS_INTERRUPTED = 128 + SIGINT };
#define DEFAULT_JOBS UINT64_MAX

struct options {
	struct tune_request request;
	uint64_t jobs; /* DEFAULT_JOBS: as many as cores */
	const char *shard; /* "I/N" or NULL */
	uint64_t shard_index, shard_count; /* read of it; 0: all */
	bool merge; /* operands are what shards wrote */
	int format;
};

/* The one thing that a signal handler may touch. */
static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static bool is_interrupted(void *data)
{
	(void)data;
	return interrupted;
}

/* A GPU's name stands for its total, of which CUDA takes its part. */
static int read_card(const char *text, struct tune *tune)
{
	const struct la_card *card = la_card_find(text);

	tune->limit_from = "--card";
	tune->limit.kind = LA_LIMIT_CARD;
	if (!opt_size("card", text, &tune->limit.bytes))
		return STATUS_USAGE;
	if (!card)
		return STATUS_DONE;
	tune->card = card->name;
	tune->total = card->total;
	tune->context = tune->costs.context < card->total ?
				tune->costs.context :
				0;
	tune->limit.bytes -= tune->context;
	return STATUS_DONE;
}

static int read_limit(struct tune *tune)
{
	const struct tune_request *request = tune->request;

	if (request->card && request->limit) {
		report_error("--card and --limit exclude each other");
		return STATUS_USAGE;
	}
	if (request->card)
		return read_card(request->card, tune);
	if (!request->limit || !strcmp(request->limit, "auto"))
		return STATUS_DONE;
	tune->limit_from = "--limit";
	if (!strcmp(request->limit, "none"))
		return STATUS_DONE;
	tune->limit.kind = LA_LIMIT_CAP;
	return opt_size("limit", request->limit, &tune->limit.bytes) ?
		       STATUS_DONE :
		       STATUS_USAGE;
}

static int read_torch(struct tune *tune)
{
	const struct la_release *release;
	struct la_error err;
	size_t i;

	tune->release = LA_RELEASE(2, 11);
	if (tune->request->torch &&
	    la_release_parse(&tune->release, tune->request->torch, &err) < 0) {
		report_error("%s", err.text);
		return STATUS_USAGE;
	}
	if (tune->request->torch)
		tune->replayed = tune->release;
	for (i = 0; (release = la_release_at(i)); i++)
		if (release->number == tune->release)
			tune->torch = release->name;
	return STATUS_DONE;
}

/* What only 2.11 takes is shown and marked. */
static int check_settings(const struct opt_list *settings,
			  unsigned int release)
{
	const struct la_setting_context context = {
		.release = release,
		.set_at = LA_SET_AT_INIT,
	};
	struct la_setting *setting;
	size_t i;
	int status;

	for (i = 0; i < settings->nr; i++) {
		if (!la_setting_parse_for(&setting, settings->item[i],
					  strlen(settings->item[i]), &context,
					  NULL)) {
			la_setting_free(setting);
			continue;
		}
		status = setting_read(&setting, settings->item[i],
				      LA_RELEASE(2, 11));
		if (status != STATUS_DONE)
			return status;
		la_setting_free(setting);
	}
	return STATUS_DONE;
}

/* Without a file: that of the GPU that --card names.  Shards agree on one. */
static int read_costs(struct tune *tune, bool merge)
{
	const struct tune_request *request = tune->request;
	struct la_error err;

	tune->costs = *la_costs_default();
	if (!request->costs) {
		if (!merge && request->card && la_card_find(request->card))
			costs_find(&tune->costs, tune->costs_file,
				   request->card, 0);
		return STATUS_DONE;
	}
	if (la_costs_read(&tune->costs, request->costs, &err) < 0) {
		report_error("cannot read '%s': %s", request->costs, err.text);
		return STATUS_CANNOT_TELL;
	}
	snprintf(tune->costs_file, sizeof(tune->costs_file), "%s",
		 request->costs);
	return STATUS_DONE;
}

/* Where no GPU is named: that of the one that recorded. */
static void find_recorded_costs(struct tune *tune, bool merge)
{
	if (!merge && !tune->request->costs && !tune->card && tune->total)
		costs_find(&tune->costs, tune->costs_file, NULL, tune->total);
}

/* Who ran out of memory wants to know what fits there.  Of an interval only
 * the lower end is sure. */
static void take_limit_of(struct tune *tune, const struct la_program_info *info)
{
	uint64_t bytes = info->limit.bytes;
	bool is_lower = info->limit_range[0] && info->limit_range[0] < bytes;

	if (!info->ends_in_oom || info->limit.kind == LA_LIMIT_NONE)
		return;
	if (is_lower)
		bytes = info->limit_range[0];
	if (tune->limit_from && tune->limit.bytes <= bytes)
		return;
	tune->limit = (struct la_limit){ info->limit.kind, bytes };
	tune->limit_from =
		is_lower ? "the events: the lower end of what they allow" :
			   source_limit_source(info);
}

/* The tightest one counts; a card's size only if it is the same for all. */
static void take_recorded_limit(struct tune *tune)
{
	bool given = tune->limit_from, named = tune->total;
	size_t i;

	for (i = 0; i < tune->source_count; i++) {
		const struct la_program_info *info = tune->source[i].info;

		if (!named && !i)
			tune->total = info->total;
		else if (!named && tune->total != info->total)
			tune->total = 0;
		if (!given)
			take_limit_of(tune, info);
	}
}

static void show_progress(void *data, size_t done, size_t total)
{
	(void)data;
	fprintf(stderr, "\r%zu of %zu pieces of work done ", done, total);
	fflush(stderr);
}

static int run_search(const struct options *options,
		      const struct opt_list *settings,
		      const struct tune_merge *merge, struct tune *tune)
{
	bool progress = isatty(STDERR_FILENO);
	const struct la_tune_options how = {
		.limit = tune->limit,
		.setting = settings->item,
		.setting_count = settings->nr,
		.release = tune->replayed,
		.policy = tune->policy,
		.jobs = options->jobs != DEFAULT_JOBS ?
				(unsigned int)options->jobs :
				platform_cores(),
		.costs = &tune->costs,
		.progress = progress ? show_progress : NULL,
		.stop = is_interrupted,
		.shard = (unsigned int)options->shard_index,
		.shard_count = (unsigned int)options->shard_count,
		.fact = merge->fact,
		.fact_count = merge->fact_count,
	};
	struct la_error err;
	int code;

	code = la_tune(&tune->tuning, tune->program, tune->source_count, &how,
		       &err);
	if (progress)
		fputs("\r\033[K", stderr);
	if (code < 0) {
		report_error("%s", err.text);
		return STATUS_CANNOT_TELL;
	}
	return STATUS_DONE;
}

static int print(const struct options *options, struct tune *tune)
{
	tune->tuned = la_tuning_settings(tune->tuning, &tune->count);
	tune->winner = la_tuning_winner(tune->tuning);
	la_tuning_facts(tune->tuning, &tune->replays);
	tune_advise(tune);
	if (tune->warnings.failed || tune->paste.failed)
		return report_no_memory();
	if (options->format == REPORT_JSON)
		tune_print_json(tune);
	else
		tune_print_text(tune);
	return tune->winner ? STATUS_DONE : STATUS_FINDINGS;
}

/* Search, then print what a shard found, or the report. */
static int search(const struct options *options,
		  const struct opt_list *settings,
		  const struct tune_merge *merge, struct tune *tune)
{
	int status = run_search(options, settings, merge, tune);

	if (status != STATUS_DONE)
		return status;
	if (options->shard_index) {
		tune_print_shard(tune, options->shard_index,
				 options->shard_count);
	} else {
		if (!interrupted)
			status = tune_files_plan(tune);
		if (status == STATUS_DONE && !interrupted &&
		    tune->request->method == TUNE_GUIDE)
			status = tune_method_run(tune);
		if (status == STATUS_DONE)
			status = print(options, tune);
	}
	return la_tuning_is_partial(tune->tuning) ? STATUS_INTERRUPTED :
						    status;
}

/* What guides recommend is tried like what the caller asks for. */
static int run(const struct options *options, const struct tune_merge *merge,
	       struct tune *tune)
{
	const struct tune_request *request = tune->request;
	struct opt_list settings = { 0 };
	int status = tune_guides_add(tune, &request->presets);
	size_t i;

	if (status != STATUS_DONE)
		return status;
	settings.item = calloc(request->settings.nr + 1,
			       sizeof(*settings.item));
	for (i = 0; settings.item && i < request->settings.nr; i++)
		settings.item[settings.nr++] = request->settings.item[i];
	if (settings.item && tune_guides_list(tune, &settings))
		status = search(options, &settings, merge, tune);
	else
		status = report_no_memory();
	opt_list_release(&settings);
	return status;
}

static int tune_files(const struct options *options,
		      const struct tune_merge *merge, struct tune *tune)
{
	const struct tune_request *request = tune->request;
	int status = read_torch(tune);

	platform_on_interrupt(interrupt);
	if (status == STATUS_DONE)
		status = check_settings(&request->settings, tune->release);
	if (status == STATUS_DONE)
		status = read_costs(tune, options->merge);
	if (status == STATUS_DONE)
		status = read_limit(tune);
	if (status == STATUS_DONE)
		status = tune_files_open(tune);
	if (status == STATUS_DONE && options->merge)
		status = tune_merge_check(merge, tune);
	if (status == STATUS_DONE) {
		take_recorded_limit(tune);
		find_recorded_costs(tune, options->merge);
		status = tune_files_find_steps(tune);
	}
	if (status == STATUS_DONE)
		status = run(options, merge, tune);
	return status;
}

static void release(struct tune *tune)
{
	la_tuning_free(tune->tuning);
	tune_guides_release(tune);
	free(tune->method.setting);
	la_strbuf_release(&tune->warnings);
	la_strbuf_release(&tune->paste);
	tune_files_close(tune);
}

/* With the request of the command line, or with that of the shards. */
static int serve(const struct options *options)
{
	struct tune_merge merge = { .fact = NULL };
	struct tune tune = { .request = &options->request };
	int status = STATUS_DONE;

	if (options->merge) {
		status = tune_merge_read(&merge, &options->request.files);
		tune.request = &merge.request;
	}
	if (status == STATUS_DONE)
		status = tune_files(options, &merge, &tune);
	if (status == STATUS_CANNOT_TELL && options->format == REPORT_JSON &&
	    !options->shard_index)
		puts("null");
	release(&tune);
	tune_merge_release(&merge);
	return status;
}

/* "I/N", or nothing at all. */
static bool read_shard(struct options *options)
{
	char end;

	if (!options->shard)
		return true;
	if (sscanf(options->shard, "%" SCNu64 "/%" SCNu64 "%c",
		   &options->shard_index, &options->shard_count, &end) == 2 &&
	    options->shard_index && options->shard_count <= MOST_SHARDS &&
	    options->shard_index <= options->shard_count)
		return true;
	report_error("--shard wants I/N, I from 1 to N");
	return false;
}

/* What shards were asked for is not asked for again. */
static bool is_plain_merge(const struct options *options)
{
	const struct tune_request *request = &options->request;

	if (!options->merge)
		return true;
	if (!options->shard && !request->card && !request->limit &&
	    !request->costs && !request->torch && !request->settings.nr &&
	    !request->presets.nr && !request->method && !request->partial &&
	    request->device == SOURCE_MAIN_DEVICE &&
	    !request->empty_cache.above &&
	    request->empty_cache.every == RELEASE_NOT_EVERY)
		return true;
	report_error("--merge takes --jobs and --format alone: the rest is in "
		     "the shards");
	return false;
}

static int check_and_serve(struct options *options, int nr, char **argv)
{
	int i, status = STATUS_USAGE;

	options->request.files.item = calloc((size_t)nr + 1,
					     sizeof(*argv));
	for (i = 0; options->request.files.item && i < nr; i++)
		options->request.files.item[options->request.files.nr++] =
			argv[i + 1];
	if (options->jobs != DEFAULT_JOBS &&
	    (!options->jobs || options->jobs > MOST_JOBS))
		report_error("--jobs wants 1 to %d", MOST_JOBS);
	else if (!nr)
		report_error("tune wants a FILE");
	else if (read_shard(options) && is_plain_merge(options))
		status = serve(options);
	opt_list_release(&options->request.files);
	return status;
}

static const struct options default_options = {
	.jobs = DEFAULT_JOBS,
	.request.device = SOURCE_MAIN_DEVICE,
	.request.empty_cache.every = RELEASE_NOT_EVERY,
};

static int parse(int argc, char **argv, struct options *options)
{
	struct tune_request *request = &options->request;
	const struct opt opts[] = {
		{ OPT_STRING, "card", &request->card, "SIZE",
		  "what the card has left, or a GPU's name",
		  NULL },
		{ OPT_STRING, "limit", &request->limit, "SIZE",
		  "cap in bytes; none; auto: what the recording hit", NULL },
		{ OPT_STRING, "torch", &request->torch, "VERSION",
		  "release that the setting is for (default: 2.11)", NULL },
		{ OPT_LIST, "setting", &request->settings, "SETTING",
		  "try this one too; may be given again", NULL },
		{ OPT_LIST, "preset", &request->presets, "NAME",
		  "and what guides recommend, see allocctl explain presets",
		  NULL },
		{ OPT_CHOICE, "method", &request->method, "METHOD",
		  "search, or guide: the guides' procedure beside it",
		  tune_methods },
		{ OPT_STRING, "empty-cache-above", &request->empty_cache.above,
		  "RATIO", "put in empty_cache() at steps with more reserved",
		  NULL },
		{ OPT_NUMBER, "empty-cache-every", &request->empty_cache.every,
		  "N", "put in empty_cache() at each N-th step", NULL },
		{ OPT_STRING, "costs", &request->costs, "FILE",
		  "YAML file of what device operations cost", NULL },
		{ OPT_NUMBER, "jobs", &options->jobs, "N",
		  "threads (default: all cores)", NULL },
		{ OPT_STRING, "shard", &options->shard, "I/N",
		  "make share I of the replays, write it as JSON", NULL },
		{ OPT_FLAG, "merge", &options->merge, NULL,
		  "FILEs are what all shards wrote: finish the search", NULL },
		{ OPT_NUMBER, "device", &request->device, "N",
		  "device (default: the one with most events)", NULL },
		{ OPT_FLAG, "partial", &request->partial, NULL,
		  "use what a truncated file gives", NULL },
		{ OPT_CHOICE, "format", &options->format, "FORMAT",
		  "text (default) or json", report_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "tune FILE... [OPTIONS]",
		.about = "Find the setting under which the programs of "
			 "snapshots fit, or need least.\nSeconds are estimates "
			 "for device operations. Status 1 if nothing fits.",
		.opts = opts,
		.examples = "  allocctl tune rank0.pickle rank1.pickle "
			    "--card 24GiB",
	};

	return opt_parse(argc, argv, &spec);
}

static int tune_run(int argc, char **argv)
{
	struct options options = default_options;
	int nr = parse(argc, argv, &options), status = STATUS_USAGE;

	if (nr == OPT_HELP)
		status = STATUS_DONE;
	else if (nr >= 0)
		status = check_and_serve(&options, nr, argv);
	opt_list_release(&options.request.settings);
	opt_list_release(&options.request.presets);
	return status;
}

const struct cmd cmd_tune = {
	.name = "tune",
	.summary = "find the setting that fits or needs least",
	.run = tune_run,
};
