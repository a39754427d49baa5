/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of the probe in memory: what it would have recorded of a process, and
 * what it would have recorded of one whose snapshot there is.
 */
#ifndef LA_TESTS_PROBE_FILE_H
#define LA_TESTS_PROBE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/probe.h>
#include <liballoc/replay.h>

/* Made of zeros and probe_file_init(); the file's parts, not yet laid out. */
struct probe_file {
	struct la_probe_header header; /* offsets are filled at the end */
	struct la_probe_device device[LA_PROBE_DEVICES];
	struct la_probe_oom oom[LA_PROBE_OOMS];
	size_t oom_count;
	struct la_probe_holding *holding; /* owned */
	size_t holding_count, holding_room;
	struct la_probe_record *record[LA_PROBE_LEVELS]; /* owned */
	size_t record_count[LA_PROBE_LEVELS], record_room[LA_PROBE_LEVELS];
	uint64_t now; /* time of the last record, ns */
	/* Chunks of each level; 0: as many as it takes. */
	size_t chunks[LA_PROBE_LEVELS];
};

void probe_file_init(struct probe_file *file);
void probe_file_release(struct probe_file *file);

/* Append a record; its time is the next microsecond unless it has one. */
void probe_file_record(struct probe_file *file, enum la_probe_level level,
		       const struct la_probe_record *record);
/* A driver's call of thread 100 on device 0 that went well. */
void probe_file_call(struct probe_file *file, enum la_probe_op op,
		     uint64_t addr, uint64_t size);
void probe_file_hold(struct probe_file *file,
		     const struct la_probe_holding *holding);
/* An episode of the next microsecond: serial and time are set. */
struct la_probe_oom *probe_file_oom(struct probe_file *file);

/* The bytes, owned by the caller. */
uint8_t *probe_file_bytes(struct probe_file *file, size_t *size);

/* What happened on a device of a recording that begins with the first
 * allocation; read of it, or NULL for no captures. */
void probe_file_play(struct probe_file *file,
		     const struct la_recording *recording, unsigned int device,
		     const struct la_program *program);

#endif /* LA_TESTS_PROBE_FILE_H */
