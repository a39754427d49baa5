// SPDX-License-Identifier: Apache-2.0
/*
 * Records: each thread writes to a chunk of its own, so that nobody waits for
 * another.  The chunks of a level are a ring; a thread whose chunk is full
 * takes the oldest one, from whoever has it.
 *
 * A chunk must not be taken while its owner stands between having looked at
 * the serial and having written.  The owner therefore counts itself in
 * (writers), looks at the serial, writes, and counts itself out.  The taker
 * counts itself in where nobody was, changes the serial, and gives the chunk
 * up if another has come meanwhile: one of the two sees the other.
 */
#include <string.h>
#include <sys/mman.h>

#include "core/parts.h"
#include "core/store.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum {
	/* Records ahead whose memory is fetched: it is never in the cache. */
	AHEAD = 8,
	/* Chunks ahead whose pages are made ready: more than a hundred thousand
	 * records a second take between two calls of store_prepare(). */
	READY = 32
};

/* Owner: the process; set by chunks_init() before any thread writes. */
static struct {
	struct la_probe_chunk *chunk;
	struct chunk_guard *guard;
	uint64_t count;
} levels[LA_PROBE_LEVELS];

/* Serials up to which pages are ready.  Owner: who calls store_prepare(). */
static uint64_t ready[LA_PROBE_LEVELS];

/* The chunk of this thread; serial 0: none yet. */
static __thread struct {
	struct la_probe_chunk *chunk;
	struct chunk_guard *guard;
	uint64_t serial;
	unsigned int used; /* records */
} mine[LA_PROBE_LEVELS];

void chunks_init(enum la_probe_level level, struct la_probe_chunk *chunks,
		 uint64_t count, struct chunk_guard *guards)
{
	levels[level].chunk = chunks;
	levels[level].guard = guards;
	levels[level].count = count;
}

static uint64_t serial_of(const struct la_probe_chunk *chunk)
{
	return __atomic_load_n(&chunk->serial, __ATOMIC_SEQ_CST);
}

static void leave(struct chunk_guard *guard)
{
	__atomic_sub_fetch(&guard->writers, 1, __ATOMIC_RELEASE);
}

void store_raise(uint64_t *peak, uint64_t value)
{
	uint64_t seen = __atomic_load_n(peak, __ATOMIC_RELAXED);

	while (seen < value &&
	       !__atomic_compare_exchange_n(peak, &seen, value, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* When the last record of a chunk was made; 0: it has none. */
static uint64_t last_time(const struct la_probe_chunk *chunk)
{
	uint64_t serial = serial_of(chunk) << LA_PROBE_SERIAL_SHIFT;
	unsigned int i;

	for (i = LA_PROBE_CHUNK_RECORDS; i; i--)
		if (chunk->record[i - 1].sequence == (serial | i))
			return chunk->record[i - 1].time;
	return 0;
}

/* Make the chunk ours under this serial; false: it cannot be had. */
static bool claim(struct la_probe_chunk *chunk, struct chunk_guard *guard,
		  uint64_t serial, uint64_t *lost_until)
{
	unsigned int nobody = 0;
	bool taken = false;

	if (!__atomic_compare_exchange_n(&guard->writers, &nobody, 1, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	if (serial_of(chunk) < serial) {
		store_raise(lost_until, last_time(chunk));
		__atomic_store_n(&chunk->serial, serial, __ATOMIC_SEQ_CST);
		taken = __atomic_load_n(&guard->writers, __ATOMIC_SEQ_CST) == 1;
	}
	if (taken) {
		chunk->time = store_now();
		chunk->thread = store_thread();
	}
	leave(guard);
	return taken;
}

static bool take_chunk(enum la_probe_level level)
{
	uint64_t *last = &store.header->chunks[level];
	uint64_t tries, serial, at;

	for (tries = 0; tries < levels[level].count; tries++) {
		serial = __atomic_add_fetch(last, 1, __ATOMIC_RELAXED);
		at = (serial - 1) % levels[level].count;
		if (claim(&levels[level].chunk[at], &levels[level].guard[at],
			  serial, &store.header->lost_until[level])) {
			mine[level].chunk = &levels[level].chunk[at];
			mine[level].guard = &levels[level].guard[at];
			mine[level].serial = serial;
			mine[level].used = 0;
			return true;
		}
	}
	return false;
}

/* All but the sequence, then the sequence. */
static void write_record(struct la_probe_record *slot,
			 const struct la_probe_record *record)
{
	const size_t first = sizeof(record->sequence);

	__builtin_prefetch(slot + AHEAD, 1);
	memcpy((char *)slot + first, (const char *)record + first,
	       sizeof(*record) - first);
	__atomic_store_n(&slot->sequence, record->sequence, __ATOMIC_RELEASE);
}

/* A thread that writes rarely must not keep new records in a chunk that is soon
 * taken: what is lost is always of the older half of the ring. */
static bool is_old(enum la_probe_level level)
{
	uint64_t last = __atomic_load_n(&store.header->chunks[level],
					__ATOMIC_RELAXED);

	return (last - mine[level].serial) * 2 > levels[level].count;
}

/* False: this thread has no chunk, or it is full, old or another's by now. */
static bool append(enum la_probe_level level, struct la_probe_record *record)
{
	struct chunk_guard *guard = mine[level].guard;
	bool ours;

	if (!mine[level].serial ||
	    mine[level].used == LA_PROBE_CHUNK_RECORDS || is_old(level))
		return false;
	__atomic_add_fetch(&guard->writers, 1, __ATOMIC_SEQ_CST);
	ours = serial_of(mine[level].chunk) == mine[level].serial;
	if (ours) {
		record->sequence = mine[level].serial << LA_PROBE_SERIAL_SHIFT |
				   (mine[level].used + 1);
		write_record(&mine[level].chunk->record[mine[level].used++],
			     record);
	}
	leave(guard);
	return ours;
}

void store_record(enum la_probe_level level, struct la_probe_record *record)
{
	if (!store.header)
		return;
	if (!record->time)
		record->time = store_now();
	record->thread = store_thread();
	while (!append(level, record)) {
		if (take_chunk(level))
			continue;
		record->sequence = 0;
		__atomic_add_fetch(&store.header->lost_records, 1,
				   __ATOMIC_RELAXED);
		return;
	}
}

static bool prepare(enum la_probe_level level, uint64_t serial)
{
	uint64_t at = (serial - 1) % levels[level].count;

	return madvise(&levels[level].chunk[at], sizeof(struct la_probe_chunk),
		       MADV_POPULATE_WRITE) == 0;
}

void store_prepare(void)
{
	uint64_t serial, last;
	int level;

	for (level = 0; store.header && level < LA_PROBE_LEVELS; level++) {
		serial = __atomic_load_n(&store.header->chunks[level],
					 __ATOMIC_RELAXED) + 1;
		last = serial + (READY < levels[level].count ?
					 READY : levels[level].count);
		if (serial < ready[level])
			serial = ready[level];
		while (serial < last && prepare((enum la_probe_level)level,
						serial))
			serial++;
		ready[level] = serial;
	}
}
