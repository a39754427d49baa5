// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preset.h"
#include "print.h"
#include "util/util.h"

/* The guides' steps, to which a share is rounded; and the least it may be. */
enum { UNIT_MB = 512 };

const struct la_preset *preset_find(const char *name)
{
	const struct la_preset *preset;
	size_t i;

	for (i = 0; (preset = la_preset_at(i)); i++)
		if (!strcmp(preset->name, name))
			return preset;
	print_error("no preset '%s'; see allocctl explain presets", name);
	return NULL;
}

uint64_t preset_share(const struct la_preset *preset, uint64_t memory)
{
	uint64_t mb = memory / MIB / preset->share;

	mb = (mb + UNIT_MB / 2) / UNIT_MB * UNIT_MB;
	return mb < UNIT_MB ? UNIT_MB : mb;
}

/* Takes the text. */
static bool append(struct opt_list *list, char *text)
{
	const char **item =
		text ? reallocarray(list->item, list->nr + 1, sizeof(*item)) :
		       NULL;

	if (!item) {
		free(text);
		return false;
	}
	list->item = item;
	list->item[list->nr++] = text;
	return true;
}

static bool append_mb(struct opt_list *list, uint64_t mb)
{
	char *text;

	if (asprintf(&text, "max_split_size_mb:%" PRIu64, mb) < 0)
		text = NULL;
	return append(list, text);
}

bool preset_settings(const struct la_preset *preset, uint64_t memory,
		     struct opt_list *list)
{
	const char *at = preset->settings;
	uint64_t mb;
	size_t n;

	for (; at && *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		if (!append(list, strndup(at, n)))
			return false;
	}
	if (!preset->share)
		return true;
	mb = preset_share(preset, memory);
	if (!append_mb(list, mb))
		return false;
	for (; preset->step && mb > preset->step;) {
		mb -= preset->step;
		if (!append_mb(list, mb))
			return false;
	}
	return true;
}
