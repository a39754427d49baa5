// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/cmd.h"
#include "allocctl/print.h"
#include "cupti-probe/inject/core/bounds.h"
#include "keep.h"
#include "util/size.h"

const char *const keep_reasons[] = {
	[KEEP_REPEATED] = "there are newer ones of the same kind",
	[KEEP_OLD] = "it is old",
	[KEEP_LARGE] = "all together are too large",
	[KEEP_DISK] = "the file system is too full",
};

/* The work of keep_choose(). */
struct choice {
	const struct folder *folder;
	enum keep_sort sort;
	enum keep_reason *reason;
	uint64_t sum; /* bytes that stay */
	uint64_t available; /* bytes of the file system, when all is done */
};

uint64_t keep_most(const struct folder *folder)
{
	const char *set = getenv("CUPTI_PROBE_NODE_SIZE");
	uint64_t most = BOUND_NODE, given, part;
	struct statvfs fs;

	if (set && la_size_parse(set, &given, NULL) == 0 && given)
		return given;
	if (folder->fd >= 0 && fstatvfs(folder->fd, &fs) == 0) {
		part = (uint64_t)fs.f_blocks * fs.f_frsize / BOUND_PART;
		most = part < most ? part : most;
	}
	return most;
}

static bool is_alike(const struct entry *one, const struct entry *other)
{
	return one->stamp.there && other->stamp.there &&
	       one->owner == other->owner &&
	       !strcmp(one->stamp.signature, other->stamp.signature);
}

/* Is it the oldest of its kind that nobody has read about? */
static bool is_first_unseen(const struct folder *folder, size_t i)
{
	const struct entry *entry = folder->entry;
	size_t older;

	if (!entry_is_unseen(&entry[i]))
		return false;
	for (older = i + 1; older < folder->count; older++)
		if (is_alike(&entry[i], &entry[older]) &&
		    entry_is_unseen(&entry[older]))
			return false;
	return true;
}

/* A process that maps it holds its lock, wherever its pid can be seen. */
static bool is_mapped(const struct folder *folder, const struct entry *entry)
{
	struct stat st;
	int fd = head_open(folder->fd, entry->name, O_RDONLY, &st, NULL);
	bool mapped = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	return mapped;
}

static bool may_go(const struct choice *choice, size_t i)
{
	const struct entry *entry = &choice->folder->entry[i];

	if (choice->reason[i] != KEEP_IT ||
	    entry->ended.how == ENDED_RUNNING)
		return false;
	if (choice->sort == KEEP_UNSEEN && entry_is_unseen(entry))
		return false;
	if (choice->sort == KEEP_FIRST &&
	    (entry->owner != geteuid() || is_first_unseen(choice->folder, i)))
		return false;
	return !is_mapped(choice->folder, entry);
}

static void let_go(struct choice *choice, size_t i, enum keep_reason reason)
{
	uint64_t size = choice->folder->entry[i].size;

	choice->reason[i] = reason;
	choice->sum -= size;
	choice->available += size;
}

static void choose_repeated(struct choice *choice)
{
	const struct folder *folder = choice->folder;
	size_t i, newer, count;

	for (i = 0; i < folder->count; i++) {
		count = 0;
		for (newer = 0; newer < i && count < KEEP_NEWEST; newer++)
			count += is_alike(&folder->entry[i],
					  &folder->entry[newer]);
		if (count >= KEEP_NEWEST && may_go(choice, i))
			let_go(choice, i, KEEP_REPEATED);
	}
}

static void choose_old(struct choice *choice)
{
	const int64_t bound = time(NULL) - KEEP_DAYS * 86400ll;
	size_t i;

	for (i = 0; i < choice->folder->count; i++)
		if (choice->folder->entry[i].alive < bound && may_go(choice, i))
			let_go(choice, i, KEEP_OLD);
}

/* The oldest first. */
static void choose_large(struct choice *choice)
{
	uint64_t most = keep_most(choice->folder), least = 0;
	size_t i = choice->folder->count;
	struct statvfs fs;

	if (fstatvfs(choice->folder->fd, &fs) == 0) {
		least = (uint64_t)fs.f_blocks * fs.f_frsize / 100 *
			BOUND_FREE_PERCENT;
		choice->available += (uint64_t)fs.f_bavail * fs.f_frsize;
	}
	while (i-- > 0) {
		if (choice->sum <= most && choice->available >= least)
			break;
		if (may_go(choice, i))
			let_go(choice, i, choice->sum > most ? KEEP_LARGE :
							       KEEP_DISK);
	}
}

enum keep_reason *keep_choose(const struct folder *folder,
			      enum keep_sort sort)
{
	struct choice choice = {
		.folder = folder,
		.sort = sort,
		.reason = calloc(folder->count + 1, sizeof(*choice.reason)),
	};
	size_t i;

	if (!choice.reason || folder->fd < 0)
		return choice.reason;
	for (i = 0; i < folder->count; i++)
		choice.sum += folder->entry[i].size;
	choose_repeated(&choice);
	choose_old(&choice);
	choose_large(&choice);
	return choice.reason;
}

/* What another user has put there stays. */
static bool is_of_owner(const struct folder *folder, const struct entry *entry,
			const char *name)
{
	struct stat st;

	return fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_uid == entry->owner;
}

/* The recording goes last: until then it can be listed. */
bool keep_remove(const struct folder *folder, const struct entry *entry)
{
	char name[STAMP_NAME];
	size_t n;

	for (n = 0; entry_beside(name, entry, n); n++)
		if (is_of_owner(folder, entry, name) &&
		    unlinkat(folder->fd, name, 0) < 0 && errno != ENOENT)
			return false;
	return unlinkat(folder->fd, entry->name, 0) == 0 || errno == ENOENT;
}

int keep_bounded(const char *path, const char *name)
{
	enum keep_reason *reason = NULL;
	struct folder folder;
	int status = folder_open(&folder, path);
	size_t i;

	if (status == STATUS_DONE) {
		reason = keep_choose(&folder, KEEP_FIRST);
		status = reason ? STATUS_DONE : print_no_memory();
	}
	for (i = 0; reason && i < folder.count; i++)
		if (reason[i] != KEEP_IT && strcmp(folder.entry[i].name, name))
			keep_remove(&folder, &folder.entry[i]);
	free(reason);
	folder_close(&folder);
	return status;
}
