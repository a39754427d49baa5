/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of frames, each kept once.  Pickles share objects: a dict that is a
 * frame and a list that is a stack are known by number, in order of creation,
 * and their content is interned when they are complete.
 */
#ifndef LA_TRACE_STACKS_H
#define LA_TRACE_STACKS_H

#include "trace/chunks.h"

enum {
	LA_STACKS_ROOM = 32 << 20, /* bytes of texts, frames and stacks */
	LA_STACKS_DEPTH = 1 << 16 /* frames of one stack */
};

/* What struct la_stacks has of one frame; of texts the number + 1, or 0. */
struct la_frame_parts {
	uint32_t function, file, line;
};

struct la_stacks {
	struct la_chunks texts; /* each with a NUL behind it */
	struct la_chunks frames; /* struct la_frame_parts */
	struct la_chunks stacks; /* of each the numbers of its frames */
	uint32_t *dicts; /* by number of the dict: its frame + 1, 0: none */
	size_t dict_count, dict_room;
	uint32_t *lists; /* by number of the list: its stack + 1, 0: none */
	size_t list_count, list_room;
	uint32_t *open; /* frames of the list that is being filled */
	size_t open_count, open_room;
	bool open_is_lost; /* one of its frames was not kept */
	uint64_t lost; /* lists that had no room */
};

void la_stacks_release(struct la_stacks *stacks);

/*
 * What follows returns 0, or a negative errno of the budget.  What has no room
 * in LA_STACKS_ROOM is no error: its number is 0.
 */

/* *number: the text's + 1; 0 for one with a NUL byte too.  `always`: there is
 * room for it. */
int la_stacks_keep(struct la_stacks *stacks, struct la_budget *budget,
		   const char *text, size_t size, bool always,
		   uint32_t *number);
int la_stacks_new_frame(struct la_stacks *stacks, struct la_budget *budget,
			uint64_t *dict);
int la_stacks_close_frame(struct la_stacks *stacks, struct la_budget *budget,
			  uint64_t dict, const struct la_frame_parts *parts);
int la_stacks_new_list(struct la_stacks *stacks, struct la_budget *budget,
		       uint64_t *list);
/* A complete frame goes into the list that is being filled. */
int la_stacks_add(struct la_stacks *stacks, struct la_budget *budget,
		  uint64_t dict);
int la_stacks_close_list(struct la_stacks *stacks, struct la_budget *budget,
			 uint64_t list);

#endif /* LA_TRACE_STACKS_H */
