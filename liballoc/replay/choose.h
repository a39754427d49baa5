/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_CHOOSE_H
#define LA_REPLAY_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/replay.h>

/* Set la_tuned.pareto of what counts: what fits, or all that was replayed if
 * nothing does. */
void la_choose_front(struct la_tuned *tuned, size_t count);

/* The best of what fits and is eligible: by time under a limit that was given,
 * else by memory first.  Its index, or SIZE_MAX. */
size_t la_choose_winner(const struct la_tuned *tuned, const bool *eligible,
			size_t count, bool limited);

/* The most time that cannot be told from so much. */
double la_choose_slack(double seconds);

/* What is less than so much memory by as much as can be told apart. */
uint64_t la_choose_less(uint64_t memory);

#endif /* LA_REPLAY_CHOOSE_H */
