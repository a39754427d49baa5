/* SPDX-License-Identifier: Apache-2.0 */
/* What the script of the page reads. */
#ifndef ALLOCCTL_REPORT_DATA_H
#define ALLOCCTL_REPORT_DATA_H

#include "view.h"

/* Events of a view that the page has one by one; of more it has points. */
enum { DATA_EVENTS = 2000000 };

struct data {
	const struct view *view;
	size_t view_count;
	const char *tune, *triage; /* JSON, or NULL */
};

/* Add it as JSON without a '<', so that it may stand in a script element.
 * Returns 0 or a negative errno value. */
int data_add(struct la_strbuf *out, const struct data *data,
	     struct la_error *err);

#endif /* ALLOCCTL_REPORT_DATA_H */
