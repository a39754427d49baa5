// SPDX-License-Identifier: Apache-2.0
/* What guides recommend, for whom, and what replay says. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "explain.h"
#include "preset.h"
#include "print.h"
#include "util/size.h"
#include "util/util.h"

/* Guides say 24 GB of cards that have a little less, or of 24 GiB. */
static bool is_24gb(uint64_t memory)
{
	return memory >= 22 * GIB && memory <= 25 * GIB;
}

static bool is_for(const struct la_preset *preset, const char *gpu)
{
	return !strcmp(preset->by, "gpu") &&
	       !strncasecmp(gpu, preset->of, strlen(preset->of));
}

static bool applies(const struct la_preset *preset, const char *gpu,
		    uint64_t memory)
{
	if (!strcmp(preset->by, "gpu") && (gpu || memory))
		return gpu && is_for(preset, gpu);
	if (!strcmp(preset->name, "24gb") && memory)
		return is_24gb(memory);
	return true;
}

static void print_replay(const char *setting, size_t length)
{
	const struct la_preset_replay *replay;
	size_t i;

	for (i = 0; (replay = la_preset_replay_at(i)); i++)
		if (strlen(replay->setting) == length &&
		    !memcmp(replay->setting, setting, length))
			printf("    %-26s needs %.2f to %.2f, reserves %.2f to "
			       "%.2f\n",
			       replay->setting, replay->needs[0],
			       replay->needs[1], replay->reserves[0],
			       replay->reserves[1]);
}

static void print_share(const struct la_preset *preset, uint64_t memory)
{
	if (memory)
		printf("    max_split_size_mb:%" PRIu64 "%s\n",
		       preset_share(preset, memory),
		       preset->step ? ", then less" : "");
}

static void print_preset(const struct la_preset *preset, uint64_t memory)
{
	const char *at = preset->settings;
	size_t n;

	print_paint(PRINT_BOLD, preset->name);
	printf(" (by %s: %s)\n", preset->by, preset->of);
	for (; at && *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		print_replay(at, n);
	}
	if (preset->share)
		print_share(preset, memory);
	print_wrapped(4, preset->source);
}

bool explain_presets_know(const char *gpu)
{
	const struct la_preset *preset;
	size_t i;

	for (i = 0; (preset = la_preset_at(i)); i++)
		if (!strcmp(preset->by, "gpu") && !strcasecmp(gpu, preset->of))
			return true;
	return false;
}

void explain_presets(const char *gpu, uint64_t memory)
{
	const struct la_preset *preset;
	char size[LA_SIZE_TEXT];
	size_t i;

	if (gpu)
		print_paint(PRINT_BOLD, gpu);
	if (memory)
		printf("%s%s", gpu ? ", " : "", la_size_format(size, memory));
	if (gpu || memory)
		puts("\n");
	for (i = 0; (preset = la_preset_at(i)); i++)
		if (applies(preset, gpu, memory))
			print_preset(preset, memory);
	putchar('\n');
	print_wrapped(0, "needs: the least memory under which a program runs, "
			 "against what it takes with the default; reserves: "
			 "what it holds where nothing limits it, likewise. "
			 "Lowest and highest of six recorded programs, "
			 "replayed exactly.");
	putchar('\n');
	print_wrapped(0, "Guides that go by the GPU give the page sizes of "
			 "its architecture as their reason. Torch's "
			 "allocator does not know them: it rounds requests "
			 "to 512 bytes and segments to 2 or 20 MiB on every "
			 "GPU, and compares max_split_size_mb with sizes of "
			 "blocks alone. The memory that there is makes a "
			 "difference, and what the program asks for: tune on "
			 "a recording finds the value.");
}
