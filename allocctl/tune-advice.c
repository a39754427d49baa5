// SPDX-License-Identifier: Apache-2.0
/* What tune adds to its figures: warnings, and what to set. */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "tune.h"
#include "util/size.h"
#include "util/util.h"

/* The name that every release reads. */
#define VARIABLE "PYTORCH_CUDA_ALLOC_CONF"

/* A popular choice that takes this much more than the default hurts. */
#define HURTS_WITHOUT_LIMIT 1.25
#define HURTS_MINIMUM 1.01

static const char *const popular[] = {
	"max_split_size_mb:128",
	"max_split_size_mb:512",
	"garbage_collection_threshold:0.8",
	"garbage_collection_threshold:0.6,max_split_size_mb:128",
	"roundup_power2_divisions:4",
	"roundup_power2_divisions:8",
	"expandable_segments:True",
};

bool tune_is_popular(const struct la_tuned *tuned)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(popular); i++)
		if (!strcmp(popular[i], tuned->setting))
			return true;
	return false;
}

static bool is_more(uint64_t a, uint64_t b, double share)
{
	return (double)a > (double)b * share;
}

/* Compare one choice with the default, worst news first. */
static void warn_of(struct la_strbuf *out, const struct la_tuned *tuned,
		    const struct la_tuned *standard)
{
	uint64_t least = tuned->minimum_memory_range[0];
	uint64_t enough = standard->minimum_memory_range[1];
	char a[LA_SIZE_TEXT], b[LA_SIZE_TEXT];

	if (standard->outcome == LA_OUTCOME_RUNS &&
	    tuned->outcome != LA_OUTCOME_RUNS)
		la_strbuf_addf(out, "%s does not fit where the default does\n",
			       tuned->setting);
	if (is_more(tuned->peak_reserved, standard->peak_reserved,
		    HURTS_WITHOUT_LIMIT))
		la_strbuf_addf(out, "%s without a limit reserves %s where the "
			       "default takes %s\n", tuned->setting,
			       la_size_format(a, tuned->peak_reserved),
			       la_size_format(b, standard->peak_reserved));
	if (is_more(least, enough, HURTS_MINIMUM))
		la_strbuf_addf(out, "%s needs at least %s where the default "
			       "needs %s\n", tuned->setting,
			       la_size_format(a, least),
			       la_size_format(b, enough));
}

static void warn_of_hurtful(struct tune *tune)
{
	const struct la_tuned *standard = &tune->tuned[0];
	size_t i;

	for (i = 1; i < tune->count; i++)
		if (tune->tuned[i].replayed && tune->tuned[i].minimum_memory &&
		    (tune_is_popular(&tune->tuned[i]) || tune->tuned[i].asked))
			warn_of(&tune->warnings, &tune->tuned[i], standard);
}

static bool values_of(const char *text, struct la_setting_values *values)
{
	struct la_setting *setting;

	if (la_setting_parse(&setting, text, strlen(text), LA_SET_AT_INIT,
			     NULL) < 0)
		return false;
	*values = *la_setting_values(setting);
	la_setting_free(setting);
	return true;
}

/* A fraction in an asked setting that has no effect. */
static void warn_of_idle_fraction(struct tune *tune)
{
	struct la_setting_values values;
	size_t i;

	for (i = 0; i < tune->count && !tune->total; i++)
		if (tune->tuned[i].asked &&
		    values_of(tune->tuned[i].setting, &values) &&
		    values.per_process_memory_fraction < 1)
			la_strbuf_addf(&tune->warnings,
				       "%s was replayed without its cap: the "
				       "card's total is not known\n",
				       tune->tuned[i].setting);
}

/* An age threshold only works under a cap, and a minimum only holds under
 * one. */
static bool needs_cap(const struct tune *tune)
{
	const struct la_tuned *winner = tune->winner;
	struct la_setting_values values;

	if (winner->limit.kind != LA_LIMIT_CAP ||
	    !values_of(winner->setting, &values) ||
	    values.per_process_memory_fraction < 1)
		return false;
	return values.garbage_collection_threshold > 0 ||
	       (tune->limit.kind == LA_LIMIT_NONE &&
		winner->peak_reserved_range[1] > winner->limit.bytes);
}

/* Is release a before release b, both like "2.4.1+cu121"? */
static bool is_before(const char *a, const char *b)
{
	char *minor_a, *minor_b;
	unsigned long major_a = strtoul(a, &minor_a, 10);
	unsigned long major_b = strtoul(b, &minor_b, 10);

	if (major_a != major_b)
		return major_a < major_b;
	return *minor_a == '.' && *minor_b == '.' &&
	       strtoul(minor_a + 1, NULL, 10) < strtoul(minor_b + 1, NULL, 10);
}

/* The release of a recording, if it is older than the option. */
static const char *too_old_for(const struct tune *tune,
			       const struct la_setting_option *option)
{
	const char *torch;
	size_t i;

	for (i = 0; i < tune->source_count && option->since; i++) {
		torch = la_recording_torch(tune->source[i].recording);
		if (torch && is_before(torch, option->since))
			return torch;
	}
	return NULL;
}

static bool has_fraction_option(const struct tune *tune)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++)
		if (!strcmp(option->name, "per_process_memory_fraction"))
			return !too_old_for(tune, option) &&
			       !is_before(tune->torch, option->since);
	return false;
}

/* Options of the winner that the recorded release would refuse. */
static void warn_of_release(struct tune *tune)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++)
		if (strstr(la_strbuf_text(&tune->paste), option->name) &&
		    too_old_for(tune, option))
			la_strbuf_addf(&tune->warnings,
				       "the recording is of torch %s, which "
				       "refuses %s (since %s)\n",
				       too_old_for(tune, option), option->name,
				       option->since);
}

/* A setting can bring its cap along if the card's total is known. */
static void choose_paste(struct tune *tune)
{
	const struct la_tuned *winner = tune->winner;

	tune->needs_cap = needs_cap(tune);
	la_strbuf_addstr(&tune->paste, winner->setting);
	if (tune->needs_cap && winner->limit.bytes < tune->total &&
	    has_fraction_option(tune))
		la_strbuf_addf(&tune->paste,
			       "%sper_process_memory_fraction:%.9f",
			       *winner->setting ? "," : "",
			       la_heap_fraction(winner->limit.bytes,
						tune->total));
}

const struct tune_shell tune_shells[TUNE_SHELL_COUNT] = {
	{ LA_SCRIPT_BASH, "bash" },
	{ LA_SCRIPT_CMD_PROMPT, "cmd" },
	{ LA_SCRIPT_POWERSHELL, "PowerShell" },
};

static void write_lines(struct tune *tune)
{
	struct tune_line *line;
	int i;

	for (i = 0; i < TUNE_SHELL_COUNT; i++) {
		line = &tune->line[i];
		if (la_script_write(tune_shells[i].kind, VARIABLE,
				    la_strbuf_text(&tune->paste), &line->text,
				    &line->why) == -ENOMEM)
			tune->paste.failed = true;
	}
}

/* Less than estimates can tell from nothing; seconds. */
#define COST_MIN 0.05

/* What a limit costs is the time that the default does not take without. */
static void answer(struct tune *tune)
{
	if (tune->limit.kind == LA_LIMIT_NONE ||
	    la_tuning_is_partial(tune->tuning))
		return;
	if (!tune->winner) {
		tune->answer = TUNE_DOES_NOT_FIT;
		return;
	}
	tune->cost = fmax(tune->winner->seconds -
				  tune->tuned[0].seconds_unlimited, 0);
	tune->answer = tune->cost < COST_MIN ? TUNE_FITS : TUNE_FITS_AT_A_COST;
}

void tune_advise(struct tune *tune)
{
	answer(tune);
	warn_of_hurtful(tune);
	warn_of_idle_fraction(tune);
	if (!tune->winner)
		return;
	choose_paste(tune);
	write_lines(tune);
	warn_of_release(tune);
}
