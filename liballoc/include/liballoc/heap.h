/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file heap.h
 * @brief The allocator: policy, pools and blocks over a device.
 *
 * Policy `torch` is the native caching allocator of torch 2.11, to the byte,
 * expandable segments and private pools included; or of another release, see
 * la_heap_config.release.
 * A heap is used from one thread at a time; two heaps share nothing.
 *
 * Policy `compact` keeps all memory in one range of addresses and moves what
 * is free in it to where it is needed (cuMemMap), so that next to nothing is
 * lost to fragmentation; live blocks never move.
 *
 * One path to read first: torch_alloc() in heap/torch.c, then heap_obtain()
 * in heap/grow.c for a request that nothing cached serves, and
 * heap_grow_chain() in heap/chain.c for expandable segments; compact_alloc()
 * in heap/compact/compact.c, then compact_obtain() in heap/compact/grow.c.
 */
#ifndef LIBALLOC_HEAP_H
#define LIBALLOC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>
#include <liballoc/error.h>
#include <liballoc/event.h>
#include <liballoc/setting.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief An allocator of one device. */
struct la_heap;

/** @brief A live or pending block of a heap; LA_NO_BLOCK is none. */
typedef uint32_t la_block;

/** @brief No block. */
#define LA_NO_BLOCK UINT32_MAX

/** @brief Receives each event as it happens; must not call the heap. */
typedef void la_heap_listener(void *data, enum la_action action, uint64_t addr,
			      uint64_t size, uint64_t stream);

/** @brief Receives each split: the front of a free block is handed out, the
 *  rest stays free.  Sizes in bytes; must not call the heap. */
typedef void la_heap_split_listener(void *data, uint64_t addr, uint64_t size,
				    uint64_t whole);

/** @brief How a heap places and returns memory. */
enum la_heap_policy {
	LA_HEAP_TORCH, /**< torch's own, to the byte */
	LA_HEAP_COMPACT, /**< ours */
	LA_HEAP_POLICIES /**< number of policies, not a policy */
};

/**
 * @brief Who waits for a heap that serves a running program.
 *
 * settle and synchronize may let other threads use the heap meanwhile: it
 * looks everything up anew afterwards.  Without them nothing runs on the
 * device: a flush completes all pending blocks.
 */
struct la_heap_waiter {
	/**
	 * Complete the pending blocks (la_heap_free_complete()) whose streams
	 * are done.  wait: wait for those of all others first, but for the
	 * ones of streams that are being captured.  Returns the number of
	 * blocks completed, or a negative errno value.
	 */
	int (*settle)(void *data, bool wait);
	/** Wait until a stream (raw value) has done what was queued on it.
	 *  Returns 0, -EBUSY if it is being captured, or another negative
	 *  errno value. */
	int (*synchronize)(void *data, uint64_t stream);
	/** May a stream that the heap does not know be being captured?  To
	 *  wait for all streams, as for graphs that may run on any, would end
	 *  the capture. */
	bool (*capturing)(void *data);
	void *data; /**< first argument of each */
};

/** @brief What a heap is made of. */
struct la_heap_config {
	enum la_heap_policy policy; /**< 0: torch */
	const struct la_setting_values *setting; /**< copied */
	struct la_device *device; /**< borrowed; outlives the heap */
	/** Most bytes that segments may take (memory fraction), or
	 *  UINT64_MAX.  Only with a cap is age collection active. */
	uint64_t cap;
	/** Bytes of the card: an expandable segment reserves the addresses
	 *  of 9/8 of it.  0: 80 GiB. */
	uint64_t total;
	/** Release of torch whose rules hold: one of la_release_at(); 0:
	 *  2.11. */
	unsigned int release;
	const struct la_heap_waiter *waiter; /**< or NULL; copied */
	la_heap_listener *listener; /**< or NULL */
	la_heap_split_listener *split_listener; /**< or NULL */
	void *listener_data; /**< first argument of both */
};

/** @brief Counters since la_heap_new(), named as in torch.memory_stats(). */
struct la_heap_stats {
	uint64_t reserved; /**< bytes held from the device */
	uint64_t reserved_peak; /**< highest value of reserved */
	uint64_t allocated; /**< bytes of blocks handed out */
	uint64_t allocated_peak; /**< highest value of allocated */
	uint64_t active; /**< bytes of live and pending blocks */
	uint64_t active_peak; /**< highest value of active */
	uint64_t device_allocs; /**< operations that took memory */
	uint64_t device_frees; /**< operations that gave memory back */
	uint64_t device_maps; /**< of device_allocs: granules mapped */
	uint64_t device_unmaps; /**< of device_frees: granules unmapped */
	uint64_t retries; /**< flushes of the allocator's own */
	uint64_t ooms; /**< requests that failed */
	uint64_t syncs; /**< waits for all streams */
	/* Policy compact: pieces, which it moves, are mapped and unmapped. */
	uint64_t creates; /**< pieces taken from the device */
	uint64_t releases; /**< pieces given back */
	uint64_t waits; /**< times that a stream was told to wait for another */
	uint64_t stalls; /**< requests that waited for streams to move pieces */
};

/**
 * @brief The cap that torch makes of a memory fraction.
 * @param fraction 0 to 1
 * @param total    bytes of the card
 * @param release  of torch, one of la_release_at(); 0: 2.11
 * @return bytes, or UINT64_MAX: a fraction of 1 is no cap in that release
 */
uint64_t la_heap_cap(double fraction, uint64_t total, unsigned int release);

/**
 * @brief The smallest fraction, to nine digits, of which torch makes a cap of
 *        at least so many bytes.
 * @param cap   bytes, at most total
 * @param total bytes of the card, not 0
 * @return the fraction
 */
double la_heap_fraction(uint64_t cap, uint64_t total);

/**
 * @brief Make a heap.
 * @param[out] out the heap; untouched on failure
 * @param config   what it is made of
 * @param err      what is wrong, may be NULL
 * @retval 0        success; release with la_heap_free()
 * @retval -EINVAL  large segments of less than 10 MiB, or no such policy
 * @retval -ENOTSUP backend:cudaMallocAsync is asked for
 * @retval -ENOMEM  out of host memory
 */
int la_heap_new(struct la_heap **out, const struct la_heap_config *config,
		struct la_error *err);

/**
 * @brief Release a heap; its segments are not given back to the device.
 * @param heap heap, or NULL for no action
 */
void la_heap_free(struct la_heap *heap);

/**
 * @brief Give a stream a number that is valid for this heap.
 * @param heap   heap
 * @param stream the raw stream value, 0 for the default stream
 * @return the number, from 0 up in order of first use; or -ENOMEM
 */
int la_heap_stream(struct la_heap *heap, uint64_t stream);

/** @brief The pool of requests that are made outside of all others. */
#define LA_DEFAULT_POOL 0

/**
 * @brief Give a private pool a number that is valid for this heap.
 * @param heap heap
 * @param id   the two parts of its id, as in segment_pool_id of a snapshot
 *             (torch.cuda.graph_pool_handle(), MemPool.id); 0, 0: the default
 *             pool
 * @return the number, from 1 up in order of first use, or LA_DEFAULT_POOL; or
 *         -ENOMEM
 */
int la_heap_pool(struct la_heap *heap, const uint64_t id[2]);

/**
 * @brief The last user of a private pool is gone (a graph was reset): flushes
 *        take what is free in it, after the default pool, until it holds
 *        nothing any more or a request goes to it again.
 * @param heap heap
 * @param pool a number from la_heap_pool(), not LA_DEFAULT_POOL
 * @return 0, or -ENOMEM
 *
 * Several such pools are taken from in the order of torch's table of them,
 * which depends on their ids.
 */
int la_heap_pool_give_up(struct la_heap *heap, int pool);

/**
 * @brief The last handle of a MemPool is gone: give the pool up, wait for its
 *        pending blocks, and give back at once what is free in it.
 * @param heap heap
 * @param pool a number from la_heap_pool(), not LA_DEFAULT_POOL
 * @retval 0       success
 * @retval -ENOMEM out of host memory; a part was given back
 * @retval -errno  what the device failed with; a part was given back
 */
int la_heap_pool_drop(struct la_heap *heap, int pool);

/**
 * @brief Go on under another setting
 *        (torch.cuda.memory._set_allocator_settings()).
 * @param heap    heap
 * @param setting its values, copied; blocks stay as they are.  Parts of
 *                segments that are oversize now (a lower max_split_size_mb)
 *                are kept where torch 2.11 would pass them to cudaFree()
 * @param err     what is wrong, may be NULL
 * @retval 0        success
 * @retval -EINVAL  as la_heap_new()
 * @retval -ENOTSUP as la_heap_new()
 */
int la_heap_set(struct la_heap *heap, const struct la_setting_values *setting,
		struct la_error *err);

/**
 * @brief Serve a request.
 * @param heap       heap
 * @param size       bytes; 0 is taken as 1
 * @param stream     a number from la_heap_stream()
 * @param pool       a number from la_heap_pool(), or LA_DEFAULT_POOL; for a
 *                   private pool nothing is flushed, as torch does not while
 *                   a graph is captured or in use_mem_pool()
 * @param[out] block the block; untouched on failure
 * @retval 0       success
 * @retval -ENOSPC out of device memory: an LA_OOM event was sent, unless the
 *                 request is of 2^60 bytes or more, which torch refuses at
 *                 once, or the release has no event of the failure
 *                 (throw_on_cudamalloc_oom; max_split_size_mb with
 *                 expandable_segments in 2.1 to 2.4)
 * @retval -ENOMEM out of host memory; cached memory may have been given back
 * @retval -errno  what the device failed with otherwise
 */
int la_heap_alloc(struct la_heap *heap, uint64_t size, int stream, int pool,
		  la_block *block);

/**
 * @brief Free a block that no other stream uses.
 * @param heap  heap
 * @param block a live block; invalid afterwards
 * @return 0; policy torch cannot fail here
 */
int la_heap_release(struct la_heap *heap, la_block block);

/**
 * @brief Free a block that other streams may still use.
 * @param heap  heap
 * @param block a live block; pending afterwards, until
 *              la_heap_free_complete() or the next flush, which completes
 *              all pending blocks and counts up la_heap_stats.syncs
 */
void la_heap_free_request(struct la_heap *heap, la_block block);

/**
 * @brief Other streams are done with a block.
 * @param heap  heap
 * @param block a pending block; invalid afterwards
 * @return 0; policy torch cannot fail here
 */
int la_heap_free_complete(struct la_heap *heap, la_block block);

/**
 * @brief Wait for pending blocks, then give back every wholly free segment
 *        and every free granule of expandable ones
 *        (torch.cuda.empty_cache()).
 * @param heap heap
 * @retval 0       success
 * @retval -ENOMEM out of host memory; a part was given back
 * @retval -errno  what the device failed with; a part was given back
 */
int la_heap_empty_cache(struct la_heap *heap);

/**
 * @brief Address of a block.
 * @param heap  heap
 * @param block a live or pending block
 * @return its address
 */
uint64_t la_heap_addr(const struct la_heap *heap, la_block block);

/**
 * @brief Read the counters.
 * @param heap heap
 * @return the counters, owned by the heap
 */
const struct la_heap_stats *la_heap_stats(const struct la_heap *heap);

/** @brief State of a block. */
enum la_block_state {
	LA_BLOCK_FREE, /**< cached */
	LA_BLOCK_LIVE, /**< handed out */
	LA_BLOCK_PENDING /**< freed, but other streams may still use it */
};

/** @brief One block of a heap, as la_heap_walk() shows it. */
struct la_block_info {
	uint64_t addr; /**< its address */
	uint64_t size; /**< its bytes */
	uint64_t requested; /**< bytes of the request; 0: free */
	/** Its segment: what one cudaMalloc gave, or the mapped range of a
	 *  reservation that it lies in. */
	uint64_t segment_addr;
	uint64_t segment_size; /**< bytes of that */
	/** Bytes that an expandable segment maps at once, counted from the
	 *  start of the range; 0: it is not of an expandable segment. */
	uint64_t granule;
	uint64_t stream; /**< raw value */
	uint64_t pool[2]; /**< id; 0, 0: the default pool */
	la_block block; /**< live and pending ones: their number */
	enum la_block_state state; /**< what it is used for */
	bool small; /**< of the small blocks of its pool */
};

/** @brief Receives one block; must not call the heap. */
typedef void la_heap_visitor(void *data, const struct la_block_info *info);

/**
 * @brief Show all blocks of a heap, as torch.cuda.memory_snapshot() would.
 * @param heap    heap
 * @param visitor receives each block: segments in no order, the blocks of
 *                one in order of their addresses
 * @param data    first argument of visitor
 */
void la_heap_walk(const struct la_heap *heap, la_heap_visitor *visitor,
		  void *data);

/** @brief Bins of a histogram of holes. */
#define LA_HOLE_BINS 64

/** @brief Free blocks. */
struct la_holes {
	uint64_t count; /**< their number */
	uint64_t bytes; /**< their sum */
	uint64_t largest; /**< bytes of the largest */
	uint64_t bin_count[LA_HOLE_BINS]; /**< k: 2^k to 2^(k+1) - 1 bytes */
	uint64_t bin_bytes[LA_HOLE_BINS]; /**< sums of these */
};

/** @brief What one stream has of the small or large blocks of a pool: only
 *  here its requests find free blocks. */
struct la_picture_part {
	uint64_t pool[2]; /**< id; 0, 0: the default pool */
	uint64_t stream; /**< raw value */
	bool small; /**< of the small blocks */
	uint64_t segments; /**< segments, and mapped ranges of reservations */
	uint64_t ranges; /**< of these, mapped ranges of reservations */
	uint64_t reserved; /**< bytes of the segments and ranges */
	uint64_t range_bytes; /**< of these, bytes of ranges */
	uint64_t live; /**< bytes of live blocks */
	uint64_t live_count; /**< live blocks */
	uint64_t pending; /**< bytes of pending blocks */
	uint64_t pending_count; /**< pending blocks */
	uint64_t requested; /**< bytes that live and pending ones serve */
	/** Bytes of wholly free segments and granules: they could go back to
	 *  the device. */
	uint64_t idle;
	struct la_holes holes; /**< free blocks */
};

/** @brief What a heap holds at some moment. */
struct la_picture {
	struct la_picture_part *part; /**< by pool, stream, large first */
	size_t part_count; /**< number of these */
	struct la_picture_part total; /**< sums; pool, stream, small unset */
};

/**
 * @brief Sum up what a heap holds.
 * @param heap     heap
 * @param[out] out the sums; untouched on failure
 * @retval 0       success; release with la_picture_release()
 * @retval -ENOMEM out of host memory
 */
int la_heap_picture(const struct la_heap *heap, struct la_picture *out);

/**
 * @brief Release what a picture owns.
 * @param picture picture; all zeros for no action
 */
void la_picture_release(struct la_picture *picture);

/**
 * @brief Check the structure: neighbours, order, sums.
 * @param heap heap
 * @param err  what is broken, may be NULL
 * @retval 0      sound
 * @retval -EUCLEAN broken
 */
int la_heap_check(const struct la_heap *heap, struct la_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_HEAP_H */
