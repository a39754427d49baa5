/* SPDX-License-Identifier: Apache-2.0 */
/* A stretch of lines around words that messages have. */
#ifndef LA_TRIAGE_REGION_H
#define LA_TRIAGE_REGION_H

#include "triage/found.h"

enum {
	LA_REGION_TEXT = 256 << 10, /* most bytes of its lines */
	LA_REGION_LINES = 4096, /* most lines */
	LA_REGION_KEPT = 64 /* that a full one hands on to the next */
};

struct la_region;

/* 0 or -ENOMEM. */
int la_region_new(struct la_region **out);
void la_region_free(struct la_region *region);

/* Whether a line of that many bytes still fits. */
bool la_region_has_room(const struct la_region *region, size_t length);

/* Add a line, which fits, without its end. */
void la_region_add(struct la_region *region, uint64_t number, const char *line,
		   size_t length);

/* Find the messages of all lines, and forget these; 0 or -ENOMEM. */
int la_region_close(struct la_region *region, struct la_found *found);

/* The same where more lines follow: the last may begin what goes on there. */
int la_region_pass(struct la_region *region, struct la_found *found);

#endif /* LA_TRIAGE_REGION_H */
