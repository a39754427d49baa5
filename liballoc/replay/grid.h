/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_GRID_H
#define LA_REPLAY_GRID_H

#include "replay/knobs.h"

/* The coarse grid, the default first, NULL at the end. */
extern const char *const la_grid[];

/* Told of one setting; 0, or a negative errno value that ends the visit. */
typedef int grid_visitor(void *data, const struct knobs *knobs);

/* The fine grid: between the values of the coarse one, and more pairs.  What
 * guards against warnings: a bound on splits lies above a large segment. */
int grid_visit_fine(grid_visitor *visitor, void *data);

/* Settings that differ from one by one step of one option. */
int grid_visit_neighbours(const struct knobs *knobs, grid_visitor *visitor,
			  void *data);

#endif /* LA_REPLAY_GRID_H */
