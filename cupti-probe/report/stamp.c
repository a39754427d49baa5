// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocctl/safe.h"
#include "stamp.h"

/* Bytes at the beginning of a report that have all members. */
enum { BEGINNING = 1024 };

void stamp_name(char out[STAMP_NAME], const char *name, const char *suffix)
{
	size_t length = strlen(name);

	if (length > 4 && !strcmp(name + length - 4, ".cpr"))
		length -= 4;
	snprintf(out, STAMP_NAME, "%.*s%s", (int)length, name, suffix);
}

bool stamp_snapshot(char out[STAMP_NAME], const char *host, uint32_t pid,
		    const char *suffix)
{
	if (strchr(host, '/'))
		return false;
	snprintf(out, STAMP_NAME, "%.*s.%" PRIu32 ".oom.%s",
		 (int)strcspn(host, "."), host, pid, suffix);
	return true;
}

/* In a folder for all anybody can put a file beside a recording: its owner's
 * and the administrator's words count. */
static bool is_trusted(int fd, int folder, const char *name)
{
	struct stat file, recording;

	return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
	       fstatat(folder, name, &recording, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (file.st_uid == recording.st_uid || file.st_uid == 0);
}

/* The beginning of a small file of ours; "" if there is none. */
static void read_beside(char *text, size_t size, int folder, const char *name,
			const char *suffix)
{
	char beside[STAMP_NAME];
	ssize_t got = -1;
	int fd;

	stamp_name(beside, name, suffix);
	fd = openat(folder, beside,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		if (is_trusted(fd, folder, name))
			got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
}

static enum la_cause find_cause(const char *name)
{
	int cause;

	for (cause = 0; cause < LA_CAUSE_COUNT; cause++)
		if (!strcmp(la_cause_name((enum la_cause)cause), name))
			break;
	return (enum la_cause)cause;
}

static enum la_grade find_grade(const char *name)
{
	int grade;

	for (grade = 0; grade <= LA_GRADE_PROVEN; grade++)
		if (!strcmp(la_grade_name((enum la_grade)grade), name))
			break;
	return (enum la_grade)grade;
}

void stamp_read(struct stamp *stamp, int folder, const char *name)
{
	char text[BEGINNING], cause[64], grade[16], how[16];
	int nr;

	memset(stamp, 0, sizeof(*stamp));
	read_beside(text, sizeof(text), folder, name, ".report.json");
	nr = sscanf(text,
		    "{\"schema\":\"" STAMP_SCHEMA "\",\"verdict\":\"%63[A-Z_]\""
		    ",\"grade\":\"%15[A-Z]\",\"signature\":\"%16[0-9a-f]\""
		    ",\"ooms\":%" SCNu64 ",\"ended\":\"%15[a-z-]\"",
		    cause, grade, stamp->signature, &stamp->ooms, how);
	if (nr != 5)
		return;
	stamp->cause = find_cause(cause);
	stamp->grade = find_grade(grade);
	stamp->how = ended_find(how, strlen(how));
	stamp->there = stamp->cause < LA_CAUSE_COUNT &&
		       stamp->grade <= LA_GRADE_PROVEN &&
		       stamp->how < ENDED_COUNT;
}

void stamp_json(struct la_json *json, const struct stamp *stamp)
{
	la_json_member_text(json, "schema", STAMP_SCHEMA);
	la_json_member_text(json, "verdict", la_cause_name(stamp->cause));
	la_json_member_text(json, "grade", la_grade_name(stamp->grade));
	la_json_member_text(json, "signature", stamp->signature);
	la_json_member_uint(json, "ooms", stamp->ooms);
	la_json_member_text(json, "ended", ended_names[stamp->how]);
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

void stamp_sign(struct stamp *stamp, const char *exe, uint64_t size)
{
	uint64_t hash = mix(0xcbf29ce484222325ull, exe);
	char class[16];

	snprintf(class, sizeof(class), "%d",
		 size ? 64 - __builtin_clzll(size) : 0);
	hash = mix(mix(hash, la_cause_name(stamp->cause)), class);
	snprintf(stamp->signature, sizeof(stamp->signature), "%016" PRIx64,
		 hash);
}

uint64_t stamp_seen(int folder, const char *name)
{
	char text[32];

	read_beside(text, sizeof(text), folder, name, ".seen");
	return strtoull(text, NULL, 10);
}

void stamp_see(int folder, const char *name, uint64_t ooms)
{
	char beside[STAMP_NAME];
	struct safe safe;

	stamp_name(beside, name, ".seen");
	if (!safe_open(&safe, folder, beside))
		return;
	if (dprintf(safe.fd, "%" PRIu64 "\n", ooms) > 0)
		safe_commit(&safe, 0600, true);
	else
		safe_cancel(&safe);
}
