// SPDX-License-Identifier: Apache-2.0
/* Who holds memory: by call site where frames tell it, else by size. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/recording.h"

/* Keys of sizes; numbers of stacks have 32 bits. */
#define BY_SIZE ((uint64_t)1 << 63)

enum { HOLDERS_KEPT = 10 };

static uint32_t with_frames(const struct witness *witness, uint32_t stack)
{
	const uint32_t *frames;

	return la_recording_stack(witness->recording, stack, &frames) ? stack :
									0;
}

uint32_t witness_stack(const struct witness *witness, uint64_t event)
{
	if (!witness->stack || event == UINT64_MAX)
		return 0;
	return with_frames(witness, witness->stack[event]);
}

uint64_t witness_key(void *data, uint64_t event, uint64_t size)
{
	uint32_t stack = witness_stack(data, event);

	return stack ? stack : BY_SIZE | size;
}

static int make_room(struct witness *witness, size_t count)
{
	struct la_facts *facts = witness->facts;

	facts->holder = calloc(count + 1, sizeof(*facts->holder));
	facts->holder_stack = calloc(count + 1, sizeof(*facts->holder_stack));
	if (!facts->holder || !facts->holder_stack)
		return -ENOMEM;
	facts->holder_count = count;
	return 0;
}

int witness_keep_holders(struct witness *witness,
			 const struct la_holder *holder, size_t count)
{
	size_t i;

	if (count > HOLDERS_KEPT)
		count = HOLDERS_KEPT;
	if (make_room(witness, count) < 0)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		witness->facts->holder[i] = holder[i];
		witness->facts->holder_stack[i] =
			witness_stack(witness, holder[i].event);
	}
	return 0;
}

/* Blocks that belong together, and the stack of their requests. */
struct group {
	uint64_t key;
	struct la_holder holder;
	uint32_t stack;
};

static int by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->holder.size < y->holder.size) -
	       (x->holder.size > y->holder.size);
}

static int by_bytes(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->holder.bytes != y->holder.bytes)
		return x->holder.bytes > y->holder.bytes ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static struct group group_of(const struct witness *witness,
			     const struct la_recorded_block *block)
{
	uint64_t asked = block->requested ? block->requested : block->size;
	uint64_t size = whole_blocks(asked);
	uint32_t stack = with_frames(witness, block->stack);

	return (struct group){
		.key = stack ? stack : BY_SIZE | size,
		.holder = { block->size, 1, size, UINT64_MAX },
		.stack = stack,
	};
}

/* Groups of all blocks, most bytes first; returns their number. */
static size_t group_blocks(const struct witness *witness, struct group *group)
{
	const struct la_recorded_device *device = witness->device;
	size_t blocks = 0, count = 0, i;

	for (i = 0; i < device->block_count; i++)
		if (device->blocks[i].state != LA_RECORDED_FREE)
			group[blocks++] =
				group_of(witness, &device->blocks[i]);
	if (blocks)
		qsort(group, blocks, sizeof(*group), by_key);
	for (i = 0; i < blocks; i++) {
		if (!count || group[count - 1].key != group[i].key) {
			group[count++] = group[i];
			continue;
		}
		group[count - 1].holder.bytes += group[i].holder.bytes;
		group[count - 1].holder.count++;
	}
	if (count)
		qsort(group, count, sizeof(*group), by_bytes);
	return count;
}

int witness_list_holders(struct witness *witness)
{
	struct group *group = malloc((witness->device->block_count + 1) *
				     sizeof(*group));
	size_t count, i;
	int err;

	if (!group)
		return -ENOMEM;
	count = group_blocks(witness, group);
	if (count > HOLDERS_KEPT)
		count = HOLDERS_KEPT;
	err = make_room(witness, count);
	for (i = 0; i < count && !err; i++) {
		witness->facts->holder[i] = group[i].holder;
		witness->facts->holder_stack[i] = group[i].stack;
	}
	free(group);
	return err;
}
