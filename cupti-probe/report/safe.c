// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/print.h"
#include "safe.h"

int safe_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = errno;
	struct stat st = { 0 };

	if (fd >= 0 && fstat(fd, &st) < 0)
		error = errno;
	else if (fd >= 0 &&
		 ((st.st_uid != geteuid() && st.st_uid != 0) ||
		  (st.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH))
		error = EPERM;
	else if (fd >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	if (error == EPERM)
		print_error("'%s' is not safe to write to: others may rename "
			    "files in it", path);
	else
		print_error("cannot open '%s': %s", path, strerror(error));
	return -error;
}

bool safe_open(struct safe *safe, int folder, const char *name)
{
	*safe = (struct safe){ .folder = folder, .name = name };
	snprintf(safe->partial, sizeof(safe->partial), ".%s.%ld.new", name,
		 (long)getpid());
	safe->fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (safe->fd >= 0)
		return true;
	safe->fd = openat(folder, safe->partial,
			  O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
			  0600);
	safe->named = safe->fd >= 0;
	return safe->named;
}

/* What has no name yet cannot take the place of what has one. */
static bool give_name(struct safe *safe)
{
	char self[64];

	if (safe->named)
		return true;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", safe->fd);
	safe->named = linkat(AT_FDCWD, self, safe->folder, safe->partial,
			     AT_SYMLINK_FOLLOW) == 0;
	return safe->named;
}

bool safe_commit(struct safe *safe, unsigned int mode)
{
	int error;

	if (fchmod(safe->fd, mode) < 0 || fsync(safe->fd) < 0 ||
	    !give_name(safe) ||
	    renameat(safe->folder, safe->partial, safe->folder, safe->name) <
		    0) {
		error = errno;
		safe_cancel(safe);
		errno = error;
		return false;
	}
	fsync(safe->folder);
	close(safe->fd);
	return true;
}

void safe_cancel(struct safe *safe)
{
	if (safe->named)
		unlinkat(safe->folder, safe->partial, 0);
	close(safe->fd);
}

/* ".NAME.report.json.123.new", an hour old. */
static bool is_left(int folder, const char *name)
{
	size_t length = strlen(name);
	struct stat st;

	return length > 5 && name[0] == '.' &&
	       !strcmp(name + length - 4, ".new") &&
	       (strstr(name, ".report.") || strstr(name, ".seen.")) &&
	       fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode) && st.st_mtime < time(NULL) - 3600;
}

void safe_sweep(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *file;

	while (dir && (file = readdir(dir)))
		if (is_left(folder, file->d_name))
			unlinkat(folder, file->d_name, 0);
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
}

const char *safe_split(char *folder, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 1;

	if (length >= PATH_MAX || (slash && !slash[1]))
		return NULL;
	if (slash == path)
		length = 1;
	memcpy(folder, slash ? path : ".", length);
	folder[length] = '\0';
	return slash ? slash + 1 : path;
}
