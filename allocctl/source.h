/* SPDX-License-Identifier: Apache-2.0 */
/* A recording, and the program behind one of its devices. */
#ifndef ALLOCCTL_SOURCE_H
#define ALLOCCTL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/replay.h>

#include "util/json.h"

#define SOURCE_MAIN_DEVICE UINT64_MAX

struct source {
	const char *path;
	uint64_t device; /* index, or SOURCE_MAIN_DEVICE */
	bool partial; /* use what a truncated file gives */
	bool no_memory; /* there was none to open it */
	struct la_recording *recording; /* owned */
	struct la_program *program; /* owned */
	const struct la_program_info *info; /* of program */
	struct la_verification check; /* the self-check */
};

/*
 * Read path, then the program of the device, and replay that under its own
 * setting and limit.  Options tell what the user knows better, or NULL.
 * source_open() does both.  Returns STATUS_DONE, or another status after a
 * message.
 */
int source_open_recording(struct source *source);
int source_open_program(struct source *source,
			const struct la_program_options *options);
int source_open(struct source *source,
		const struct la_program_options *options);

/* Warn of a companion file that this build cannot read. */
void source_check_companion(const struct source *source);

/* Does the recording have events, requests, final segments of the device? */
bool source_has_history(const struct source *source);
bool source_has_requests(const struct source *source);
bool source_has_segments(const struct source *source);

/* The setting that it tells, valid or not; NULL: none. */
const char *source_setting(const struct source *source);

void source_close(struct source *source);

/*
 * Can the program be played under another setting?  STATUS_DONE, or another
 * status after a message: nothing was asked for, or the events were only
 * understood up to some point.
 */
int source_check_program(const struct source *source);

/* Was all that was recorded understood? */
bool source_is_understood(const struct source *source);

/* "1 GiB cap, from the companion file", what was reproduced, and what was
 * not determined: the head of every report. */
void source_print(const struct source *source);

/* The same as members "file" to "self_check" of an object. */
void source_json(const struct source *source, struct la_json *json);

/* Members of an object that tell of a limit. */
void source_json_limit(struct la_json *json, const char *key,
		       const struct la_limit *limit);

/* A member [lowest, highest]; UINT64_MAX, for no bound, becomes null. */
void source_json_range(struct la_json *json, const char *key,
		       const uint64_t range[2]);

void source_json_operations(struct la_json *json, const char *key,
			    const struct la_device_operations *operations);

/* "none", "cap", "card", by enum la_limit_kind. */
extern const char *const source_limit_kinds[];

/* "none", "cap of 1.00 GiB" or "card of 1.00 GiB". */
const char *source_limit_text(char text[64], const struct la_limit *limit);

/* How the recorded limit was learnt: "the companion file". */
const char *source_limit_source(const struct la_program_info *info);

/* The release of torch whose rules are taken: "2.11". */
const char *source_release(const struct la_program_info *info);

/* A number with commas: "28,951". */
const char *source_count_text(char text[32], uint64_t count);

/* A stream as it was recorded: "0", or "0x5581aa". */
const char *source_stream_text(char text[32],
			       const struct la_recording *recording,
			       uint32_t stream);

#endif /* ALLOCCTL_SOURCE_H */
