// SPDX-License-Identifier: Apache-2.0
/* What guides would have chosen, beside what tune finds. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "preset.h"
#include "print.h"
#include "tune.h"
#include "util/size.h"

uint64_t tune_guides_memory(const struct tune *tune)
{
	bool is_given = tune->limit_from && !strcmp(tune->limit_from, "--card");

	if (tune->limit.kind == LA_LIMIT_CARD && !tune->card &&
	    (is_given || !tune->total))
		return tune->limit.bytes;
	return tune->total;
}

static int add_guide(struct tune *tune, const char *name)
{
	struct tune_guide *guide = &tune->guide[tune->guide_count];
	const struct la_preset *preset = preset_find(name);
	uint64_t memory = tune_guides_memory(tune);

	if (!preset)
		return STATUS_USAGE;
	if (preset->share && !memory) {
		print_error("preset '%s' takes a share of the card, which is "
			    "not known; say --card",
			    name);
		return STATUS_CANNOT_TELL;
	}
	guide->preset = preset;
	tune->guide_count++;
	if (preset_settings(preset, memory, &guide->settings))
		return STATUS_DONE;
	return print_no_memory();
}

int tune_guides_add(struct tune *tune, const struct opt_list *names)
{
	int status = STATUS_DONE;
	size_t i;

	tune->guide = calloc(names->nr + 1, sizeof(*tune->guide));
	if (!tune->guide)
		return print_no_memory();
	for (i = 0; i < names->nr && status == STATUS_DONE; i++)
		status = add_guide(tune, names->item[i]);
	return status;
}

bool tune_guides_list(const struct tune *tune, struct opt_list *out)
{
	const struct opt_list *settings;
	const char **item;
	size_t i, k;

	for (i = 0; i < tune->guide_count; i++) {
		settings = &tune->guide[i].settings;
		item = reallocarray(out->item, out->nr + settings->nr + 1,
				    sizeof(*item));
		if (!item)
			return false;
		out->item = item;
		for (k = 0; k < settings->nr; k++)
			out->item[out->nr++] = settings->item[k];
	}
	return true;
}

static const struct la_tuned *find(const struct tune *tune, const char *setting)
{
	size_t i;

	for (i = 0; i < tune->count; i++)
		if (!strcmp(tune->tuned[i].setting, setting))
			return &tune->tuned[i];
	return NULL;
}

/* Who follows a guide takes the first setting that fits. */
static const struct la_tuned *
pick(const struct tune *tune, const struct tune_guide *guide, size_t *tries)
{
	const struct la_tuned *tuned;
	size_t i;

	for (i = 0; i < guide->settings.nr; i++) {
		tuned = find(tune, guide->settings.item[i]);
		*tries = i + 1;
		if (tuned && tuned->minimum_memory &&
		    tuned->outcome == LA_OUTCOME_RUNS)
			return tuned;
	}
	return NULL;
}

void tune_guides_text(const struct tune *tune)
{
	const struct tune_guide *guide;
	const struct la_tuned *tuned;
	char size[LA_SIZE_TEXT];
	size_t i, tries = 0;

	if (tune->guide_count)
		putchar('\n');
	for (i = 0; i < tune->guide_count; i++) {
		guide = &tune->guide[i];
		tuned = pick(tune, guide, &tries);
		printf("guides      %s: ", guide->preset->name);
		if (!tuned) {
			printf("none of %zu fits\n", tries);
			continue;
		}
		printf("%zu of %zu tried, %s, needs %s", tries,
		       guide->settings.nr, tuned->setting,
		       la_size_format(size, tuned->minimum_memory));
		if (tune->winner)
			printf(" (winner %s)",
			       la_size_format(size,
					      tune->winner->minimum_memory));
		putchar('\n');
	}
}

void tune_guides_json(const struct tune *tune, struct la_json *json)
{
	const struct la_tuned *tuned;
	size_t i, tries;

	if (!tune->guide_count)
		return;
	la_json_key(json, "guides");
	la_json_array_begin(json);
	for (i = 0; i < tune->guide_count; i++) {
		tries = 0;
		tuned = pick(tune, &tune->guide[i], &tries);
		la_json_object_begin(json);
		la_json_member_text(json, "preset",
				    tune->guide[i].preset->name);
		la_json_member_uint(json, "tried", tries);
		la_json_member_text(json, "setting",
				    tuned ? tuned->setting : NULL);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

void tune_guides_release(struct tune *tune)
{
	struct opt_list *settings;

	while (tune->guide_count) {
		settings = &tune->guide[--tune->guide_count].settings;
		while (settings->nr)
			free((char *)settings->item[--settings->nr]);
		opt_list_release(settings);
	}
	free(tune->guide);
	tune->guide = NULL;
}
