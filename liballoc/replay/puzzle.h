/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_PUZZLE_H
#define LA_REPLAY_PUZZLE_H

#include "replay/survey.h"

enum {
	OWNERS_MAX = 64, /* bits of a domain */
	TRIES_SOLVE = 20000, /* guesses for a solution */
	TRIES_LIKELY = 200, /* for each group of likely rules */
};

#define DEFAULT_OWNER ((uint64_t)1) /* bit 0: the default pool */

/* A rule, as its one span sees it. */
struct puzzle_edge {
	uint32_t span, other;
	uint32_t kind; /* enum rule_kind */
	uint32_t after; /* next edge of the span, or NO_EDGE */
};

/* A span that lost some of its owners. */
struct puzzle_loss {
	uint32_t span;
	uint64_t before; /* its owners until then */
};

/* A guess: all owners that a span can still have are tried in turn. */
struct puzzle_guess {
	uint32_t span;
	uint64_t rest; /* owners that were not tried */
	size_t losses; /* of those before the guess */
};

/*
 * A colouring puzzle: an owner for every span, so that no rule is broken.  A
 * set of owners is a mask; bit 0 is the default pool, lower bits are tried
 * first.
 */
struct puzzle {
	uint32_t span_count;
	uint64_t *domain; /* owned; by span: owners that it may have */
	uint32_t *edge_of; /* owned; by span: its last edge, or NO_EDGE */
	struct puzzle_edge *edge; /* owned; two for each rule */
	size_t edge_count, edge_room;
	uint64_t *found; /* owned; by span: its owner in the last solution */
	uint64_t work; /* steps that may still be done; as many are for
			* puzzle_add_likely() alone */

	/* Of the search under way. */
	uint64_t *now; /* owned; by span: owners that are left */
	uint32_t *settled; /* owned; spans with one owner whose neighbours are
			    * to be looked at */
	size_t settled_count;
	struct puzzle_loss *loss; /* owned; what is to be undone */
	size_t loss_count, loss_room;
	struct puzzle_guess *guess; /* owned; one for each span at most */
	size_t guess_count;
};

/* A puzzle without rules in which every span can have the owners `every`.
 * Returns 0 or -ENOMEM. */
int puzzle_init(struct puzzle *puzzle, uint32_t span_count, uint64_t every);
void puzzle_destroy(struct puzzle *puzzle);

/* Add a rule.  Returns 0 or -ENOMEM. */
int puzzle_add(struct puzzle *puzzle, const struct rule *rule);

/*
 * Seek a solution by backtracking, with as many guesses at most; the span
 * with the fewest owners left is guessed first.  forced, by span: owners that
 * it has whatever its domain, or 0; or NULL.  Returns true and sets found.
 */
bool puzzle_solve(struct puzzle *puzzle, const uint64_t *forced,
		  unsigned int tries);

/* Add groups of rules, one group for an event, unless that leaves no
 * solution that few guesses lead to.  Returns 0 or -ENOMEM. */
int puzzle_add_likely(struct puzzle *puzzle, const struct likely_rule *rule,
		      size_t count);

#endif /* LA_REPLAY_PUZZLE_H */
