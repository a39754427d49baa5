// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl set: a file that is replaced whole or not at all.  Its folder is
 * locked meanwhile, so that two of us do not lose each other's edit, and the
 * file that is written beside it can have one name: one that a killed program
 * left is overwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "file.h"
#include "print.h"
#include "set.h"

static const char backup[] = ".allocctl-backup";
static const char partial[] = ".allocctl-new";

enum {
	LOCK_TRIES = 100, /* before another holder of the folder is told */
	LOCK_NAP = 50, /* ms between two of them */
	PIECE = 1 << 16 /* bytes read at once */
};

static int refuse(const char *path, const char *why)
{
	print_error("'%s' is not changed: %s", path, why);
	return STATUS_CANNOT_TELL;
}

static const char *name_of(const struct set_file *file)
{
	return strrchr(file->path, '/') + 1;
}

/* Make the folders of a path; what is there already stays. */
static void make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
}

/* Follow links; a file that is not there yet has a folder that is. */
static int resolve(struct set_file *file, const char *path)
{
	char folder[PATH_MAX], at[PATH_MAX];
	struct stat link;
	char *slash;

	if (realpath(path, file->path))
		return STATUS_DONE;
	if (errno != ENOENT)
		return refuse(path, strerror(errno));
	if (!lstat(path, &link))
		return refuse(path, "the link leads nowhere");
	if (snprintf(at, sizeof(at), "%s%s", strchr(path, '/') ? "" : "./",
		     path) >= (int)sizeof(at))
		return refuse(path, strerror(ENAMETOOLONG));
	make_folders(at);
	slash = strrchr(at, '/');
	*slash = '\0';
	if (!realpath(*at ? at : "/", folder))
		return refuse(path, strerror(errno));
	if (snprintf(file->path, sizeof(file->path), "%s/%s",
		     strcmp(folder, "/") ? folder : "",
		     slash + 1) >= (int)sizeof(file->path))
		return refuse(path, strerror(ENAMETOOLONG));
	return STATUS_DONE;
}

/* Whoever holds it for long is no allocctl. */
static int lock_folder(struct set_file *file)
{
	const struct timespec nap = { .tv_nsec = LOCK_NAP * 1000000 };
	char *slash = strrchr(file->path, '/');
	unsigned int tries = 0;

	*slash = '\0';
	file->folder = open(slash == file->path ? "/" : file->path,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	while (file->folder >= 0 &&
	       flock(file->folder, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK && ++tries >= LOCK_TRIES)
			return refuse(file->path, "another program holds a "
						  "lock on its folder");
		if (errno == EWOULDBLOCK)
			nanosleep(&nap, NULL);
		else if (errno != EINTR)
			return refuse(file->path, strerror(errno));
	}
	return file->folder < 0 ? refuse(file->path, strerror(errno)) :
				  STATUS_DONE;
}

/* What is there must be a file that can be understood and given back. */
static int check_file(const struct set_file *file, bool force)
{
	const struct stat *st = &file->stat;

	if (!S_ISREG(st->st_mode))
		return refuse(file->path, "it is not a file");
	if (st->st_nlink > 1)
		return refuse(file->path, "it has other names (hard links), "
					  "which would keep the old text");
	if (st->st_size > FILE_BYTES)
		return refuse(file->path, "it is larger than 16 MiB");
	if (!(st->st_mode & 0222) && !force)
		return refuse(file->path, "it is read-only (--force changes "
					  "it)");
	if (faccessat(file->folder, name_of(file), W_OK, AT_EACCESS) < 0 &&
	    !force)
		return refuse(file->path, strerror(errno));
	return STATUS_DONE;
}

static int read_text(struct set_file *file)
{
	struct la_strbuf text = { 0 };
	char piece[PIECE];
	ssize_t n = 0;

	while (file->exists && text.length <= FILE_BYTES &&
	       (n = read(file->fd, piece, sizeof(piece))) > 0)
		la_strbuf_add(&text, piece, (size_t)n);
	la_strbuf_add(&text, "", 0);
	file->text = text.data;
	file->length = text.length;
	if (text.failed)
		return print_no_memory();
	if (n < 0)
		return refuse(file->path, strerror(errno));
	if (memchr(file->text, '\0', file->length))
		return refuse(file->path, "it is not text");
	return STATUS_DONE;
}

/* What is checked, read and given back is one file, whatever its name means
 * meanwhile. */
static int open_file(struct set_file *file)
{
	struct stat st;

	/* Devices may act when they are opened. */
	if (!fstatat(file->folder, name_of(file), &st, AT_SYMLINK_NOFOLLOW) &&
	    !S_ISREG(st.st_mode))
		return refuse(file->path, "it is not a file");
	file->fd = openat(file->folder, name_of(file),
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				  O_CLOEXEC);
	file->exists = file->fd >= 0;
	if (!file->exists && errno != ENOENT)
		return refuse(file->path, strerror(errno));
	if (file->exists && fstat(file->fd, &file->stat) < 0)
		return refuse(file->path, strerror(errno));
	return STATUS_DONE;
}

int set_file_open(struct set_file *file, const char *path, bool force)
{
	int status;

	*file = (struct set_file){ .folder = -1, .fd = -1 };
	status = resolve(file, path);
	if (status == STATUS_DONE)
		status = lock_folder(file);
	if (status == STATUS_DONE)
		status = open_file(file);
	if (status == STATUS_DONE && file->exists)
		status = check_file(file, force);
	return status == STATUS_DONE ? read_text(file) : status;
}

/* Has nobody written or replaced it since it was read? */
static bool is_unchanged(const struct set_file *file)
{
	const struct stat *then = &file->stat;
	struct stat now;

	if (fstatat(file->folder, name_of(file), &now, AT_SYMLINK_NOFOLLOW))
		return !file->exists && errno == ENOENT;
	return file->exists && now.st_dev == then->st_dev &&
	       now.st_ino == then->st_ino && now.st_size == then->st_size &&
	       now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == then->st_mtim.tv_nsec &&
	       now.st_ctim.tv_sec == then->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == then->st_ctim.tv_nsec;
}

static bool write_whole(int fd, const char *text, size_t length)
{
	ssize_t n;

	while (length) {
		n = write(fd, text, length);
		if (n < 0 && errno != EINTR)
			return false;
		text += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Owner first: a change of it may take bits of the mode away. */
static bool take_after(const struct set_file *file, int fd)
{
	mode_t mask;

	if (!file->exists) {
		mask = umask(0);
		umask(mask);
		return !fchmod(fd, 0666 & ~mask);
	}
	if ((file->stat.st_uid != geteuid() ||
	     file->stat.st_gid != getegid()) &&
	    fchown(fd, file->stat.st_uid, file->stat.st_gid) < 0)
		return false;
	return set_file_attributes(file->fd, fd) &&
	       !fchmod(fd, file->stat.st_mode & 07777);
}

/* The text under the name that is to be replaced by another; or errno. */
static int write_new(const struct set_file *file, const char *new,
		     const char *text, size_t length)
{
	int fd, error = 0;

	unlinkat(file->folder, new, 0);
	fd = openat(file->folder, new,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	if (!write_whole(fd, text, length) || !take_after(file, fd) ||
	    fsync(fd) < 0)
		error = errno;
	if (close(fd) < 0 && !error)
		error = errno;
	return error;
}

/* A file of the folder gets this text whole, or stays as it is. */
static int put(const struct set_file *file, const char *name, const char *text,
	       size_t length)
{
	char new[NAME_MAX + 32];
	const char *why = NULL;
	int error;

	snprintf(new, sizeof(new), "%s%s", name_of(file), partial);
	error = write_new(file, new, text, length);
	if (error)
		why = strerror(error);
	else if (!is_unchanged(file))
		why = "another program has changed it meanwhile";
	else if (renameat(file->folder, new, file->folder, name) < 0)
		why = strerror(errno);
	if (why) {
		unlinkat(file->folder, new, 0);
		return refuse(file->path, why);
	}
	fsync(file->folder);
	return STATUS_DONE;
}

int set_file_backup(const struct set_file *file)
{
	char name[NAME_MAX + 32];

	if (!file->exists)
		return STATUS_DONE;
	snprintf(name, sizeof(name), "%s%s", name_of(file), backup);
	return put(file, name, file->text, file->length);
}

int set_file_replace(const struct set_file *file, const char *text,
		     size_t length)
{
	return put(file, name_of(file), text, length);
}

int set_file_remove(const struct set_file *file)
{
	if (!is_unchanged(file))
		return refuse(file->path, "another program has changed it "
					  "meanwhile");
	if (unlinkat(file->folder, name_of(file), 0) < 0)
		return refuse(file->path, strerror(errno));
	fsync(file->folder);
	return STATUS_DONE;
}

void set_file_drop_backup(const struct set_file *file, const char *text,
			  size_t length)
{
	char path[PATH_MAX + 32], *kept;
	struct la_error err;
	size_t size;

	snprintf(path, sizeof(path), "%s%s", file->path, backup);
	if (file_read(&kept, &size, path, &err) < 0)
		return;
	if (size == length && !memcmp(kept, text, size))
		unlink(path);
	free(kept);
}

void set_file_close(struct set_file *file)
{
	if (file->folder >= 0)
		close(file->folder);
	if (file->fd >= 0)
		close(file->fd);
	free(file->text);
}
