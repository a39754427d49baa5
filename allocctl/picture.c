// SPDX-License-Identifier: Apache-2.0
/* What a heap holds, for people. */

#include <inttypes.h>
#include <stdio.h>

#include "picture.h"
#include "source.h"
#include "util/size.h"

enum {
	HOLDERS_SHOWN = 10,
	PARTS_SHOWN = 16
};

void picture_print_sums(const struct la_picture *picture)
{
	const struct la_picture_part *total = &picture->total;
	char reserved[LA_SIZE_TEXT], live[LA_SIZE_TEXT], free[LA_SIZE_TEXT];
	char pending[LA_SIZE_TEXT];

	printf("%s reserved: %s live, %s pending, %s free",
	       la_size_format(reserved, total->reserved),
	       la_size_format(live, total->live),
	       la_size_format(pending, total->pending),
	       la_size_format(free, total->holes.bytes));
	if (total->reserved)
		printf(" (%.1f %%)", 100 * (double)total->holes.bytes /
					     (double)total->reserved);
	putchar('\n');
}

static void print_pool(const struct la_picture_part *part)
{
	char text[48];

	if (!part->pool[0] && !part->pool[1])
		snprintf(text, sizeof(text), "default");
	else
		snprintf(text, sizeof(text), "%" PRIu64 ",%" PRIu64,
			 part->pool[0], part->pool[1]);
	printf("%-8s", text);
}

static void print_part(const struct la_picture_part *part)
{
	char reserved[LA_SIZE_TEXT], free[LA_SIZE_TEXT];
	char largest[LA_SIZE_TEXT], idle[LA_SIZE_TEXT], stream[32];

	print_pool(part);
	snprintf(stream, sizeof(stream), "0x%" PRIx64, part->stream);
	printf(" %-5s %-12s %11s %11s %11s %11s\n",
	       part->small ? "small" : "large", stream,
	       la_size_format(reserved, part->reserved),
	       la_size_format(free, part->holes.bytes),
	       la_size_format(largest, part->holes.largest),
	       la_size_format(idle, part->idle));
}

void picture_print_parts(const struct la_picture *picture)
{
	size_t i;

	printf("    %-8s %-5s %-12s %11s %11s %11s %11s\n", "pool", "class",
	       "stream", "reserved", "free", "largest", "releasable");
	for (i = 0; i < picture->part_count && i < PARTS_SHOWN; i++) {
		fputs("    ", stdout);
		print_part(&picture->part[i]);
	}
	if (i < picture->part_count)
		printf("    and %zu more\n", picture->part_count - i);
}

void picture_print_histogram(const struct la_holes *holes)
{
	const char *label = "holes";
	char from[LA_SIZE_TEXT], to[LA_SIZE_TEXT], bytes[LA_SIZE_TEXT];
	char count[32];
	int k;

	for (k = 0; k < LA_HOLE_BINS; k++) {
		if (!holes->bin_count[k])
			continue;
		printf("%-11s %10s to %10s %8s %11s\n", label,
		       la_size_format(from, (uint64_t)1 << k),
		       la_size_format(to, k < 63 ? (uint64_t)2 << k :
						   UINT64_MAX),
		       source_count_text(count, holes->bin_count[k]),
		       la_size_format(bytes, holes->bin_bytes[k]));
		label = "";
	}
}

static void print_request(const struct la_oom_state *oom, bool may_be_less)
{
	char size[LA_SIZE_TEXT], segment[LA_SIZE_TEXT], limit[64];

	if (!oom->size)
		return;
	printf("request     %s (%" PRIu64 " bytes) on stream 0x%" PRIx64,
	       la_size_format(size, oom->size), oom->size, oom->stream);
	if (oom->pool[0] || oom->pool[1])
		printf(" of pool %" PRIu64 ",%" PRIu64, oom->pool[0],
		       oom->pool[1]);
	printf(": wants %s of the device\n",
	       la_size_format(segment, oom->segment));
	if (oom->limit.kind == LA_LIMIT_NONE)
		return;
	source_limit_text(limit, &oom->limit);
	la_size_format(size, oom->limit.bytes > oom->stats.reserved ?
				     oom->limit.bytes - oom->stats.reserved :
				     0);
	printf("room        %s%s below the %s\n",
	       may_be_less ? "at most " : "", size, limit);
}

static const char *const places[LA_FREE_PLACES] = {
	[LA_FREE_OWN] = "where the request looks",
	[LA_FREE_STREAMS] = "of other streams",
	[LA_FREE_CLASS] = "of the other size class",
	[LA_FREE_POOLS] = "of other pools",
};

static void print_free(const struct la_oom_state *oom)
{
	const char *label = "free";
	char bytes[LA_SIZE_TEXT], largest[LA_SIZE_TEXT], count[32];
	int i;

	for (i = 0; i < LA_FREE_PLACES; i++) {
		const struct la_holes *holes = &oom->free[i];

		if (!holes->count && i != LA_FREE_OWN)
			continue;
		printf("%-11s %-24s %10s in %s holes, the largest %s\n", label,
		       places[i], la_size_format(bytes, holes->bytes),
		       source_count_text(count, holes->count),
		       la_size_format(largest, holes->largest));
		label = "";
	}
	if (oom->picture.total.idle)
		printf("%11s %-24s %10s\n", "", "could go back",
		       la_size_format(bytes, oom->picture.total.idle));
}

/* With stacks, requests of one place in the program may differ in size. */
static void print_holder(const char *label, const struct la_holder *holder,
			 const struct holders *holders)
{
	const struct la_frame *frame = holders_frame(holders, holder->event);
	char bytes[LA_SIZE_TEXT], size[LA_SIZE_TEXT], count[32], event[32];

	printf("%-11s %10s  %6s %s %10s", label,
	       la_size_format(bytes, holder->bytes),
	       source_count_text(count, holder->count), frame ? "x <=" : "x",
	       la_size_format(size, holder->size));
	if (holder->event == UINT64_MAX)
		puts(", from before the recording");
	else
		printf(", first at event %s\n",
		       source_count_text(event, holder->event));
	if (frame)
		printf("%24s%s, %s:%" PRIu32 "\n", "",
		       frame->function ? frame->function : "?",
		       frame->file ? frame->file : "?", frame->line);
}

static void print_holders(const struct la_oom_state *oom,
			  const struct holders *holders)
{
	char count[32];
	size_t i;

	for (i = 0; i < oom->holder_count && i < HOLDERS_SHOWN; i++)
		print_holder(i ? "" : "holders", &oom->holder[i], holders);
	if (i < oom->holder_count)
		printf("%11s and %s other %s\n", "",
		       source_count_text(count, oom->holder_count - i),
		       holders->stack ? "stacks or sizes" : "sizes");
}

void picture_print_oom(const struct la_oom_state *oom,
		       const struct holders *holders, bool may_be_less)
{
	print_request(oom, may_be_less);
	fputs("held        ", stdout);
	picture_print_sums(&oom->picture);
	print_free(oom);
	picture_print_histogram(&oom->picture.total.holes);
	print_holders(oom, holders);
}
