// SPDX-License-Identifier: Apache-2.0
/* allocctl tune: the setting under which a recorded program fits best. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/replay.h>

#include "cmd.h"
#include "opt.h"
#include "report.h"
#include "setting.h"
#include "tune.h"
#include "util/card.h"

enum { MOST_JOBS = 1024 };
#define DEFAULT_JOBS UINT64_MAX

struct options {
	const char *card, *limit; /* SIZE or NULL */
	const char *costs; /* file or NULL */
	struct opt_list settings, presets;
	uint64_t jobs; /* DEFAULT_JOBS: as many as cores */
	int format;
};

/* A GPU's name stands for its total, of which CUDA takes its part. */
static int read_card(const char *text, const struct la_costs *costs,
		     struct tune *tune)
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
	tune->context = costs->context < card->total ? costs->context : 0;
	tune->limit.bytes -= tune->context;
	return STATUS_DONE;
}

static int read_limit(const struct options *options,
		      const struct la_costs *costs, struct tune *tune)
{
	if (options->card && options->limit) {
		report_error("--card and --limit exclude each other");
		return STATUS_USAGE;
	}
	if (options->card)
		return read_card(options->card, costs, tune);
	if (!options->limit || !strcmp(options->limit, "auto"))
		return STATUS_DONE;
	tune->limit_from = "--limit";
	if (!strcmp(options->limit, "none"))
		return STATUS_DONE;
	tune->limit.kind = LA_LIMIT_CAP;
	return opt_size("limit", options->limit, &tune->limit.bytes) ?
		       STATUS_DONE :
		       STATUS_USAGE;
}

static int check_settings(const struct opt_list *settings)
{
	struct la_setting *setting;
	size_t i;
	int status;

	for (i = 0; i < settings->nr; i++) {
		status = setting_read(&setting, settings->item[i],
				      LA_RELEASE(2, 11));
		if (status != STATUS_DONE)
			return status;
		la_setting_free(setting);
	}
	return STATUS_DONE;
}

static int read_costs(const char *path, struct la_costs *costs)
{
	struct la_error err;

	if (!path || !la_costs_read(costs, path, &err))
		return STATUS_DONE;
	report_error("cannot read '%s': %s", path, err.text);
	return STATUS_CANNOT_TELL;
}

/* Who ran out of memory wants to know what fits there.  Of an interval only
 * the lower end is sure. */
static void take_recorded_limit(struct tune *tune)
{
	const struct la_program_info *info = tune->source.info;

	if (!tune->total)
		tune->total = info->total;
	if (tune->limit_from || !info->ends_in_oom ||
	    info->limit.kind == LA_LIMIT_NONE)
		return;
	tune->limit = info->limit;
	tune->limit_from = source_limit_source(info);
	if (!info->limit_range[0] || info->limit_range[0] >= tune->limit.bytes)
		return;
	tune->limit.bytes = info->limit_range[0];
	tune->limit_from = "the events: the lower end of what they allow";
}

static void show_progress(void *data, size_t done, size_t total)
{
	(void)data;
	fprintf(stderr, "\rreplaying %zu of %zu ", done, total);
	fflush(stderr);
}

/* The settings that are tried besides the grid. */
static int search(const struct options *options, const struct la_costs *costs,
		  const struct opt_list *settings, struct tune *tune)
{
	bool progress = isatty(STDERR_FILENO);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	const struct la_tune_options how = {
		.limit = tune->limit,
		.setting = settings->item,
		.setting_count = settings->nr,
		.jobs = options->jobs != DEFAULT_JOBS ?
				(unsigned int)options->jobs :
			cores > 0 ? (unsigned int)cores :
				    1,
		.costs = costs,
		.progress = progress ? show_progress : NULL,
	};
	struct la_error err;
	int code = la_tune(&tune->tuning, tune->source.program, &how, &err);

	if (progress)
		fputs("\r\033[K", stderr);
	if (code < 0) {
		report_error("%s", err.text);
		return STATUS_CANNOT_TELL;
	}
	tune->tuned = la_tuning_settings(tune->tuning, &tune->count);
	tune->winner = la_tuning_winner(tune->tuning);
	tune_advise(tune);
	if (tune->warnings.failed || tune->paste.failed) {
		report_error("out of memory");
		return STATUS_CANNOT_TELL;
	}
	if (options->format == REPORT_JSON)
		tune_print_json(tune);
	else
		tune_print_text(tune);
	return tune->winner ? STATUS_DONE : STATUS_FINDINGS;
}

/* What guides recommend is tried like what the caller asks for. */
static int run(const struct options *options, const struct la_costs *costs,
	       struct tune *tune)
{
	struct opt_list settings = { 0 };
	int status = tune_guides_add(tune, &options->presets);
	size_t i;

	if (status != STATUS_DONE)
		return status;
	settings.item = calloc(options->settings.nr + 1,
			       sizeof(*settings.item));
	for (i = 0; settings.item && i < options->settings.nr; i++)
		settings.item[settings.nr++] = options->settings.item[i];
	if (settings.item && tune_guides_list(tune, &settings)) {
		status = search(options, costs, &settings, tune);
	} else {
		report_error("out of memory");
		status = STATUS_CANNOT_TELL;
	}
	opt_list_release(&settings);
	return status;
}

static int tune_file(const struct options *options, struct tune *tune)
{
	struct la_costs costs = *la_costs_default();
	int status = check_settings(&options->settings);

	if (status == STATUS_DONE)
		status = read_costs(options->costs, &costs);
	if (status == STATUS_DONE)
		status = read_limit(options, &costs, tune);
	if (status == STATUS_DONE)
		status = source_open(&tune->source, NULL);
	if (status == STATUS_DONE)
		status = source_check_program(&tune->source);
	if (status == STATUS_DONE) {
		take_recorded_limit(tune);
		status = run(options, &costs, tune);
	}
	if (status == STATUS_CANNOT_TELL && options->format == REPORT_JSON)
		puts("null");
	return status;
}

static void release(struct tune *tune)
{
	la_tuning_free(tune->tuning);
	tune_guides_release(tune);
	la_strbuf_release(&tune->warnings);
	la_strbuf_release(&tune->paste);
	source_close(&tune->source);
}

static int tune_run(int argc, char **argv)
{
	struct tune tune = { .source.device = SOURCE_MAIN_DEVICE };
	struct options options = { .jobs = DEFAULT_JOBS };
	const struct opt opts[] = {
		{ OPT_STRING, "card", &options.card, "SIZE",
		  "what the card has left, or a GPU's name",
		  NULL },
		{ OPT_STRING, "limit", &options.limit, "SIZE",
		  "cap in bytes; none; auto: what the recording hit", NULL },
		{ OPT_LIST, "setting", &options.settings, "SETTING",
		  "try this one too; may be given again", NULL },
		{ OPT_LIST, "preset", &options.presets, "NAME",
		  "and what guides recommend, see allocctl explain presets",
		  NULL },
		{ OPT_STRING, "costs", &options.costs, "FILE",
		  "YAML file of what device operations cost", NULL },
		{ OPT_NUMBER, "jobs", &options.jobs, "N",
		  "threads (default: all cores)", NULL },
		{ OPT_NUMBER, "device", &tune.source.device, "N",
		  "device (default: the one with most events)", NULL },
		{ OPT_FLAG, "partial", &tune.source.partial, NULL,
		  "use what a truncated file gives", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json", report_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "tune FILE [OPTIONS]",
		.about = "Find the setting under which a snapshot's program "
			 "fits, or needs least. Seconds\nare those of device "
			 "operations. Status 1 if nothing fits.",
		.opts = opts,
		.examples = "  allocctl tune oom.pickle\n"
			    "  allocctl tune run.pickle --card 24GiB\n"
			    "  allocctl tune run.pickle --limit 8GiB "
			    "--setting max_split_size_mb:200",
	};
	int nr = opt_parse(argc, argv, &spec), status = STATUS_USAGE;

	if (nr == OPT_HELP) {
		status = STATUS_DONE;
	} else if (options.jobs != DEFAULT_JOBS &&
		   (!options.jobs || options.jobs > MOST_JOBS)) {
		report_error("--jobs wants 1 to %d", MOST_JOBS);
	} else if (nr == 1) {
		tune.source.path = argv[1];
		status = tune_file(&options, &tune);
	} else if (nr >= 0) {
		report_error("tune wants one FILE, got %d", nr);
	}
	release(&tune);
	opt_list_release(&options.settings);
	opt_list_release(&options.presets);
	return status;
}

const struct cmd cmd_tune = {
	.name = "tune",
	.summary = "find the setting that fits or needs least",
	.run = tune_run,
};
