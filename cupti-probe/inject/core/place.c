// SPDX-License-Identifier: Apache-2.0
/*
 * Where files lie: a folder of a local disk, which survives the node, and in
 * which no other user can take the place of a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "core/bounds.h"
#include "core/parts.h"

/* File systems by statfs(2)'s number: their mapped pages go over a network,
 * through another process, or are gone with the node. */
static const struct {
	uint32_t magic;
	const char *name;
} unfit[] = {
	{ 0x00006969, "nfs" },	 { 0x0000517b, "smb" },
	{ 0xff534d42, "cifs" },	 { 0xfe534d42, "smb2" },
	{ 0x0bd00bd0, "lustre" }, { 0x47504653, "gpfs" },
	{ 0x19830326, "beegfs" }, { 0x00c36400, "ceph" },
	{ 0x01021997, "9p" },	 { 0x5346414f, "afs" },
	{ 0x6b414653, "afs" },	 { 0x73757245, "coda" },
	{ 0x65735546, "fuse" },	 { 0x7461636f, "ocfs2" },
	{ 0x01161970, "gfs2" },	 { 0xaad7aaea, "panfs" },
	{ 0x20030528, "orangefs" }, { 0x786f4256, "vboxsf" },
	{ 0x01021994, "tmpfs" }, { 0x858458f6, "ramfs" },
	{ 0x958458f6, "hugetlbfs" },
};

static const char *unfit_file_system(int fd)
{
	struct statfs fs;
	size_t i;

	if (fstatfs(fd, &fs) < 0)
		return "an unknown file system";
	for (i = 0; i < sizeof(unfit) / sizeof(*unfit); i++)
		if (unfit[i].magic == (uint32_t)fs.f_type)
			return unfit[i].name;
	return NULL;
}

static int refuse(char message[256], int code, const char *path,
		  const char *why)
{
	snprintf(message, 256, "%.160s: %s", path, why);
	return -code;
}

static bool is_shared(const struct stat *st)
{
	return (st->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
}

/* What is wrong with an open folder; 0: nothing. */
static int judge(int fd, const char *path, bool named, char message[256])
{
	const char *unfit_name = named ? NULL : unfit_file_system(fd);
	struct stat st;

	if (fstat(fd, &st) < 0)
		return refuse(message, errno, path, strerror(errno));
	if (st.st_uid != geteuid() && !is_shared(&st))
		return refuse(message, EPERM, path,
			      "belongs to another user");
	if (unfit_name) {
		snprintf(message, 256, "%.140s: is on %s; a folder named by "
			 "CUPTI_PROBE_DIR would be used", path, unfit_name);
		return -EMEDIUMTYPE;
	}
	if (faccessat(fd, ".", W_OK | X_OK, 0) < 0)
		return refuse(message, errno, path, strerror(errno));
	return 0;
}

static int try(struct place *place, const char *path, bool named,
	       char message[256])
{
	int fd, err;

	if (strlen(path) >= sizeof(place->path))
		return refuse(message, ENAMETOOLONG, path, "is too long");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse(message, errno, path, strerror(errno));
	err = judge(fd, path, named, message);
	if (err < 0) {
		close(fd);
		return err;
	}
	strcpy(place->path, path);
	place->fd = fd;
	return 0;
}

/* Make the folders from path[from] on that are not there. */
static void make_folders(char *path, size_t from)
{
	char *end = path + from;

	while ((end = strchr(end + 1, '/'))) {
		*end = '\0';
		mkdir(path, 0700);
		*end = '/';
	}
	mkdir(path, 0700);
}

static int try_state(struct place *place, char message[256])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const char *base = state && *state == '/' ? state : home;
	const char *below = base == state ? "" : "/.local/state";
	char path[sizeof(place->path)];
	int length;

	if (!base || *base != '/')
		return refuse(message, ENOENT, "HOME", "is not set");
	length = snprintf(path, sizeof(path), "%s%s/cupti-probe", base, below);
	if ((size_t)length >= sizeof(path))
		return refuse(message, ENAMETOOLONG, base, "is too long");
	if (base == state)
		mkdir(base, 0700);
	make_folders(path, strlen(base));
	return try(place, path, false, message);
}

static int try_system(struct place *place, char message[256])
{
	struct stat st;

	if (stat(BOUND_FOLDER, &st) < 0 || st.st_uid || !is_shared(&st))
		return refuse(message, ENOENT, BOUND_FOLDER, "is not shared");
	return try(place, BOUND_FOLDER, false, message);
}

/* Whoever holds the lock is soon done; a stranger who keeps it is ignored. */
static void lock(int fd)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
			return;
		nanosleep(&pause, NULL);
	}
}

int place_open(struct place *place, const struct config *config,
	       char message[256])
{
	int err;

	if (config->directory) {
		mkdir(config->directory, 0700);
		err = try(place, config->directory, true, message);
	} else {
		err = try_system(place, message);
		if (err < 0)
			err = try_state(place, message);
	}
	if (!err)
		lock(place->fd);
	return err;
}

/* A child that was forked meanwhile has the same lock. */
void place_close(struct place *place)
{
	flock(place->fd, LOCK_UN);
	close(place->fd);
}
