/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the store share; others include store.h.  Read
 * store_open() first, then store_record() in chunks.c, then table.c.
 */
#ifndef PROBE_PARTS_H
#define PROBE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <liballoc/probe-format.h>

#include "core/config.h"
#include "core/spin.h"

enum {
	PROBE_FILE_SIZE = 64 << 20, /* bytes, if nothing is set */
	PROBE_FILE_LEAST = 4 << 20, /* bytes of the smallest useful file */
	PROBE_SHARDS = 64, /* parts of the table, at most */
	PROBE_CACHE_LINE = 64
};

/* The folder of the files, open; a lock on it keeps processes that begin
 * together from taking the same room twice. */
struct place {
	int fd;
	char path[400];
};

/* place.c: 0, or -errno after a line in message. */
int place_open(struct place *place, const struct config *config,
	       char message[256]);
void place_close(struct place *place);

/* room.c: bytes that a file may have, at most wanted; 0: too few.  Removes
 * old files where that is needed. */
uint64_t room_make(const struct place *place, uint64_t node_size,
		   uint64_t wanted);

/* header.c: what is known of the process.  Not layout and magic. */
void header_fill(struct la_probe_header *header, const struct config *config);
void header_boot_id(char boot_id[40]);
void header_host(char host[64]);
uint64_t header_start_time(pid_t pid); /* 0: there is no such process */

/* Of one chunk, in memory of the process alone: threads that are about to
 * write to it.  One that finds it taken from it leaves it as it is. */
struct chunk_guard {
	_Alignas(PROBE_CACHE_LINE) unsigned int writers;
};

/* chunks.c.  Make a number that others may raise too at least value. */
void store_raise(uint64_t *peak, uint64_t value);
void chunks_init(enum la_probe_level level, struct la_probe_chunk *chunks,
		 uint64_t count, struct chunk_guard *guards);

/* Of one shard, in memory of the process alone. */
struct shard {
	_Alignas(PROBE_CACHE_LINE) spinlock lock;
	uint64_t used; /* slots, under the lock */
};

/* table.c: slots is a power of two; shards: zeros, PROBE_SHARDS of them. */
void table_init(struct la_probe_holding *holdings, uint64_t slots,
		struct shard *shards);

#endif /* PROBE_PARTS_H */
