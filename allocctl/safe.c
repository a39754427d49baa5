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

#include "print.h"
#include "safe.h"

enum { SHORT = 200 }; /* bytes of a name that a partial one has room for */

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

/* Without /proc it would never get a name. */
static int open_nameless(int folder)
{
#ifdef O_TMPFILE
	if (access("/proc/self/fd", X_OK) == 0)
		return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
			      0600);
#endif
	(void)folder;
	return -1;
}

/* Hosts that share the folder may have the same process. */
bool safe_open(struct safe *safe, int folder, const char *name)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	*safe = (struct safe){ .folder = folder, .name = name };
	snprintf(safe->partial, sizeof(safe->partial), ".%.*s.%ld-%ld.new",
		 SHORT, name, (long)getpid(), now.tv_nsec);
	safe->fd = open_nameless(folder);
	if (safe->fd >= 0)
		return true;
	safe->fd = openat(folder, safe->partial,
			  O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
			  0600);
	safe->named = safe->fd >= 0;
	return safe->named;
}

static bool give_name(const struct safe *safe, const char *name)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", safe->fd);
	return linkat(AT_FDCWD, self, safe->folder, name,
		      AT_SYMLINK_FOLLOW) == 0;
}

/* What has no name yet cannot take the place of what has one. */
static bool replace(struct safe *safe)
{
	if (!safe->named)
		safe->named = give_name(safe, safe->partial);
	return safe->named && renameat(safe->folder, safe->partial,
				       safe->folder, safe->name) == 0;
}

/* Some file systems have no hard links. */
static bool place(struct safe *safe)
{
	if (!safe->named)
		return give_name(safe, safe->name);
	if (linkat(safe->folder, safe->partial, safe->folder, safe->name, 0) ==
	    0)
		return unlinkat(safe->folder, safe->partial, 0) == 0;
	return errno != EEXIST && replace(safe);
}

/* What is open for its path alone cannot be written to the disk. */
static void sync_folder(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (copy < 0)
		return;
	fsync(copy);
	close(copy);
}

bool safe_commit(struct safe *safe, unsigned int mode, bool force)
{
	int error;

	if (fchmod(safe->fd, (mode_t)mode) < 0 || fsync(safe->fd) < 0 ||
	    !(force ? replace(safe) : place(safe))) {
		error = errno;
		safe_cancel(safe);
		errno = error;
		return false;
	}
	sync_folder(safe->folder);
	close(safe->fd);
	return true;
}

void safe_cancel(struct safe *safe)
{
	if (safe->named)
		unlinkat(safe->folder, safe->partial, 0);
	close(safe->fd);
}

/* ".NAME.123-456.new". */
static bool is_of(const char *name, const char *target)
{
	size_t length = strnlen(target, SHORT);
	const char *rest = name + 1 + length;

	return !strncmp(name + 1, target, length) && *rest == '.' &&
	       !strcmp(rest + 1 + strspn(rest + 1, "0123456789-"), ".new");
}

/* Is it an hour old? */
static bool is_left(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode) && st.st_mtime < time(NULL) - 3600;
}

static bool is_report(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 4, ".new") &&
	       (strstr(name, ".report.") || strstr(name, ".seen."));
}

void safe_sweep(int folder, const char *target)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *file;

	while (dir && (file = readdir(dir)))
		if (file->d_name[0] == '.' &&
		    (target ? is_of(file->d_name, target) :
			      is_report(file->d_name)) &&
		    is_left(folder, file->d_name))
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
