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

static bool is_absurd(const struct la_allocator_oom *oom,
		      const struct la_oom_place *place)
{
	(void)place;
	return (oom->total && oom->size > oom->total) ||
	       oom->size >= UINT64_C(1) << 60;
}

static bool is_above_cap(const struct la_allocator_oom *oom,
			 const struct la_oom_place *place)
{
	(void)place;
	return has_cap(oom) && oom->size > oom->cap;
}

static bool is_pending(const struct la_allocator_oom *oom,
		       const struct la_oom_place *place)
{
	(void)place;
	return oom->pending >= oom->size;
}

static bool is_private(const struct la_allocator_oom *oom,
		       const struct la_oom_place *place)
{
	(void)place;
	return oom->private_free >= oom->size;
}

static bool is_pinned(const struct la_allocator_oom *oom,
		      const struct la_oom_place *place)
{
	(void)place;
	return oom->pinned >= oom->size;
}

/* Policy compact moves whole pages only. */
static bool is_scattered(const struct la_allocator_oom *oom,
			 const struct la_oom_place *place)
{
	return !strcmp(place->policy, "compact") &&
	       unallocated(oom) >= oom->size;
}

static bool is_fragmented(const struct la_allocator_oom *oom,
			  const struct la_oom_place *place)
{
	(void)place;
	return unallocated(oom) >= oom->size;
}

/* The cap is what refuses, while the card has room. */
static bool is_capped(const struct la_allocator_oom *oom,
		      const struct la_oom_place *place)
{
	return has_cap(oom) && oom->reserved + oom->size > oom->cap &&
	       (place->free == UINT64_MAX || place->free >= oom->size);
}

static bool is_crowded(const struct la_allocator_oom *oom,
		       const struct la_oom_place *place)
{
	return held_by_others(oom, place) >= oom->size + GIB;
}

static bool is_full(const struct la_allocator_oom *oom,
		    const struct la_oom_place *place)
{
	(void)oom;
	(void)place;
	return true;
}

/* Causes and what helps, the first that holds. */
static const struct cause {
	bool (*holds)(const struct la_allocator_oom *oom,
		      const struct la_oom_place *place);
	const char *text;
} causes[] = {
	{ is_absurd, "Cause: the request alone is larger than the GPU; look "
		     "for a wrong shape." },
	{ is_above_cap, "Cause: the request alone is larger than what is "
			"allowed; raise the limit or memory fraction." },
	{ is_pending, "Cause: enough memory was freed, but other streams may "
		      "still use it (record_stream); synchronize them or free "
		      "earlier." },
	{ is_private, "Cause: enough memory is free in private pools, which "
		      "only their graphs may use; capture fewer graphs, share "
		      "one pool, or reset graphs." },
	{ is_pinned, "Cause: enough memory is free, but its addresses are "
		     "known elsewhere (graphs, IPC, registration) and it may "
		     "not move; share less of it, or allocate it first." },
	{ is_scattered, "Cause: enough memory is free, but in parts of pages "
			"of 2 MiB that live blocks share; keep fewer small "
			"tensors for long, or allocate them first." },
	{ is_fragmented, "Cause: fragmentation: enough memory is free, but "
			 "not in one piece; policy:compact avoids that." },
	{ is_capped, "Cause: the limit or memory fraction refuses it, while "
		     "the GPU has room; raise it, or free memory." },
	{ is_crowded, "Cause: other processes or libraries hold the rest of "
		      "the GPU; see nvidia-smi." },
	{ is_full, "Cause: live memory: the request does not fit beside it; "
		   "a smaller batch, checkpointing or a larger GPU helps, no "
		   "setting of an allocator does." },
};

void la_oom_text(char text[LA_OOM_TEXT], const struct la_allocator_oom *oom,
		 const struct la_oom_place *place)
{
	struct line line = { .text = text };
	const struct cause *cause = causes;

	*text = '\0';
	add_facts(&line, oom, place);
	add_own(&line, oom, place);
	while (!cause->holds(oom, place))
		cause++;
	add(&line, "%s", cause->text);
}
