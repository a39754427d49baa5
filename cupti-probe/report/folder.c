// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocctl/cmd.h"
#include "allocctl/print.h"
#include "cupti-probe/inject/core/bounds.h"
#include "folder.h"
#include "util/array.h"
#include "util/util.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* The folder of the package: of root, writable for all. */
static bool is_shared(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !st.st_uid &&
	       (st.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) &&
	       access(path, W_OK | X_OK) == 0;
}

static char *own_folder(void)
{
	const char *state = variable("XDG_STATE_HOME");
	const char *home = variable("HOME");
	char *path = NULL;
	int length = -1;

	if (state && *state == '/')
		length = asprintf(&path, "%s/cupti-probe", state);
	else if (home && *home == '/')
		length = asprintf(&path, "%s/.local/state/cupti-probe", home);
	return length < 0 ? NULL : path;
}

size_t folder_candidates(char *path[FOLDER_CANDIDATES])
{
	const char *named = variable("CUPTI_PROBE_DIR");
	size_t count = 0;

	if (named) {
		path[0] = strdup(named);
		return path[0] != NULL;
	}
	if (is_shared(BOUND_FOLDER))
		path[count++] = strdup(BOUND_FOLDER);
	path[count] = own_folder();
	return count + (path[count] != NULL);
}

bool entry_beside(char name[STAMP_NAME], const struct entry *entry, size_t n)
{
	static const char *const suffixes[] = { ".report.txt", ".report.json",
						".seen" };
	static const char *const snapshots[] = { "pickle", "json" };

	if (n < ARRAY_SIZE(suffixes)) {
		stamp_name(name, entry->name, suffixes[n]);
		return true;
	}
	n -= ARRAY_SIZE(suffixes);
	return n < ARRAY_SIZE(snapshots) &&
	       stamp_snapshot(name, entry->host, entry->pid, snapshots[n]);
}

/* Bytes on the disk of what lies beside it. */
static uint64_t size_beside(int folder, const struct entry *entry)
{
	char name[STAMP_NAME];
	uint64_t sum = 0;
	struct stat st;
	size_t n;

	for (n = 0; entry_beside(name, entry, n); n++)
		if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (uint64_t)st.st_blocks * 512;
	return sum;
}

static void fill(struct entry *entry, const struct folder *folder,
		 const struct la_probe *probe, const struct stat *st)
{
	const struct la_probe_header *header = la_probe_header(probe);

	entry->owner = st->st_uid;
	entry->pid = header->pid;
	entry->ooms = header->ooms;
	entry->retries = header->retries;
	entry->lost = header->lost_records + header->lost_holdings;
	entry->began = head_seconds(header, header->monotonic);
	entry->alive = head_seconds(header, header->ended ? header->ended :
							    header->heartbeat);
	memcpy(entry->host, header->host, sizeof(entry->host));
	memcpy(entry->exe, header->exe, sizeof(entry->exe));
	memcpy(entry->run, header->run, sizeof(entry->run));
	memcpy(entry->job, header->job, sizeof(entry->job));
	entry->size = (uint64_t)st->st_blocks * 512 +
		      size_beside(folder->fd, entry);
	ended_of(&entry->ended, probe);
	stamp_read(&entry->stamp, folder->fd, entry->name);
	if (entry->stamp.there && entry->ended.how == ENDED_KILLED &&
	    entry->stamp.how > ENDED_KILLED)
		entry->ended.how = entry->stamp.how;
	entry->seen = stamp_seen(folder->fd, entry->name);
}

/* Of other users only root reads any. */
static bool is_mine(const struct stat *st)
{
	return geteuid() == 0 || st->st_uid == geteuid();
}

/* The beginning of a recording that may be read, or NULL. */
static struct la_probe *read_one(int folder, const char *name,
				 struct stat *st)
{
	struct la_probe *probe = NULL;
	int fd = head_open(folder, name, O_RDONLY, st, NULL);

	if (fd < 0)
		return NULL;
	if (is_mine(st))
		head_read(&probe, fd, NULL);
	close(fd);
	return probe;
}

static int add(struct folder *folder, const char *name)
{
	struct entry entry = { 0 };
	struct la_probe *probe;
	struct stat st;

	probe = read_one(folder->fd, name, &st);
	if (!probe) {
		folder->unreadable++;
		return STATUS_DONE;
	}
	entry.name = strdup(name);
	if (!entry.name ||
	    grow_array(&folder->entry, &folder->room, folder->count,
		       sizeof(*folder->entry)) < 0) {
		free(entry.name);
		la_probe_free(probe);
		return print_no_memory();
	}
	fill(&entry, folder, probe, &st);
	la_probe_free(probe);
	folder->entry[folder->count++] = entry;
	return STATUS_DONE;
}

static bool is_recording(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && name[0] != '.' &&
	       !strcmp(name + length - 4, ".cpr");
}

static int newest_first(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	if (one->alive != other->alive)
		return one->alive < other->alive ? 1 : -1;
	return strcmp(one->name, other->name);
}

static int read_folder(struct folder *folder)
{
	int copy = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	int status = STATUS_DONE;
	struct dirent *file;

	if (!dir)
		return print_no_memory();
	while (status == STATUS_DONE && (file = readdir(dir)))
		if (is_recording(file->d_name))
			status = add(folder, file->d_name);
	closedir(dir);
	if (folder->count)
		qsort(folder->entry, folder->count, sizeof(*folder->entry),
		      newest_first);
	return status;
}

/* Of the folders that programs may have recorded to the first that has a
 * recording; where none has one, the last that is there. */
static int open_chosen(struct folder *folder)
{
	char *path[FOLDER_CANDIDATES];
	size_t count = folder_candidates(path), i;
	int status = STATUS_DONE;

	for (i = 0; i < count && !folder->count && status == STATUS_DONE; i++) {
		if (path[i] && access(path[i], F_OK) < 0)
			continue;
		folder_close(folder);
		status = path[i] ? folder_open(folder, path[i]) :
				   print_no_memory();
	}
	if (!folder->path && count)
		folder->path = strdup(path[0]);
	else if (!count)
		print_error("no folder: neither CUPTI_PROBE_DIR nor HOME is "
			    "set");
	for (i = 0; i < count; i++)
		free(path[i]);
	return count ? status : STATUS_CANNOT_TELL;
}

int folder_open(struct folder *folder, const char *path)
{
	*folder = (struct folder){ .fd = -1 };
	if (!path)
		return open_chosen(folder);
	folder->path = strdup(path);
	if (!folder->path)
		return print_no_memory();
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd >= 0)
		return read_folder(folder);
	print_error("cannot read '%s': %s", path, strerror(errno));
	return STATUS_CANNOT_TELL;
}

void folder_close(struct folder *folder)
{
	size_t i;

	for (i = 0; i < folder->count; i++)
		free(folder->entry[i].name);
	free(folder->entry);
	free(folder->path);
	if (folder->fd >= 0)
		close(folder->fd);
	*folder = (struct folder){ .fd = -1 };
}

bool entry_is_unseen(const struct entry *entry)
{
	return entry->ooms > entry->seen;
}
