// SPDX-License-Identifier: Apache-2.0
/* Owners for spans by backtracking: puzzle_solve(). */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/puzzle.h"
#include "util/array.h"

#define NO_EDGE UINT32_MAX
#define WORK_MAX ((uint64_t)1 << 28)

/* Is there one owner, or none? */
static bool is_settled(uint64_t owners)
{
	return !(owners & (owners - 1));
}

int puzzle_init(struct puzzle *puzzle, uint32_t span_count, uint64_t every)
{
	size_t room = span_count + (size_t)1;
	uint32_t i;

	*puzzle = (struct puzzle){
		.span_count = span_count,
		.domain = malloc(room * sizeof(*puzzle->domain)),
		.edge_of = malloc(room * sizeof(*puzzle->edge_of)),
		.found = malloc(room * sizeof(*puzzle->found)),
		.now = malloc(room * sizeof(*puzzle->now)),
		.settled = malloc(room * sizeof(*puzzle->settled)),
		.guess = malloc(room * sizeof(*puzzle->guess)),
		.work = WORK_MAX,
	};
	if (!puzzle->domain || !puzzle->edge_of || !puzzle->found ||
	    !puzzle->now || !puzzle->settled || !puzzle->guess) {
		puzzle_destroy(puzzle);
		return -ENOMEM;
	}
	for (i = 0; i < span_count; i++) {
		puzzle->domain[i] = every;
		puzzle->edge_of[i] = NO_EDGE;
	}
	return 0;
}

void puzzle_destroy(struct puzzle *puzzle)
{
	free(puzzle->domain);
	free(puzzle->edge_of);
	free(puzzle->edge);
	free(puzzle->found);
	free(puzzle->now);
	free(puzzle->settled);
	free(puzzle->loss);
	free(puzzle->guess);
	*puzzle = (struct puzzle){ 0 };
}

static int add_edge(struct puzzle *puzzle, uint32_t span, uint32_t other,
		    uint32_t kind)
{
	if (grow_array(&puzzle->edge, &puzzle->edge_room, puzzle->edge_count,
		       sizeof(*puzzle->edge)) < 0)
		return -ENOMEM;
	puzzle->edge[puzzle->edge_count] =
		(struct puzzle_edge){ span, other, kind,
				      puzzle->edge_of[span] };
	puzzle->edge_of[span] = (uint32_t)puzzle->edge_count++;
	return 0;
}

int puzzle_add(struct puzzle *puzzle, const struct rule *rule)
{
	if (rule->a == rule->b) {
		if (rule->kind == RULE_NOT_DEFAULT)
			puzzle->domain[rule->a] &= ~DEFAULT_OWNER;
		return 0;
	}
	if (add_edge(puzzle, rule->a, rule->b, rule->kind) < 0)
		return -ENOMEM;
	return add_edge(puzzle, rule->b, rule->a, rule->kind);
}

static void remove_edges(struct puzzle *puzzle, size_t count)
{
	while (puzzle->edge_count > count) {
		const struct puzzle_edge *edge =
			&puzzle->edge[--puzzle->edge_count];

		puzzle->edge_of[edge->span] = edge->after;
	}
}

/* Owners that a span can have beside one that is the owner of another. */
static uint64_t allowed(uint32_t kind, uint64_t owner)
{
	switch ((enum rule_kind)kind) {
	case RULE_DIFFER:
		return ~owner;
	case RULE_NOT_DEFAULT:
		return owner == DEFAULT_OWNER ? ~owner : UINT64_MAX;
	case RULE_NOT_PRIVATE:
		return owner == DEFAULT_OWNER ? UINT64_MAX : ~owner;
	case RULE_SAME:
		break;
	}
	return owner;
}

/* Leave a span these owners; false if that is none, or without memory. */
static bool narrow(struct puzzle *puzzle, uint32_t span, uint64_t owners)
{
	if (grow_array(&puzzle->loss, &puzzle->loss_room, puzzle->loss_count,
		       sizeof(*puzzle->loss)) < 0)
		return false;
	puzzle->loss[puzzle->loss_count++] =
		(struct puzzle_loss){ span, puzzle->now[span] };
	puzzle->now[span] = owners;
	if (is_settled(owners))
		puzzle->settled[puzzle->settled_count++] = span;
	return owners;
}

/* Strike out what the settled spans exclude; false if nothing is left for
 * one. */
static bool spread(struct puzzle *puzzle)
{
	bool possible = true;

	while (puzzle->settled_count && possible) {
		uint32_t span = puzzle->settled[--puzzle->settled_count];
		uint64_t owner = puzzle->now[span];
		uint32_t at = puzzle->edge_of[span];

		possible = owner;
		for (; at != NO_EDGE && possible && puzzle->work;
		     at = puzzle->edge[at].after, puzzle->work--) {
			const struct puzzle_edge *edge = &puzzle->edge[at];
			uint64_t before = puzzle->now[edge->other];
			uint64_t left = before & allowed(edge->kind, owner);

			if (left != before)
				possible = narrow(puzzle, edge->other, left);
		}
	}
	puzzle->settled_count = 0;
	return possible && puzzle->work;
}

static void begin_search(struct puzzle *puzzle, const uint64_t *forced)
{
	uint32_t i;

	puzzle->loss_count = puzzle->guess_count = puzzle->settled_count = 0;
	for (i = 0; i < puzzle->span_count; i++) {
		puzzle->now[i] =
			forced && forced[i] ? forced[i] : puzzle->domain[i];
		if (is_settled(puzzle->now[i]))
			puzzle->settled[puzzle->settled_count++] = i;
	}
}

/* The first of the spans with the fewest owners left, but two or more; or
 * NO_SPAN. */
static uint32_t choose(struct puzzle *puzzle)
{
	uint32_t best = NO_SPAN, i;
	int fewest = OWNERS_MAX + 1;

	for (i = 0; i < puzzle->span_count && fewest > 2; i++) {
		int count = __builtin_popcountll(puzzle->now[i]);

		if (count > 1 && count < fewest) {
			fewest = count;
			best = i;
		}
	}
	puzzle->work -= i < puzzle->work ? i : puzzle->work;
	return best;
}

static void undo(struct puzzle *puzzle, size_t losses)
{
	while (puzzle->loss_count > losses) {
		const struct puzzle_loss *loss =
			&puzzle->loss[--puzzle->loss_count];

		puzzle->now[loss->span] = loss->before;
	}
}

/* Give the span of the last guess its next owner, or that of a guess before
 * it, if it has no more; false if there is none. */
static bool guess_next(struct puzzle *puzzle)
{
	struct puzzle_guess *guess;
	uint64_t owner;

	while (puzzle->guess_count &&
	       !puzzle->guess[puzzle->guess_count - 1].rest)
		puzzle->guess_count--;
	if (!puzzle->guess_count)
		return false;
	guess = &puzzle->guess[puzzle->guess_count - 1];
	undo(puzzle, guess->losses);
	owner = guess->rest & -guess->rest;
	guess->rest -= owner;
	return narrow(puzzle, guess->span, owner);
}

bool puzzle_solve(struct puzzle *puzzle, const uint64_t *forced,
		  unsigned int tries)
{
	begin_search(puzzle, forced);
	while (tries-- && puzzle->work) {
		if (spread(puzzle)) {
			uint32_t span = choose(puzzle);

			if (span == NO_SPAN) {
				memcpy(puzzle->found, puzzle->now,
				       puzzle->span_count *
					       sizeof(*puzzle->found));
				return true;
			}
			puzzle->guess[puzzle->guess_count++] =
				(struct puzzle_guess){ span, puzzle->now[span],
						       puzzle->loss_count };
		}
		if (!guess_next(puzzle))
			return false;
	}
	return false;
}

int puzzle_add_likely(struct puzzle *puzzle, const struct likely_rule *rule,
		      size_t count)
{
	size_t begin, end, edges;

	for (begin = 0; begin < count; begin = end) {
		edges = puzzle->edge_count;
		for (end = begin;
		     end < count && rule[end].event == rule[begin].event; end++)
			if (puzzle_add(puzzle, &rule[end].rule) < 0)
				return -ENOMEM;
		if (!puzzle_solve(puzzle, NULL, TRIES_LIKELY))
			remove_edges(puzzle, edges);
	}
	/* Groups left over for want of work must not end the search. */
	puzzle->work = WORK_MAX;
	return 0;
}
