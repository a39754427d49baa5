// SPDX-License-Identifier: Apache-2.0
/* Frames as a tree: see flame-tree.h. */

#include <inttypes.h>
#include <stdlib.h>

#include "allocctl/source.h"
#include "flame-tree.h"
#include "util/size.h"

/* Children of a frame as a list: the first, and the next of each. */
struct family {
	uint32_t first, next; /* 0: none, as the root is nobody's child */
};

struct entry {
	uint64_t bytes;
	uint32_t frame;
};

static int by_bytes(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? 1 : -1;
	return (x->frame < y->frame) - (x->frame > y->frame);
}

/* Lists are filled from the front: the smallest comes first. */
static struct family *families(const struct plot_flame_frame *frame,
			       size_t count)
{
	struct family *family = calloc(count, sizeof(*family));
	struct entry *entry = malloc(count * sizeof(*entry));
	size_t i;

	if (!family || !entry) {
		free(family);
		free(entry);
		return NULL;
	}
	for (i = 0; i < count; i++)
		entry[i] = (struct entry){ frame[i].bytes, (uint32_t)i };
	qsort(entry, count, sizeof(*entry), by_bytes);
	for (i = 0; i < count; i++) {
		uint32_t child = entry[i].frame;
		uint32_t parent = frame[child].parent;

		if (!child)
			continue;
		if (parent >= child)
			parent = 0;
		family[child].next = family[parent].first;
		family[parent].first = child;
	}
	free(entry);
	return family;
}

static double part_of(const struct plot_flame_frame *frame, uint32_t i)
{
	return frame->bytes ? (double)frame[i].bytes / (double)frame->bytes :
			      0;
}

/* Siblings after each other, up to the end of their parent; on the stack the
 * first comes last. */
static void push_children(const struct plot_flame_frame *frame,
			  const struct family *family,
			  struct flame_place *stack, size_t *top,
			  const struct flame_place *parent)
{
	double from = parent->from, end = parent->from + parent->part, part;
	uint32_t child = family[parent->frame].first;
	struct flame_place *low = stack + *top, *high, kept;

	for (; child; child = family[child].next) {
		part = part_of(frame, child);
		if (from + part > end)
			part = end > from ? end - from : 0;
		stack[(*top)++] = (struct flame_place){
			child, parent->depth + 1, from, part
		};
		from += part;
	}
	for (high = stack + *top; low + 1 < high; low++) {
		kept = *low;
		*low = *--high;
		*high = kept;
	}
}

struct flame_place *flame_places(const struct plot_flame_frame *frame,
				 size_t count)
{
	struct flame_place *place = calloc(count + 1, sizeof(*place));
	struct flame_place *stack = calloc(count + 1, sizeof(*stack));
	struct family *family = count ? families(frame, count) : NULL;
	size_t used = 0, top = 1;

	if (!place || !stack || (count && !family)) {
		free(place);
		place = NULL;
		top = 0;
	} else if (!count) {
		top = 0;
	} else {
		stack[0].part = 1;
	}
	while (top) {
		place[used] = stack[--top];
		push_children(frame, family, stack, &top, &place[used++]);
	}
	free(family);
	free(stack);
	return place;
}

const char *flame_name(const struct plot_flame_frame *frame)
{
	return frame->name && *frame->name ? frame->name : "?";
}

void flame_tip(struct la_strbuf *text, const struct plot_flame_frame *frame,
	       double part)
{
	char size[LA_SIZE_TEXT];

	la_strbuf_addstr(text, flame_name(frame));
	if (frame->file)
		la_strbuf_addf(text, " (%s:%" PRIu32 ")", frame->file,
			       frame->line);
	la_strbuf_addf(text, ": %s, %.1f %%",
		       la_size_format(size, frame->bytes), part * 100);
}

/* The first place that does not hold all of the bytes tells more than what
 * calls everything. */
void flame_describe(struct la_strbuf *text,
		    const struct plot_flame_frame *frame,
		    const struct flame_place *place, size_t count)
{
	char size[LA_SIZE_TEXT], number[32];
	size_t i;

	if (!count) {
		la_strbuf_addstr(text, "no frames were recorded");
		return;
	}
	la_strbuf_addf(text, "%s in %s frames",
		       la_size_format(size, frame->bytes),
		       source_count_text(number, count - 1));
	for (i = 1; i < count && place[i].part > 0.999; i++)
		;
	if (i == count || !(place[i].part > 0))
		return;
	la_strbuf_addf(text, "; most of it, %s (%.1f %%), in %s",
		       la_size_format(size, frame[place[i].frame].bytes),
		       place[i].part * 100,
		       flame_name(&frame[place[i].frame]));
}
