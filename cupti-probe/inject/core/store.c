// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/parts.h"
#include "core/store.h"

enum {
	TABLE_PART = 12, /* of the file is the table, at most */
	DRIVER_PART = 4, /* of the chunks are the driver's level's */
	OOMS_KEPT = 16, /* of LA_PROBE_OOMS: the first ones */
	NAMES = 100 /* tried for a file */
};

/* Offsets, counts and bytes of the parts of a file. */
struct layout {
	uint64_t device, oom, table, slots;
	uint64_t chunk[LA_PROBE_LEVELS], count[LA_PROBE_LEVELS];
	uint64_t size;
};

struct store store;

/* What no other process sees.  Owner: the process; size 0: no mapping. */
static struct {
	uint64_t size; /* bytes mapped at store.header when it was opened */
	void *start;
	uint64_t ooms; /* given out */
	uint64_t oom_slots; /* of these: not in the place of a retried one */
} own;

uint64_t store_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint32_t store_thread(void)
{
	static __thread uint32_t thread;

	if (!thread)
		thread = (uint32_t)syscall(SYS_gettid);
	return thread;
}

static uint64_t whole_pages(uint64_t size)
{
	return (size + LA_PROBE_PAGE - 1) & ~(uint64_t)(LA_PROBE_PAGE - 1);
}

static void lay_out(struct layout *layout, uint64_t size)
{
	const uint64_t holding = sizeof(struct la_probe_holding);
	const uint64_t chunk = sizeof(struct la_probe_chunk);
	uint64_t chunks;

	layout->device = LA_PROBE_PAGE;
	layout->oom = whole_pages(layout->device + LA_PROBE_DEVICES *
				  sizeof(struct la_probe_device));
	layout->table = whole_pages(layout->oom + LA_PROBE_OOMS *
				    sizeof(struct la_probe_oom));
	layout->slots = 1;
	while (2 * layout->slots * holding <= size / TABLE_PART)
		layout->slots *= 2;
	layout->chunk[LA_PROBE_DRIVER] =
		whole_pages(layout->table + layout->slots * holding);
	chunks = (size - layout->chunk[LA_PROBE_DRIVER]) / chunk;
	layout->count[LA_PROBE_DRIVER] = chunks / DRIVER_PART;
	layout->count[LA_PROBE_ALLOCATOR] = chunks - chunks / DRIVER_PART;
	layout->chunk[LA_PROBE_ALLOCATOR] = layout->chunk[LA_PROBE_DRIVER] +
		layout->count[LA_PROBE_DRIVER] * chunk;
	layout->size = layout->chunk[LA_PROBE_DRIVER] + chunks * chunk;
}

static int refuse(char message[256], int code, const char *path)
{
	snprintf(message, 256, "%.160s: %s", path, strerror(code));
	return -code;
}

/* HOST.PID.BOOT.cpr; a number before the end if there is one of that name. */
static void name_file(char *path, size_t size, const char *folder, int number)
{
	char host[64], boot_id[40], extra[16] = "", *slash;

	header_host(host);
	header_boot_id(boot_id);
	while ((slash = strchr(host, '/')))
		*slash = '_';
	if (number)
		snprintf(extra, sizeof(extra), ".%d", number);
	snprintf(path, size, "%s/%s.%d.%.8s%s.cpr", folder, host, (int)getpid(),
		 boot_id, extra);
}

/* Make a file that was not there; its descriptor.  The lock lasts as long as
 * the mapping: who removes old files sees that the process lives. */
static int make_file(const struct place *place, char message[256])
{
	int fd = -1, number;

	for (number = 0; number < NAMES; number++) {
		name_file(store.path, sizeof(store.path), place->path, number);
		fd = openat(place->fd, strrchr(store.path, '/') + 1,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0)
		return refuse(message, errno, store.path);
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/* All blocks of the file: a hole on a full disk would be a SIGBUS later. */
static int reserve(int fd, uint64_t size)
{
	int err, tries = 0;

	do
		err = posix_fallocate(fd, 0, (off_t)size);
	while (err == EINTR && ++tries < 100);
	return err;
}

/* Map the file and what belongs to it in memory of our own. */
static int map(int fd, const struct layout *layout)
{
	const uint64_t chunks = layout->count[LA_PROBE_DRIVER] +
				layout->count[LA_PROBE_ALLOCATOR];
	const uint64_t size = PROBE_SHARDS * sizeof(struct shard) +
			      chunks * sizeof(struct chunk_guard);
	struct la_probe_chunk *chunk;
	struct chunk_guard *guard;
	void *private;
	char *start;

	private = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (private == MAP_FAILED)
		return errno;
	start = mmap(NULL, layout->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     0);
	if (start == MAP_FAILED) {
		int err = errno;

		munmap(private, size);
		return err;
	}
	madvise(start, layout->size, MADV_DONTDUMP);
	own.start = start;
	own.size = layout->size;
	guard = (void *)((char *)private + PROBE_SHARDS * sizeof(struct shard));
	chunk = (void *)(start + layout->chunk[LA_PROBE_DRIVER]);
	table_init((void *)(start + layout->table), layout->slots, private);
	chunks_init(LA_PROBE_DRIVER, chunk, layout->count[LA_PROBE_DRIVER],
		    guard);
	chunks_init(LA_PROBE_ALLOCATOR, chunk + layout->count[LA_PROBE_DRIVER],
		    layout->count[LA_PROBE_ALLOCATOR],
		    guard + layout->count[LA_PROBE_DRIVER]);
	return 0;
}

/* The child of a fork() has its own memory in place of the file: nothing that
 * it does by mistake gets there, nor does it keep the lock. */
static void forget(void)
{
	int saved = errno;

	if (store.header) {
		store.header = NULL;
		mmap(own.start, own.size, PROT_READ | PROT_WRITE,
		     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	}
	errno = saved;
}

static void publish(const struct layout *layout, const struct config *config)
{
	struct la_probe_header *header = own.start;
	uint64_t magic;
	size_t used;

	header->file_size = layout->size;
	header->device_offset = layout->device;
	header->oom_offset = layout->oom;
	header->table_offset = layout->table;
	header->table_slots = layout->slots;
	memcpy(header->chunk_offset, layout->chunk, sizeof(layout->chunk));
	memcpy(header->chunk_count, layout->count, sizeof(layout->count));
	header_fill(header, config);
	used = strlen(header->note);
	if (layout->size < config->size / 100 * 90)
		snprintf(header->note + used, sizeof(header->note) - used,
			 "no room for more than %llu MiB\n",
			 (unsigned long long)(layout->size >> 20));
	memcpy(&magic, LA_PROBE_MAGIC, sizeof(magic));
	__atomic_store_n((uint64_t *)header, magic, __ATOMIC_RELEASE);
	store.device = (void *)((char *)own.start + layout->device);
	store.oom = (void *)((char *)own.start + layout->oom);
	pthread_atfork(NULL, NULL, forget);
	store.header = header;
}

static int open_in(const struct place *place, const struct config *config,
		   char message[256])
{
	uint64_t wanted = config->size, size;
	struct layout layout;
	int fd, err;

	if (wanted < PROBE_FILE_LEAST)
		wanted = PROBE_FILE_LEAST;
	size = room_make(place, config->node_size, wanted);
	if (!size)
		return refuse(message, ENOSPC, place->path);
	lay_out(&layout, size);
	fd = make_file(place, message);
	if (fd < 0)
		return fd;
	err = reserve(fd, layout.size);
	if (!err)
		err = map(fd, &layout);
	close(fd);
	if (err) {
		unlinkat(place->fd, strrchr(store.path, '/') + 1, 0);
		return refuse(message, err, store.path);
	}
	publish(&layout, config);
	return 0;
}

int store_open(const struct config *config, char message[256])
{
	int saved = errno, err;
	struct place place;

	err = place_open(&place, config, message);
	if (!err) {
		err = open_in(&place, config, message);
		place_close(&place);
	}
	if (err)
		store.path[0] = '\0';
	errno = saved;
	return err;
}

void store_end(void)
{
	if (store.header)
		__atomic_store_n(&store.header->ended, store_now(),
				 __ATOMIC_RELEASE);
}

void store_count(unsigned int device, enum la_probe_kind kind, int64_t size)
{
	struct la_probe_device *of;
	uint64_t live;

	if (!store.header || device >= LA_PROBE_DEVICES || !size)
		return;
	of = &store.device[device];
	live = __atomic_add_fetch(&of->live[kind], (uint64_t)size,
				  __ATOMIC_RELAXED);
	__atomic_add_fetch(&of->count[kind], size > 0 ? 1 : -1,
			   __ATOMIC_RELAXED);
	if (size > 0)
		store_raise(&of->peak[kind], live);
}

/* A slot of an episode that was none, for the taking. */
static struct la_probe_oom *take_retried(void)
{
	struct la_probe_oom *oom;
	uint32_t state;

	for (oom = store.oom; oom < store.oom + LA_PROBE_OOMS; oom++) {
		state = LA_PROBE_OOM_RETRIED;
		if (__atomic_compare_exchange_n(&oom->state, &state,
						LA_PROBE_OOM_NONE, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return oom;
	}
	return NULL;
}

static struct la_probe_oom *next_oom(void)
{
	const uint64_t others = LA_PROBE_OOMS - OOMS_KEPT;
	uint64_t i = __atomic_fetch_add(&own.oom_slots, 1, __ATOMIC_RELAXED);

	if (i >= OOMS_KEPT)
		i = OOMS_KEPT + (i - OOMS_KEPT) % others;
	return &store.oom[i];
}

struct la_probe_oom *store_oom(uint64_t *serial)
{
	struct la_probe_oom *oom;

	if (!store.header)
		return NULL;
	*serial = __atomic_add_fetch(&own.ooms, 1, __ATOMIC_RELAXED);
	oom = take_retried();
	if (!oom)
		oom = next_oom();
	__atomic_store_n(&oom->serial, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&oom->state, LA_PROBE_OOM_NONE, __ATOMIC_RELEASE);
	memset(&oom->time, 0, offsetof(struct la_probe_oom, state) -
				      offsetof(struct la_probe_oom, time));
	memset(&oom->thread, 0, sizeof(*oom) -
					offsetof(struct la_probe_oom, thread));
	return oom;
}
