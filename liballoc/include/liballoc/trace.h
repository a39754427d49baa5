/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trace.h
 * @brief Recordings: what an allocator did with a program.
 *
 * Reads the pickles of torch.cuda.memory._dump_snapshot() and their kin,
 * plain or compressed, without ever executing what they say.  Input is
 * untrusted: depth, nodes and memory are bounded.
 */
#ifndef LIBALLOC_TRACE_H
#define LIBALLOC_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A recording; immutable. */
struct la_recording;

/** @brief A block of a segment at the end of the recording. */
struct la_recorded_block {
	uint64_t size; /**< bytes */
	uint64_t requested; /**< bytes of the request, 0 if unknown */
	uint8_t state; /**< enum la_recorded_state */
	uint32_t stack; /**< who asked for it, see la_recording_stack() */
};

/** @brief State of a recorded block. */
enum la_recorded_state {
	LA_RECORDED_FREE, /**< 'inactive' */
	LA_RECORDED_LIVE, /**< 'active_allocated' */
	LA_RECORDED_PENDING /**< 'active_pending_free' */
};

/** @brief A segment at the end of the recording. */
struct la_recorded_segment {
	uint64_t addr; /**< address */
	uint64_t size; /**< bytes */
	uint64_t pool[2]; /**< segment_pool_id; 0, 0: the default pool */
	uint32_t stream; /**< index into the recording's streams */
	uint32_t first_block; /**< index into la_recorded_device.blocks */
	uint32_t block_count; /**< blocks in address order */
	uint32_t stack; /**< who caused it, see la_recording_stack() */
	bool small; /**< of the small pool */
	bool expandable; /**< mapped range of a reservation */
};

/** @brief What was recorded of one device; arrays belong to the recording. */
struct la_recorded_device {
	const struct la_event *events; /**< in order of time */
	size_t event_count; /**< number of events */
	const struct la_recorded_segment *segments; /**< by address */
	size_t segment_count; /**< number of segments */
	const struct la_recorded_block *blocks; /**< of all segments */
	size_t block_count; /**< number of blocks */
	const char *setting; /**< the companion's, else the snapshot's; NULL */
	/** The snapshot's own: what was in force when it was taken; NULL */
	const char *setting_at_end;
	/** Cap in bytes from the companion; 0: none; UINT64_MAX: unknown */
	uint64_t cap;
	uint64_t total; /**< bytes of the card from the companion; 0: unknown */
	size_t unknown_count; /**< events of kinds unknown here, left out */
	bool has_pool_ids; /**< events tell their pool (torch 2.12) */
	/** By event: see la_recording_stack(); NULL: no event has a stack */
	const uint32_t *event_stacks;
};

/** @brief A frame of a stack, of Python or of C++. */
struct la_frame {
	const char *function; /**< name of the function; NULL: unknown */
	const char *file; /**< name of the file; NULL: unknown */
	uint32_t line; /**< in the file; 0: unknown */
};

/** @brief A mark in a program's course (torch.profiler.record_function). */
struct la_annotation {
	const char *name; /**< what begins or ends, owned by the recording */
	uint64_t time_us; /**< Unix time in microseconds */
	unsigned int device; /**< index of the device */
	bool is_end; /**< it ends; else it begins */
};

/** @brief What became of the companion file. */
enum la_companion_state {
	LA_COMPANION_NONE, /**< there is none */
	LA_COMPANION_READ, /**< it was read */
	LA_COMPANION_UNREADABLE /**< there is one; this build lacks jansson */
};

/** @brief How to read. */
struct la_recording_options {
	bool partial; /**< use what a truncated file gives */
	uint64_t memory_limit; /**< bytes of host memory; 0: 16 GiB */
};

/**
 * @brief Read a recording, and the companion file beside it if there is one.
 * @param[out] out the recording; untouched on failure
 * @param path     file, "-" for standard input (no companion)
 * @param options  how, or NULL
 * @param err      what is wrong and where, may be NULL
 * @retval 0          success; release with la_recording_free()
 * @retval -EBADMSG   not a recording, or damaged; err has the offset
 * @retval -E2BIG     exceeds the bounds on depth, nodes or memory
 * @retval -ENOTSUP   compressed with something left out of this build
 * @retval -ENOMEM    out of memory
 * @retval -errno     the file cannot be read
 *
 * The companion of X.pickle, X.pickle.xz, ... is X.json: an object with
 * `conf` (string), `cap` (bytes; 0: none), `total` (bytes), `torch`, `gpu`;
 * conf, cap and total may be lists with one value a device.
 */
int la_recording_open(struct la_recording **out, const char *path,
		      const struct la_recording_options *options,
		      struct la_error *err);

/**
 * @brief Read a recording from memory.
 * @param[out] out the recording; untouched on failure
 * @param data     the bytes, plain or compressed
 * @param size     number of bytes
 * @param options  how, or NULL
 * @param err      what is wrong and where, may be NULL
 * @return as la_recording_open()
 */
int la_recording_read(struct la_recording **out, const void *data, size_t size,
		      const struct la_recording_options *options,
		      struct la_error *err);

/**
 * @brief Release a recording.
 * @param recording recording, or NULL for no action
 */
void la_recording_free(struct la_recording *recording);

/**
 * @brief Number of devices that a recording speaks of.
 * @param recording recording
 * @return number of devices, at least 1
 */
unsigned int la_recording_device_count(const struct la_recording *recording);

/**
 * @brief The device with the most events, the first of equals.
 * @param recording recording
 * @return its index
 */
unsigned int la_recording_main_device(const struct la_recording *recording);

/**
 * @brief What was recorded of one device.
 * @param recording recording
 * @param device    index below la_recording_device_count()
 * @return the device, owned by the recording
 */
const struct la_recorded_device *
la_recording_device(const struct la_recording *recording, unsigned int device);

/**
 * @brief The raw value of a stream.
 * @param recording recording
 * @param stream    index, as in struct la_event
 * @return the value that torch recorded, 0 for the default stream
 */
uint64_t la_recording_stream(const struct la_recording *recording,
			     uint32_t stream);

/**
 * @brief Number of streams of all devices.
 * @param recording recording
 * @return number of streams
 */
uint32_t la_recording_stream_count(const struct la_recording *recording);

/**
 * @brief The id of a pool that events name.
 * @param recording recording
 * @param pool      index, as in struct la_event
 * @param[out] id   as in la_recorded_segment.pool; index 0 is 0, 0, which
 *                  stands for an unknown pool too
 */
void la_recording_pool(const struct la_recording *recording, uint16_t pool,
		       uint64_t id[2]);

/**
 * @brief Number of pools that events of all devices name.
 * @param recording recording
 * @return number of pools, at least 1
 */
uint32_t la_recording_pool_count(const struct la_recording *recording);

/**
 * @brief The frames of a stack, the innermost first.
 * @param recording   recording
 * @param stack       number; 0: nothing is known, which has no frames
 * @param[out] frames numbers of frames, owned by the recording, or NULL
 * @return number of frames
 *
 * Equal stacks have one number, and equal frames too.  Stacks beyond 32 MiB
 * of distinct ones are left out: what has one has number 0.
 */
size_t la_recording_stack(const struct la_recording *recording, uint32_t stack,
			  const uint32_t **frames);

/**
 * @brief Number of stacks, numbered from 0.
 * @param recording recording
 * @return number of stacks, at least 1
 */
uint32_t la_recording_stack_count(const struct la_recording *recording);

/**
 * @brief Number of lists of frames that were left out.
 * @param recording recording
 * @return number of lists as they are in the file, not of distinct ones
 */
uint64_t la_recording_lost_stack_count(const struct la_recording *recording);

/**
 * @brief A frame.
 * @param recording recording
 * @param frame     number, of la_recording_stack()
 * @return the frame, owned by the recording
 */
const struct la_frame *la_recording_frame(const struct la_recording *recording,
					  uint32_t frame);

/**
 * @brief Number of frames, numbered from 0.
 * @param recording recording
 * @return number of frames
 */
uint32_t la_recording_frame_count(const struct la_recording *recording);

/**
 * @brief What the program said of its course (external_annotations, torch
 *        2.6).
 * @param recording  recording
 * @param[out] count number of annotations
 * @return the annotations of all devices as they are in the file, owned by
 *         the recording
 */
const struct la_annotation *
la_recording_annotations(const struct la_recording *recording, size_t *count);

/**
 * @brief The torch release that the companion names, e.g. "2.11.0+cu130".
 * @param recording recording
 * @return the release, owned by the recording; NULL if unknown
 */
const char *la_recording_torch(const struct la_recording *recording);

/**
 * @brief The releases of torch that write the keys which a snapshot has.
 * @param recording  recording
 * @param[out] range the oldest and the newest, as LA_RELEASE() has them; 0
 *                   and UINT_MAX where nothing bounds them
 */
void la_recording_releases(const struct la_recording *recording,
			   unsigned int range[2]);

/**
 * @brief Was a truncated file read (la_recording_options.partial)?
 * @param recording recording
 * @return true if something is missing at the end
 */
bool la_recording_is_partial(const struct la_recording *recording);

/**
 * @brief Was there a companion file, and was it read?
 * @param recording recording
 * @return what became of it
 */
enum la_companion_state
la_recording_companion(const struct la_recording *recording);

/** @brief Formats of files that la_recording_write() knows. */
enum la_recording_format {
	/** A snapshot as torch dumps it, of pickle protocol 4 */
	LA_FORMAT_PICKLE,
	/** JSON of trace events for Perfetto and chrome://tracing: counters of
	 * bytes reserved, allocated and active, and instants, by device */
	LA_FORMAT_PERFETTO,
	/** RFC 4180: one line an event, below a line of names */
	LA_FORMAT_CSV
};

/**
 * @brief Takes what is written.
 * @param data  the caller's
 * @param bytes what comes next
 * @param size  number of bytes, not 0
 * @return 0, or a negative errno value: then nothing more is given
 */
typedef int la_recording_sink(void *data, const void *bytes, size_t size);

/**
 * @brief Write a recording.
 * @param recording recording
 * @param format    in which format
 * @param sink      takes the bytes, in order
 * @param data      given to sink
 * @param err       what is wrong, may be NULL
 * @retval 0       success
 * @retval -EINVAL no such format
 * @retval -ENOMEM out of memory
 * @return else what sink returned
 *
 * A pickle holds all that a recording has read from one, but nothing of the
 * companion file.
 */
int la_recording_write(const struct la_recording *recording,
		       enum la_recording_format format, la_recording_sink *sink,
		       void *data, struct la_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_TRACE_H */
