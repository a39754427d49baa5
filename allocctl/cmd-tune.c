// SPDX-License-Identifier: Apache-2.0
/* allocctl tune: the setting under which recorded programs fit best. */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "opt.h"
#include "print.h"
#include "tune.h"

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

/* What a shard found, or the report. */
static int print(const struct options *options, struct tune *tune)
{
	int status = STATUS_DONE;

	if (options->shard_index) {
		tune_print_shard(tune, options->shard_index,
				 options->shard_count);
	} else {
		if (options->format == PRINT_JSON)
			tune_print_json(tune);
		else
			tune_print_text(tune);
		status = tune->winner ? STATUS_DONE : STATUS_FINDINGS;
	}
	return la_tuning_is_partial(tune->tuning) ? STATUS_INTERRUPTED :
						    status;
}

static int find(const struct options *options, const struct tune_merge *merge,
		struct tune *tune)
{
	const struct tune_work work = {
		.jobs = options->jobs == DEFAULT_JOBS ? 0 : options->jobs,
		.shard_index = options->shard_index,
		.shard_count = options->shard_count,
		.merge = options->merge ? merge : NULL,
	};
	int status = tune_find(tune, &work);

	return status == STATUS_DONE ? print(options, tune) : status;
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
		status = find(options, &merge, &tune);
	if (status == STATUS_CANNOT_TELL && options->format == PRINT_JSON &&
	    !options->shard_index)
		puts("null");
	tune_release(&tune);
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
	print_error("--shard wants I/N, I from 1 to N");
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
	print_error("--merge takes --jobs and --format alone: the rest is in "
		    "the shards");
	return false;
}

static int check_and_serve(struct options *options, int nr, char **argv)
{
	struct opt_list *files = &options->request.files;
	int status = STATUS_USAGE;

	if (opt_list_operands(files, nr, argv) < 0)
		return print_no_memory();
	if (options->jobs != DEFAULT_JOBS &&
	    (!options->jobs || options->jobs > MOST_JOBS))
		print_error("--jobs wants 1 to %d", MOST_JOBS);
	else if (!nr)
		print_error("tune wants a FILE");
	else if (read_shard(options) && is_plain_merge(options))
		status = serve(options);
	opt_list_release(files);
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
		  "text (default) or json", print_formats },
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
