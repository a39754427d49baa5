// SPDX-License-Identifier: Apache-2.0
/* The guides' procedure, beside what tune finds. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "preset.h"
#include "print.h"
#include "setting.h"
#include "tune.h"
#include "util/size.h"
#include "util/util.h"

const char *const tune_methods[] = { "search", "guide", NULL };

/* Values of the options after max_split_size_mb, in the order of guides. */
static const char *const threshold_values[] = { "0.8", "0.6", NULL };
static const char *const rounding_values[] = { "4", "8", NULL };
static const char *const split_values[] = { "512", "256", "128",
					    "64",  "32",  NULL };

/* How one try ends. */
struct trial {
	bool fits;
	uint64_t peak_reserved; /* bytes, worst file */
};

/* The walk from setting to setting. */
struct walk {
	struct tune *tune;
	struct la_strbuf best; /* what was kept so far */
	struct trial kept;
	unsigned int replays;
	bool failed; /* no memory */
};

/* Run all programs once under a setting. */
static bool try_setting(struct walk *walk, const char *text,
			struct trial *trial)
{
	const struct tune *tune = walk->tune;
	struct la_setting *setting;
	struct la_replay_options options = {
		.limit = tune->limit,
		.torch_release = tune->replayed,
	};
	struct la_replay_result result;
	bool done = false;
	size_t i;

	*trial = (struct trial){ .fits = true };
	if (la_setting_parse(&setting, text, strlen(text), LA_SET_AT_INIT,
			     NULL) < 0)
		return false;
	options.setting = la_setting_values(setting);
	walk->replays++;
	for (i = 0; i < tune->source_count; i++) {
		options.release = tune->policy[i];
		done = !la_replay(tune->program[i], &options, &result, NULL);
		if (!done)
			break;
		trial->fits &= result.ran;
		if (result.stats.reserved_peak > trial->peak_reserved)
			trial->peak_reserved = result.stats.reserved_peak;
	}
	la_setting_free(setting);
	return done;
}

static bool is_limited(const struct walk *walk)
{
	return walk->tune->limit.kind != LA_LIMIT_NONE;
}

static bool is_over(const struct walk *walk)
{
	return walk->failed || (is_limited(walk) && walk->kept.fits);
}

static bool is_kept(const struct walk *walk, const struct trial *trial)
{
	return is_limited(walk) ?
		       trial->fits :
		       trial->peak_reserved < walk->kept.peak_reserved;
}

static void keep(struct walk *walk, const char *text,
		 const struct trial *trial)
{
	la_strbuf_release(&walk->best);
	walk->best = (struct la_strbuf){ 0 };
	la_strbuf_addstr(&walk->best, text);
	walk->failed |= walk->best.failed;
	walk->kept = *trial;
}

/* One value beside what was kept before this option. */
static void try_value(struct walk *walk, const char *before,
		      const char *option, const char *value)
{
	struct la_strbuf text = { 0 };
	struct trial trial;

	la_strbuf_addf(&text, "%s%s%s:%s", before, *before ? "," : "", option,
		       value);
	if (text.failed)
		walk->failed = true;
	else if (try_setting(walk, la_strbuf_text(&text), &trial) &&
		 is_kept(walk, &trial))
		keep(walk, la_strbuf_text(&text), &trial);
	la_strbuf_release(&text);
}

static void try_option(struct walk *walk, const char *option,
		       const char *const *values)
{
	char *before = strdup(la_strbuf_text(&walk->best));
	size_t i;

	walk->failed |= !before;
	for (i = 0; values[i] && !is_over(walk); i++)
		try_value(walk, before, option, values[i]);
	free(before);
}

/* From one sixth of the card's memory down, where that is known. */
static void try_stepwise(struct walk *walk)
{
	const struct la_preset *preset = preset_find("stepwise");
	uint64_t memory = tune_guides_memory(walk->tune);
	struct opt_list list = { 0 };
	struct trial trial;
	size_t i;

	if (!preset || !memory)
		return;
	walk->failed |= !preset_settings(preset, memory, &list);
	for (i = 0; i < list.nr && !is_over(walk); i++)
		if (try_setting(walk, list.item[i], &trial) &&
		    is_kept(walk, &trial))
			keep(walk, list.item[i], &trial);
	for (i = 0; i < list.nr; i++)
		free((char *)list.item[i]);
	opt_list_release(&list);
}

static void try_expandable(struct walk *walk)
{
	static const char text[] = "expandable_segments:True";
	struct trial trial;

	if (!is_over(walk) && try_setting(walk, text, &trial) &&
	    is_kept(walk, &trial))
		keep(walk, text, &trial);
}

/* What the setting that was found needs; not a step of the procedure. */
static void judge(struct walk *walk)
{
	struct tune_method *method = &walk->tune->method;
	struct la_replay_options options = {
		.limit = walk->tune->limit,
		.torch_release = walk->tune->replayed,
	};
	struct la_setting *setting;
	struct la_minimum minimum;
	size_t i;

	if (la_setting_parse(&setting, method->setting,
			     strlen(method->setting), LA_SET_AT_INIT, NULL) < 0)
		return;
	options.setting = la_setting_values(setting);
	if (options.limit.kind == LA_LIMIT_NONE)
		options.limit.kind = LA_LIMIT_CAP;
	for (i = 0; i < walk->tune->source_count; i++) {
		options.release = walk->tune->policy[i];
		if (la_minimum_memory(walk->tune->program[i], &options, 0,
				      &minimum, NULL) < 0)
			break;
		if (minimum.bytes > method->minimum_memory)
			method->minimum_memory = minimum.bytes;
		if (minimum.reserved_peak > method->peak_reserved)
			method->peak_reserved = minimum.reserved_peak;
	}
	la_setting_free(setting);
}

int tune_method_run(struct tune *tune)
{
	struct walk walk = { .tune = tune };

	if (try_setting(&walk, "", &walk.kept) && !is_over(&walk)) {
		if (is_limited(&walk))
			try_stepwise(&walk);
		try_option(&walk, "max_split_size_mb", split_values);
		try_option(&walk, "garbage_collection_threshold",
			   threshold_values);
		try_option(&walk, "roundup_power2_divisions", rounding_values);
		try_expandable(&walk);
	}
	tune->method.setting = strdup(la_strbuf_text(&walk.best));
	tune->method.replays = walk.replays;
	tune->method.fits = walk.kept.fits;
	la_strbuf_release(&walk.best);
	if (walk.failed || !tune->method.setting)
		return print_no_memory();
	judge(&walk);
	return STATUS_DONE;
}

void tune_method_text(const struct tune *tune)
{
	const struct tune_method *method = &tune->method;
	char size[LA_SIZE_TEXT];

	if (!method->setting)
		return;
	printf("\nguide       one option after the other, %u replays: ",
	       method->replays);
	if (!method->fits)
		puts("nothing fits");
	else
		printf("%s,\n            needs %s, without a limit %s\n",
		       *method->setting ? method->setting : "(default)",
		       la_size_format(size, method->minimum_memory),
		       la_size_format((char[LA_SIZE_TEXT]){ 0 },
				      method->peak_reserved));
	printf("search      %zu replays: ", tune->replays);
	if (!tune->winner) {
		puts("nothing fits");
		return;
	}
	print_escaped(tune->winner->setting);
	printf("%s,\n            needs %s, without a limit %s\n",
	       *tune->winner->setting ? "" : "(default)",
	       la_size_format(size, tune->winner->minimum_memory),
	       la_size_format((char[LA_SIZE_TEXT]){ 0 },
			      tune->winner->peak_reserved));
}

void tune_method_json(const struct tune *tune, struct la_json *json)
{
	const struct tune_method *method = &tune->method;

	if (!method->setting)
		return;
	la_json_key(json, "guide");
	la_json_object_begin(json);
	la_json_member_text(json, "setting", method->setting);
	la_json_member_uint(json, "replays", method->replays);
	la_json_member_bool(json, "fits", method->fits);
	la_json_member_uint(json, "peak_reserved", method->peak_reserved);
	la_json_member_known_uint(json, "minimum_memory",
				  method->minimum_memory != 0,
				  method->minimum_memory);
	la_json_object_end(json);
}
