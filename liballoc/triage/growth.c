// SPDX-License-Identifier: Apache-2.0
/*
 * The leak test: do the least live bytes of the steps of a program grow?
 * Troughs, as peaks come and go with batches; see la_facts_of_recording().
 */

#include <errno.h>
#include <stdlib.h>

#include "replay/addr-map.h"
#include "triage/recording.h"
#include "triage/trend.h"
#include "util/util.h"

enum {
	SLICES = 20, /* where there are no steps */
	WINDOWS_MIN = 8, /* fewer tell nothing */
	WINDOWS_MAX = 512, /* more are joined */
	LEAST_PART = 20, /* of the limit: less is no leak, */
	LEFT_PART = 2, /* unless it is so much of what the first step left */
	SITE_PART = 10, /* of the growth, by one site */
	CHURN = 8, /* slices: freed bytes for each that stays */
	CHURN_OF_STEPS = 2, /* steps: bytes that may stay for each freed */
	STEP_PART = 4, /* of an even share of the growth: less is no rise */
	GROUPS = 16 /* of windows, to see whether the growth is steady */
};

#define P_MAX 0.01
/* Events between two borders, and the least live bytes there. */
struct window {
	uint64_t begin; /* first event */
	uint64_t at; /* event before which the least bytes are live */
	uint64_t least;
};

struct series {
	struct witness *witness; /* borrowed */
	struct window *window; /* owned; the first fifth is left out */
	uint64_t *value; /* owned; least bytes of each */
	size_t count;
	size_t joined; /* steps in each */
	uint64_t end; /* event behind the last one */
	uint64_t highest; /* most live bytes in the last one */
	uint64_t freed; /* bytes, in all of them */
};

/* By how much an event changes the live bytes, which damaged recordings may
 * bring below 0: modulo 2^64. */
static uint64_t change_of(const struct la_event *event)
{
	if (event->action == LA_ALLOC)
		return whole_blocks(event->size);
	if (event->action == LA_FREE_COMPLETED)
		return -whole_blocks(event->size);
	return 0;
}

static uint64_t or_0(uint64_t live)
{
	return (int64_t)live > 0 ? live : 0;
}

/* Live bytes when the recording begins: those at its end, undone. */
static uint64_t live_at_start(const struct witness *witness)
{
	const struct la_recorded_device *device = witness->device;
	uint64_t live = 0;
	size_t i;

	for (i = 0; i < device->block_count; i++) {
		const struct la_recorded_block *block = &device->blocks[i];

		if (block->state != LA_RECORDED_FREE)
			live += block->requested ? block->requested :
						   block->size;
	}
	for (i = 0; i < device->event_count; i++)
		live -= change_of(&device->events[i]);
	return or_0(live);
}

/* Windows between the borders that lie before the OOM, the first fifth left
 * out: what begins there warms up.  Returns 1 if there are enough. */
static int take_windows(struct series *series, const uint64_t *border,
			size_t borders)
{
	size_t first, i;

	while (borders && border[borders - 1] > series->witness->end)
		borders--;
	first = borders / 5;
	if (borders < first + WINDOWS_MIN + 1)
		return 0;
	series->joined = (borders - first - 1) / WINDOWS_MAX + 1;
	series->count = (borders - first - 1) / series->joined;
	series->window = calloc(series->count, sizeof(*series->window));
	series->value = calloc(series->count, sizeof(*series->value));
	if (!series->window || !series->value)
		return -ENOMEM;
	for (i = 0; i < series->count; i++)
		series->window[i].begin = border[first + i * series->joined];
	series->end = border[first + series->count * series->joined];
	return 1;
}

static int take_steps(struct series *series)
{
	struct la_steps steps = { 0 };
	int taken;

	if (!series->witness->program)
		return 0;
	if (la_steps_find(&steps, series->witness->program) < 0)
		return -ENOMEM;
	taken = take_windows(series, steps.event, steps.count);
	la_steps_release(&steps);
	return taken;
}

static int take_slices(struct series *series)
{
	uint64_t border[SLICES + 1];
	size_t i;

	if (series->witness->end < SLICES * SLICES)
		return 0;
	for (i = 0; i <= SLICES; i++)
		border[i] = series->witness->end / SLICES * i;
	return take_windows(series, border, ARRAY_SIZE(border));
}

/* Before an event of a window so many bytes are live. */
static void see_live(struct series *series, size_t at, uint64_t event,
		     uint64_t live)
{
	struct window *window = &series->window[at];

	if (event == window->begin || live < window->least) {
		window->least = live;
		window->at = event;
	}
	if (at + 1 == series->count && live > series->highest)
		series->highest = live;
}

static void find_troughs(struct series *series)
{
	const struct la_recorded_device *device = series->witness->device;
	uint64_t live = live_at_start(series->witness), change;
	uint64_t number = 0;
	size_t at = 0, i;

	for (i = 0; i < device->event_count && number < series->end; i++) {
		if (is_mark(&device->events[i]))
			continue;
		while (at + 1 < series->count &&
		       number >= series->window[at + 1].begin)
			at++;
		if (number >= series->window[at].begin)
			see_live(series, at, number, or_0(live));
		change = change_of(&device->events[i]);
		live += change;
		if ((int64_t)change < 0 && number >= series->window[0].begin)
			series->freed -= change;
		number++;
	}
	for (i = 0; i < series->count; i++)
		series->value[i] = series->window[i].least;
}

/* By how much what one site or size holds has grown. */
struct growth {
	uint64_t key; /* of witness_key() */
	uint64_t event; /* of a request of it */
	uint64_t bytes; /* modulo 2^64 */
};

/* Growth by key between the first and the last trough. */
struct ledger {
	struct growth *growth; /* owned; one an event, then one a key */
	size_t count;
	struct addr_map stack; /* address -> event that took it */
};

static int by_key(const void *a, const void *b)
{
	const struct growth *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* A block from before the recording has no stack. */
static int enter(struct ledger *ledger, struct witness *witness,
		 const struct la_event *event, uint64_t number, bool counts)
{
	uint64_t change = change_of(event);
	uint32_t taken;
	uint64_t from = UINT64_MAX;

	if (!change)
		return 0;
	if ((int64_t)change > 0) {
		from = number;
		if (addr_map_set(&ledger->stack, event->addr,
				 (uint32_t)number) < 0)
			return -ENOMEM;
	} else if (addr_map_take(&ledger->stack, event->addr, &taken)) {
		from = taken;
	}
	if (counts)
		ledger->growth[ledger->count++] = (struct growth){
			.key = witness_key(witness, from,
					   whole_blocks(event->size)),
			.event = from,
			.bytes = change,
		};
	return 0;
}

static int fill_ledger(struct ledger *ledger, const struct series *series)
{
	struct witness *witness = series->witness;
	const struct la_recorded_device *device = witness->device;
	uint64_t first = series->window[0].at;
	uint64_t last = series->window[series->count - 1].at, number = 0;
	size_t i;
	int err = 0;

	ledger->growth = malloc((last - first + 1) * sizeof(*ledger->growth));
	if (!ledger->growth)
		return -ENOMEM;
	for (i = 0; i < device->event_count && number < last && !err; i++) {
		if (is_mark(&device->events[i]))
			continue;
		err = enter(ledger, witness, &device->events[i], number,
			    number >= first);
		number++;
	}
	return err;
}

static void sum_by_key(struct ledger *ledger)
{
	size_t kept = 0, i;

	if (ledger->count)
		qsort(ledger->growth, ledger->count, sizeof(*ledger->growth),
		      by_key);
	for (i = 0; i < ledger->count; i++) {
		if (kept && ledger->growth[kept - 1].key ==
				    ledger->growth[i].key)
			ledger->growth[kept - 1].bytes +=
				ledger->growth[i].bytes;
		else
			ledger->growth[kept++] = ledger->growth[i];
	}
	ledger->count = kept;
}

static void tell_site(const struct series *series, const struct ledger *ledger)
{
	struct la_growth *out = &series->witness->facts->growth;
	const struct growth *most = NULL;
	size_t i;

	for (i = 0; i < ledger->count; i++)
		if (or_0(ledger->growth[i].bytes) &&
		    (!most || ledger->growth[i].bytes > most->bytes))
			most = &ledger->growth[i];
	if (!most)
		return;
	out->stack_bytes = most->bytes;
	out->stack = witness_stack(series->witness, most->event);
	out->size = out->stack ? 0 : most->key << 1 >> 1;
}

static int find_site(const struct series *series)
{
	struct ledger ledger = { 0 };
	int err = fill_ledger(&ledger, series);

	if (!err) {
		sum_by_key(&ledger);
		tell_site(series, &ledger);
	}
	addr_map_destroy(&ledger.stack);
	free(ledger.growth);
	return err;
}

/* Bytes that the program may hold: its limit, else all it was seen to get. */
static uint64_t limit_of(const struct witness *witness)
{
	const struct la_facts *facts = witness->facts;
	const struct la_program_info *info =
		witness->program ? la_program_info(witness->program) : NULL;

	if (info && info->limit.kind != LA_LIMIT_NONE)
		return info->limit.bytes;
	if (facts->amount[LA_AMOUNT_TOTAL].basis)
		return facts->amount[LA_AMOUNT_TOTAL].high;
	return facts->amount[LA_AMOUNT_RESERVED].high;
}

/* The least values of the windows in equal groups; returns their number. */
static size_t take_groups(const struct series *series, uint64_t group[GROUPS])
{
	size_t count = series->count < GROUPS ? series->count : GROUPS, i, k;

	for (i = 0; i < count; i++) {
		k = i * series->count / count;
		group[i] = series->value[k];
		for (; k < (i + 1) * series->count / count; k++)
			if (series->value[k] < group[i])
				group[i] = series->value[k];
	}
	return count;
}

/* What leaks rises all the time: half of the groups are above all before.
 * What came to stay in a few jumps does not, nor what rests at the end: over
 * the last quarter it grows less than a quarter as fast as in all. */
static bool is_steady(const struct series *series)
{
	uint64_t group[GROUPS] = { 0 }, highest;
	size_t count = take_groups(series, group), above = 0, i;
	size_t back = count / 4 > 2 ? count / 4 : 2;
	uint64_t rise = group[count - 1] - group[0];
	uint64_t step = rise / count / STEP_PART;

	if (group[count - 1] <= group[0])
		return false;
	highest = group[0];
	for (i = 1; i < count; i++) {
		above += group[i] > highest + step;
		if (group[i] > highest)
			highest = group[i];
	}
	return 2 * above >= count &&
	       group[count - 1] >= group[count - 1 - back] +
					   rise * back / count / 4;
}

/* What only takes is no loop: it loads. */
static bool is_loop(const struct series *series, uint64_t grown)
{
	return series->witness->facts->growth.marked ?
		       series->freed >= grown / CHURN_OF_STEPS :
		       series->freed / CHURN >= grown;
}

/* A leak takes much of the limit, or of what the first step left of it. */
static uint64_t least_growth(const struct series *series)
{
	uint64_t limit = limit_of(series->witness);
	uint64_t first = series->value[0];
	uint64_t left = limit > first ? limit - first : 0;

	return left / LEFT_PART < limit / LEAST_PART ? left / LEFT_PART :
						       limit / LEAST_PART;
}

static bool does_grow(const struct series *series)
{
	const struct la_facts *facts = series->witness->facts;
	const struct la_growth *growth = &facts->growth;
	uint64_t by = growth->last - growth->first;

	return growth->last > growth->first && growth->p < P_MAX &&
	       by >= facts->amount[LA_AMOUNT_REQUEST].high &&
	       by >= least_growth(series) &&
	       growth->stack_bytes >= by / SITE_PART &&
	       is_loop(series, by) && is_steady(series);
}

static int judge(struct series *series)
{
	struct la_facts *facts = series->witness->facts;
	struct la_growth *growth = &facts->growth;
	uint64_t limit = limit_of(series->witness);
	double slope;

	if (trend_slope(&slope, series->value, series->count) < 0 ||
	    find_site(series) < 0)
		return -ENOMEM;
	growth->tested = true;
	growth->windows = series->count;
	growth->p = trend_p(series->value, series->count);
	growth->slope = slope / (double)series->joined;
	growth->first = series->value[0];
	growth->last = series->value[series->count - 1];
	growth->grows = does_grow(series);
	if (!growth->grows)
		return 0;
	set_exact(facts, LA_AMOUNT_LEAK, growth->last - growth->first);
	if (limit > series->highest && growth->slope > 0)
		growth->steps_left = (double)(limit - series->highest) /
				     growth->slope;
	return 0;
}

int witness_test_growth(struct witness *witness)
{
	struct series series = { .witness = witness };
	int taken = take_steps(&series);

	witness->facts->growth.marked = taken > 0;
	if (!taken)
		taken = take_slices(&series);
	if (taken > 0) {
		find_troughs(&series);
		taken = judge(&series);
	}
	free(series.window);
	free(series.value);
	return taken < 0 ? taken : 0;
}
