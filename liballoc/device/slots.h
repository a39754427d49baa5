/* SPDX-License-Identifier: Apache-2.0 */
/* A table of things that are told by handles: one that was dropped is told
 * from what took its place. */
#ifndef LA_DEVICE_SLOTS_H
#define LA_DEVICE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

/* First member of each element. */
struct slot {
	uint32_t generation; /* how often it was dropped, from 1 up */
	uint32_t next; /* free: the next free one + 1, 0: none */
	uint64_t handle; /* 0: free */
};

struct slots {
	void *slot; /* owned */
	size_t element; /* bytes of one; set before the first use */
	size_t count, room;
	uint32_t free; /* the first free one + 1, 0: none */
};

/* A new element, zero but for its slot; NULL: out of memory.  Pointers to
 * others are void then. */
void *la_slots_take(struct slots *slots);

/* The element of a handle, or NULL: there is none (any more). */
void *la_slots_at(const struct slots *slots, uint64_t handle);

/* Drop an element. */
void la_slots_drop(struct slots *slots, void *element);

/* The first element in use at or behind an index, which is moved behind it;
 * NULL: no more. */
void *la_slots_next(const struct slots *slots, size_t *at);

#endif /* LA_DEVICE_SLOTS_H */
