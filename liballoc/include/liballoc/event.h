/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file event.h
 * @brief What an allocator did: the vocabulary of heaps and of recordings.
 *
 * Source: trace entries of torch.cuda.memory._snapshot(), torch 2.0 to 2.14.
 */
#ifndef LIBALLOC_EVENT_H
#define LIBALLOC_EVENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Kinds of events, named as torch names them. */
enum la_action {
	LA_ALLOC, /**< a block was handed out; size is the request */
	LA_FREE_REQUESTED, /**< the program freed a block */
	LA_FREE_COMPLETED, /**< the block can be used again */
	LA_SEGMENT_ALLOC, /**< the device gave a segment */
	LA_SEGMENT_FREE, /**< a segment went back to the device */
	LA_SEGMENT_MAP, /**< memory was mapped into a reservation */
	LA_SEGMENT_UNMAP, /**< memory of a reservation went back */
	LA_OOM, /**< a request failed; size is the rounded request */
	LA_SNAPSHOT, /**< a snapshot was taken */
	LA_ANNOTATE, /**< a block was annotated (torch 2.14) */
	LA_ACTION_COUNT /**< number of kinds, not a kind */
};

/** @brief One event of one device. */
struct la_event {
	uint64_t addr; /**< address; LA_OOM: bytes free on the device */
	uint64_t size; /**< bytes, see enum la_action */
	uint64_t time_us; /**< Unix time in microseconds, 0 if unknown */
	uint32_t stream; /**< index into the owner's table of streams */
	uint16_t pool; /**< index into the owner's table of pools */
	uint8_t action; /**< enum la_action */
	uint8_t reserved; /**< 0 */
};

/**
 * @brief The name that torch gives an action, e.g. "segment_alloc".
 * @param action the action
 * @return a constant string, or NULL if there is no such action
 */
const char *la_action_name(enum la_action action);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_EVENT_H */
