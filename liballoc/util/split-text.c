// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "util/split-text.h"
#include "util/util.h"

/* Whole units as the guides write them, else bytes. */
struct short_size {
	uint64_t count;
	const char *unit;
};

static struct short_size shorten(uint64_t bytes)
{
	if (bytes % MIB == 0)
		return (struct short_size){ bytes / MIB, "MB" };
	if (bytes % KIB == 0)
		return (struct short_size){ bytes / KIB, "KB" };
	return (struct short_size){ bytes, "B" };
}

int la_split_text(char text[LA_SPLIT_TEXT], uint64_t addr, uint64_t size,
		  uint64_t whole)
{
	struct short_size part = shorten(size), all = shorten(whole);

	return snprintf(text, LA_SPLIT_TEXT,
			"Allocator block 0x%" PRIx64 " - 0x%" PRIx64
			" (%" PRIu64 "%s) split from 0x%" PRIx64 " - 0x%" PRIx64
			" (%" PRIu64 "%s)\n",
			addr, addr + size, part.count, part.unit, addr,
			addr + whole, all.count, all.unit);
}
