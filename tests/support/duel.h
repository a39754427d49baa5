/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap and the obvious model side by side: each operation is done on
 * both; events, results and counters must agree, the heap must be sound and
 * the device's books balanced, else the process aborts.
 */
#ifndef LA_TESTS_DUEL_H
#define LA_TESTS_DUEL_H

#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>
#include <liballoc/heap.h>

#include "support/model.h"

#define DUEL_BLOCKS 2048

struct duel_config {
	struct la_setting_values setting;
	uint64_t cap; /* or UINT64_MAX */
	uint64_t card; /* or UINT64_MAX */
	enum la_layout layout;
};

struct duel {
	struct la_device *device[2]; /* owned; of the heap and the model */
	struct la_heap *heap;
	struct model *model;
	la_block live[DUEL_BLOCKS]; /* in no order */
	la_block pending[DUEL_BLOCKS]; /* in order of the frees */
	size_t nr_live, nr_pending;
	struct model_event event[MODEL_EVENTS]; /* of the operation */
	unsigned int nr_events;
};

struct duel *duel_new(const struct duel_config *config);
void duel_free(struct duel *d);

/* Ignored where there is no room for more blocks. */
void duel_alloc(struct duel *d, uint64_t size, uint64_t stream);
/* Of the live or pending block number `which` modulo their count, if any. */
void duel_release(struct duel *d, size_t which);
void duel_free_request(struct duel *d, size_t which);
void duel_free_complete(struct duel *d, size_t which);
void duel_empty_cache(struct duel *d);

/* Play bytes: a configuration, then operations. */
void duel_play(const uint8_t *data, size_t size);

#endif /* LA_TESTS_DUEL_H */
