// SPDX-License-Identifier: Apache-2.0
/* The heap and the obvious model side by side, see duel.h. */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/duel.h"
#include "support/stage.h"
#include "support/track.h"

static void hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	struct duel *d = data;

	assert(d->nr_events < MODEL_EVENTS);
	d->event[d->nr_events++] = (struct model_event){
		.action = action, .addr = addr, .size = size, .stream = stream
	};
}

static struct la_device *sim(const struct duel_config *config)
{
	struct la_device *dev;
	int err = la_device_sim(&dev, config->layout, config->card, 0);

	assert(!err);
	return dev;
}

struct duel *duel_new(const struct duel_config *config)
{
	struct duel *d = calloc(1, sizeof(*d));
	struct la_heap_config heap;
	int err;

	assert(d);
	d->device[0] = track_new(sim(config));
	d->device[1] = sim(config);
	heap = (struct la_heap_config){
		.setting = &config->setting,
		.device = d->device[0],
		.cap = config->cap,
		.listener = hear,
		.listener_data = d,
	};
	err = la_heap_new(&d->heap, &heap, NULL);
	assert(!err);
	d->model = model_new(&config->setting, d->device[1], config->cap);
	return d;
}

void duel_free(struct duel *d)
{
	la_heap_free(d->heap);
	model_free(d->model);
	la_device_destroy(d->device[0]);
	la_device_destroy(d->device[1]);
	free(d);
}

static void show(const char *who, const struct model_event *event,
		 unsigned int count)
{
	unsigned int i;

	fprintf(stderr, "%s:\n", who);
	for (i = 0; i < count; i++)
		fprintf(stderr, "  %s 0x%llx %llu stream 0x%llx\n",
			la_action_name(event[i].action),
			(unsigned long long)event[i].addr,
			(unsigned long long)event[i].size,
			(unsigned long long)event[i].stream);
}

static void compare_events(const struct duel *d)
{
	unsigned int i = 0;

	while (i < d->nr_events && i < d->model->nr_events &&
	       d->event[i].action == d->model->event[i].action &&
	       d->event[i].addr == d->model->event[i].addr &&
	       d->event[i].size == d->model->event[i].size &&
	       d->event[i].stream == d->model->event[i].stream)
		i++;
	if (i == d->nr_events && i == d->model->nr_events)
		return;
	show("heap", d->event, d->nr_events);
	show("model", d->model->event, d->model->nr_events);
	abort();
}

static void compare(struct duel *d)
{
	struct la_error error = { 0 };

	compare_events(d);
	d->nr_events = d->model->nr_events = 0;
	assert(!memcmp(la_heap_stats(d->heap), &d->model->stats,
		       sizeof(d->model->stats)));
	if (la_heap_check(d->heap, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	assert(track_held(d->device[0]) == la_heap_stats(d->heap)->reserved);
}

void duel_alloc(struct duel *d, uint64_t size, uint64_t stream)
{
	uint64_t syncs = la_heap_stats(d->heap)->syncs, addr;
	la_block block = LA_NO_BLOCK;
	int number, ours, theirs;

	if (d->nr_live + d->nr_pending == DUEL_BLOCKS)
		return;
	number = la_heap_stream(d->heap, stream);
	assert(number >= 0);
	ours = la_heap_alloc(d->heap, size, number, LA_DEFAULT_POOL, &block);
	theirs = model_alloc(d->model, size, stream, &addr);
	assert(ours == theirs && (!ours || ours == -ENOSPC));
	if (ours) {
		assert(block == LA_NO_BLOCK);
	} else {
		assert(la_heap_addr(d->heap, block) == addr);
		d->live[d->nr_live++] = block;
	}
	if (la_heap_stats(d->heap)->syncs > syncs)
		d->nr_pending = 0;
	compare(d);
}

static la_block take_live(struct duel *d, size_t which)
{
	la_block block;

	which %= d->nr_live;
	block = d->live[which];
	d->live[which] = d->live[--d->nr_live];
	return block;
}

void duel_release(struct duel *d, size_t which)
{
	la_block block;
	uint64_t addr;
	int err;

	if (!d->nr_live)
		return;
	block = take_live(d, which);
	addr = la_heap_addr(d->heap, block);
	err = la_heap_release(d->heap, block);
	assert(!err);
	model_free_request(d->model, addr);
	model_free_complete(d->model, addr);
	compare(d);
}

void duel_free_request(struct duel *d, size_t which)
{
	la_block block;

	if (!d->nr_live)
		return;
	block = take_live(d, which);
	d->pending[d->nr_pending++] = block;
	model_free_request(d->model, la_heap_addr(d->heap, block));
	la_heap_free_request(d->heap, block);
	compare(d);
}

void duel_free_complete(struct duel *d, size_t which)
{
	la_block block;
	int err;

	if (!d->nr_pending)
		return;
	which %= d->nr_pending;
	block = d->pending[which];
	memmove(&d->pending[which], &d->pending[which + 1],
		(--d->nr_pending - which) * sizeof(block));
	model_free_complete(d->model, la_heap_addr(d->heap, block));
	err = la_heap_free_complete(d->heap, block);
	assert(!err);
	compare(d);
}

void duel_empty_cache(struct duel *d)
{
	int ours = la_heap_empty_cache(d->heap);
	int theirs = model_empty_cache(d->model);

	assert(!ours && !theirs);
	d->nr_pending = 0;
	compare(d);
}

/* Bytes to be read; behind the end there are zeros. */
struct bytes {
	const uint8_t *data;
	size_t left;
};

static unsigned int next(struct bytes *bytes)
{
	if (!bytes->left)
		return 0;
	bytes->left--;
	return *bytes->data++;
}

/* A limit of 4 MiB to 1 GiB, or none. */
static uint64_t read_limit(struct bytes *bytes)
{
	uint64_t limit = next(bytes) * 4 * MIB;

	return limit ? limit + next(bytes) - 128 : UINT64_MAX;
}

static void read_roundup(struct bytes *bytes, uint64_t *divisions)
{
	unsigned int kind = next(bytes), i;

	if (kind % 4)
		return;
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		divisions[i] = 1u << (kind & 4 ? kind / 8 : next(bytes)) % 8;
}

/* An oversize block that is a part of its segment does not occur in torch:
 * max_split_size is no smaller than the large segment. */
static struct duel_config read_config(struct bytes *bytes)
{
	static const uint8_t split_mb[] = { 0, 0, 0, 20, 21, 22, 32, 65, 128 };
	static const uint8_t segment_mb[] = { 20, 20, 20, 20, 24, 32, 64, 200 };
	static const uint8_t slack_mb[] = { 0, 0, 20, 21, 40, 100 };
	static const uint8_t threshold[] = { 0, 0, 0, 5, 30, 50, 80, 95 };
	struct duel_config config = { .setting = default_setting() };
	struct la_setting_values *setting = &config.setting;
	uint64_t mb;

	config.layout = next(bytes) % LA_LAYOUT_COUNT;
	config.cap = read_limit(bytes);
	config.card = read_limit(bytes);
	setting->large_segment_size =
		segment_mb[next(bytes) % ARRAY_SIZE(segment_mb)] * MIB;
	mb = slack_mb[next(bytes) % ARRAY_SIZE(slack_mb)];
	setting->max_non_split_rounding =
		mb ? mb * MIB : setting->large_segment_size;
	mb = split_mb[next(bytes) % ARRAY_SIZE(split_mb)];
	if (mb && mb * MIB < setting->large_segment_size)
		setting->max_split_size = setting->large_segment_size;
	else if (mb)
		setting->max_split_size = mb * MIB;
	setting->garbage_collection_threshold =
		threshold[next(bytes) % ARRAY_SIZE(threshold)] / 100.0;
	read_roundup(bytes, setting->roundup_power2_divisions);
	return config;
}

static uint64_t read_size(struct bytes *bytes)
{
	static const uint64_t edge[] = {
		1, 511, 512, 513, 1024, 4097, MIB - 512, MIB - 511, MIB,
		MIB + 1, 2 * MIB, 3 * MIB + 1, 10 * MIB - 512, 10 * MIB - 511,
		10 * MIB, 10 * MIB + 1, 12 * MIB, 18 * MIB, 19 * MIB - 512,
		19 * MIB, 20 * MIB - 512, 20 * MIB, 20 * MIB + 1, 21 * MIB,
		22 * MIB - 512, 22 * MIB, 32 * MIB, 41 * MIB, 42 * MIB,
		64 * MIB, 65 * MIB - 512, 65 * MIB, 84 * MIB, 85 * MIB,
	};
	unsigned int kind = next(bytes);

	if (kind < 128)
		return edge[kind % ARRAY_SIZE(edge)];
	return (uint64_t)(256 + next(bytes)) << kind % 21;
}

static void play_op(struct duel *d, unsigned int op, struct bytes *bytes)
{
	static const uint64_t streams[] = { 0, 0x55d0c0de40, 0, 0x1000 };

	switch (op % 8) {
	case 0:
	case 1:
	case 2:
	case 3:
		duel_alloc(d, read_size(bytes), streams[op / 8 % 4]);
		break;
	case 4:
	case 5:
		duel_release(d, next(bytes));
		break;
	case 6:
		duel_free_request(d, next(bytes));
		break;
	default:
		if (op / 8 == 31)
			duel_empty_cache(d);
		else
			duel_free_complete(d, op / 8);
	}
}

void duel_play(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	struct duel_config config = read_config(&bytes);
	struct duel *d = duel_new(&config);

	while (bytes.left)
		play_op(d, next(&bytes), &bytes);
	duel_free(d);
}
