// SPDX-License-Identifier: Apache-2.0
/* The search of allocctl tune: from a request to a tuning. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/replay.h>

#include "cmd.h"
#include "costs-file.h"
#include "platform.h"
#include "print.h"
#include "setting.h"
#include "tune.h"
#include "util/card.h"

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
		print_error("--card and --limit exclude each other");
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
		print_error("%s", err.text);
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
		print_error("cannot read '%s': %s", request->costs, err.text);
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

static int run_search(const struct tune_work *work,
		      const struct opt_list *settings, struct tune *tune)
{
	bool progress = isatty(STDERR_FILENO);
	const struct la_tune_options how = {
		.limit = tune->limit,
		.setting = settings->item,
		.setting_count = settings->nr,
		.release = tune->replayed,
		.policy = tune->policy,
		.jobs = work->jobs ? (unsigned int)work->jobs :
					 platform_cores(),
		.costs = &tune->costs,
		.progress = progress ? show_progress : NULL,
		.stop = is_interrupted,
		.shard = (unsigned int)work->shard_index,
		.shard_count = (unsigned int)work->shard_count,
		.fact = work->merge ? work->merge->fact : NULL,
		.fact_count = work->merge ? work->merge->fact_count : 0,
	};
	struct la_error err;
	int code;

	code = la_tune(&tune->tuning, tune->program, tune->source_count, &how,
		       &err);
	if (progress)
		fputs("\r\033[K", stderr);
	if (code < 0) {
		print_error("%s", err.text);
		return STATUS_CANNOT_TELL;
	}
	return STATUS_DONE;
}

/* Search, and what is looked for in the end. */
static int search(const struct tune_work *work,
		  const struct opt_list *settings, struct tune *tune)
{
	int status = run_search(work, settings, tune);

	if (status != STATUS_DONE || work->shard_index)
		return status;
	if (!interrupted)
		status = tune_files_plan(tune);
	if (status == STATUS_DONE && !interrupted &&
	    tune->request->method == TUNE_GUIDE)
		status = tune_method_run(tune);
	if (status != STATUS_DONE)
		return status;
	tune->tuned = la_tuning_settings(tune->tuning, &tune->count);
	tune->winner = la_tuning_winner(tune->tuning);
	la_tuning_facts(tune->tuning, &tune->replays);
	tune_advise(tune);
	return tune->warnings.failed || tune->paste.failed ?
		       print_no_memory() :
		       STATUS_DONE;
}

/* What guides recommend is tried like what the caller asks for. */
static int run(const struct tune_work *work, struct tune *tune)
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
		status = search(work, &settings, tune);
	else
		status = print_no_memory();
	opt_list_release(&settings);
	return status;
}

int tune_find(struct tune *tune, const struct tune_work *work)
{
	bool merge = work->merge;
	int status = read_torch(tune);

	platform_on_interrupt(interrupt);
	if (status == STATUS_DONE)
		status = check_settings(&tune->request->settings,
					tune->release);
	if (status == STATUS_DONE)
		status = read_costs(tune, merge);
	if (status == STATUS_DONE)
		status = read_limit(tune);
	if (status == STATUS_DONE)
		status = tune_files_open(tune);
	if (status == STATUS_DONE && merge)
		status = tune_merge_check(work->merge, tune);
	if (status == STATUS_DONE) {
		take_recorded_limit(tune);
		find_recorded_costs(tune, merge);
		status = tune_files_find_steps(tune);
	}
	return status == STATUS_DONE ? run(work, tune) : status;
}

void tune_release(struct tune *tune)
{
	int i;

	for (i = 0; i < TUNE_SHELL_COUNT; i++)
		free(tune->line[i].text);
	la_tuning_free(tune->tuning);
	tune_guides_release(tune);
	free(tune->method.setting);
	la_strbuf_release(&tune->warnings);
	la_strbuf_release(&tune->paste);
	tune_files_close(tune);
}
