/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as their pictures have them: the front by time, its texts. */
#ifndef ALLOCCTL_REPORT_PARETO_ORDER_H
#define ALLOCCTL_REPORT_PARETO_ORDER_H

#include "plot.h"

/* Settings of the front by time, then memory: for free(); NULL: no memory. */
const struct plot_setting **pareto_front(const struct plot_setting *setting,
					 size_t count, size_t *front_count);

/* "the default" for an empty name. */
const char *pareto_name(const struct plot_setting *setting);

/* "max_split_size_mb:128: 1.00 GiB, 0.50 s; recorded", and that it fails. */
void pareto_tip(struct la_strbuf *text, const struct plot_setting *setting);

/* "12 settings, 3 of them on the front: from ... to ...". */
void pareto_describe(struct la_strbuf *text,
		     const struct plot_setting *setting, size_t count,
		     const struct plot_setting *const *front,
		     size_t front_count);

/* Is the limit near enough to what settings need, least and most, to be drawn
 * beside it? */
bool pareto_shows_limit(uint64_t limit, double least, double most);

#endif /* ALLOCCTL_REPORT_PARETO_ORDER_H */
