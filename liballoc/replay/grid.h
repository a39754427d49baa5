/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_GRID_H
#define LA_REPLAY_GRID_H

/* Settings that tune replays, NULL at the end: the default, every option that
 * shapes placement at several values, and pairs that help each other. */
extern const char *const la_grid[];

#endif /* LA_REPLAY_GRID_H */
