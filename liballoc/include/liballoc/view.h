/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file view.h
 * @brief What there is to be seen of a recording or of a replay: bytes over
 *        time, and the map of addresses at any moment.
 *
 * Events are numbered from 0 as they are shown: those of the recording, where
 * LA_SNAPSHOT and LA_ANNOTATE do not count, or what the heap of a replay did.
 * Over time blocks take what was requested, rounded up to 512 bytes; at a
 * moment they have the bytes that they had, with a rest that an allocator did
 * not split off.
 *
 * All functions here take a program of that device of that recording, and
 * borrow what they are given during the call alone; what they fill in is the
 * caller's, but for the names of phases.
 */
#ifndef LIBALLOC_VIEW_H
#define LIBALLOC_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/event.h>
#include <liballoc/replay.h>
#include <liballoc/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief What to look at, and how closely. */
struct la_view_options {
	/** A replay; NULL, or no program: the recorded events as they are.
	 *  Its listeners, moment and oom are not used. */
	const struct la_replay_options *replay;
	size_t point_count; /**< most points; 0: one an event */
};

/** @brief One event of a view, or something that was there at its start. */
struct la_view_event {
	uint64_t event; /**< its number; UINT64_MAX: there at the start */
	/** Event of the recording that it is about, as in replay.h;
	 *  UINT64_MAX: there at the start */
	uint64_t origin;
	uint64_t addr; /**< address; LA_OOM: bytes free on the device */
	uint64_t size; /**< bytes, see enum la_action */
	/** LA_ALLOC: bytes of the block that it got, of which its request
	 *  leaves some unused; 0: unknown */
	uint64_t block;
	uint64_t time_us; /**< Unix time in microseconds, 0 if unknown */
	/** Frees of blocks: which LA_ALLOC that was shown it is about, counted
	 *  from 0; UINT64_MAX: none, and the event changes nothing */
	uint64_t request;
	/** Of memory that is given (LA_SEGMENT_ALLOC, LA_SEGMENT_MAP): id of
	 *  its pool; 0, 0: the default pool */
	uint64_t pool[2];
	uint32_t stream; /**< index into the recording's streams */
	uint32_t stack; /**< who caused it, see la_recording_stack() */
	/** enum la_action; LA_SNAPSHOT: it was left out when the recording was
	 *  read, see la_program_info.first_event */
	uint8_t action;
	bool small; /**< of memory that is given: of the small pool */
};

/**
 * @brief Takes an event.
 * @param data  the caller's
 * @param event the event, valid during the call
 * @return 0, or a negative errno value: then nothing more is shown, and a
 *         replay ends
 */
typedef int la_view_visitor(void *data, const struct la_view_event *event);

/**
 * @brief Show all events: first what was there at the start, as
 *        LA_SEGMENT_ALLOC or LA_SEGMENT_MAP and LA_ALLOC (and
 *        LA_FREE_REQUESTED, if it was pending), then each in order.
 * @param recording recording
 * @param device    index of the device
 * @param program   its program; NULL if it has no events
 * @param options   what to look at, or NULL
 * @param visitor   takes each event
 * @param data      first argument of visitor
 * @param err       what is wrong, may be NULL; filled also where visitor
 *                  ended it
 * @retval 0       success
 * @retval -EINVAL the recording has no such device
 * @retval -ENOMEM out of memory
 * @return else what visitor returned, or as la_replay()
 *
 * Takes memory for what is held at one moment; of recorded events besides
 * 8 bytes each, and a replay, which tells the sizes of blocks.
 */
int la_view_walk(const struct la_recording *recording, unsigned int device,
		 const struct la_program *program,
		 const struct la_view_options *options,
		 la_view_visitor *visitor, void *data, struct la_error *err);

/** @brief Bytes during some events that follow one another. */
struct la_timeline_point {
	uint64_t event; /**< first of the events that it stands for */
	uint64_t time_us; /**< Unix time in microseconds of it; 0: unknown */
	/** Least and most bytes of live and pending blocks, each rounded up to
	 *  512 bytes, behind these events; here and below UINT64_MAX stands
	 *  for more, too, which only events that are made up claim */
	uint64_t live[2];
	uint64_t reserved[2]; /**< least and most bytes of segments */
};

/** @brief A request that failed. */
struct la_view_oom {
	uint64_t event; /**< its number */
	uint64_t size; /**< bytes of the request */
};

/** @brief A part of a program that it gave a name (record_function). */
struct la_view_phase {
	uint64_t event[2]; /**< begins before one, ends before the other */
	const char *name; /**< owned by the recording */
};

/** @brief Bytes over time. */
struct la_timeline {
	struct la_timeline_point *point; /**< owned; by event */
	size_t point_count; /**< number of points */
	uint64_t event_count; /**< number of events that they stand for */
	uint64_t peak; /**< event before which most is live, the first such */
	uint64_t peak_live; /**< bytes of live and pending blocks then */
	uint64_t peak_reserved; /**< most bytes of segments, at any event */
	struct la_limit limit; /**< what bounded the heap */
	uint64_t total; /**< bytes of the card; 0: unknown */
	struct la_view_oom *oom; /**< owned; by event */
	size_t oom_count; /**< number of these */
	struct la_view_phase *phase; /**< owned; by first event */
	size_t phase_count; /**< number of these */
};

/**
 * @brief Read bytes over time.
 * @param[out] out  the timeline; untouched on failure
 * @param recording recording; it owns the names of phases
 * @param device    index of the device
 * @param program   its program; NULL if it has no events
 * @param options   what to look at, or NULL
 * @param err       what is wrong, may be NULL
 * @retval 0       success; release with la_timeline_release()
 * @retval -EINVAL the recording has no such device
 * @retval -ENOMEM out of memory
 * @return else as la_replay()
 *
 * However many events a point stands for, it has their extremes.  Takes
 * 48 bytes a point, at most twice over, besides what la_view_walk() does.
 */
int la_timeline_read(struct la_timeline *out,
		     const struct la_recording *recording, unsigned int device,
		     const struct la_program *program,
		     const struct la_view_options *options,
		     struct la_error *err);

/**
 * @brief Release what a timeline owns.
 * @param timeline timeline; all zeros for no action
 */
void la_timeline_release(struct la_timeline *timeline);

/** @brief State of a block. */
enum la_map_state {
	LA_MAP_FREE, /**< nobody's */
	LA_MAP_LIVE, /**< handed out */
	LA_MAP_PENDING /**< freed, but other streams may still use it */
};

/** @brief A piece of a segment. */
struct la_map_block {
	uint64_t addr; /**< address */
	/** Bytes, with those behind the request; where they are unknown, the
	 *  request's, rounded up to 512 */
	uint64_t size;
	uint64_t requested; /**< bytes of the request; 0: free, or unknown */
	uint64_t event; /**< of its request; UINT64_MAX: before the recording */
	uint32_t stream; /**< index into the recording's streams */
	uint32_t stack; /**< who asked for it, see la_recording_stack() */
	uint8_t state; /**< enum la_map_state */
};

/** @brief Memory that the device gave: a segment, or the mapped range of a
 *  reservation. */
struct la_map_segment {
	uint64_t addr; /**< address */
	uint64_t size; /**< bytes */
	uint64_t pool[2]; /**< id; 0, 0: the default pool */
	uint32_t stream; /**< index into the recording's streams */
	uint32_t first_block; /**< index into la_map.block */
	uint32_t block_count; /**< blocks by address, without a gap */
	bool small; /**< of the small pool */
	bool expandable; /**< mapped range of a reservation */
};

/** @brief What lies where at one moment. */
struct la_map {
	uint64_t event; /**< the moment: before this event */
	struct la_map_segment *segment; /**< owned; by address */
	size_t segment_count; /**< number of segments */
	struct la_map_block *block; /**< owned; of all segments */
	size_t block_count; /**< number of blocks */
};

/**
 * @brief Read what lies where at one moment.
 * @param[out] out  the map; untouched on failure
 * @param recording recording
 * @param device    index of the device
 * @param program   its program; NULL if it has no events
 * @param options   what to look at, or NULL
 * @param event     the heap before this event; la_timeline.event_count or
 *                  more: at the end
 * @param err       what is wrong, may be NULL
 * @retval 0       success; release with la_map_release()
 * @retval -EINVAL the recording has no such device
 * @retval -ENOMEM out of memory
 * @return else as la_replay()
 */
int la_map_read(struct la_map *out, const struct la_recording *recording,
		unsigned int device, const struct la_program *program,
		const struct la_view_options *options, uint64_t event,
		struct la_error *err);

/**
 * @brief Release what a map owns.
 * @param map map; all zeros for no action
 */
void la_map_release(struct la_map *map);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_VIEW_H */
