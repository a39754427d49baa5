// SPDX-License-Identifier: Apache-2.0
/* Tables of a moment. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "page.h"
#include "util/size.h"

enum { HOLDERS_SHOWN = 20, PARTS_SHOWN = 100 };

/* What a stream has of a class of a pool. */
struct part {
	const struct la_map_segment *kind; /* any of its segments */
	uint64_t reserved, free, largest; /* bytes */
};

static bool is_alike(const struct la_map_segment *a,
		     const struct la_map_segment *b)
{
	return a->stream == b->stream && a->small == b->small &&
	       !memcmp(a->pool, b->pool, sizeof(a->pool));
}

static struct part *part_of(struct part *part, size_t *count,
			    const struct la_map_segment *segment)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (is_alike(part[i].kind, segment))
			return &part[i];
	if (*count == PARTS_SHOWN)
		return NULL;
	part[*count] = (struct part){ .kind = segment };
	return &part[(*count)++];
}

static void add_to_part(struct part *part, const struct la_map *map,
			const struct la_map_segment *segment)
{
	uint32_t i;

	part->reserved += segment->size;
	for (i = 0; i < segment->block_count; i++) {
		const struct la_map_block *block =
			&map->block[segment->first_block + i];

		if (block->state != LA_MAP_FREE)
			continue;
		part->free += block->size;
		if (block->size > part->largest)
			part->largest = block->size;
	}
}

static void add_part(struct la_strbuf *out, const struct part *part,
		     const struct la_recording *recording)
{
	const struct la_map_segment *kind = part->kind;
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 ":%" PRIu64, kind->pool[0],
		 kind->pool[1]);
	la_strbuf_addstr(out, "<tr>");
	html_cell(out, kind->pool[0] || kind->pool[1] ? text : "default");
	html_cell(out, kind->small ? "small" : "large");
	html_cell(out, source_stream_text(text, recording, kind->stream));
	html_cell_bytes(out, part->reserved);
	html_cell_bytes(out, part->free);
	html_cell_bytes(out, part->largest);
	la_strbuf_addstr(out, "</tr>\n");
}

void held_add_parts(struct la_strbuf *out, const struct view *view)
{
	static const char *const columns[] = { "pool", "class", "stream",
					       "#reserved", "#free",
					       "#largest hole", NULL };
	const struct la_map *map = &view->map;
	struct part part[PARTS_SHOWN], *at;
	size_t count = 0, i;

	for (i = 0; i < map->segment_count; i++) {
		at = part_of(part, &count, &map->segment[i]);
		if (at)
			add_to_part(at, map, &map->segment[i]);
	}
	la_strbuf_addstr(out, "<div class=\"scroll\"><table>\n");
	html_columns(out, columns);
	la_strbuf_addstr(out, "<tbody>\n");
	for (i = 0; i < count; i++)
		add_part(out, &part[i], view->request.source->recording);
	la_strbuf_addstr(out, "</tbody></table></div>\n");
}

void held_add_holes(struct la_strbuf *out, const struct view *view)
{
	static const char *const columns[] = { "#from", "#to", "#holes",
					       "#bytes", NULL };
	const struct la_holes *holes = &view->moment.picture.total.holes;
	char text[32];
	int k;

	if (!holes->count)
		return;
	la_strbuf_addstr(out, "<div class=\"scroll\"><table>\n");
	html_columns(out, columns);
	la_strbuf_addstr(out, "<tbody>\n");
	for (k = 0; k < LA_HOLE_BINS; k++) {
		if (!holes->bin_count[k])
			continue;
		la_strbuf_addstr(out, "<tr>");
		html_cell_bytes(out, (uint64_t)1 << k);
		html_cell_bytes(out, k < 63 ? (uint64_t)2 << k : UINT64_MAX);
		html_cell_number(out, (double)holes->bin_count[k],
				 source_count_text(text,
						   holes->bin_count[k]));
		html_cell_bytes(out, holes->bin_bytes[k]);
		la_strbuf_addstr(out, "</tr>\n");
	}
	la_strbuf_addstr(out, "</tbody></table></div>\n");
}

/* Blocks of one stack; of none: of one size. */
struct holder {
	uint32_t stack;
	uint64_t size; /* bytes of the largest */
	uint64_t bytes, count;
};

static int by_kind(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return x->size == y->size ? 0 : x->size > y->size ? -1 : 1;
}

static int by_bytes(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_kind(a, b);
}

/* Returns how many there are. */
static size_t list_holders(const struct la_map *map, struct holder *holder)
{
	size_t count = 0, kept = 0, i;

	for (i = 0; i < map->block_count; i++) {
		const struct la_map_block *block = &map->block[i];

		if (block->state != LA_MAP_FREE)
			holder[count++] = (struct holder){
				block->stack, block->size, block->size, 1
			};
	}
	if (!count)
		return 0;
	qsort(holder, count, sizeof(*holder), by_kind);
	for (i = 1; i < count; i++) {
		struct holder *last = &holder[kept];

		if (holder[i].stack == last->stack &&
		    (last->stack || holder[i].size == last->size)) {
			last->bytes += holder[i].bytes;
			last->count++;
		} else {
			holder[++kept] = holder[i];
		}
	}
	qsort(holder, kept + 1, sizeof(*holder), by_bytes);
	return kept + 1;
}

static void add_site(struct la_strbuf *out,
		     const struct la_recording *recording, uint32_t stack)
{
	const struct la_frame *frame = holders_frame_of(recording, stack);
	char line[24];

	if (!frame) {
		html_cell(out, "–");
		return;
	}
	snprintf(line, sizeof(line), ":%" PRIu32, frame->line);
	la_strbuf_addstr(out, "<td><code>");
	html_text(out, frame->function ? frame->function : "?");
	la_strbuf_addstr(out, "</code> ");
	html_text(out, frame->file ? frame->file : "?");
	html_text(out, line);
	la_strbuf_addstr(out, "</td>");
}

static void add_holder(struct la_strbuf *out, const struct holder *holder,
		       const struct la_recording *recording)
{
	char text[32];

	la_strbuf_addstr(out, "<tr>");
	html_cell_bytes(out, holder->bytes);
	html_cell_number(out, (double)holder->count,
			 source_count_text(text, holder->count));
	html_cell_bytes(out, holder->size);
	add_site(out, recording, holder->stack);
	la_strbuf_addstr(out, "</tr>\n");
}

int held_add_holders(struct la_strbuf *out, const struct view *view)
{
	static const char *const columns[] = { "#bytes", "#blocks",
					       "#largest", "who asked", NULL };
	const struct la_map *map = &view->map;
	struct holder *holder = malloc((map->block_count + 1) *
				       sizeof(*holder));
	size_t count, i;

	if (!holder)
		return -ENOMEM;
	count = list_holders(map, holder);
	la_strbuf_addstr(out, "<div class=\"scroll\"><table>\n");
	html_columns(out, columns);
	la_strbuf_addstr(out, "<tbody>\n");
	for (i = 0; i < count && i < HOLDERS_SHOWN; i++)
		add_holder(out, &holder[i], view->request.source->recording);
	la_strbuf_addstr(out, "</tbody></table></div>\n");
	if (i < count)
		la_strbuf_addf(out, "<p>and %zu more</p>\n", count - i);
	free(holder);
	return 0;
}
