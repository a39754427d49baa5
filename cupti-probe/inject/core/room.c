// SPDX-License-Identifier: Apache-2.0
/*
 * How much of the disk a file may take: all files of a folder together stay
 * below a bound, and the file system keeps some room for everybody else.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/bounds.h"
#include "core/parts.h"

enum {
	REMOVALS = 256 /* files removed for one new file, at most */
};

/* What getdents64(2) yields. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* What lies in the folder. */
struct census {
	uint64_t sum; /* bytes of all files of the probe */
	char oldest[256]; /* that may be removed; "": there is none */
	struct timespec time; /* of its last change */
};

static bool is_ours(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && !strcmp(end, ".cpr");
}

/* Does the process that a header speaks of run on this system? */
static bool is_running(const struct la_probe_header *header)
{
	char boot_id[sizeof(header->boot_id)];

	header_boot_id(boot_id);
	return !memcmp(boot_id, header->boot_id, sizeof(boot_id)) &&
	       header->start_time == header_start_time((pid_t)header->pid);
}

/*
 * The lock of a file is held as long as it is mapped, whatever name space the
 * process lives in.  A file without a header was left by one that died while
 * it made it.
 */
static bool is_spent(int fd)
{
	struct la_probe_header header;

	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return false;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, LA_PROBE_MAGIC, sizeof(header.magic)))
		return true;
	return header.version == LA_PROBE_VERSION && !header.ooms &&
	       !is_running(&header);
}

static bool is_removable(int directory, const char *name,
			 const struct stat *st)
{
	bool spent;
	int fd;

	if (!S_ISREG(st->st_mode) || st->st_uid != geteuid())
		return false;
	fd = openat(directory, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	spent = is_spent(fd);
	close(fd);
	return spent;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void count(int directory, const char *name, struct census *census)
{
	struct stat st;

	if (!is_ours(name) ||
	    fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	census->sum += (uint64_t)st.st_blocks * 512;
	if ((!*census->oldest || is_before(&st.st_mtim, &census->time)) &&
	    strlen(name) < sizeof(census->oldest) &&
	    is_removable(directory, name, &st)) {
		strcpy(census->oldest, name);
		census->time = st.st_mtim;
	}
}

static void take_census(int directory, struct census *census)
{
	_Alignas(struct entry) char buffer[4096];
	const struct entry *entry;
	long size, at;

	memset(census, 0, sizeof(*census));
	lseek(directory, 0, SEEK_SET);
	while ((size = syscall(SYS_getdents64, directory, buffer,
			       sizeof(buffer))) > 0)
		for (at = 0; at < size; at += entry->length) {
			entry = (const void *)(buffer + at);
			count(directory, entry->name, census);
		}
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Bytes that a new file may take now. */
static uint64_t room(int directory, uint64_t node_size,
		     const struct census *census)
{
	struct statvfs fs;
	uint64_t total, free;

	if (fstatvfs(directory, &fs) < 0)
		return 0;
	total = (uint64_t)fs.f_blocks * fs.f_frsize;
	free = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (!node_size)
		node_size = least(BOUND_NODE, total / BOUND_PART);
	return least(above(node_size, census->sum),
		     above(free, total / 100 * BOUND_FREE_PERCENT));
}

/* Past this limit the process would be sent a signal. */
static uint64_t file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t room_make(const struct place *place, uint64_t node_size,
		   uint64_t wanted)
{
	struct census census;
	uint64_t size;
	int removed;

	wanted = least(wanted, file_limit());
	for (removed = 0;; removed++) {
		take_census(place->fd, &census);
		size = least(wanted, room(place->fd, node_size, &census));
		if (size == wanted || !*census.oldest || removed == REMOVALS ||
		    unlinkat(place->fd, census.oldest, 0) < 0)
			break;
	}
	return size < PROBE_FILE_LEAST ? 0 : size;
}
