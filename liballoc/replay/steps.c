// SPDX-License-Identifier: Apache-2.0
/*
 * Where the iterations of a program's loop begin: la_steps_find().
 *
 * Much of what a training step asks for varies with its batch, but in some
 * places a few requests of the same sizes follow one another in each step: the
 * gradients, the optimizer's temporaries.  A phrase is such a run of sizes.
 * One counts as a step's if it comes back at even distances nearly to the end;
 * of those the one with the longest distance, as layers are even too.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/program.h"

enum {
	STEPS_MIN = 4, /* fewer are no pattern */
	PHRASE_MAX = 4 /* requests of a phrase; shorter ones are tried next */
};

/* A request, as the last one of its phrase. */
struct phrase {
	uint64_t hash; /* of the sizes */
	uint32_t request; /* its number */
};

/* The occurrences of a phrase. */
struct rhythm {
	size_t first, count; /* in detector.phrase */
	uint32_t distance; /* requests between two, the median */
	uint64_t even; /* requests in distances close to that */
};

struct detector {
	const struct la_program *program; /* borrowed */
	uint64_t *live; /* owned; bytes after each op */
	uint32_t *op; /* owned; of each request */
	size_t request_count;
	struct phrase *phrase; /* owned; of each request, by hash, in order */
	uint32_t *gap; /* owned; scratch */
	struct rhythm best; /* count 0: none so far */
};

/* Live bytes after each op, from those at the start; modulo 2^64 below it. */
static int sum_up(struct detector *detector)
{
	const struct la_program *program = detector->program;
	uint64_t *size = calloc(program->slot_count + 1, sizeof(*size));
	uint64_t live = 0;
	size_t i;

	if (!size)
		return -ENOMEM;
	for (i = 0; i < program->piece_count; i++)
		if (is_busy(&program->piece[i])) {
			size[program->piece[i].slot] = program->piece[i].size;
			live += program->piece[i].size;
		}
	for (i = 0; i < program->op_count; i++) {
		const struct op *op = &program->op[i];

		if (is_served(op)) {
			size[op->slot] = round_up(op->size, BLOCK_MIN);
			live += size[op->slot];
		} else if (op->kind == OP_FREE ||
			   op->kind == OP_FREE_COMPLETE) {
			live -= size[op->slot];
		}
		detector->live[i] = live;
	}
	free(size);
	return 0;
}

static uint64_t size_of(const struct detector *detector, size_t request)
{
	return round_up(detector->program->op[detector->op[request]].size,
			BLOCK_MIN);
}

static int by_hash(const void *a, const void *b)
{
	const struct phrase *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->request > y->request) - (x->request < y->request);
}

/* The phrases of so many requests. */
static void list_phrases(struct detector *detector, size_t length)
{
	size_t i, k;

	for (i = 0; i < detector->request_count; i++) {
		uint64_t hash = 0;

		for (k = 0; k < length && k <= i; k++)
			hash = (hash ^ size_of(detector, i - k)) *
			       0x9e3779b97f4a7c15;
		detector->phrase[i] = (struct phrase){ hash, (uint32_t)i };
	}
	qsort(detector->phrase, detector->request_count,
	      sizeof(*detector->phrase), by_hash);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Fill in what follows from the occurrences. */
static void measure(struct detector *detector, struct rhythm *rhythm)
{
	const struct phrase *phrase = &detector->phrase[rhythm->first];
	size_t gaps = rhythm->count - 1, i;

	for (i = 0; i < gaps; i++)
		detector->gap[i] = phrase[i + 1].request - phrase[i].request;
	qsort(detector->gap, gaps, sizeof(*detector->gap), by_number);
	rhythm->distance = detector->gap[gaps / 2];
	for (i = 0; i < gaps; i++)
		if (detector->gap[i] >= rhythm->distance / 4 * 3 &&
		    detector->gap[i] <= rhythm->distance + rhythm->distance / 4)
			rhythm->even += detector->gap[i];
}

/* Even distances over nearly all that follows, from an early first one on. */
static bool is_steady(const struct detector *detector,
		      const struct rhythm *rhythm)
{
	size_t total = detector->request_count;
	size_t first = detector->phrase[rhythm->first].request;

	return first < total / 2 && 5 * rhythm->even >= 4 * (total - first);
}

/* A longer distance; or about the same, more evenly. */
static bool is_better(const struct rhythm *rhythm, const struct rhythm *best)
{
	uint64_t a = rhythm->distance, b = best->distance;

	if (!best->count || 10 * a > 11 * b)
		return true;
	return 11 * a >= 10 * b && rhythm->even > best->even;
}

static void try_phrases(struct detector *detector, size_t length)
{
	const struct phrase *phrase = detector->phrase;
	size_t count = detector->request_count, at, end;

	list_phrases(detector, length);
	for (at = 0; at < count; at = end) {
		struct rhythm rhythm = { .first = at };

		for (end = at; end < count &&
			       phrase[end].hash == phrase[at].hash;)
			end++;
		rhythm.count = end - at;
		if (rhythm.count <= STEPS_MIN)
			continue;
		measure(detector, &rhythm);
		if (is_steady(detector, &rhythm) &&
		    is_better(&rhythm, &detector->best))
			detector->best = rhythm;
	}
}

/* The event before which a step begins: the first one behind the least live
 * bytes between two requests. */
static uint64_t find_low(const struct detector *detector, size_t from,
			 size_t to)
{
	const struct op *op = detector->program->op;
	uint32_t low = detector->op[from], i;

	for (i = low; i < detector->op[to]; i++)
		if (detector->live[i] < detector->live[low])
			low = i;
	return op[low + 1].event;
}

/* What comes back too soon, as at the start of a training when an optimizer
 * makes its state, is of the same step. */
static int take_steps(const struct detector *detector, struct la_steps *out)
{
	const struct rhythm *best = &detector->best;
	const struct phrase *phrase = &detector->phrase[best->first];
	size_t from = 0, i;

	if (!best->count)
		return 0;
	out->event = malloc(best->count * sizeof(*out->event));
	if (!out->event)
		return -ENOMEM;
	out->source = LA_STEPS_DETECTED;
	out->size = size_of(detector, phrase->request);
	for (i = 1; i < best->count; i++) {
		if (phrase[i].request - phrase[from].request <
		    best->distance / 2)
			continue;
		out->event[out->count++] = find_low(
			detector, phrase[from].request, phrase[i].request);
		from = i;
	}
	return 0;
}

static void list_requests(struct detector *detector)
{
	const struct la_program *program = detector->program;
	size_t i;

	for (i = 0; i < program->op_count; i++)
		if (is_served(&program->op[i]))
			detector->op[detector->request_count++] = (uint32_t)i;
}

static size_t count_requests(const struct la_program *program)
{
	size_t count = 0, i;

	for (i = 0; i < program->op_count; i++)
		count += is_served(&program->op[i]);
	return count;
}

static int detect(const struct la_program *program, struct la_steps *out)
{
	size_t room = count_requests(program) + 1, length;
	struct detector detector = {
		.program = program,
		.live = malloc((program->op_count + 1) *
			       sizeof(*detector.live)),
		.op = malloc(room * sizeof(*detector.op)),
		.phrase = malloc(room * sizeof(*detector.phrase)),
		.gap = malloc(room * sizeof(*detector.gap)),
	};
	int err = -ENOMEM;

	if (detector.live && detector.op && detector.phrase && detector.gap)
		err = sum_up(&detector);
	if (!err) {
		list_requests(&detector);
		for (length = PHRASE_MAX; length && !detector.best.count;
		     length /= 2)
			try_phrases(&detector, length);
		err = take_steps(&detector, out);
	}
	free(detector.live);
	free(detector.op);
	free(detector.phrase);
	free(detector.gap);
	return err;
}

/* Steps that snapshots mark; an event counts as la_program_info says. */
static int take_marks(const struct la_program *program, struct la_steps *out)
{
	const struct la_recorded_device *device = program->device;
	uint64_t *event;
	size_t marks = 0, number = 0, i;

	for (i = 0; i < device->event_count; i++)
		marks += device->events[i].action == LA_SNAPSHOT;
	if (marks < STEPS_MIN)
		return 0;
	event = malloc(marks * sizeof(*event));
	if (!event)
		return -ENOMEM;
	for (i = marks = 0; i < device->event_count; i++) {
		if (device->events[i].action == LA_SNAPSHOT)
			event[marks++] = number;
		else if (device->events[i].action != LA_ANNOTATE)
			number++;
	}
	*out = (struct la_steps){ LA_STEPS_MARKED, event, marks, 0 };
	return 0;
}

LA_EXPORT int la_steps_find(struct la_steps *out,
			    const struct la_program *program)
{
	struct la_steps steps = { 0 };
	int err = take_marks(program, &steps);

	if (!err && !steps.count)
		err = detect(program, &steps);
	if (!err)
		*out = steps;
	return err;
}

LA_EXPORT void la_steps_release(struct la_steps *steps)
{
	free(steps->event);
	*steps = (struct la_steps){ 0 };
}
