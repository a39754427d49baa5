/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file allocator.h
 * @brief A heap for each device, for all threads of a running program.
 *
 * What a plug-in needs: addresses in place of blocks, blocks that several
 * streams use, pools that requests are routed to by their stream, figures.
 * All functions may be called from any thread at any time, but for
 * la_allocator_free().  Locking: a cache of each thread and stream serves
 * most requests of up to 1 MiB under a lock of its own; behind it one mutex for
 * each device guards heap, events and history, and is held while the driver is
 * called but not while pending blocks are waited for.  A thread that holds a
 * cache's lock never takes a device's; two devices' locks are never held at
 * once, and nothing is shared by devices.  Caches are emptied before a request
 * takes memory for want of what they hold, and hold nothing of private pools
 * nor what other streams use.
 *
 * After fork() a child must not use the device: every function but
 * la_allocator_free() returns -ECHILD there, and takes no lock.
 *
 * One path to read first: la_allocator_alloc() in allocator/allocator.c, then
 * front_take() in front.c for what a cache serves, arena_alloc() in arena.c for
 * the rest, and pending_begin() in pending.c for blocks that several streams
 * use.
 */
#ifndef LIBALLOC_ALLOCATOR_H
#define LIBALLOC_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>
#include <liballoc/error.h>
#include <liballoc/event.h>
#include <liballoc/heap.h>
#include <liballoc/setting.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Heaps of the devices of a process. */
struct la_allocator;

/** @brief What an allocator is made of. */
struct la_allocator_config {
	enum la_heap_policy policy; /**< of all heaps */
	const struct la_setting_values *setting; /**< copied */
	struct la_device *const *device; /**< borrowed; outlive it */
	const uint64_t *total; /**< bytes of each card, 0: unknown; copied */
	unsigned int device_count; /**< number of both */
	/** Events kept of each device, the newest; 0: none.  While they are
	 *  kept no request is served by a cache, so that none is missing. */
	size_t history;
	/** Empty the cache when a request needs memory of the device and
	 *  reserved is above this part of cap or card, at most once a second;
	 *  0: never.  What guides to fragmentation do by hand. */
	double empty_above;
	/** Hears each split with the device's number, under the lock; NULL:
	 *  nobody. */
	void (*split)(void *data, unsigned int device, uint64_t addr,
		      uint64_t size, uint64_t whole);
	void *split_data; /**< first argument of split */
};

/**
 * @brief Make an allocator.
 * @param[out] out the allocator; untouched on failure
 * @param config   what it is made of
 * @param err      what is wrong, may be NULL
 * @return 0, or as la_heap_new()
 */
int la_allocator_new(struct la_allocator **out,
		     const struct la_allocator_config *config,
		     struct la_error *err);

/**
 * @brief Release an allocator, which no thread uses any more; memory is not
 *        given back to the devices.
 * @param allocator allocator, or NULL for no action
 */
void la_allocator_free(struct la_allocator *allocator);

/**
 * @brief Serve a request.
 * @param allocator allocator
 * @param device    its number, from 0
 * @param size      bytes; 0 gives *addr = 0
 * @param stream    raw value
 * @param[out] addr the address; untouched on failure
 * @retval 0       success
 * @retval -ENOSPC out of device memory, see la_allocator_oom_of()
 * @retval -ENODEV no such device
 * @retval -ECHILD in a child of fork()
 * @retval -ENOMEM out of host memory
 * @retval -errno  what the device failed with otherwise
 *
 * Devices give addresses that differ, as they do under CUDA.
 */
int la_allocator_alloc(struct la_allocator *allocator, unsigned int device,
		       uint64_t size, uint64_t stream, uint64_t *addr);

/**
 * @brief Free what la_allocator_alloc() gave.
 * @param allocator allocator
 * @param addr      its address; 0 for no action
 * @retval 0       success
 * @retval -ENOENT no live block begins there
 * @retval -ECHILD in a child of fork()
 * @retval -errno  an event could not be recorded; the block stays held
 *
 * Streams of la_allocator_record_stream() are waited for by events; while one
 * of them is being captured, until the capture has ended.  A block is freed by
 * one thread; what the free of the same block by two at once does is not
 * defined.
 */
int la_allocator_release(struct la_allocator *allocator, uint64_t addr);

/**
 * @brief A block is used on another stream than that of its request
 *        (Tensor.record_stream()).
 * @param allocator allocator
 * @param addr      address of a live block
 * @param stream    raw value
 * @retval 0       success
 * @retval -ENOENT no live block begins there
 * @retval -ENOMEM out of host memory
 */
int la_allocator_record_stream(struct la_allocator *allocator, uint64_t addr,
			       uint64_t stream);

/** @brief Does a stream's request go to the pool? */
typedef bool la_stream_filter(void *data, uint64_t stream);

/**
 * @brief From now on requests of some streams go to a private pool.
 * @param allocator allocator
 * @param device    its number
 * @param id        the two parts of the pool's id
 * @param filter    tells the streams; called under the lock, which is left if
 *                  it throws a C++ exception
 * @param data      first argument of filter
 * @param release   is called with data once filter is needed no more, or NULL
 * @retval 0       success
 * @retval -EEXIST requests already go to this pool
 * @retval -ENOMEM out of host memory
 *
 * A user more of the pool is counted; la_allocator_release_pool() takes one
 * away.  What is free in the pool stays mapped where it is (graphs keep the
 * addresses) until the last user is gone.
 */
int la_allocator_begin_pool(struct la_allocator *allocator,
			    unsigned int device, const uint64_t id[2],
			    la_stream_filter *filter, void *data,
			    void (*release)(void *data));

/**
 * @brief End what la_allocator_begin_pool() began.
 * @param allocator allocator
 * @param device    its number
 * @param id        the two parts of the pool's id
 * @retval 0       success
 * @retval -ENOENT no requests go to this pool
 */
int la_allocator_end_pool(struct la_allocator *allocator, unsigned int device,
			  const uint64_t id[2]);

/**
 * @brief A user of a private pool is gone; behind the last one the pool's
 *        free memory is like all other.
 * @param allocator allocator
 * @param device    its number
 * @param id        the two parts of the pool's id
 * @retval 0       success
 * @retval -ENOENT no such pool
 */
int la_allocator_release_pool(struct la_allocator *allocator,
			      unsigned int device, const uint64_t id[2]);

/**
 * @brief Bound what a device's heap holds (memory fraction).
 * @param allocator allocator
 * @param device    its number
 * @param cap       bytes, UINT64_MAX: no bound; what is held stays
 * @retval 0       success
 * @retval -ENODEV no such device
 * @retval -ECHILD in a child of fork()
 */
int la_allocator_set_cap(struct la_allocator *allocator, unsigned int device,
			 uint64_t cap);

/**
 * @brief Wait for pending blocks and give what is free back to the devices.
 * @param allocator allocator
 * @return 0, or the first failure of a device; -ECHILD in a child of fork()
 */
int la_allocator_empty_cache(struct la_allocator *allocator);

/**
 * @brief What the device gave in one operation around an address; it stays
 *        where it is from now on, as its address is known elsewhere (IPC,
 *        registration).
 * @param allocator allocator
 * @param addr      address inside a live block
 * @param[out] base its start
 * @param[out] size its bytes
 * @retval 0       success
 * @retval -ENOENT no live block holds the address
 */
int la_allocator_base(struct la_allocator *allocator, uint64_t addr,
		      uint64_t *base, uint64_t *size);

/**
 * @brief Keep the memory of a range where it is, or no longer: counted.
 * @param allocator allocator
 * @param addr      start
 * @param size      bytes
 * @param pinned    whether to pin or to unpin
 * @retval 0       success
 * @retval -ENOENT the range is not all memory of one device's heap, or it is
 *                 unpinned and was not pinned as a whole
 */
int la_allocator_pin(struct la_allocator *allocator, uint64_t addr,
		     uint64_t size, bool pinned);

/** @brief Figures of a device: now, and what they were at most. */
struct la_allocator_stats {
	struct la_heap_stats heap; /**< of the heap; allocated and active are
				    *  corrected by what caches hold */
	uint64_t requested; /**< bytes of live blocks as asked for */
	/** Highest value of requested; of a block that a cache served again
	 *  it may count another of its requests, less than 512 bytes off. */
	uint64_t requested_peak;
	uint64_t live; /**< blocks handed out */
	uint64_t live_peak; /**< highest value of live */
	uint64_t served; /**< requests served since the start */
	uint64_t freed; /**< blocks freed since the start */
	uint64_t cached_hits; /**< of served: by a thread's cache */
	uint64_t inactive; /**< free bytes beside blocks in use */
	/** Segments, or pieces, held; expandable segments count by 2 MiB. */
	uint64_t segments;
	uint64_t segments_peak; /**< highest value of segments */
	uint64_t driver_calls; /**< calls that change memory */
	uint64_t stream_waits; /**< waits queued between streams */
	uint64_t stalls; /**< waits of the host for streams */
	/** Nanoseconds behind the caches, with the next; of what is not
	 *  spent in the driver every 127th passage is timed. */
	uint64_t time;
	uint64_t device_time; /**< of these in driver calls and waits */
};

/**
 * @brief Read the figures of a device.
 * @param allocator allocator
 * @param device    its number
 * @param[out] stats the figures
 * @retval 0       success
 * @retval -ENODEV no such device
 * @retval -ECHILD in a child of fork()
 */
int la_allocator_stats(struct la_allocator *allocator, unsigned int device,
		       struct la_allocator_stats *stats);

/**
 * @brief Let peaks begin anew (reset_peak_memory_stats()).
 * @param allocator allocator
 * @param device    its number
 * @retval 0       success
 * @retval -ENODEV no such device
 * @retval -ECHILD in a child of fork()
 */
int la_allocator_reset_peaks(struct la_allocator *allocator,
			     unsigned int device);

/** @brief Why a request failed: what its message tells. */
struct la_allocator_oom {
	unsigned int device; /**< its number */
	uint64_t size; /**< bytes of the request */
	uint64_t stream; /**< raw value */
	uint64_t cap; /**< bytes, UINT64_MAX: none */
	uint64_t total; /**< bytes of the card */
	uint64_t allocated; /**< bytes of live blocks */
	uint64_t pending; /**< bytes that wait for other streams */
	uint64_t reserved; /**< bytes held from the device */
	uint64_t pinned; /**< of the free ones, bytes that may not move */
	uint64_t private_free; /**< of the free ones, in private pools */
	uint64_t largest_free; /**< bytes of the largest free block */
};

/**
 * @brief The last request of the calling thread that failed with -ENOSPC.
 * @param allocator allocator
 * @param[out] oom  its facts
 * @retval 0       success
 * @retval -ENOENT none failed
 */
int la_allocator_oom_of(struct la_allocator *allocator,
			struct la_allocator_oom *oom);

/**
 * @brief Show all blocks of a device under its lock, as la_heap_walk() does;
 *        what caches hold shows as free.
 * @param allocator allocator
 * @param device    its number
 * @param visitor   receives each block; must not call the allocator
 * @param data      first argument of visitor
 * @retval 0       success
 * @retval -ENODEV no such device
 * @retval -ECHILD in a child of fork()
 */
int la_allocator_walk(struct la_allocator *allocator, unsigned int device,
		      la_heap_visitor *visitor, void *data);

/**
 * @brief Copy the newest events of a device.
 * @param allocator  allocator
 * @param device     its number
 * @param[out] event room for `count` of them; streams are raw values cut to
 *                   32 bits of an index into the table below
 * @param count      room
 * @param[out] stream room for `streams` raw values
 * @param streams    room
 * @return the number of events copied, or -ENODEV, or -ECHILD in a child of
 *         fork()
 */
long la_allocator_history(struct la_allocator *allocator, unsigned int device,
			  struct la_event *event, size_t count,
			  uint64_t *stream, size_t streams);

/**
 * @brief Check the structure of all heaps, caches and events.
 * @param allocator allocator
 * @param err       what is broken, may be NULL
 * @retval 0        sound
 * @retval -EUCLEAN broken
 */
int la_allocator_check(struct la_allocator *allocator, struct la_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_ALLOCATOR_H */
