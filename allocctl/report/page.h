/* SPDX-License-Identifier: Apache-2.0 */
/* The page: HTML of views and of what was judged. */
#ifndef ALLOCCTL_REPORT_PAGE_H
#define ALLOCCTL_REPORT_PAGE_H

#include "judged.h"
#include "view.h"

struct page {
	const char *title; /* what it is about: names of files */
	const struct view *view;
	size_t view_count;
	const struct judged *triage, *tune; /* or NULL */
	bool is_large; /* tune was left out, as there are too many events */
};

/* Returns 0 or a negative errno value. */
int page_add(struct la_strbuf *out, const struct page *page,
	     struct la_error *err);

/* held.c: who holds the memory that a map shows, and where the rest lies. */
void held_add_parts(struct la_strbuf *out, const struct view *view);
void held_add_holes(struct la_strbuf *out, const struct view *view);
int held_add_holders(struct la_strbuf *out, const struct view *view);

#endif /* ALLOCCTL_REPORT_PAGE_H */
