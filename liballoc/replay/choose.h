/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_CHOOSE_H
#define LA_REPLAY_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include <liballoc/replay.h>

/* Set la_tuned.pareto of what counts: what fits, or all that was replayed if
 * nothing does. */
void la_choose_front(struct la_tuned *tuned, size_t count);

/* The best of what fits: by time under a limit that was given, else by
 * memory first.  Its index, or SIZE_MAX. */
size_t la_choose_winner(const struct la_tuned *tuned, size_t count,
			bool limited);

#endif /* LA_REPLAY_CHOOSE_H */
