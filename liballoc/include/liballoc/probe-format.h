/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file probe-format.h
 * @brief The file in which cupti-probe records one process.
 *
 * Layouts only, for whoever writes or reads such a file; la_probe_open()
 * reads it for you.  The file is mapped while the process runs, and whatever
 * was stored before the process died is in it.  All numbers are those of the
 * machine that wrote them; times are nanoseconds of CLOCK_MONOTONIC; sizes and
 * offsets are bytes.  In order:
 *
 *     struct la_probe_header     one page
 *     struct la_probe_device     [LA_PROBE_DEVICES], by the driver's ordinal
 *     struct la_probe_oom        [LA_PROBE_OOMS]
 *     struct la_probe_holding    the table of what is live
 *     struct la_probe_chunk      chunks of the driver's level
 *     struct la_probe_chunk      chunks of the allocator's level
 *
 * Offsets and counts stand in the header.  A reader must accept any bytes.
 * As long as the process lives the file is locked as by flock(2), LOCK_EX.
 */
#ifndef LIBALLOC_PROBE_FORMAT_H
#define LIBALLOC_PROBE_FORMAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief la_probe_header.magic, with its zero byte. */
#define LA_PROBE_MAGIC "LAPROBE"

/** @brief Numbers of the format. */
enum {
	LA_PROBE_VERSION = 1, /**< of this layout */
	LA_PROBE_ENDIAN = 0x01020304, /**< la_probe_header.endian */
	LA_PROBE_PAGE = 4096, /**< bytes of the header */
	LA_PROBE_DEVICES = 32, /**< devices that are told apart */
	LA_PROBE_OOMS = 32, /**< OOMs whose details are kept */
	LA_PROBE_PROCESSES = 24, /**< processes kept of one OOM */
	LA_PROBE_CHUNK_RECORDS = 1023, /**< records of a chunk */
	LA_PROBE_SERIAL_SHIFT = 10 /**< see la_probe_record.sequence */
};

/** @brief From where something was seen: levels of records, and views. */
enum la_probe_level {
	LA_PROBE_DRIVER, /**< calls of the driver */
	LA_PROBE_ALLOCATOR, /**< what PyTorch's allocator reports */
	LA_PROBE_LEVELS /**< number of levels, not one */
};

/** @brief Who saw the driver's calls. */
enum la_probe_front {
	LA_PROBE_FRONT_NONE, /**< nobody: memory is sampled only */
	LA_PROBE_FRONT_CUPTI, /**< callbacks of CUPTI */
	LA_PROBE_FRONT_PRELOAD /**< interposed functions */
};

/** @brief What a record tells.  Numbers are only ever appended. */
enum la_probe_op {
	LA_PROBE_OP_NONE, /**< not one */
	/** cuMemAlloc and its kin: addr, size; other: enum la_probe_kind */
	LA_PROBE_OP_ALLOC,
	LA_PROBE_OP_FREE, /**< cuMemFree: addr; size where it was known */
	LA_PROBE_OP_ASYNC_ALLOC, /**< addr, size, stream; other: the pool */
	LA_PROBE_OP_ASYNC_FREE, /**< addr, stream; size where it was known */
	LA_PROBE_OP_HOST_ALLOC, /**< pinned: addr, size */
	LA_PROBE_OP_HOST_FREE, /**< addr */
	LA_PROBE_OP_HOST_REGISTER, /**< addr, size */
	LA_PROBE_OP_HOST_UNREGISTER, /**< addr */
	LA_PROBE_OP_RESERVE, /**< addresses: addr, size */
	LA_PROBE_OP_UNRESERVE, /**< addr, size */
	/** physical memory: addr is the handle, size; other: PHYSICAL, or
	 *  HOST, of enum la_probe_kind */
	LA_PROBE_OP_CREATE,
	LA_PROBE_OP_RELEASE, /**< addr is the handle */
	LA_PROBE_OP_RETAIN, /**< addr is the handle */
	LA_PROBE_OP_IMPORT, /**< addr is the handle; bytes of another's */
	LA_PROBE_OP_MAP, /**< addr, size; other: the handle */
	LA_PROBE_OP_UNMAP, /**< addr, size */
	LA_PROBE_OP_ACCESS, /**< addr, size */
	LA_PROBE_OP_ARRAY_CREATE, /**< addr: the handle; size: an estimate */
	LA_PROBE_OP_ARRAY_DESTROY, /**< addr is the handle */
	LA_PROBE_OP_POOL_CREATE, /**< addr is the pool */
	LA_PROBE_OP_POOL_DESTROY, /**< addr is the pool */
	LA_PROBE_OP_POOL_TRIM, /**< addr is the pool, size: bytes to keep */
	LA_PROBE_OP_POOL_SET, /**< addr is the pool; other: the attribute */
	LA_PROBE_OP_GRAPH_ALLOC, /**< a node: addr, size */
	LA_PROBE_OP_GRAPH_FREE, /**< a node: addr */
	LA_PROBE_OP_GRAPH_TRIM, /**< cuDeviceGraphMemTrim */
	LA_PROBE_OP_GRAPH_CREATE, /**< instantiated: addr is the CUgraphExec */
	LA_PROBE_OP_GRAPH_DESTROY, /**< addr is the CUgraphExec */
	LA_PROBE_OP_CAPTURE_BEGIN, /**< of this thread: stream */
	LA_PROBE_OP_CAPTURE_END, /**< of this thread: stream */
	LA_PROBE_OP_IPC_OPEN, /**< addr; memory of another process */
	LA_PROBE_OP_IPC_CLOSE, /**< addr */
	/** addr is the context, size: its cost; other: 0 if that is only known
	 *  to be no more, 1 told by the driver, 2 told by NVML */
	LA_PROBE_OP_CONTEXT_CREATE,
	LA_PROBE_OP_CONTEXT_DESTROY, /**< addr is the context, or 0 */
	LA_PROBE_OP_LIMIT, /**< cuCtxSetLimit: addr is the limit, size */
	LA_PROBE_OP_MODULE_LOAD, /**< addr is the module or library */
	LA_PROBE_OP_MODULE_UNLOAD, /**< addr is the module or library */
	LA_PROBE_OP_OTHER, /**< an entry point without an own kind */
	/** What the driver said: size free, other: total.  call 0: asked by
	 *  the probe itself */
	LA_PROBE_OP_MEMORY,
	/** A first call failed for want of memory: size asked for, other:
	 *  index of the la_probe_oom */
	LA_PROBE_OP_EPISODE_OPEN,
	/** It ended: addr is enum la_probe_oom_state, other: the index */
	LA_PROBE_OP_EPISODE_CLOSE,
	/** The allocator handed out a block: addr, size of the block, stream:
	 *  bytes allocated then, other: bytes reserved then */
	LA_PROBE_OP_BLOCK_ALLOC,
	/** It took one back: the same */
	LA_PROBE_OP_BLOCK_FREE,
	/** It gives up: size asked for; stream and other as above */
	LA_PROBE_OP_BLOCK_OOM,
	LA_PROBE_OP_COUNT /**< number of kinds, not one */
};

/** @brief What holds memory; also how a holding is keyed. */
enum la_probe_kind {
	LA_PROBE_KIND_DEVICE, /**< cuMemAlloc: device memory, by address */
	LA_PROBE_KIND_PHYSICAL, /**< cuMemCreate: device memory, by handle */
	LA_PROBE_KIND_ASYNC, /**< from a driver's pool, by address */
	LA_PROBE_KIND_ARRAY, /**< arrays, by handle; an estimate */
	LA_PROBE_KIND_GRAPH, /**< nodes of graphs, by address */
	LA_PROBE_KIND_MANAGED, /**< cuMemAllocManaged, by address */
	LA_PROBE_KIND_HOST, /**< pinned host memory, by address */
	LA_PROBE_KIND_REGISTERED, /**< registered host memory, by address */
	LA_PROBE_KIND_FOREIGN, /**< another process's, by address or handle */
	LA_PROBE_KIND_ADDRESSES, /**< reserved addresses, no memory */
	LA_PROBE_KIND_MAPPING, /**< mapped range, no memory of its own */
	LA_PROBE_KIND_BLOCK, /**< the allocator's, inside of the above */
	LA_PROBE_KIND_COUNT /**< number of kinds, not one */
};

/** @brief State of an episode that began with a failed call. */
enum la_probe_oom_state {
	LA_PROBE_OOM_NONE, /**< no episode */
	LA_PROBE_OOM_OPEN, /**< nothing has decided it yet */
	LA_PROBE_OOM_RETRIED, /**< a later try of that size succeeded */
	LA_PROBE_OOM_REPORTED, /**< OOM: PyTorch's allocator gave up */
	LA_PROBE_OOM_ASKED, /**< OOM: the program asked how much is free */
	LA_PROBE_OOM_EXPIRED /**< OOM: no success in LA_PROBE_OOM_WAIT */
};

/** @brief After so many nanoseconds without success an episode is an OOM. */
#define LA_PROBE_OOM_WAIT 100000000ull

/** @brief A span in which a level was seen; until 0: to the end. */
struct la_probe_view {
	uint64_t from; /**< time; 0: never seen */
	uint64_t until; /**< time; 0: until the end */
};

/** @brief The first page. */
struct la_probe_header {
	char magic[8]; /**< LA_PROBE_MAGIC; stored last of the header */
	uint32_t version; /**< LA_PROBE_VERSION */
	uint32_t endian; /**< LA_PROBE_ENDIAN */
	uint64_t file_size; /**< bytes of the whole file */
	uint64_t device_offset; /**< of the devices */
	uint64_t oom_offset; /**< of the OOMs */
	uint64_t table_offset; /**< of the table of holdings */
	uint64_t table_slots; /**< number of slots */
	uint64_t chunk_offset[LA_PROBE_LEVELS]; /**< of the first chunk */
	uint64_t chunk_count[LA_PROBE_LEVELS]; /**< number of chunks */

	uint32_t pid; /**< of the process, in its own name space */
	uint32_t uid; /**< its user */
	uint64_t start_time; /**< field 22 of /proc/PID/stat: clock ticks */
	uint64_t monotonic; /**< CLOCK_MONOTONIC when it began, ns */
	uint64_t realtime; /**< CLOCK_REALTIME at that moment, ns */
	char boot_id[40]; /**< /proc/sys/kernel/random/boot_id */
	char host[64]; /**< name of the host */
	char run[40]; /**< CUPTI_PROBE_RUN: names one run of a launcher */
	char exe[256]; /**< /proc/PID/exe, cut */
	char arguments[512]; /**< command line if asked for, cut; blanks */
	char setting[512]; /**< PYTORCH_ALLOC_CONF as torch reads it, cut */
	char torch[32]; /**< release of torch, if it is known */
	/** Ranks, as launchers set them: "RANK=3 LOCAL_RANK=1", cut */
	char job[192];
	char note[512]; /**< lines: what was given up, and why */

	uint32_t front; /**< enum la_probe_front */
	uint32_t driver_version; /**< cuDriverGetVersion(), 0: unknown */
	uint32_t cupti_version; /**< cuptiGetVersion(), 0: not used */
	uint32_t device_count; /**< devices that the process can see */
	struct la_probe_view view[LA_PROBE_LEVELS]; /**< what was seen when */

	uint64_t heartbeat; /**< time of the last sample */
	uint64_t ended; /**< time of a clean exit; 0: none */
	uint64_t episodes; /**< episodes that were opened */
	uint64_t retries; /**< of these: RETRIED */
	uint64_t ooms; /**< of these: REPORTED, ASKED or EXPIRED */
	uint64_t calls; /**< driver calls that were seen */
	uint64_t failed_calls; /**< of these: any result but success */
	uint64_t chunks[LA_PROBE_LEVELS]; /**< chunks taken so far: a ring */
	uint64_t lost_records; /**< not written: no chunk was to be had */
	uint64_t lost_holdings; /**< not kept: the table was full */
	uint64_t hook_time; /**< ns inside hooks, of all threads */
	/** Time of the last record that a later one took the place of: records
	 *  up to it are not all there; 0: none was lost */
	uint64_t lost_until[LA_PROBE_LEVELS];
};

/** @brief A device, by the driver's ordinal.  Each number is whole. */
struct la_probe_device {
	uint8_t uuid[16]; /**< cuDeviceGetUuid(); zeros: not seen */
	char name[64]; /**< cuDeviceGetName() */
	uint64_t total; /**< bytes, as the driver says; 0: not asked */
	uint64_t free; /**< bytes when last asked */
	uint64_t free_time; /**< when that was */
	uint64_t least_free; /**< least bytes of all samples */
	/** Bytes by kind; of BLOCK 0, as allocated tells it */
	uint64_t live[LA_PROBE_KIND_COUNT];
	uint64_t peak[LA_PROBE_KIND_COUNT]; /**< most bytes by kind */
	uint64_t count[LA_PROBE_KIND_COUNT]; /**< holdings by kind */
	/** bytes that contexts took when created, where that is known */
	uint64_t context;
	uint64_t contexts; /**< contexts that live */
	uint64_t allocated; /**< PyTorch's allocator: in blocks */
	uint64_t reserved; /**< PyTorch's allocator: held */
	uint64_t peak_allocated; /**< most bytes */
	uint64_t peak_reserved; /**< most bytes */
	uint64_t blocks; /**< blocks handed out so far */
	uint64_t pool_reserved; /**< the default pool's, when last asked */
	uint64_t pool_used; /**< the default pool's, when last asked */
	uint64_t graph_reserved; /**< of graphs, when last asked */
	uint64_t graph_used; /**< of graphs, when last asked */
	uint64_t ooms; /**< confirmed ones */
	uint64_t retries; /**< episodes that a retry ended */
	uint64_t spare[4]; /**< 0 */
};

/** @brief A process on a device, as NVML lists it. */
struct la_probe_process {
	uint32_t pid; /**< in NVML's name space */
	uint32_t self; /**< 1: taken for the process itself */
	uint64_t used; /**< bytes; UINT64_MAX: not told */
};

/** @brief One episode: what was known when memory ran out. */
struct la_probe_oom {
	uint64_t serial; /**< from 1, stored last; 0: the slot is unused */
	uint64_t time; /**< of the first failure */
	uint64_t closed; /**< time; 0: it is open */
	uint32_t state; /**< enum la_probe_oom_state */
	uint32_t thread; /**< kernel's id */
	uint32_t device; /**< ordinal */
	uint32_t call; /**< callback id of the failing call; 0: none failed */
	int32_t result; /**< CUresult of it */
	uint32_t failures; /**< failed calls in the episode */
	uint32_t frees; /**< freed in the episode, on this thread */
	uint32_t op; /**< enum la_probe_op of the failing call */
	uint64_t size; /**< bytes that the driver was asked for; 0: none */
	uint64_t free; /**< bytes right after the first failure */
	uint64_t total; /**< bytes; 0: the driver could not be asked */
	uint64_t free_last; /**< bytes when the episode closed */
	uint64_t request; /**< what PyTorch reports, rounded; 0: no report */
	uint64_t allocated; /**< PyTorch's allocator at its report */
	uint64_t reserved; /**< PyTorch's allocator at its report */
	uint64_t live[LA_PROBE_KIND_COUNT]; /**< bytes by kind, when closed */
	uint64_t context; /**< la_probe_device.context */
	uint64_t pool_reserved; /**< the default pool's */
	uint64_t pool_used; /**< the default pool's */
	uint64_t graph_reserved; /**< of graphs */
	uint64_t graph_used; /**< of graphs */
	uint64_t nvml_used; /**< of the whole device; 0: NVML was not asked */
	uint64_t nvml_total; /**< of the whole device */
	uint32_t process_count; /**< processes kept */
	uint32_t processes; /**< processes that NVML listed */
	struct la_probe_process process[LA_PROBE_PROCESSES]; /**< most first */
};

/** @brief Something live.  The table is hashed: order means nothing. */
struct la_probe_holding {
	uint64_t addr; /**< address or handle, stored last; 0: empty */
	uint64_t size; /**< bytes */
	uint64_t time; /**< when it was made */
	/** MAPPING: its handle; ASYNC: its pool, 0: the default one; DEVICE,
	 *  MANAGED, ARRAY, HOST, REGISTERED: their context */
	uint64_t other;
	uint32_t thread; /**< that made it */
	/** PHYSICAL: owners of the handle and mappings; others: 1 */
	uint16_t references;
	uint8_t kind; /**< enum la_probe_kind, part of the key */
	uint8_t device; /**< ordinal */
};

/** @brief One event. */
struct la_probe_record {
	/** serial of the chunk << LA_PROBE_SERIAL_SHIFT | index in it + 1,
	 *  stored last: any other value is a record that was not finished */
	uint64_t sequence;
	uint64_t time; /**< after the call; of frees: before it */
	uint64_t addr; /**< see enum la_probe_op */
	uint64_t size; /**< bytes */
	uint64_t stream; /**< handle; else see enum la_probe_op */
	uint64_t other; /**< see enum la_probe_op */
	uint32_t thread; /**< kernel's id */
	uint16_t call; /**< callback id of the entry point; 0: none */
	int16_t result; /**< CUresult */
	uint16_t op; /**< enum la_probe_op */
	uint8_t device; /**< ordinal; 255: unknown */
	uint8_t spare[5]; /**< 0 */
};

/**
 * @brief Records of one thread, in order.
 *
 * A thread takes the next chunk of a level when its own is full, or when half
 * of the ring has been taken since; the chunks of a level are a ring, so the
 * oldest chunk is taken again.
 */
struct la_probe_chunk {
	uint64_t serial; /**< of this use, from 1; 0: unused */
	uint64_t time; /**< when it was taken */
	uint32_t thread; /**< that took it */
	uint32_t spare[11]; /**< 0 */
	struct la_probe_record record[LA_PROBE_CHUNK_RECORDS]; /**< records */
};

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_PROBE_FORMAT_H */
