/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the mock's devices. */
#ifndef TESTS_MOCK_CUDA_MODEL_H
#define TESTS_MOCK_CUDA_MODEL_H

#include <stdbool.h>

#include "mock.h"

#define MOCK_DEVICES 8

enum item_kind {
	ITEM_DEVICE,
	ITEM_ASYNC,
	ITEM_MANAGED,
	ITEM_HOST,
	ITEM_REGISTERED,
	ITEM_ARRAY,
	ITEM_NODE, /* of a graph */
	ITEM_PHYSICAL, /* by handle */
	ITEM_ADDRESSES,
	ITEM_MAPPING,
	ITEM_FOREIGN,
	ITEM_EVENT, /* size: 1 if it was recorded while held */
	ITEM_THING /* pools, modules, contexts: a handle alone */
};

/* Something that the program has asked for.  Owner: the table. */
struct item {
	struct item *next; /* in its bucket */
	enum item_kind kind;
	int device;
	uint64_t addr; /* or handle: the key, with kind */
	uint64_t size; /* bytes as asked for */
	uint64_t taken; /* bytes of the device */
	unsigned int owners; /* of a handle */
	unsigned int mappings; /* of a handle */
	uint64_t other; /* MAPPING: its handle; ASYNC: its pool */
	unsigned int access; /* MAPPING: bit n: by device n */
	unsigned char value; /* DEVICE, PHYSICAL: of all bytes */
};

/* A pool; the first of each device is its default pool. */
struct pool {
	uint64_t reserved, reserved_high; /* bytes */
	uint64_t used, used_high; /* bytes */
	uint64_t threshold; /* bytes that it may keep */
	int device;
};

struct mock_context {
	int device;
	unsigned int references; /* of a primary context */
	bool live;
};

/* Everything, under one lock. */
struct model {
	uint64_t used[MOCK_DEVICES]; /* by this process */
	struct pool pool[MOCK_DEVICES];
	struct pool graph[MOCK_DEVICES]; /* what graphs hold */
	struct mock_context primary[MOCK_DEVICES];
	struct item *bucket[4096];
	unsigned long items;
	bool held; /* what is recorded is not done */
	bool broken; /* a kernel has run: all of ours write to no memory */
	uint64_t next; /* address to give out */
};

extern struct model model;
extern __thread struct mock_context *current;

void model_lock(void);
void model_unlock(void);

/* All of these with the lock held. */
bool model_take(int device, uint64_t bytes);
void model_give(int device, uint64_t bytes);
uint64_t model_address(uint64_t size);
struct item *model_add(enum item_kind kind, int device, uint64_t addr,
		       uint64_t size, uint64_t taken);
struct item *model_find(enum item_kind kind, uint64_t addr);
void model_drop(struct item *item);

/* For each item of a kind that overlaps a range, until one returns other than
 * success, which is the result then; it may drop the item. */
CUresult model_visit(enum item_kind kind, uint64_t addr, uint64_t size,
		     CUresult (*visit)(struct item *item, const void *data),
		     const void *data);

int model_devices(void);

/* What a call has to fail with, by the name of its function; counts it. */
CUresult model_due(const char *name);

/* Whether the calling thread must not make a call that a capture forbids;
 * the capture is void then. */
bool model_is_unsafe(void);

#endif /* TESTS_MOCK_CUDA_MODEL_H */
