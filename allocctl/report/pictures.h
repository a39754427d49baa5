/* SPDX-License-Identifier: Apache-2.0 */
/* Which pictures there are, and of what. */
#ifndef ALLOCCTL_REPORT_PICTURES_H
#define ALLOCCTL_REPORT_PICTURES_H

#include "judged.h"
#include "plot.h"
#include "view.h"

enum picture {
	PICTURE_TIMELINE,
	PICTURE_MAP,
	PICTURE_HOLES,
	PICTURE_SETTINGS,
	PICTURE_HOLDERS,
	PICTURE_COUNT /* number of pictures, not one */
};

/* Words of --plot, in that order. */
extern const char *const picture_names[];

/* What pictures are drawn of. */
struct picture_source {
	const struct view *view; /* NULL: there is only the tuning */
	const struct judged *tune; /* or NULL */
};

/*
 * Add a picture as SVG, or in blocks for a terminal; none where there is
 * nothing to be drawn, as stacks that were not recorded.  Returns 1 if there
 * is one, 0, or -ENOMEM.
 */
int picture_svg(struct la_strbuf *out, enum picture picture,
		const struct picture_source *source);
int picture_term(struct la_strbuf *out, enum picture picture,
		 const struct picture_source *source,
		 const struct plot_terminal *terminal);

#endif /* ALLOCCTL_REPORT_PICTURES_H */
