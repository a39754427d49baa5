/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file replay.h
 * @brief Play what a program asked for under any setting and limit.
 *
 * A program is read from a recording by replaying it under its own setting
 * and limit; what then comes out is compared with the recording
 * (la_program_verify()).  Under another setting the answer is a replay on a
 * simulated device.
 */
#ifndef LIBALLOC_REPLAY_H
#define LIBALLOC_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>
#include <liballoc/error.h>
#include <liballoc/event.h>
#include <liballoc/heap.h>
#include <liballoc/setting.h>
#include <liballoc/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief What bounds a heap. */
enum la_limit_kind {
	LA_LIMIT_NONE, /**< nothing */
	LA_LIMIT_CAP, /**< a memory fraction: torch refuses */
	LA_LIMIT_CARD /**< the card: the device refuses */
};

/** @brief A limit in bytes. */
struct la_limit {
	enum la_limit_kind kind; /**< what bounds */
	uint64_t bytes; /**< most bytes held; unused for LA_LIMIT_NONE */
};

/** @brief How the limit of a recording was learnt. */
enum la_limit_source {
	LA_LIMIT_FROM_CALLER, /**< la_program_options */
	LA_LIMIT_FROM_COMPANION, /**< the companion file */
	LA_LIMIT_FROM_FRACTION, /**< per_process_memory_fraction x card */
	LA_LIMIT_FROM_OOM, /**< a full card's OOM event */
	LA_LIMIT_FROM_EVENTS /**< the interval that the events allow */
};

/** @brief How the release of a recording was learnt. */
enum la_release_source {
	LA_RELEASE_ASSUMED, /**< nothing tells: 2.11 */
	LA_RELEASE_FROM_CALLER, /**< la_program_options */
	LA_RELEASE_FROM_COMPANION, /**< the companion file */
	LA_RELEASE_FROM_KEYS, /**< the snapshot has not the keys of 2.11 */
	/** What would be taken else does not explain all events; of those
	 *  tried this one explains most */
	LA_RELEASE_FROM_TRIAL
};

/** @brief What a program asked for, independent of any setting. */
struct la_program;

/** @brief A setting that was made while the program ran. */
struct la_setting_at {
	/** Event before which it was made, see la_program_info.event_count */
	uint64_t event;
	/** What was given to the setter; a string that torch refuses counts
	 *  as an empty one, as its parser has started anew by then. */
	const char *setting;
};

/** @brief What the caller knows better than the recording. */
struct la_program_options {
	const char *setting; /**< in force when recording; NULL: recorded */
	const struct la_setting_at *set_at; /**< by event; NULL: find out */
	size_t set_at_count; /**< number of these */
	const struct la_limit *limit; /**< in force then; NULL: find out */
	uint64_t total; /**< bytes of the card; 0: recorded */
	/** Release of torch that recorded: one of la_release_at(); 0: find
	 *  out */
	unsigned int release;
};

/** @brief What was read of a program. */
struct la_program_info {
	unsigned int release; /**< of torch whose rules are taken */
	enum la_release_source release_source; /**< how that was learnt */
	const char *setting; /**< in force when recording */
	/** What was recorded, where the release refuses a part of it: setting
	 *  is the rest.  NULL: it refuses nothing. */
	const char *refused_setting;
	const char *changed_to; /**< given to a setter meanwhile, NULL: none */
	/** The first and the last event before which that explains the
	 *  recording; equal where the caller told it. */
	uint64_t changed_at[2];
	size_t change_count; /**< settings made while the program ran */
	/** In force when recording; of several that explain the events the
	 *  highest; LA_LIMIT_NONE where there was none, or none shows. */
	struct la_limit limit;
	enum la_limit_source limit_source; /**< how that was learnt */
	/** The lowest and the highest limit that explain the events, in
	 *  bytes; UINT64_MAX: no limit. */
	uint64_t limit_range[2];
	uint64_t total; /**< bytes of the card, 0: unknown */
	/** Where that is so: bytes of the card that the spacing of expandable
	 *  segments tells, rounded down by less than 64 MiB; 0: unknown */
	uint64_t total_by_chains;
	/** Events of the recording.  Here and wherever an event has a number
	 *  in this header, LA_SNAPSHOT and LA_ANNOTATE do not count. */
	uint64_t event_count;
	uint64_t request_count; /**< requests that were served */
	uint64_t oom_count; /**< requests that failed */
	bool ends_in_oom; /**< the last request failed */
	uint64_t failed_size; /**< bytes of that request, rounded */
	/** Highest sum of the requests that are in use or pending, each
	 *  rounded up to 512 bytes; the last one counts though it failed. */
	uint64_t peak_live;
	uint64_t flush_count; /**< empty_cache calls read */
	uint64_t refusal_count; /**< refusals of the driver read */
	uint64_t adopted_count; /**< events taken as recorded */
	/** Segments and chains that are gone by the end and were of private
	 *  pools, as the events imply; see la_program_inferred_pools() */
	size_t inferred_count;
	uint64_t unsure_count; /**< blocks of unsure size at the start */
	bool window; /**< the recording starts late */
	/** The program starts here: events before this one contradict later
	 *  ones (history was paused), or are the end of a request. */
	uint64_t first_event;
	/** Events up to here were understood; event_count if all were. */
	uint64_t understood;
};

/**
 * @brief Read the program behind what was recorded of a device.
 * @param[out] out  the program; untouched on failure
 * @param recording the recording; must outlive the program
 * @param device    index of the device
 * @param options   what the caller knows better, or NULL
 * @param err       what is wrong, may be NULL
 * @retval 0        success, also where only a part was understood: see
 *                  la_program_info.understood
 * @retval -EINVAL  options->setting is not valid, or options->set_at tells of
 *                  an event beyond the end
 * @retval -ENOTSUP no torch is known by that release
 * @retval -EBADMSG the events contradict each other
 * @retval -E2BIG   more streams, pools or blocks than are supported
 * @retval -ENOMEM  out of memory
 */
int la_program_new(struct la_program **out,
		   const struct la_recording *recording, unsigned int device,
		   const struct la_program_options *options,
		   struct la_error *err);

/**
 * @brief Release a program.
 * @param program program, or NULL for no action
 */
void la_program_free(struct la_program *program);

/** @brief A segment or chain whose private pool no snapshot tells. */
struct la_inferred_pool {
	uint64_t event; /**< that brought its first memory */
	uint64_t pool[2]; /**< id; meaningless if gone */
	bool gone; /**< the pool too is gone by the end */
};

/**
 * @brief The pools that were inferred, as events before torch 2.12 do not
 *        tell them.
 * @param program program
 * @return la_program_info.inferred_count of them by event, owned by the
 *         program.  All other segments that are gone by the end count as the
 *         default pool's: nothing contradicts that.
 */
const struct la_inferred_pool *
la_program_inferred_pools(const struct la_program *program);

/**
 * @brief What was read of a program.
 * @param program program
 * @return the information, owned by the program
 */
const struct la_program_info *la_program_info(const struct la_program *program);

/**
 * @brief The setting that was in force when recording.
 * @param program program
 * @return its values, owned by the program
 */
const struct la_setting_values *
la_program_setting(const struct la_program *program);

/** @brief What a replay did to the device. */
struct la_device_operations {
	uint64_t mallocs; /**< segments taken (cudaMalloc) */
	uint64_t frees; /**< segments given back (cudaFree) */
	uint64_t maps; /**< pieces mapped into a reservation */
	uint64_t unmaps; /**< pieces unmapped */
	uint64_t synchronisations; /**< waits for all streams in flushes */
	uint64_t creates; /**< policy compact: pieces made */
	uint64_t releases; /**< ... given back */
	uint64_t waits; /**< ... streams told to wait for another */
	uint64_t stalls; /**< ... requests that waited for streams */
};

/** @brief How steps were found. */
enum la_step_source {
	LA_STEPS_NONE, /**< there are none to be seen */
	LA_STEPS_MARKED, /**< snapshots that the program took */
	LA_STEPS_DETECTED /**< by requests that come back in each */
};

/** @brief Where the steps of a program (iterations of its loop) begin. */
struct la_steps {
	enum la_step_source source; /**< how they were found */
	uint64_t *event; /**< ascending; a step begins before the event */
	size_t count; /**< number of these */
	uint64_t size; /**< detected: rounded bytes of the last of these */
};

/**
 * @brief Find the steps of a program.
 * @param[out] out the steps; untouched on failure
 * @param program  program
 * @retval 0       success, also if none were found; release with
 *                 la_steps_release()
 * @retval -ENOMEM out of memory
 *
 * Where the program took four snapshots or more (LA_SNAPSHOT), a step begins
 * behind each.  Else a run of requests is sought that comes back, size by
 * size, at even distances up to the end: between two of them a step begins
 * where the bytes that are live are least.
 */
int la_steps_find(struct la_steps *out, const struct la_program *program);

/**
 * @brief Release what steps own.
 * @param steps steps; all zeros for no action
 */
void la_steps_release(struct la_steps *steps);

/** @brief When a recipe calls torch.cuda.empty_cache(). */
enum la_release_kind {
	LA_RELEASE_NONE, /**< never */
	LA_RELEASE_ABOVE, /**< at a step with much reserved */
	LA_RELEASE_EVERY /**< at each so many steps */
};

/** @brief Calls of torch.cuda.empty_cache() that the program did not make. */
struct la_release_policy {
	enum la_release_kind kind; /**< when */
	/** LA_RELEASE_ABOVE: reserved bytes above this part of the limit, or
	 *  of the card where there is no limit; neither known: never. */
	double ratio;
	uint64_t every; /**< LA_RELEASE_EVERY: steps, at least 1 */
	const struct la_steps *steps; /**< borrowed; unless LA_RELEASE_NONE */
};

/** @brief Live and pending blocks that belong together. */
struct la_holder {
	uint64_t bytes; /**< of the blocks */
	uint64_t count; /**< blocks */
	uint64_t size; /**< largest request, rounded up to 512 bytes */
	/** Event of that request; UINT64_MAX: before the recording. */
	uint64_t event;
};

/**
 * @brief What belongs together: blocks of the same key.
 * @param data  la_replay_options.holder_data
 * @param event event of the request; UINT64_MAX: before the recording
 * @param size  bytes of the request, rounded up to 512
 * @return the key
 */
typedef uint64_t la_holder_key(void *data, uint64_t event, uint64_t size);

/** @brief Where a free block lies, as the request that failed sees it. */
enum la_free_place {
	LA_FREE_OWN, /**< pool, stream and class of the request */
	LA_FREE_STREAMS, /**< other streams of its pool and class */
	LA_FREE_CLASS, /**< its pool's small blocks for a large request, or
			*  large ones for a small request */
	LA_FREE_POOLS, /**< other pools */
	LA_FREE_PLACES /**< number of places, not a place */
};

/** @brief The heap at the moment at which a request failed. */
struct la_oom_state {
	uint64_t event; /**< of the request */
	/** Bytes of the request; 0: the program starts late, and what it
	 *  holds at its start is more than the limit. */
	uint64_t size;
	uint64_t rounded; /**< bytes that the request takes */
	uint64_t segment; /**< bytes that were asked of the device */
	uint64_t stream; /**< of the request, raw value */
	uint64_t pool[2]; /**< of the request, id */
	bool small; /**< the request is one of the small blocks */
	enum la_layout layout; /**< under which it failed */
	struct la_limit limit; /**< what bounded the heap */
	struct la_heap_stats stats; /**< reserved, allocated, active ... */
	struct la_picture picture; /**< owned */
	struct la_holes free[LA_FREE_PLACES]; /**< by enum la_free_place */
	struct la_holder *holder; /**< owned; most bytes first */
	size_t holder_count; /**< number of these */
};

/**
 * @brief Release what a state owns.
 * @param state state; all zeros for no action
 */
void la_oom_state_release(struct la_oom_state *state);

struct la_costs;

/** @brief What a program that starts late begins with: another setting would
 *         have held the same blocks otherwise. */
enum la_start {
	LA_START_HELD, /**< what was held then, as it was */
	/** Its live blocks alone, requested anew on an empty heap */
	LA_START_PACKED,
	/** What was held, moved into expandable segments; pages without a
	 *  block are given back */
	LA_START_CHAINED
};

/** @brief What a replay is about to play. */
struct la_replay_moment {
	uint64_t event; /**< of the recording; UINT64_MAX: the start */
	/** Id of the pool of a request, or of a pool that ends; 0, 0: the
	 *  default pool, or neither, or the start */
	uint64_t pool[2];
};

/** @brief How to replay. */
struct la_replay_options {
	const struct la_setting_values *setting; /**< never NULL */
	/** Who serves the requests; LA_HEAP_COMPACT heeds no setting and no
	 *  layout, starts as LA_START_PACKED, and not with as_recorded. */
	enum la_heap_policy policy;
	/** Release of torch whose rules hold: one of la_release_at(); 0: as
	 *  when recording. */
	unsigned int torch_release;
	struct la_limit limit; /**< what bounds the heap */
	enum la_layout layout; /**< where segments go */
	/** The driver answers as recorded: addresses and refusals.  For the
	 *  recorded setting; limit and layout are not used. */
	bool as_recorded;
	/** The setting changes as it did when recording. */
	bool with_changes;
	la_heap_listener *listener; /**< sees each event, or NULL */
	la_heap_split_listener *split_listener; /**< ... split, or NULL */
	void *listener_data; /**< first argument of both */
	/** Kept up to date for the listeners; NULL: not wanted. */
	struct la_replay_moment *moment;
	/** What operations cost; NULL: the time is not summed up. */
	const struct la_costs *costs;
	/** Calls of empty_cache() that are put in; not with as_recorded. */
	struct la_release_policy release;
	/** Events to play; 0: all.  If the last of these is a request that
	 *  failed, it has to be served. */
	uint64_t event_count;
	/** What a program that starts late begins with; not with
	 *  as_recorded. */
	enum la_start start;
	/** If a request fails: filled, for la_oom_state_release(); all zeros
	 *  before.  NULL: not wanted. */
	struct la_oom_state *oom;
	la_holder_key *holder_key; /**< NULL: by rounded size */
	void *holder_data; /**< first argument of holder_key */
};

/** @brief How a replay ended. */
struct la_replay_result {
	bool ran; /**< every request was served that had to be */
	uint64_t oom_event; /**< event whose request failed, if !ran */
	/** Bytes of that request, if !ran; 0: the program starts late, and
	 *  what it holds at its start is more than the limit. */
	uint64_t oom_size;
	struct la_heap_stats stats; /**< of the heap at the end */
	struct la_device_operations operations; /**< done to the device */
	double seconds; /**< with costs: of these and of waiting for them */
	/** Policy compact, with costs: of the seconds, what memory took that
	 *  was held for the first time.  A longer run takes no more. */
	double first_touch_seconds;
	uint64_t release_count; /**< empty_cache() calls of the policy */
};

/**
 * @brief Play a program on a fresh heap.
 * @param program     program
 * @param options     how
 * @param[out] result how it ended
 * @param err         what is wrong, may be NULL
 * @retval 0        the replay was made; result->ran tells how it ended
 * @retval -EINVAL  the setting's large segments are below 10 MiB; or policy
 *                  compact as recorded
 * @retval -ENOTSUP the setting asks for backend:cudaMallocAsync
 * @retval -ENOMEM  out of memory
 *
 * Requests that failed in the recording and that the program survived are
 * tried and given back at once; the last one must be served if no other
 * request follows it.  A program that starts late begins with what was held
 * then, see enum la_start; where that is more than the limit, free segments
 * are given back.
 * Any number of threads may replay one program.
 */
int la_replay(const struct la_program *program,
	      const struct la_replay_options *options,
	      struct la_replay_result *result, struct la_error *err);

/** @brief Would a program run? */
enum la_outcome {
	LA_OUTCOME_RUNS, /**< under every layout */
	LA_OUTCOME_OOM, /**< under no layout */
	LA_OUTCOME_DEPENDS /**< on the driver's placement */
};

/** @brief One question, replayed under all layouts. */
struct la_answer {
	enum la_outcome outcome; /**< what the layouts agree on */
	unsigned int ran; /**< layouts under which it ran */
	struct la_replay_result rule; /**< under LA_LAYOUT_RULE */
	/** Lowest and highest peak of the bytes held, over the layouts. */
	uint64_t reserved_peak_range[2];
};

/**
 * @brief Play a program under all layouts.
 * @param program     program
 * @param options     how; layout is not used, and listeners hear the rule
 *                    layout alone; with as_recorded there is just one
 *                    replay; oom is of the first layout that fails
 * @param[out] answer what came out
 * @param err         what is wrong, may be NULL
 * @return as la_replay()
 */
int la_replay_all_layouts(const struct la_program *program,
			  const struct la_replay_options *options,
			  struct la_answer *answer, struct la_error *err);

/**
 * @brief Sum up what a device held at the end of a recording: all that one
 *        without history tells.
 * @param recording recording
 * @param device    index of the device
 * @param[out] out  the sums; untouched on failure
 * @retval 0       success; release with la_picture_release()
 * @retval -ENOMEM out of memory
 */
int la_recording_picture(const struct la_recording *recording,
			 unsigned int device, struct la_picture *out);

/** @brief One event, as recorded or as replayed. */
struct la_replay_event {
	enum la_action action; /**< LA_ACTION_COUNT: there is none */
	uint64_t addr; /**< address, 0 for LA_OOM */
	uint64_t size; /**< bytes */
	uint64_t stream; /**< raw stream value */
};

/** @brief What a replay under the recorded setting and limit gave. */
struct la_verification {
	bool exact; /**< all events agree and none was adopted */
	uint64_t placements; /**< allocations recorded */
	uint64_t placements_right; /**< at the recorded address, in order */
	uint64_t segment_events; /**< segment events recorded */
	uint64_t segment_events_right; /**< predicted, in order */
	uint64_t ooms; /**< OOM events recorded */
	uint64_t ooms_right; /**< predicted, in order */
	uint64_t adopted; /**< events taken as recorded */
	uint64_t reserved_peak_recorded; /**< bytes, from the events */
	uint64_t reserved_peak_replayed; /**< bytes */
	uint64_t first_difference; /**< event, or UINT64_MAX */
	struct la_replay_event recorded; /**< there */
	struct la_replay_event replayed; /**< there */
};

/**
 * @brief Replay a program under its own setting and limit and compare.
 * @param program          program
 * @param[out] verification what agreed
 * @param err              what is wrong, may be NULL
 * @retval 0      the comparison was made
 * @retval -errno as la_replay()
 */
int la_program_verify(const struct la_program *program,
		      struct la_verification *verification,
		      struct la_error *err);

/** @brief Smallest limit found, see la_minimum_memory(). */
struct la_minimum {
	uint64_t bytes; /**< smallest limit found, a multiple of 2 MiB */
	uint64_t islands; /**< limits below bytes that passed */
	uint64_t reserved_peak; /**< bytes, without a limit */
};

/**
 * @brief The smallest limit under which a program runs.
 * @param program     program
 * @param options     setting, layout, kind of limit; limit.bytes is not used
 * @param probes      limits to try, spread evenly over the 3 % above the
 *                    result of the bisection, moving up past each failure
 * @param[out] result the limit
 * @param err         what is wrong, may be NULL
 * @retval 0       success
 * @retval -ERANGE no limit suffices
 * @retval -errno  as la_replay()
 *
 * A replay can pass at one limit and fail above it, so what is found is the
 * smallest limit that passed with all larger ones that were tried.
 */
int la_minimum_memory(const struct la_program *program,
		      const struct la_replay_options *options,
		      unsigned int probes, struct la_minimum *result,
		      struct la_error *err);

/** @brief Most sizes that a table of costs has. */
#define LA_COST_POINTS 32

/** @brief The costs of struct la_cost_point, as files name them: X(name). */
#define LA_COST_NAMES(X)                           \
	X(malloc) X(free) X(map) X(unmap) X(create) \
	X(attach) X(detach) X(release)

/** @brief What operations of one size cost, in microseconds. */
struct la_cost_point {
	uint64_t size; /**< bytes */
	double malloc; /**< cudaMalloc */
	double free; /**< cudaFree */
	double map; /**< create, map and set access */
	double unmap; /**< unmap and release */
	double create; /**< cuMemCreate */
	double attach; /**< cuMemMap and cuMemSetAccess */
	double detach; /**< cuMemUnmap */
	double release; /**< cuMemRelease */
};

/** @brief What device operations cost on some machine. */
struct la_costs {
	uint64_t context; /**< bytes that a CUDA context takes of a card */
	double wait; /**< us, of an emptied queue of kernels */
	double order; /**< us, of telling a stream to wait for another */
	struct la_cost_point point[LA_COST_POINTS]; /**< by size, ascending */
	unsigned int point_count; /**< points that are used, at least 1 */
	char gpu[64]; /**< name of what was measured; empty: not said */
	uint64_t total; /**< bytes that it has; 0: not said */
};

/**
 * @brief The costs of conf/device-costs.yaml when the library was built.
 * @return the costs, static
 */
const struct la_costs *la_costs_default(void);

/**
 * @brief Read costs from a file like conf/device-costs.yaml.
 * @param[out] costs the costs; untouched on failure
 * @param path       the file
 * @param err        what is wrong and where, may be NULL
 * @retval 0        success
 * @retval -EBADMSG not such a file, or damaged; err has the offset
 * @retval -ENOTSUP this build has no YAML reader
 * @retval -ENOMEM  out of memory
 * @retval -errno   the file cannot be read
 */
int la_costs_read(struct la_costs *costs, const char *path,
		  struct la_error *err);

/**
 * @brief What one operation costs: linear between the sizes of the table.
 * @param costs  the table
 * @param action LA_SEGMENT_ALLOC, LA_SEGMENT_FREE, LA_SEGMENT_MAP or
 *               LA_SEGMENT_UNMAP; others cost nothing
 * @param size   bytes
 * @return microseconds; below the smallest size its cost, above the largest
 *         along the last line
 */
double la_costs_of(const struct la_costs *costs, enum la_action action,
		   uint64_t size);

/** @brief What replays under one setting gave; of several programs: what is
 *  worst over them. */
struct la_tuned {
	const char *setting; /**< verbatim, owned by the tuning */
	bool asked; /**< the caller's own setting */
	bool recorded; /**< in force when recording */
	/** Why it never wins: what la_setting_check says against it in
	 *  that release; owned by the tuning; NULL: nothing. */
	const char *objection;
	/** Bytes, proven: what is live, or if cut more than the largest limit
	 *  that was seen to fail. */
	uint64_t minimum_memory_at_least;
	bool replayed; /**< this version can; else what follows is unknown */
	/** It cannot be better than others in memory and time by more than
	 *  can be told apart, so that its minimum was not sought. */
	bool cut;
	enum la_outcome outcome; /**< does it run under what was given? */
	bool pareto; /**< none takes less of both memory and time */
	/** Where operations were counted: the caller's limit, or less if the
	 *  setting has a cap of its own; where there is none, or it does not
	 *  fit, what the setting itself needs. */
	struct la_limit limit;
	unsigned int layouts; /**< layouts behind both ranges, 1 or all */
	uint64_t peak_reserved; /**< bytes without a limit, rule layout */
	uint64_t peak_reserved_range[2]; /**< over layouts */
	uint64_t minimum_memory; /**< bytes, rule layout; 0: not known */
	/** Over layouts; at the higher end all layouts were seen to run. */
	uint64_t minimum_memory_range[2];
	uint64_t islands; /**< smaller limits that passed, see la_minimum */
	struct la_device_operations operations; /**< under limit */
	double seconds; /**< estimate of those, and of waiting for them */
	double seconds_unlimited; /**< the same without a limit */
};

/** @brief Replays of programs under many settings. */
struct la_tuning;

/** @brief Told of each piece of work done, from any thread, one at a time. */
typedef void la_tune_progress(void *data, size_t done, size_t total);

/** @brief Asked before each replay, from any thread: true ends the search. */
typedef bool la_tune_stop(void *data);

/** @brief One replay in the rule layout or another, and what it gave. */
struct la_tune_fact {
	uint64_t likeness; /**< the same for settings that replay alike */
	uint32_t program; /**< index of the program */
	enum la_layout layout; /**< where segments went */
	struct la_limit limit; /**< what bounded the heap */
	bool ran; /**< as la_replay_result.ran */
	uint64_t reserved_peak; /**< bytes */
	uint64_t allocated_peak; /**< bytes */
	struct la_device_operations operations; /**< of the device */
	double seconds; /**< estimate of those */
};

/** @brief How to tune. */
struct la_tune_options {
	/** What has to suffice.  LA_LIMIT_NONE: the least is sought, and each
	 *  setting is counted under a cap of its own minimum. */
	struct la_limit limit;
	const char *const *setting; /**< besides the built-in ones */
	size_t setting_count; /**< number of these */
	/** Release that recommendations are for and that is replayed; 0:
	 *  recommended for 2.11, replayed as the recorded one. */
	unsigned int release;
	/** Calls of empty_cache() that are put in, by program; NULL: none. */
	const struct la_release_policy *policy;
	unsigned int jobs; /**< threads; 0: one */
	const struct la_costs *costs; /**< NULL: la_costs_default() */
	la_tune_progress *progress; /**< or NULL */
	la_tune_stop *stop; /**< or NULL */
	void *data; /**< first argument of both */
	/** The share of the replays that is made here, from 1; 0: all.  What
	 *  one share finds is no answer; its facts are for a later search. */
	unsigned int shard;
	unsigned int shard_count; /**< number of shares */
	const struct la_tune_fact *fact; /**< replays that need no repeating */
	size_t fact_count; /**< number of these */
};

/**
 * @brief Replay programs under many settings and find the best one for all.
 * @param[out] out the result; untouched on failure
 * @param program  the programs, say of the ranks of a job
 * @param count    number of programs, at least 1
 * @param options  how
 * @param err      what is wrong, may be NULL
 * @retval 0       success; release with la_tuning_free()
 * @retval -EINVAL torch 2.11 refuses a given setting; err has its words
 * @retval -ENOMEM out of memory
 *
 * A coarse grid is measured in full.  A finer one, and then the neighbours of
 * what is best so far, are first held against that: what fails where it would
 * have to run to be better is cut off.
 *
 * The winner is one that was seen to run under its la_tuned.limit in all
 * layouts.  With a limit: of those that fit, the one that costs the least
 * time; without: the one that needs the least memory.  What is closer than
 * the model can tell apart is decided by the simpler setting.  The result
 * does not depend on the number of threads, nor on facts.
 */
int la_tune(struct la_tuning **out, const struct la_program *const *program,
	    size_t count, const struct la_tune_options *options,
	    struct la_error *err);

/**
 * @brief Release a tuning.
 * @param tuning tuning, or NULL for no action
 */
void la_tuning_free(struct la_tuning *tuning);

/**
 * @brief All settings, the default first.
 * @param tuning     tuning
 * @param[out] count number of settings
 * @return the settings, owned by the tuning
 */
const struct la_tuned *la_tuning_settings(const struct la_tuning *tuning,
					  size_t *count);

/**
 * @brief What one program does under each of la_tuning_settings().
 * @param tuning  tuning
 * @param program index of the program
 * @return as many settings in the same order, owned by the tuning
 */
const struct la_tuned *la_tuning_of_program(const struct la_tuning *tuning,
					    size_t program);

/**
 * @brief The best setting.
 * @param tuning tuning
 * @return one of la_tuning_settings(), or NULL if none fits
 */
const struct la_tuned *la_tuning_winner(const struct la_tuning *tuning);

/**
 * @brief Was the search ended by la_tune_options.stop?
 * @param tuning tuning
 * @return true if so: of the settings some are not replayed, and what wins so
 *         far was perhaps not replayed in all layouts
 */
bool la_tuning_is_partial(const struct la_tuning *tuning);

/**
 * @brief The replays that the search made or was given and used.
 * @param tuning     tuning
 * @param[out] count number of replays
 * @return the replays, owned by the tuning, in no order
 */
const struct la_tune_fact *la_tuning_facts(const struct la_tuning *tuning,
					   size_t *count);

/**
 * @brief Plan where each request goes, knowing the whole program.
 * @param program     program
 * @param[out] bytes  highest address of the plan: one range of addresses
 *                    holds all that the program asks for
 * @param err         what is wrong, may be NULL
 * @retval 0       success
 * @retval -E2BIG  too many requests overlap to plan in reasonable time
 * @retval -ENOMEM out of memory
 *
 * Requests are rounded up to 512 bytes and placed by size, the largest first:
 * at the lowest address, or in the smallest gap (the plan that needs less
 * counts), that is free while the request lives.  This is the greedy-by-size
 * of Pisarchyk and Lee, arXiv 2001.03288.  No allocator that decides as
 * requests come can be expected to do better; streams are ignored.
 */
int la_program_plan(const struct la_program *program, uint64_t *bytes,
		    struct la_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_REPLAY_H */
