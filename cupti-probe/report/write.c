// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/cmd.h"
#include "allocctl/print.h"
#include "allocctl/safe.h"
#include "folder.h"
#include "keep.h"
#include "letter.h"
#include "write.h"

/* Tenths of a second. */
enum { LOCK_TRIES = 600 };

/* A recording whose report is being written. */
struct target {
	const char *path;
	const char *name; /* in the folder */
	int folder; /* descriptor */
	int fd; /* of the recording, locked */
	uint64_t ooms;
	enum ended_how how; /* as the file tells */
};

static int cannot(const char *what, const char *path, const char *why)
{
	print_error("cannot %s '%s': %s", what, path, why);
	return STATUS_CANNOT_TELL;
}

/* One report at a time; the probe itself holds another kind of lock.  A writer
 * that hangs is not waited for without end. */
static int lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const struct timespec pause = { 0, 100000000 };
	int tries;

	for (tries = 0; fcntl(fd, F_OFD_SETLK, &whole) < 0; tries++) {
		if (errno != EAGAIN || tries == LOCK_TRIES)
			return -1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int open_recording(struct target *target)
{
	struct la_error err = { .text = "" };
	struct la_probe *probe;
	struct ended ended;
	struct stat st;

	target->fd = head_open(target->folder, target->name, O_RDWR, &st, &err);
	if (target->fd < 0)
		return cannot("read", target->path, err.text);
	if (st.st_uid != geteuid() && geteuid() != 0)
		return cannot("write a report of", target->path,
			      "it belongs to another user");
	if (lock(target->fd) < 0)
		return cannot("lock", target->path, strerror(errno));
	if (head_read(&probe, target->fd, &err) < 0)
		return cannot("read", target->path, err.text);
	target->ooms = la_probe_header(probe)->ooms;
	ended_of(&ended, probe);
	target->how = ended.how;
	la_probe_free(probe);
	return STATUS_DONE;
}

/* Would a report say nothing that one says that is there? */
static bool is_told(const struct stamp *stamp, const struct target *target,
		    const struct ended *ended)
{
	enum ended_how how = ended ? ended->how : target->how;

	return stamp->there && stamp->ooms >= target->ooms &&
	       stamp->how >= how;
}

/* All that prints writes to standard output, and asks whether that is a
 * terminal. */
static int print_to(int fd, struct letter *letter, int format)
{
	int before, status, error;

	fflush(stdout);
	before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (before < 0)
		return STATUS_CANNOT_TELL;
	dup2(fd, STDOUT_FILENO);
	status = letter_print(letter, format);
	error = fflush(stdout) || ferror(stdout) ? errno : 0;
	dup2(before, STDOUT_FILENO);
	close(before);
	clearerr(stdout);
	errno = error;
	return status == STATUS_DONE && error ? STATUS_CANNOT_TELL : status;
}

static int write_form(const struct target *target, struct letter *letter,
		      int format, const char *suffix)
{
	char name[STAMP_NAME];
	struct safe safe;
	int status;

	stamp_name(name, target->name, suffix);
	if (!safe_open(&safe, target->folder, name))
		return cannot("write", name, strerror(errno));
	status = print_to(safe.fd, letter, format);
	if (status != STATUS_DONE) {
		cannot("write", name, strerror(errno));
		safe_cancel(&safe);
		return status;
	}
	return safe_commit(&safe, 0600, true) ?
		       STATUS_DONE :
		       cannot("write", name, strerror(errno));
}

/* JSON last: with it the report counts as written. */
static int write_forms(struct written *written, const struct target *target,
		       const struct ended *ended)
{
	struct letter letter;
	int status = letter_open(&letter, &target->path, 1, ended, false);

	if (status == STATUS_DONE)
		status = write_form(target, &letter, TRIAGE_TEXT,
				    ".report.txt");
	if (status == STATUS_DONE)
		status = write_form(target, &letter, TRIAGE_JSON,
				    ".report.json");
	written->stamp = letter.stamp;
	letter_close(&letter);
	return status;
}

static int write_target(struct written *written, struct target *target,
			const struct ended *ended)
{
	int status = open_recording(target);

	if (status != STATUS_DONE)
		return status;
	stamp_read(&written->stamp, target->folder, target->name);
	if (is_told(&written->stamp, target, ended))
		return STATUS_DONE;
	return write_forms(written, target, ended);
}

static void name_report(struct written *written, const char *folder,
			const struct target *target)
{
	char name[STAMP_NAME];

	stamp_name(name, target->name, ".report.txt");
	snprintf(written->path, sizeof(written->path), "%s%s%s",
		 strchr(target->path, '/') ? folder : "",
		 strchr(target->path, '/') ? "/" : "", name);
}

int write_report(struct written *written, const char *path,
		 const struct ended *ended)
{
	struct target target = { .path = path, .fd = -1 };
	char folder[PATH_MAX];
	int status;

	target.name = safe_split(folder, path);
	if (!target.name)
		return cannot("read", path, "it is not a file");
	target.folder = safe_folder(folder);
	if (target.folder < 0)
		return STATUS_CANNOT_TELL;
	name_report(written, folder, &target);
	status = write_target(written, &target, ended);
	if (target.fd >= 0)
		close(target.fd);
	close(target.folder);
	if (status == STATUS_DONE)
		status = keep_bounded(folder, target.name);
	return status;
}
