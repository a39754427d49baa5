/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_POLICY_H
#define LA_HEAP_POLICY_H

#include <liballoc/heap.h>

/* How a heap places and returns memory.  Each function is what the la_heap_
 * or heap_ function of its name calls, and keeps its contract. */
struct heap_policy {
	/* Make the policy's own part of a heap that has everything else, and
	 * release it.  Returns 0 or -ENOMEM. */
	int (*init)(struct la_heap *heap, const struct la_heap_config *config);
	void (*destroy)(struct la_heap *heap);
	int (*alloc)(struct la_heap *heap, uint64_t size, int stream, int pool,
		     la_block *block);
	int (*release)(struct la_heap *heap, la_block block);
	void (*free_request)(struct la_heap *heap, la_block block);
	int (*free_complete)(struct la_heap *heap, la_block block);
	int (*empty_cache)(struct la_heap *heap);
	int (*pool_give_up)(struct la_heap *heap, int pool);
	int (*pool_drop)(struct la_heap *heap, int pool);
	int (*pool_of)(const struct la_heap *heap, la_block block);
	uint32_t (*waits)(const struct la_heap *heap, int pool);
	void (*set_cap)(struct la_heap *heap, uint64_t bytes);
	int (*pin)(struct la_heap *heap, uint64_t addr, uint64_t size,
		   bool pinned);
	int (*base)(const struct la_heap *heap, uint64_t addr, uint64_t *base,
		    uint64_t *size);
	void (*walk)(const struct la_heap *heap, la_heap_visitor *visitor,
		     void *data);
	int (*check)(const struct la_heap *heap, struct la_error *err);
};

extern const struct heap_policy policy_torch; /* torch.c */
extern const struct heap_policy policy_compact; /* compact/compact.c */

#endif /* LA_HEAP_POLICY_H */
