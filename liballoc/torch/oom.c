// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "torch/oom.h"
#include "util/size.h"
#include "util/util.h"

/* A text that grows in the caller's room and is cut at its end. */
struct line {
	char *text;
	size_t length;
};

static __attribute__((format(printf, 2, 3))) void add(struct line *line,
						      const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line->text + line->length,
			   LA_OOM_TEXT - line->length, format, args);
	va_end(args);
	if (length > 0)
		line->length += (size_t)length;
	if (line->length >= LA_OOM_TEXT)
		line->length = LA_OOM_TEXT - 1;
}

/* A size as torch prints it, between two texts. */
static void add_size(struct line *line, const char *before, uint64_t bytes,
		     const char *after)
{
	char size[LA_SIZE_TEXT];

	add(line, "%s%s%s", before, la_size_format(size, bytes), after);
}

static bool has_cap(const struct la_allocator_oom *oom)
{
	return oom->cap != UINT64_MAX && (!oom->total || oom->cap < oom->total);
}

/* Bytes held and in no block, nor in a private pool. */
static uint64_t unallocated(const struct la_allocator_oom *oom)
{
	uint64_t used = oom->allocated + oom->pending + oom->private_free;

	return oom->reserved > used ? oom->reserved - used : 0;
}

/* Bytes of the card that neither are free nor held by this allocator. */
static uint64_t held_by_others(const struct la_allocator_oom *oom,
			       const struct la_oom_place *place)
{
	uint64_t ours = place->free == UINT64_MAX ?
				oom->total :
				place->free + oom->reserved;

	return oom->total > ours ? oom->total - ours : 0;
}

/* The sentences of torch 2.2 and later. */
static void add_facts(struct line *line, const struct la_allocator_oom *oom,
		      const struct la_oom_place *place)
{
	add_size(line, "CUDA out of memory. Tried to allocate ", oom->size,
		 ". ");
	if (oom->total) {
		add(line, "GPU %u has a total capacity of ", oom->device);
		add_size(line, "", oom->total, "");
		if (place->free != UINT64_MAX)
			add_size(line, " of which ", place->free, " is free");
		add(line, ". ");
	}
	if (has_cap(oom))
		add_size(line, "", oom->cap, " allowed; ");
	add_size(line, "Of the allocated memory ",
		 oom->allocated + oom->pending + oom->private_free,
		 " is allocated by PyTorch, ");
	if (oom->private_free)
		add_size(line, "with ", oom->private_free,
			 " allocated in private pools (e.g., CUDA Graphs), ");
	add_size(line, "and ", unallocated(oom),
		 " is reserved by PyTorch but unallocated. ");
}

/* What only this allocator knows. */
static void add_own(struct line *line, const struct la_allocator_oom *oom,
		    const struct la_oom_place *place)
{
	add(line, "liballoc (policy %s): ", place->policy);
	add_size(line, "live blocks hold ", oom->allocated, "");
	if (oom->pending)
		add_size(line, ", ", oom->pending, " wait for other streams");
	add_size(line, ", the largest free block has ", oom->largest_free, "");
	if (oom->pinned)
		add_size(line, ", ", oom->pinned,
			 " of the free memory may not move");
	add(line, ". ");
}

/* Why, and what helps: the first cause that holds. */
static const char *why(const struct la_allocator_oom *oom,
		       const struct la_oom_place *place)
{
	const uint64_t size = oom->size, idle = unallocated(oom);
	const bool compact = !strcmp(place->policy, "compact");
	const bool has_room = place->free >= size; /* or it is unknown */
	const struct {
		bool holds;
		const char *text;
	} causes[] = {
		{ (oom->total && size > oom->total) || size >> 60,
		  "the request alone is larger than the GPU; look for a wrong "
		  "shape." },
		{ has_cap(oom) && size > oom->cap,
		  "the request alone is larger than what is allowed; raise the "
		  "limit or memory fraction." },
		{ oom->pending >= size,
		  "enough memory was freed, but other streams may still use it "
		  "(record_stream); synchronize them or free earlier." },
		{ oom->private_free >= size,
		  "enough memory is free in private pools, which only their "
		  "graphs may use; capture fewer graphs, share one pool, or "
		  "reset graphs." },
		{ oom->pinned >= size,
		  "enough memory is free, but its addresses are known "
		  "elsewhere (graphs, IPC, registration) and it may not move; "
		  "share less of it, or allocate it first." },
		{ compact && idle >= size,
		  "enough memory is free, but in parts of pages of 2 MiB that "
		  "live blocks share; keep fewer small tensors for long, or "
		  "allocate them first." },
		{ idle >= size,
		  "fragmentation: enough memory is free, but not in one piece; "
		  "policy:compact avoids that." },
		{ has_cap(oom) && oom->reserved + size > oom->cap && has_room,
		  "the limit or memory fraction refuses it, while the GPU has "
		  "room; raise it, or free memory." },
		{ held_by_others(oom, place) >= size + GIB,
		  "other processes or libraries hold the rest of the GPU; see "
		  "nvidia-smi." },
		{ true,
		  "live memory: the request does not fit beside it; a smaller "
		  "batch, checkpointing or a larger GPU helps, no setting of "
		  "an allocator does." },
	};
	size_t i = 0;

	while (!causes[i].holds)
		i++;
	return causes[i].text;
}

void la_oom_text(char text[LA_OOM_TEXT], const struct la_allocator_oom *oom,
		 const struct la_oom_place *place)
{
	struct line line = { .text = text };

	*text = '\0';
	add_facts(&line, oom, place);
	add_own(&line, oom, place);
	add(&line, "Cause: %s", why(oom, place));
}
