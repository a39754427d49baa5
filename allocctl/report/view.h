/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a page: a recording, or a replay of it. */
#ifndef ALLOCCTL_REPORT_VIEW_H
#define ALLOCCTL_REPORT_VIEW_H

#include <liballoc/view.h>

#include "allocctl/holders.h"
#include "allocctl/source.h"
#include "util/card.h"

/* What to look at. */
struct view_request {
	const struct source *source; /* borrowed; its program may be NULL */
	const char *setting; /* to replay; NULL: the recorded one */
	const struct la_limit *limit; /* to replay under; NULL: the recorded */
	unsigned int torch; /* release to replay; 0: the recorded one */
	uint64_t at; /* event before which the map is, or VIEW_AT_WORST */
	bool replay; /* something else than what was recorded */
};

/* At the last failed request, or where most is live. */
#define VIEW_AT_WORST UINT64_MAX

struct view {
	struct view_request request;
	char *name; /* owned; the file, and what is replayed */
	const char *setting_text; /* that is in force; "" if none is known */
	struct la_setting *setting; /* owned; that is replayed, or NULL */
	struct la_replay_options replay; /* if request.replay */
	struct la_view_options look;
	struct holders holders; /* owned */
	struct la_timeline timeline; /* owned */
	struct la_map map; /* owned; at the moment */
	struct la_oom_state moment; /* owned; what the map shows, summed up */
	bool failed; /* ... a request that failed */
};

/* A status after a message: nothing can be shown, or not that moment. */
int view_open(struct view *view, const struct view_request *request);
void view_close(struct view *view);

/* The release of torch, or NULL; the card of that total, or NULL. */
const char *view_torch(const struct view *view);
const struct la_card *view_card(const struct view *view);

/* "OOM 1", "peak" ..., what the map shows. */
const char *view_moment_name(const struct view *view, char text[48]);

/* moment.c: sum up a map as the heap at an OOM is. */
void moment_of_map(struct la_oom_state *out, const struct la_map *map);

#endif /* ALLOCCTL_REPORT_VIEW_H */
