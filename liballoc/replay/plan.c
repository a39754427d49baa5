// SPDX-License-Identifier: Apache-2.0
/*
 * A plan of a whole program in one range of addresses, made by one who knows
 * the future: la_program_plan().
 */

#include <errno.h>
#include <stdlib.h>

#include "replay/program.h"
#include "util/error.h"
#include "util/util.h"

/* Requests looked at before the plan is given up. */
#define WORK_MAX UINT64_C(6000000000)

/* One request; it lives in [begin, end), counted in ops of the program. */
struct life {
	uint64_t size; /* bytes, rounded */
	uint64_t addr; /* in the plan */
	uint32_t begin, end;
	uint32_t last; /* highest end in this life's part of the tree */
	bool placed;
};

/* A placed life that overlaps the one to be placed. */
struct taken {
	uint64_t addr, end;
};

/* A life in the order of placing. */
struct ordered {
	uint64_t size; /* bytes */
	uint32_t life; /* index */
};

struct plan {
	struct life *life; /* owned; by begin: a balanced tree, the root of
			    * each part in its middle */
	uint32_t count;
	struct ordered *order; /* owned; the largest first */
	struct taken *taken, *scratch; /* owned; both of one room */
	uint32_t taken_count;
	uint64_t work; /* lives looked at */
};

static void open_life(struct plan *plan, uint32_t *of_slot, uint32_t slot,
		      uint64_t size, uint32_t now)
{
	of_slot[slot] = plan->count;
	plan->life[plan->count++] = (struct life){
		.size = program_live_bytes(size),
		.begin = now,
		.end = UINT32_MAX,
	};
}

/* What is there when the program begins. */
static void open_start(struct plan *plan, const struct la_program *program,
		       uint32_t *of_slot)
{
	size_t i;

	for (i = 0; i < program->piece_count; i++)
		if (is_busy(&program->piece[i]))
			open_life(plan, of_slot, program->piece[i].slot,
				  program->piece[i].asked, 0);
}

static void read_ops(struct plan *plan, const struct la_program *program,
		     uint32_t *of_slot)
{
	uint32_t i;

	for (i = 0; i < program->op_count; i++) {
		const struct op *op = &program->op[i];

		if (is_served(op))
			open_life(plan, of_slot, op->slot, op->size, i + 1);
		else if (op->kind == OP_FREE || op->kind == OP_FREE_COMPLETE)
			plan->life[of_slot[op->slot]].end = i + 1;
		else if (op->kind == OP_FAIL && op->must)
			plan->life[plan->count++] = (struct life){
				.size = program_live_bytes(op->size),
				.begin = i + 1,
				.end = i + 2,
			};
	}
}

static int compare_order(const void *a, const void *b)
{
	const struct ordered *p = a, *q = b;

	if (p->size != q->size)
		return p->size < q->size ? 1 : -1;
	return p->life < q->life ? -1 : p->life > q->life;
}

/* Set last of the part [low, high) of the tree; returns it. */
static uint32_t set_last(struct plan *plan, uint32_t low, uint32_t high)
{
	uint32_t middle = low + (high - low) / 2, last, other;

	if (low == high)
		return 0;
	last = plan->life[middle].end;
	other = set_last(plan, low, middle);
	last = other > last ? other : last;
	other = set_last(plan, middle + 1, high);
	last = other > last ? other : last;
	return plan->life[middle].last = last;
}

/* Collect what is placed in a part of the tree and overlaps a life. */
static void collect(struct plan *plan, const struct life *life, uint32_t low,
		    uint32_t high)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct life *at = &plan->life[middle];

		if (at->last <= life->begin)
			return;
		plan->work++;
		collect(plan, life, low, middle);
		if (at->begin >= life->end)
			return;
		if (at->placed && at->end > life->begin)
			plan->taken[plan->taken_count++] = (struct taken){
				at->addr, at->addr + at->size
			};
		low = middle + 1;
	}
}

static void merge(const struct taken *from, struct taken *to, uint32_t low,
		  uint32_t middle, uint32_t high)
{
	uint32_t i = low, k = middle, at;

	for (at = low; at < high; at++)
		to[at] = i < middle &&
				 (k >= high || from[i].addr <= from[k].addr) ?
				 from[i++] :
				 from[k++];
}

/* By address: half of all time is spent here. */
static void sort_taken(struct plan *plan)
{
	uint32_t count = plan->taken_count, width, low;

	for (width = 1; width < count; width *= 2) {
		struct taken *sorted = plan->scratch;

		for (low = 0; low < count; low += 2 * width)
			merge(plan->taken, sorted, low,
			      low + width < count ? low + width : count,
			      low + 2 * width < count ? low + 2 * width :
							count);
		plan->scratch = plan->taken;
		plan->taken = sorted;
	}
}

/* The lowest gap that holds so many bytes, or the smallest one. */
static uint64_t find_gap(const struct plan *plan, uint64_t size, bool smallest)
{
	uint64_t at = 0, best = UINT64_MAX, found = 0;
	uint32_t i;

	for (i = 0; i < plan->taken_count; i++) {
		const struct taken *taken = &plan->taken[i];

		if (taken->addr >= at + size && taken->addr - at < best) {
			best = taken->addr - at;
			found = at;
			if (!smallest)
				break;
		}
		if (taken->end > at)
			at = taken->end;
	}
	return best == UINT64_MAX ? at : found;
}

static int place_all(struct plan *plan, bool smallest, uint64_t *peak)
{
	uint32_t i;

	*peak = 0;
	for (i = 0; i < plan->count; i++)
		plan->life[i].placed = false;
	for (i = 0; i < plan->count; i++) {
		struct life *life = &plan->life[plan->order[i].life];

		plan->taken_count = 0;
		collect(plan, life, 0, plan->count);
		if (plan->work > WORK_MAX)
			return -E2BIG;
		sort_taken(plan);
		life->addr = find_gap(plan, life->size, smallest);
		life->placed = true;
		if (life->addr + life->size > *peak)
			*peak = life->addr + life->size;
	}
	return 0;
}

static int make_plan(struct plan *plan, uint64_t *bytes)
{
	uint64_t lowest, smallest;
	uint32_t i;
	int code;

	for (i = 0; i < plan->count; i++)
		plan->order[i] = (struct ordered){ plan->life[i].size, i };
	qsort(plan->order, plan->count, sizeof(*plan->order), compare_order);
	set_last(plan, 0, plan->count);
	code = place_all(plan, false, &lowest);
	if (!code)
		code = place_all(plan, true, &smallest);
	if (!code)
		*bytes = lowest < smallest ? lowest : smallest;
	return code;
}

LA_EXPORT int la_program_plan(const struct la_program *program, uint64_t *bytes,
			      struct la_error *err)
{
	size_t most = program->op_count + program->piece_count + 1;
	uint32_t *of_slot = calloc(program->slot_count + 1, sizeof(*of_slot));
	struct plan plan = { .life = calloc(most, sizeof(*plan.life)) };
	int code = -ENOMEM;

	if (of_slot && plan.life) {
		open_start(&plan, program, of_slot);
		read_ops(&plan, program, of_slot);
		plan.order = calloc(plan.count + 1, sizeof(*plan.order));
		plan.taken = calloc(plan.count + 1, sizeof(*plan.taken));
		plan.scratch = calloc(plan.count + 1, sizeof(*plan.scratch));
		if (plan.order && plan.taken && plan.scratch)
			code = make_plan(&plan, bytes);
	}
	free(plan.scratch);
	free(plan.taken);
	free(plan.order);
	free(plan.life);
	free(of_slot);
	if (code < 0)
		la_error_set(err, code, LA_NO_OFFSET,
			     code == -E2BIG ? "too many requests to plan" :
					      "out of memory");
	return code;
}
