// SPDX-License-Identifier: Apache-2.0
/* Which settings and actions are tried on a failed program. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/program.h"
#include "replay/tuning.h"
#include "triage/trials.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/util.h"

/* In this order; what the release refuses is left out. */
static const char *const built_in[] = {
	"",
	"expandable_segments:True",
	"max_split_size_mb:128",
	"garbage_collection_threshold:0.8",
	"expandable_segments:True,garbage_collection_threshold:0.8",
	"garbage_collection_threshold:0.8,max_split_size_mb:128",
	"max_split_size_mb:64",
	"max_split_size_mb:512",
	"garbage_collection_threshold:0.6",
	"roundup_power2_divisions:4",
	"roundup_power2_divisions:8",
	"large_segment_size_mb:64",
};

/* What is tried on top of the setting in force. */
static const char *const additions[] = {
	"expandable_segments:True",
	"max_split_size_mb:128",
	"garbage_collection_threshold:0.8",
};

static struct la_trial *find_text(struct trials *trials, const char *text)
{
	size_t i;

	for (i = 0; i < trials->count; i++) {
		struct la_trial *trial = &trials->attempt[i].trial;

		if (trial->kind == LA_TRIAL_SETTING &&
		    !strcmp(trial->setting, text))
			return trial;
	}
	return NULL;
}

/* The limit that is asked about; both ends, where it is an interval. */
static void set_limit(const struct trials *trials, struct attempt *attempt)
{
	const struct la_program_info *info = trials->info;

	attempt->limit[0] = attempt->limit[1] = info->limit;
	if (info->limit_source == LA_LIMIT_FROM_EVENTS)
		attempt->limit[0].bytes = info->limit_range[0];
}

static int add(struct trials *trials, const struct la_trial *trial)
{
	struct attempt *attempt;

	if (grow_array(&trials->attempt, &trials->room, trials->count,
		       sizeof(*attempt)) < 0)
		return -ENOMEM;
	attempt = &trials->attempt[trials->count++];
	*attempt = (struct attempt){ .trial = *trial };
	set_limit(trials, attempt);
	return 0;
}

/* A cap of the setting's own.  What the caller tries takes the place of one
 * that was set so; else the lower one counts. */
static void apply_fraction(const struct trials *trials,
			   struct attempt *attempt)
{
	const struct la_program_info *info = trials->info;
	double fraction = la_setting_values(attempt->setting)
				  ->per_process_memory_fraction;
	uint64_t cap = la_heap_cap(fraction, info->total, trials->release);
	bool replaces = attempt->trial.asked &&
			info->limit_source == LA_LIMIT_FROM_FRACTION;
	int i;

	if (fraction >= 1 || !info->total)
		return;
	for (i = 0; i < 2; i++)
		if (replaces || attempt->limit[i].kind == LA_LIMIT_NONE ||
		    cap < attempt->limit[i].bytes)
			attempt->limit[i] = (struct la_limit){ LA_LIMIT_CAP,
							       cap };
}

/* That it needs a cap is no objection where there is one. */
static int object(const struct trials *trials, struct la_trial *trial)
{
	bool wants_cap;
	int code = tuning_object(trial->setting, trials->release,
				 &trial->objection, &wants_cap);

	if (!code && wants_cap && trials->info->limit.kind == LA_LIMIT_CAP) {
		free(trial->objection);
		trial->objection = NULL;
	}
	return code == -ENOMEM ? code : 0;
}

/* A row of a setting; -EINVAL: the release refuses it, which is a row too. */
static int add_setting(struct trials *trials, const char *text,
		       const struct la_trial *like)
{
	struct la_trial trial = *like;
	struct attempt *attempt;
	int code;

	trial.setting = strdup(text);
	if (!trial.setting)
		return -ENOMEM;
	code = add(trials, &trial);
	if (code < 0) {
		free(trial.setting);
		return code;
	}
	attempt = &trials->attempt[trials->count - 1];
	code = object(trials, &attempt->trial);
	if (!code)
		code = program_parse(&attempt->setting, text, trials->release,
				     NULL);
	if (!code)
		apply_fraction(trials, attempt);
	return code;
}

static void drop_last(struct trials *trials)
{
	struct attempt *attempt = &trials->attempt[--trials->count];

	la_setting_free(attempt->setting);
	free(attempt->trial.setting);
	free(attempt->trial.objection);
}

/* Of our own only what the release takes, and nothing is said against. */
static int offer(struct trials *trials, const char *text)
{
	const struct la_trial none = { .kind = LA_TRIAL_SETTING };
	int code;

	if (find_text(trials, text))
		return 0;
	code = add_setting(trials, text, &none);
	if (code == -EINVAL ||
	    (!code && trials->attempt[trials->count - 1].trial.objection)) {
		drop_last(trials);
		return 0;
	}
	return code;
}

static int add_asked(struct trials *trials)
{
	const struct la_trial asked = { .asked = true };
	size_t i;
	int code = 0;

	for (i = 0; i < trials->options->setting_count && !code; i++) {
		const char *text = trials->options->setting[i];
		struct la_trial *same = find_text(trials, text);

		if (same)
			same->asked = true;
		else
			code = add_setting(trials, text, &asked);
		if (code == -EINVAL)
			code = 0;
	}
	return code;
}

/* On top of what is in force, unless that has the option already. */
static int add_additions(struct trials *trials, const char *current)
{
	struct la_strbuf text = { 0 };
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(additions) && *current && !code; i++) {
		const char *colon = strchr(additions[i], ':');
		struct la_strbuf name = { 0 };

		la_strbuf_add(&name, additions[i],
			      (size_t)(colon - additions[i]));
		la_strbuf_addf(&text, "%s,%s", current, additions[i]);
		if (name.failed || text.failed)
			code = -ENOMEM;
		else if (!strstr(current, la_strbuf_text(&name)))
			code = offer(trials, la_strbuf_text(&text));
		la_strbuf_release(&name);
		la_strbuf_release(&text);
	}
	return code;
}

/* What a search finds, if it finds anything. */
static int add_tuned(struct trials *trials)
{
	const struct la_tune_options options = {
		.limit = trials->info->limit,
		.release = trials->release,
		.jobs = trials->options->jobs,
	};
	const struct la_tuned *winner;
	struct la_tuning *tuning;
	struct la_trial *trial;
	int code = la_tune(&tuning, &trials->program, 1, &options, NULL);

	if (code < 0)
		return code == -ENOMEM ? code : 0;
	winner = la_tuning_winner(tuning);
	if (winner) {
		code = offer(trials, winner->setting);
		trial = find_text(trials, winner->setting);
		if (!code && trial)
			trial->tuned = true;
	}
	la_tuning_free(tuning);
	return code;
}

/* Without the cap what the card has free counts too. */
static int add_uncapped(struct trials *trials)
{
	const struct la_trial uncapped = { .kind = LA_TRIAL_UNCAPPED };
	const struct la_amount *amount = trials->facts->amount;
	struct attempt *attempt;
	int code;

	if (trials->info->limit.kind != LA_LIMIT_CAP ||
	    !amount[LA_AMOUNT_FREE].basis || !amount[LA_AMOUNT_RESERVED].basis)
		return 0;
	code = add(trials, &uncapped);
	if (code < 0)
		return code;
	attempt = &trials->attempt[trials->count - 1];
	attempt->limit[0] = attempt->limit[1] = (struct la_limit){
		.kind = LA_LIMIT_CARD,
		.bytes = amount[LA_AMOUNT_RESERVED].low +
			 amount[LA_AMOUNT_FREE].low,
	};
	return 0;
}

/* Calls of empty_cache() at the borders of steps. */
static int add_steps(struct trials *trials)
{
	const struct la_trial each = { .kind = LA_TRIAL_STEPS };
	const struct la_trial above = { .kind = LA_TRIAL_STEPS_ABOVE };
	int code = la_steps_find(&trials->steps, trials->program);

	if (code < 0 || !trials->steps.count)
		return code;
	code = add(trials, &each);
	return code ? code : add(trials, &above);
}

/* What is no other setting. */
static int add_actions(struct trials *trials)
{
	const struct la_trial packed = { .kind = LA_TRIAL_PACKED };
	const struct la_trial emptied = { .kind = LA_TRIAL_EMPTIED };
	int code = add(trials, &packed);

	if (!code)
		code = add_uncapped(trials);
	if (!code)
		code = add(trials, &emptied);
	return code ? code : add_steps(trials);
}

int trials_list(struct trials *trials)
{
	const struct la_trial current = { .current = true };
	const char *text = trials->facts->setting ? trials->facts->setting :
						    trials->info->setting;
	size_t i;
	int code = add_setting(trials, text, &current);

	if (!code || code == -EINVAL)
		code = add_asked(trials);
	for (i = 0; i < ARRAY_SIZE(built_in) && !code; i++)
		code = offer(trials, built_in[i]);
	if (!code)
		code = add_additions(trials, text);
	if (!code && trials->options->tune)
		code = add_tuned(trials);
	return code ? code : add_actions(trials);
}

void trials_release(struct trials *trials)
{
	while (trials->count)
		drop_last(trials);
	free(trials->attempt);
	la_steps_release(&trials->steps);
}
