// SPDX-License-Identifier: Apache-2.0
/*
 * probe-kill KILLS SEED: processes that write to the probe's file are killed
 * at random moments, and the file must hold what they had been told is there.
 *
 * Threads of a child perform operations that follow from the seed, and note
 * in memory shared with the parent what they are about to do and what is done.
 * After the kill the parent reads the file on its own: every acknowledged
 * record is there, whole, unless a later chunk took its place; every record
 * that counts as finished is whole; the table is what the operations done make
 * of it, but for the ones that were under way.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/store.h"

enum {
	THREADS_MAX = 24,
	KEYS = 5760, /* of all threads: the table is loaded well, not full */
	NOTES = 1 << 16, /* operations of a thread whose records are noted */
	RANGE = 4 /* keys that one removal of a range spans */
};

/* What a thread is told, in memory that outlives the child. */
struct notes {
	uint64_t begun; /* operations */
	uint64_t done; /* operations */
	uint64_t sequence[NOTES]; /* of the record of operation i % NOTES */
};

static struct shared {
	uint64_t seed; /* of this child */
	unsigned int threads;
	int ready; /* the file is open */
	char path[512];
	struct notes notes[THREADS_MAX];
} *shared;

enum action { ADD, REMOVE, RETAIN, RELEASE, REMOVE_RANGE };

/* One operation: all that the child does and the parent expects. */
struct step {
	enum action action;
	unsigned int key;
	struct la_probe_holding holding; /* to add */
	struct la_probe_record record;
	enum la_probe_level level;
};

/* What the table should hold of a key; addr 0: nothing. */
struct state {
	struct la_probe_holding before; /* when the last call returned */
	struct la_probe_holding after; /* when the one under way returns */
	unsigned int seen; /* entries found */
};

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "probe-kill: seed %" PRIu64 ", %u threads: ",
		shared->seed, shared->threads);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(EXIT_FAILURE);
}

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = (a * 0x9e3779b97f4a7c15 + b) * 0xbf58476d1ce4e5b9 + c;

	h = (h ^ h >> 29) * 0x94d049bb133111eb;
	return h ^ h >> 32;
}

static unsigned int keys_of_thread(void)
{
	return KEYS / shared->threads;
}

/* Two keys of different kinds share an address. */
static uint64_t addr_of(unsigned int thread, unsigned int key)
{
	return ((uint64_t)thread + 1) << 32 | ((uint64_t)key / 2 + 1) << 12;
}

static unsigned int kind_of(unsigned int key)
{
	return key % 2 ? LA_PROBE_KIND_MAPPING : LA_PROBE_KIND_BLOCK;
}

static enum action action_of(uint64_t drawn, uint64_t i)
{
	static const enum action actions[16] = {
		ADD, ADD, ADD, ADD, ADD, ADD, ADD, ADD, REMOVE, REMOVE, REMOVE,
		REMOVE, RETAIN, RETAIN, RELEASE, RELEASE
	};

	if (i < keys_of_thread())
		return ADD;
	return drawn % 4096 == 4095 ? REMOVE_RANGE : actions[drawn % 16];
}

static struct la_probe_holding holding_of(unsigned int thread,
					  unsigned int key, uint64_t i)
{
	return (struct la_probe_holding){
		.addr = addr_of(thread, key),
		.size = mix(shared->seed, thread, i) % 4096 + 1,
		.time = i + 1,
		.other = ~mix(thread, shared->seed, i),
		.thread = thread,
		.references = 1,
		.kind = (uint8_t)kind_of(key),
		.device = (uint8_t)i,
	};
}

static struct la_probe_record record_of(unsigned int thread, uint64_t i)
{
	return (struct la_probe_record){
		.addr = mix(i, thread, shared->seed),
		.size = i,
		.stream = thread,
		.other = mix(i, thread, shared->seed) * 3 + 1,
		.call = (uint16_t)(i * 7),
		.result = (int16_t)i,
		.op = LA_PROBE_OP_ALLOC,
		.device = (uint8_t)(i * 5),
	};
}

static struct step step_of(unsigned int thread, uint64_t i)
{
	uint64_t drawn = mix(shared->seed + 1, thread, i);
	unsigned int keys = keys_of_thread();
	struct step step = { .action = action_of(drawn, i) };

	step.key = i < keys ? (unsigned int)i : (drawn >> 16) % keys;
	if (step.action == REMOVE_RANGE)
		step.key = step.key / (2 * RANGE) * (2 * RANGE);
	step.holding = holding_of(thread, step.key, i);
	step.record = record_of(thread, i);
	step.level = drawn >> 8 & 1 ? LA_PROBE_DRIVER : LA_PROBE_ALLOCATOR;
	return step;
}

/* The child */

static void ignore(const struct la_probe_holding *old)
{
	(void)old;
}

static void act(const struct step *step)
{
	const struct la_probe_holding *h = &step->holding;
	struct la_probe_holding old;

	switch (step->action) {
	case ADD:
		store_add(h, &old);
		break;
	case REMOVE:
		store_remove(h->addr, h->kind, &old);
		break;
	case RETAIN:
		store_refer(h->addr, h->kind, 1, &old);
		break;
	case RELEASE:
		store_refer(h->addr, h->kind, -1, &old);
		break;
	case REMOVE_RANGE:
		store_remove_range(h->addr, RANGE * 4096, LA_PROBE_KIND_MAPPING,
				   ignore);
	}
}

static void *hammer(void *data)
{
	struct notes *notes = data;
	unsigned int thread = (unsigned int)(notes - shared->notes);
	uint64_t i;

	for (i = 0;; i++) {
		struct step step = step_of(thread, i);

		__atomic_store_n(&notes->begun, i + 1, __ATOMIC_SEQ_CST);
		act(&step);
		store_record(step.level, &step.record);
		notes->sequence[i % NOTES] = step.record.sequence;
		__atomic_store_n(&notes->done, i + 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void __attribute__((noreturn)) child(void)
{
	struct config config;
	char message[256];
	pthread_t id;
	unsigned int i;

	config_read(&config);
	if (store_open(&config, message) < 0)
		fail("cannot open: %s", message);
	strcpy(shared->path, store.path);
	__atomic_store_n(&shared->ready, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < shared->threads; i++)
		if (pthread_create(&id, NULL, hammer, &shared->notes[i]))
			fail("no thread");
	for (;;)
		pause();
}

/* The parent's own reader */

static bool is_whole(const struct la_probe_record *record)
{
	struct la_probe_record made = record_of((unsigned int)record->stream,
						record->size);

	made.sequence = record->sequence;
	made.time = record->time;
	made.thread = record->thread;
	return record->time && record->thread &&
	       !memcmp(&made, record, sizeof(made));
}

static const struct la_probe_chunk *
chunk_of(const struct la_probe_header *header, unsigned int level,
	 uint64_t serial)
{
	const struct la_probe_chunk *chunks =
		(const void *)((const char *)header +
			       header->chunk_offset[level]);

	return &chunks[(serial - 1) % header->chunk_count[level]];
}

static void check_whole(const struct la_probe_header *header)
{
	const struct la_probe_chunk *chunk;
	unsigned int level, i;
	uint64_t n;

	for (level = 0; level < LA_PROBE_LEVELS; level++)
		for (n = 1; n <= header->chunk_count[level]; n++) {
			chunk = chunk_of(header, level, n);
			for (i = 0; i < LA_PROBE_CHUNK_RECORDS; i++)
				if (chunk->serial &&
				    chunk->record[i].sequence ==
					    (chunk->serial << 10 | (i + 1)) &&
				    !is_whole(&chunk->record[i]))
					fail("half a record in chunk %" PRIu64,
					     chunk->serial);
		}
}

/* Was this chunk's place taken by a later one?  Else it must be there. */
static bool check_told(const struct la_probe_header *header,
		       const struct step *step, uint64_t sequence, uint64_t i)
{
	const uint64_t serial = sequence >> 10;
	const struct la_probe_chunk *chunk;
	const struct la_probe_record *record;

	if (!sequence) {
		if (!header->lost_records)
			fail("a record was lost and not counted");
		return false;
	}
	chunk = chunk_of(header, step->level, serial);
	record = &chunk->record[(sequence & 1023) - 1];
	if (chunk->serial > serial && header->chunks[step->level] >=
	    serial + header->chunk_count[step->level])
		return false;
	if (chunk->serial != serial || record->sequence != sequence)
		fail("record %#" PRIx64 " of operation %" PRIu64 " is missing",
		     sequence, i);
	if (!is_whole(record) || record->size != i ||
	    record->addr != step->record.addr)
		fail("record %#" PRIx64 " of operation %" PRIu64 " is another",
		     sequence, i);
	return true;
}

static void make(struct la_probe_holding *now, const struct step *step)
{
	int change = step->action == RETAIN ? 1 : -1;

	if (step->action == ADD) {
		*now = step->holding;
	} else if (step->action == REMOVE || step->action == REMOVE_RANGE) {
		now->addr = 0;
	} else if (now->addr) {
		now->references = (uint16_t)(now->references + change);
		if (!now->references)
			now->addr = 0;
	}
}

static void play(struct state *states, const struct step *step, bool done)
{
	unsigned int k = step->key, end = k + 1;

	if (step->action == REMOVE_RANGE)
		end = k + 2 * RANGE;
	for (; k < end && k < keys_of_thread(); k++) {
		if (step->action == REMOVE_RANGE &&
		    kind_of(k) != LA_PROBE_KIND_MAPPING)
			continue;
		make(&states[k].after, step);
		if (done)
			states[k].before = states[k].after;
	}
}

static bool is_equal(const struct la_probe_holding *a,
		     const struct la_probe_holding *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static unsigned int check_entry(struct state *states,
				const struct la_probe_holding *entry)
{
	unsigned int thread = (unsigned int)(entry->addr >> 32) - 1;
	unsigned int key = 2 * ((entry->addr >> 12 & 0xfffff) - 1) +
			   (entry->kind == LA_PROBE_KIND_MAPPING);
	struct state *state = &states[thread * keys_of_thread() + key];

	if (thread >= shared->threads || key >= keys_of_thread())
		fail("an entry of no key: %#" PRIx64, entry->addr);
	if (!is_equal(entry, &state->before) && !is_equal(entry, &state->after))
		fail("entry %#" PRIx64 " kind %u is of operation %" PRIu64
		     " with %u references, wanted %" PRIu64 " with %u",
		     entry->addr, entry->kind, entry->time - 1,
		     entry->references, state->before.time - 1,
		     state->before.references);
	return state->seen++;
}

static void check_table(const struct la_probe_header *header,
			struct state *states)
{
	const struct la_probe_holding *table =
		(const void *)((const char *)header + header->table_offset);
	unsigned int twice = 0, k;
	uint64_t i;

	for (i = 0; i < header->table_slots; i++)
		if (table[i].addr)
			twice += !!check_entry(states, &table[i]);
	for (k = 0; k < keys_of_thread() * shared->threads; k++)
		if (states[k].before.addr && states[k].after.addr &&
		    !states[k].seen)
			fail("entry %#" PRIx64 " is missing",
			     states[k].before.addr);
	if (twice > 2 * shared->threads)
		fail("%u entries are there twice", twice);
}

/* Sums over all kills. */
static uint64_t operations, found, unready;

static void check_file(const struct la_probe_header *header)
{
	static struct state states[KEYS];
	unsigned int t;
	uint64_t i;

	memset(states, 0, sizeof(states));
	for (t = 0; t < shared->threads; t++) {
		const struct notes *notes = &shared->notes[t];
		struct state *own = states + t * keys_of_thread();

		for (i = 0; i < notes->begun; i++) {
			struct step step = step_of(t, i);
			bool done = i < notes->done;

			play(own, &step, done);
			if (done && i + NOTES >= notes->begun)
				found += check_told(header, &step,
					notes->sequence[i % NOTES], i);
		}
		operations += notes->done;
	}
	check_whole(header);
	check_table(header, states);
}

static void check(void)
{
	const struct la_probe_header *header;
	struct stat st;
	int fd = open(shared->path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st) < 0)
		fail("cannot read %s", shared->path);
	header = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (header == MAP_FAILED || memcmp(header->magic, LA_PROBE_MAGIC, 8) ||
	    header->file_size != (uint64_t)st.st_size)
		fail("%s has no header", shared->path);
	check_file(header);
	munmap((void *)header, (size_t)st.st_size);
	close(fd);
	unlink(shared->path);
}

static void wait_us(uint64_t us)
{
	const struct timespec time = { .tv_nsec = (long)us * 1000 };

	nanosleep(&time, NULL);
}

/* One in ten is killed while it opens the file, perhaps. */
static void kill_one(uint64_t number)
{
	const uint64_t drawn = mix(shared->seed, number, 1);
	const bool early = number % 10 == 9;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		fail("no process");
	if (!pid)
		child();
	while (!early && !__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST)) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			fail("the child is gone");
		wait_us(50);
	}
	wait_us(drawn % (early ? 2000 : 5000));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (shared->ready)
		check();
	else
		unready++;
}

int main(int argc, char **argv)
{
	static const unsigned int threads[] = { 1, 2, 4, 4, 8, 24 };
	uint64_t kills, seed, n;
	unsigned int t;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc != 3 || shared == MAP_FAILED)
		return EXIT_FAILURE;
	kills = strtoull(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	for (n = 0; n < kills; n++) {
		shared->seed = seed + n;
		shared->threads = threads[n % 6];
		shared->ready = 0;
		for (t = 0; t < shared->threads; t++)
			shared->notes[t].begun = shared->notes[t].done = 0;
		kill_one(n);
	}
	printf("%" PRIu64 " kills, %" PRIu64 " before the file was open; %"
	       PRIu64 " operations, %" PRIu64 " records found\n", kills,
	       unready, operations, found);
	return EXIT_SUCCESS;
}
