/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file triage.h
 * @brief Why memory ran out: from messages and recordings to facts, from
 *        facts to a verdict, and what would have helped.
 *
 * Messages (la_log), recordings (la_facts_of_recording()) and core files
 * (la_core) give facts; what one of them lacks, la_facts_merge() takes from
 * another.  la_verdict_reach() judges facts alone, whoever gathered them.
 * la_remedies_replay() replays what other settings would have done.
 */
#ifndef LIBALLOC_TRIAGE_H
#define LIBALLOC_TRIAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>
#include <liballoc/probe.h>
#include <liballoc/replay.h>
#include <liballoc/setting.h>
#include <liballoc/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief How a number was learnt. */
enum la_basis {
	LA_BASIS_NONE, /**< it is not known */
	LA_BASIS_PRINTED, /**< read of a message, which rounds */
	LA_BASIS_RECORDED, /**< read of a recording: exact */
	LA_BASIS_DERIVED, /**< follows from other numbers */
	LA_BASIS_GIVEN /**< the caller says so */
};

/** @brief Bytes that are known to lie between two bounds. */
struct la_amount {
	uint64_t low; /**< least bytes */
	uint64_t high; /**< most bytes, not below low */
	enum la_basis basis; /**< how this was learnt; NONE: bounds are 0 */
	uint64_t line; /**< of the log, from 1; 0: not read of a log */
};

/** @brief The amounts that facts have; names: la_amount_name(). */
enum la_amount_id {
	/** What the program asked for; a message tells LA_AMOUNT_SEGMENT only,
	 *  from which this follows within bounds */
	LA_AMOUNT_REQUEST,
	/** What was asked of the device for it: "Tried to allocate" */
	LA_AMOUNT_SEGMENT,
	LA_AMOUNT_TOTAL, /**< the card */
	LA_AMOUNT_FREE, /**< of the card, as the driver says */
	LA_AMOUNT_ALLOWED, /**< the cap; known only where one is in force */
	LA_AMOUNT_RESERVED, /**< held by the allocator */
	LA_AMOUNT_ALLOCATED, /**< of that: in blocks in use or pending */
	/** Reserved and in no such block, nor in private pools */
	LA_AMOUNT_UNALLOCATED,
	LA_AMOUNT_PRIVATE, /**< free bytes of private pools */
	LA_AMOUNT_PROCESS, /**< this process, as the driver says */
	LA_AMOUNT_OTHERS, /**< other processes that were named, in all */
	LA_AMOUNT_CONTEXT, /**< this process, beyond the allocator */
	/** Of that: other allocators in the process (probe) */
	LA_AMOUNT_OTHER_ALLOCATORS,
	LA_AMOUNT_OTHER_CACHES, /**< of that: what they could give back */
	/** Below: exact, of recordings only.  Largest free block that the
	 *  request could have used: of its pool, stream and class */
	LA_AMOUNT_LARGEST,
	LA_AMOUNT_OWN_FREE, /**< free bytes there */
	LA_AMOUNT_STREAM_FREE, /**< free bytes of other streams there */
	LA_AMOUNT_CLASS_FREE, /**< free bytes of the other class of blocks */
	LA_AMOUNT_PENDING, /**< in blocks that wait for other streams */
	/** Bytes of blocks in use beyond what was asked for */
	LA_AMOUNT_ROUNDING,
	/** Free bytes in mapped ranges of expandable segments */
	LA_AMOUNT_PAGES_FREE,
	LA_AMOUNT_LEAK, /**< what grew beyond the start, see la_growth */
	LA_AMOUNT_COUNT /**< number of amounts, not one */
};

/**
 * @brief The name of an amount in reports and JSON, e.g. "unallocated".
 * @param id amount
 * @return a static text
 */
const char *la_amount_name(enum la_amount_id id);

/** @brief What kind of failure it was: decides which questions make sense. */
enum la_oom_kind {
	LA_OOM_CACHING, /**< PyTorch's caching allocator, of any backend */
	LA_OOM_CAP, /**< the same: refused ahead of any call, by its cap */
	LA_OOM_ASYNC, /**< PyTorch's backend:cudaMallocAsync */
	LA_OOM_MPS, /**< PyTorch's allocator for Apple's GPUs */
	LA_OOM_MAPPING, /**< a call that maps expandable segments */
	LA_OOM_CALL, /**< a CUDA call, not an allocator's */
	LA_OOM_LIBRARY, /**< cuBLAS, cuDNN, NCCL */
	LA_OOM_ABSURD, /**< more than any machine has */
	LA_OOM_ASSERTED, /**< an assertion failed while reporting an OOM */
	LA_OOM_FRAMEWORK, /**< another framework's allocator */
	LA_OOM_HARMLESS, /**< its warning, which is no failure */
	LA_OOM_LOOKALIKE, /**< not about device memory at all */
	LA_OOM_HOST, /**< the host's memory: a call failed */
	LA_OOM_KILLED, /**< the host's memory: the process was killed */
	LA_OOM_SHARED, /**< the host's /dev/shm is full */
	LA_OOM_PINNED, /**< pinned host memory */
	LA_OOM_FAULT, /**< the GPU reported a fault (NVRM Xid) */
	LA_OOM_KIND_COUNT /**< number of kinds, not one */
};

/** @brief A process that holds memory of the card. */
struct la_process {
	uint64_t pid; /**< as the message has it */
	struct la_amount memory; /**< what it holds */
};

/** @brief How long before an OOM, in events, what is live was asked for. */
enum la_age {
	LA_AGE_HUNDREDTH, /**< in the last hundredth of the recording */
	LA_AGE_TENTH, /**< in the last tenth, before that */
	LA_AGE_HALF, /**< in the last half, before that */
	LA_AGE_OLDER, /**< in the first half */
	LA_AGE_BEFORE, /**< before the recording began */
	LA_AGE_COUNT /**< number of ages, not one */
};

/** @brief Whether the memory that stays live grows from step to step. */
struct la_growth {
	/** The test was made: there were enough steps. */
	bool tested;
	bool grows; /**< and it says so, see la_facts_of_recording() */
	double slope; /**< bytes a step, Theil-Sen */
	double p; /**< of Mann-Kendall's test, one-sided */
	size_t windows; /**< steps or slices that were compared */
	bool marked; /**< windows are the program's own steps, not slices */
	uint64_t first; /**< least live bytes in the first of them */
	uint64_t last; /**< ... in the last of them */
	/** Steps from the last window until nothing is left; 0: unknown */
	double steps_left;
	uint32_t stack; /**< that grew most, see la_recording_stack(); 0 */
	uint64_t size; /**< rounded bytes of the requests that grew most */
	uint64_t stack_bytes; /**< bytes by which that site or size grew */
};

/** @brief All that is known of one OOM.  All zeros: nothing. */
struct la_facts {
	enum la_oom_kind kind; /**< what kind of failure */
	/** Stable id of the form of the message ("F5", "cublas", ...), static;
	 *  NULL: no message */
	const char *form;
	const char *framework; /**< "pytorch", "jax" ..., static; NULL */
	const char *backend; /**< "cuda", "hip", "xpu" ..., static; NULL */
	char *text; /**< the message as one line, owned; NULL */
	uint64_t line[2]; /**< first and last line of it; 0: no log */
	uint64_t count; /**< times that it was seen, at least 1 */
	int64_t device; /**< index; -1: unknown */
	int64_t rank; /**< of a distributed job; -1: unknown */
	int64_t pid; /**< of the failed process; -1: unknown */
	/** Releases of torch whose message or snapshot looks so; 0 and
	 *  UINT_MAX where nothing bounds them */
	unsigned int release[2];
	char *setting; /**< that was in force, owned; NULL: unknown */
	struct la_amount amount[LA_AMOUNT_COUNT]; /**< by enum la_amount_id */
	struct la_process *process; /**< other processes, owned */
	size_t process_count; /**< number of these */
	/** The driver could not say what processes hold (Windows, WSL2): what
	 *  it printed is not a number */
	bool processes_unknown;
	bool truncated; /**< the message ends early */
	/** Of a probe: bits 1 << enum la_probe_level of what was seen then;
	 *  0: not of a probe */
	unsigned int views;

	bool recorded; /**< a recording is behind this */
	uint64_t event; /**< recorded: number of the OOM event */
	uint64_t survived; /**< recorded: earlier OOMs that were caught */
	bool went_on; /**< recorded: the program went on after this one */
	bool exact; /**< recorded: replay reproduces every event */
	bool late; /**< recorded: history starts late (a ring, say) */
	bool expandable; /**< recorded: some segments are expandable */
	/** recorded, or of a probe: it came from a private pool */
	bool private_request;
	struct la_growth growth; /**< recorded: the leak test */
	/** recorded: bytes in use or pending, as asked for and rounded up to
	 *  512, by enum la_age; BEFORE has what rounding takes too */
	uint64_t age[LA_AGE_COUNT];
	struct la_holder *holder; /**< recorded: most bytes first, owned */
	uint32_t *holder_stack; /**< their stacks, owned; 0: unknown */
	size_t holder_count; /**< number of these, at most 10 */
};

/**
 * @brief Release what facts own.
 * @param facts facts; all zeros for no action
 */
void la_facts_release(struct la_facts *facts);

/**
 * @brief Do a message and a recording speak of the same OOM?
 * @param one   facts
 * @param other facts
 * @return true if nothing that both know contradicts, and they share at least
 *         the size asked for, or the message is all there is of that device
 */
bool la_facts_match(const struct la_facts *one, const struct la_facts *other);

/**
 * @brief Complete facts by what others tell of the same OOM.
 * @param facts what is completed; where both know an amount the narrower
 *              bounds stay, of equal ones those of a probe if this is a replay
 *              that is not exact
 * @param other the others
 * @param err   what is wrong, may be NULL
 * @retval 0       success
 * @retval -ENOMEM out of memory; facts are as before
 */
int la_facts_merge(struct la_facts *facts, const struct la_facts *other,
		   struct la_error *err);

/** @brief Finds messages in a log as it comes. */
struct la_log;

/** @brief Most different messages that a log keeps; see la_log_lost(). */
#define LA_LOG_MAX 256

/**
 * @brief Begin to read a log.
 * @param[out] out the reader; release with la_log_free()
 * @retval 0       success
 * @retval -ENOMEM out of memory
 *
 * Memory is bounded, however long log and lines are.
 */
int la_log_new(struct la_log **out);

/**
 * @brief Read more of a log.
 * @param log  the reader
 * @param data bytes, cut anywhere
 * @param size number of bytes
 * @retval 0       success
 * @retval -ENOMEM out of memory
 *
 * Any bytes are a log.  Prefixes of launchers, colours, carriage returns and
 * wrapped lines are seen through; a message that comes again is counted.
 */
int la_log_feed(struct la_log *log, const void *data, size_t size);

/**
 * @brief Read the rest of a file as a log, unpacking it if it is compressed.
 * @param log the reader
 * @param fd  the file, which stays the caller's
 * @param err what is wrong, may be NULL
 * @retval 0        success; also where a compressed file ends early
 * @retval -EBADMSG compressed and damaged; what came before was read
 * @retval -ENOTSUP compressed with something left out of this build
 * @retval -ENOMEM  out of memory
 * @retval -errno   the file cannot be read
 */
int la_log_read(struct la_log *log, int fd, struct la_error *err);

/**
 * @brief Say that a log has ended, so that a message at its end counts.
 * @param log the reader
 * @retval 0       success
 * @retval -ENOMEM out of memory
 */
int la_log_finish(struct la_log *log);

/**
 * @brief What was found, after la_log_finish().
 * @param log        the reader
 * @param[out] count number of messages
 * @return facts in order of their first line, owned by the reader
 */
struct la_facts *la_log_facts(struct la_log *log, size_t *count);

/**
 * @brief Lines that were read.
 * @param log the reader
 * @return number of lines
 */
uint64_t la_log_lines(const struct la_log *log);

/**
 * @brief Different messages that were not kept as there were too many.
 * @param log the reader
 * @return number of messages
 */
uint64_t la_log_lost(const struct la_log *log);

/**
 * @brief Release a reader.
 * @param log the reader, or NULL for no action
 */
void la_log_free(struct la_log *log);

/**
 * @brief The facts of the OOM with which a recording ends, or its last one.
 * @param[out] out  the facts, for la_facts_release(); untouched on failure
 * @param recording the recording
 * @param device    index of the device
 * @param program   read of it, or NULL where that was not possible
 * @param err       what is wrong, may be NULL
 * @retval 0       success
 * @retval -ENOENT there is no OOM; out has the state at the end, and growth
 * @retval -ENOMEM out of memory
 *
 * A recording without history (state only) has no OOM of its own; with a
 * message of the same moment, la_facts_merge() completes it.
 *
 * Leak test: the least live bytes of each step (of each of 20 slices where
 * there are no steps), the first fifth left out; it grows if last - first is
 * at least the request and 5 % of the limit, and Mann-Kendall's p is below
 * 0.01 over at least 8 of them, steadily and without a plateau at the end,
 * while the program freed much besides (half of the growth in steps, eight
 * times the growth in slices), and one call site or size has a tenth of it.
 */
int la_facts_of_recording(struct la_facts *out,
			  const struct la_recording *recording,
			  unsigned int device,
			  const struct la_program *program,
			  struct la_error *err);

/**
 * @brief The driver's facts of an episode.
 * @param[out] out the facts, for la_facts_release(); untouched on failure
 * @param probe    probe
 * @param oom      index of the episode, see la_probe_ooms()
 * @param err      what is wrong, may be NULL
 * @retval 0       success
 * @retval -ENOENT no such episode
 * @retval -ENOMEM out of memory
 *
 * la_facts_merge() adds them to la_facts_of_recording(), and prefers them where
 * its replay is not exact.  Alone they may prove that a request is larger than
 * the card, that other processes, contexts or a pool hold the memory.  What the
 * allocator held and could not use they tell where its records reach back to
 * what was live, and add up to what it said itself; but for streams.
 */
int la_facts_of_probe(struct la_facts *out, const struct la_probe *probe,
		      size_t oom, struct la_error *err);

/** @brief Causes; names: la_cause_name(). */
enum la_cause {
	LA_CAUSE_CANNOT_TELL,
	LA_CAUSE_FRAGMENTATION,
	LA_CAUSE_PAGE_FRAGMENTATION,
	LA_CAUSE_POOL_FRAGMENTATION, /**< of cudaMallocAsync's pool */
	LA_CAUSE_CROSS_STREAM,
	LA_CAUSE_GRAPH_POOL_HOLD,
	LA_CAUSE_ROUNDING,
	LA_CAUSE_FRACTION_CAP,
	LA_CAUSE_CUSTOM_LIMIT, /**< of a plug-in or quota */
	LA_CAUSE_REQUEST_TOO_LARGE,
	LA_CAUSE_ABSURD_SIZE,
	LA_CAUSE_OTHER_PROCESS,
	LA_CAUSE_OTHER_ALLOCATOR,
	LA_CAUSE_LEAK,
	LA_CAUSE_DRIVER_OVERHEAD,
	/** Enough was free, and yet the driver refused: its own limits and
	 *  fragmentation, or memory that was freed right after */
	LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT,
	LA_CAUSE_VA_EXHAUSTED, /**< no addresses for expandable segments */
	LA_CAUSE_TRANSIENT,
	LA_CAUSE_HOST_PINNED,
	LA_CAUSE_HOST_MEMORY,
	LA_CAUSE_NOT_THIS_ALLOCATOR,
	LA_CAUSE_CAPACITY,
	LA_CAUSE_COMBINED,
	LA_CAUSE_COUNT /**< number of causes, not one */
};

/**
 * @brief The stable id of a cause, e.g. "FRAGMENTATION".
 * @param cause cause
 * @return a static text
 */
const char *la_cause_name(enum la_cause cause);

/** @brief How sure a verdict is. */
enum la_grade {
	LA_GRADE_UNKNOWN, /**< nothing decides */
	LA_GRADE_CONSISTENT, /**< rounded or partial facts agree */
	LA_GRADE_STRONG, /**< inequalities of exact facts hold */
	LA_GRADE_PROVEN /**< replay fails as recorded and passes without it */
};

/**
 * @brief The name of a grade, e.g. "STRONG".
 * @param grade grade
 * @return a static text
 */
const char *la_grade_name(enum la_grade grade);

/** @brief Coarse classes of OOMs, by a rule on facts alone. */
enum la_label {
	LA_LABEL_UNKNOWN,
	LA_LABEL_NOT_PYTORCH,
	LA_LABEL_FRACTION_CAP,
	LA_LABEL_DRIVER_OR_CONTEXT,
	LA_LABEL_FRAGMENTATION,
	LA_LABEL_OTHER_PROCESS,
	LA_LABEL_LEAK,
	LA_LABEL_CAPACITY
};

/**
 * @brief The name of a label, e.g. "other_process".
 * @param label label
 * @return a static text
 */
const char *la_label_name(enum la_label label);

/** @brief What if; names: la_margin_name(). */
enum la_margin_id {
	LA_MARGIN_AS_IT_WAS, /**< free' - segment */
	LA_MARGIN_CONTIGUOUS, /**< the allocator's free bytes in one piece */
	LA_MARGIN_UNCACHED, /**< other caches of the process were emptied */
	LA_MARGIN_ALONE, /**< no other process on the card */
	LA_MARGIN_UNCAPPED, /**< no cap */
	LA_MARGIN_NO_LEAK, /**< what leaks were given back */
	LA_MARGIN_LEAN, /**< the context took what it needs at least */
	LA_MARGIN_UNROUNDED, /**< blocks as large as asked for */
	LA_MARGIN_ALL, /**< all of these but the cap */
	LA_MARGIN_COUNT /**< number of margins, not one */
};

/**
 * @brief The name of a margin in reports and JSON, e.g. "contiguous".
 * @param id margin
 * @return a static text
 */
const char *la_margin_name(enum la_margin_id id);

/** @brief Bytes that would have been left, or were missing if negative. */
struct la_margin {
	bool known; /**< the facts determine it */
	int64_t low; /**< at least */
	int64_t high; /**< at most */
};

/** @brief Where the card's bytes are; names: la_ledger_name(). */
enum la_ledger_id {
	LA_LEDGER_REQUESTED, /**< in blocks in use, as asked for */
	LA_LEDGER_ROUNDING, /**< in blocks in use, beyond that */
	LA_LEDGER_UNALLOCATED, /**< cached, not in private pools */
	LA_LEDGER_PRIVATE, /**< cached in private pools */
	/** This process beyond its allocator, and beyond the next */
	LA_LEDGER_CONTEXT,
	LA_LEDGER_OTHER_ALLOCATORS, /**< other allocators in the process */
	LA_LEDGER_OTHERS, /**< other processes that were named */
	LA_LEDGER_UNEXPLAINED, /**< the rest; may be below 0 on Windows */
	LA_LEDGER_FREE, /**< free */
	LA_LEDGER_COUNT /**< number of rows, not one */
};

/**
 * @brief The name of a row of the ledger in reports and JSON.
 * @param id row
 * @return a static text
 */
const char *la_ledger_name(enum la_ledger_id id);

/** @brief Gets past the failed request? */
enum la_past {
	LA_PAST_UNKNOWN, /**< what is known does not determine it */
	LA_PAST_STUCK, /**< no */
	LA_PAST_DEPENDS, /**< on the driver's placement, or on the limit */
	LA_PAST_PAST /**< yes; the program may run out later */
};

/**
 * @brief The name of an answer in JSON: "past", "stuck" ...
 * @param past answer
 * @return a static text
 */
const char *la_past_name(enum la_past past);

/** @brief What facts say. */
struct la_verdict {
	enum la_cause cause; /**< the first that would have sufficed */
	enum la_grade grade; /**< how sure that is */
	enum la_label label; /**< computed of the facts, not of cause */
	/** What contributed or would also have sufficed, by weight */
	enum la_cause contributing[LA_CAUSE_COUNT];
	size_t contributing_count; /**< number of these */
	/** COMBINED: the two that suffice together */
	enum la_cause pair[2];
	struct la_margin margin[LA_MARGIN_COUNT]; /**< by enum la_margin_id */
	/** Rows that sum to LA_AMOUNT_TOTAL, by enum la_ledger_id; all
	 *  unknown where the card's size is. */
	struct la_margin ledger[LA_LEDGER_COUNT];
	/** A setting of expandable segments gets past the request, by the
	 *  facts alone: what is allowed, less what is allocated, covers it */
	enum la_past expandable;
};

/**
 * @brief Complete the amounts of facts that follow from others.
 * @param facts facts
 *
 * Reserved is allocated + unallocated + private; the request follows from the
 * segment (2 MiB: at most 1 MiB, 20 MiB: 1 to 10 MiB, else up to 2 MiB less,
 * more under roundup_power2_divisions); others is the sum of the processes.
 * Idempotent; la_verdict_reach() works on facts so completed.
 */
void la_facts_complete(struct la_facts *facts);

/**
 * @brief Judge facts.
 * @param[out] verdict the verdict
 * @param facts        completed facts, see la_facts_complete()
 *
 * The first cause in the order of what it costs the user to end it; a cause
 * is named only if its inequality holds for all amounts within the bounds.
 */
void la_verdict_reach(struct la_verdict *verdict, const struct la_facts *facts);

/** @brief What is replayed. */
enum la_trial_kind {
	LA_TRIAL_SETTING, /**< another setting */
	LA_TRIAL_PACKED, /**< ideal packing: live bytes alone */
	LA_TRIAL_UNCAPPED, /**< the same setting without the cap */
	LA_TRIAL_EMPTIED, /**< empty_cache() just before the request */
	/** empty_cache() at each step; no row where no steps are found */
	LA_TRIAL_STEPS,
	/** The same at steps with more than 80 % of the limit reserved */
	LA_TRIAL_STEPS_ABOVE
};

/** @brief One row of the remedy table. */
struct la_trial {
	enum la_trial_kind kind; /**< what was tried */
	char *setting; /**< verbatim, owned; NULL unless LA_TRIAL_SETTING */
	bool current; /**< the setting in force */
	bool asked; /**< the caller's own */
	bool tuned; /**< found by search */
	/** What la_setting_check() says against it in that release, owned;
	 *  then it is not advised.  NULL: nothing */
	char *objection;
	enum la_past past; /**< gets past the failed request? */
	/** It fails where the current setting does not, or earlier */
	bool worse;
	bool known; /**< what follows is known; it is of the rule layout */
	uint64_t reserved; /**< bytes at that moment, the request included */
	uint64_t headroom; /**< bytes left below the limit then */
	struct la_device_operations operations; /**< up to that moment */
	double seconds; /**< that these cost, by la_costs_default() */
	/** With a program: the whole run; else LA_PAST_UNKNOWN */
	enum la_past whole;
	uint64_t whole_reserved; /**< highest bytes of that run */
};

/** @brief How to replay remedies. */
struct la_remedies_options {
	const char *const *setting; /**< the caller's own; may be NULL */
	size_t setting_count; /**< number of these */
	/** The same program recorded without a limit, or NULL */
	const struct la_program *whole;
	bool tune; /**< search for a setting too; takes seconds to minutes */
	unsigned int jobs; /**< threads; 0: one */
	unsigned int release; /**< whose settings are tried; 0: recorded */
};

/**
 * @brief Replay a failed program under what could have helped.
 * @param[out] out   rows: the current setting first, then the caller's, then
 *                   others; release with la_trials_free()
 * @param[out] count number of rows
 * @param program    the program; it has an OOM
 * @param facts      of that OOM
 * @param options    how
 * @param err        what is wrong, may be NULL
 * @retval 0       success
 * @retval -ENOENT no request failed
 * @retval -ENOMEM out of memory
 *
 * A setting of the caller's that torch refuses is a row with an objection.
 * Getting past one request is not finishing: the recording ends there.
 * A history that starts late is replayed twice, from what was held then (of
 * expandable segments: in their pages) and from live bytes packed as the
 * setting would at best.  The answer is LA_PAST_UNKNOWN where these disagree,
 * or pass with less than 20 MiB left (without expandable segments: a part in
 * 32 of the limit), for settings that may have failed before, if they pass, and
 * for expandable segments and garbage collection, if they fail with 20 MiB left
 * beside what is live.
 */
int la_remedies_replay(struct la_trial **out, size_t *count,
		       const struct la_program *program,
		       const struct la_facts *facts,
		       const struct la_remedies_options *options,
		       struct la_error *err);

/**
 * @brief Release rows.
 * @param trial rows, or NULL for no action
 * @param count number of rows
 */
void la_trials_free(struct la_trial *trial, size_t count);

/**
 * @brief Raise or lower the grade of a verdict by what replay gave.
 * @param verdict the verdict
 * @param facts   the facts behind it
 * @param trial   rows of la_remedies_replay()
 * @param count   number of rows
 *
 * PROVEN: the recording is reproduced in full, its own setting fails at the
 * same event, and what the cause names ends the failure when replayed.  Of a
 * probe's recording that is STRONG, as it does not tell requests and streams.
 */
void la_verdict_prove(struct la_verdict *verdict, const struct la_facts *facts,
		      const struct la_trial *trial, size_t count);

/** @brief A remedy of conf/remedies.yaml. */
struct la_remedy {
	const char *id; /**< stable, e.g. "expandable-segments" */
	/** "setting", "code", "command" or "action" */
	const char *kind;
	const char *setting; /**< option:value that it adds; NULL: none */
	const char *code; /**< lines to paste; NULL: none */
	unsigned int cost; /**< to the user, 1 (a variable) to 9 (hardware) */
	uint64_t causes; /**< bit n: helps against enum la_cause n */
	/** What to do, as one sentence, by enum la_language */
	const char *text[2];
};

/** @brief Languages of texts. */
enum la_language {
	LA_LANGUAGE_ENGLISH, /**< en */
	LA_LANGUAGE_CHINESE, /**< zh: Simplified Chinese */
	LA_LANGUAGE_COUNT /**< number of languages, not one */
};

/** @brief A remedy chosen for one OOM. */
struct la_advice {
	const struct la_remedy *remedy; /**< static */
	/** The whole setting with what the remedy adds to the one in force,
	 *  owned; NULL where there is none */
	char *setting;
	/** What replay says of that setting or action; NULL: not replayed */
	const struct la_trial *trial;
	/** It would not have helped: it stands here to say so. */
	bool useless;
	/** Factor for a batch size; 0: none */
	double factor;
};

/**
 * @brief The remedies of conf/remedies.yaml when the library was built.
 * @param[out] count number of remedies
 * @return the remedies, cheapest first, static
 */
const struct la_remedy *la_remedies(size_t *count);

/**
 * @brief Choose what to do, cheapest first, and what would not help.
 * @param[out] out   the advice; release with la_advice_free()
 * @param[out] count number of pieces
 * @param facts      facts
 * @param verdict    verdict on them
 * @param trial      rows of la_remedies_replay(), or NULL; outlives the advice
 * @param trials     number of rows
 * @retval 0       success
 * @retval -ENOMEM out of memory
 *
 * What is on already, what the release lacks and what replay refutes is not
 * advised.
 */
int la_advise(struct la_advice **out, size_t *count,
	      const struct la_facts *facts, const struct la_verdict *verdict,
	      const struct la_trial *trial, size_t trials);

/**
 * @brief Release advice.
 * @param advice advice, or NULL for no action
 * @param count  number of pieces
 */
void la_advice_free(struct la_advice *advice, size_t count);

/** @brief The memory of a dead process (an ELF core file). */
struct la_core;

/**
 * @brief Open a core file.  Nothing in it is executed.
 * @param[out] out the core; untouched on failure
 * @param path     file; plain, or compressed as coredumpctl's store has it
 * @param err      what is wrong and where, may be NULL
 * @retval 0        success; release with la_core_free()
 * @retval -EBADMSG not a core file, or damaged; err has the offset
 * @retval -ENOTSUP compressed with something left out of this build
 * @retval -ENOMEM  out of memory
 * @retval -errno   the file cannot be read
 */
int la_core_open(struct la_core **out, const char *path, struct la_error *err);

/**
 * @brief Find allocator messages in the memory of a core.
 * @param core the core
 * @param log  takes what is found; the caller ends it with la_log_finish()
 * @param err  what is wrong and where, may be NULL
 * @retval 0      success, also if nothing was found
 * @retval -errno the file cannot be read
 */
int la_core_search(struct la_core *core, struct la_log *log,
		   struct la_error *err);

/** @brief What a core says of its process. */
struct la_core_info {
	const char *command; /**< its name; NULL: unknown */
	const char *arguments; /**< its command line; NULL: unknown */
	int64_t pid; /**< -1: unknown */
	int signal; /**< that ended it; 0: unknown */
	/** The file ends before what it promises; of a compressed one that
	 *  is known after la_core_search() */
	bool truncated;
	/** "NAME=value", known after la_core_search(): its environment at
	 *  the start, in order, then variables of PyTorch's allocator that
	 *  were found elsewhere, such as were set later */
	const char *const *environment;
	size_t environment_count; /**< number of these */
	size_t started_count; /**< of these: at the start */
};

/**
 * @brief What a core says of its process.
 * @param core the core
 * @return the information, owned by the core
 */
const struct la_core_info *la_core_info(const struct la_core *core);

/**
 * @brief Release a core.
 * @param core core, or NULL for no action
 */
void la_core_free(struct la_core *core);

#ifdef __cplusplus
}
#endif

#endif /* LIBALLOC_TRIAGE_H */
