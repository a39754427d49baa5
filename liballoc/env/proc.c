// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "env/file.h"
#include "env/proc.h"

int la_proc_read(const struct la_proc *proc, const char *name, size_t most,
		 struct la_strbuf *out)
{
	int fd = openat(proc->folder, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : la_env_read_all(fd, most, out);
}

char *la_proc_link(const struct la_proc *proc, const char *name)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(proc->folder, name, path, sizeof(path));

	return n > 0 ? strndup(path, (size_t)n) : NULL;
}

static bool cut_suffix(char *text, const char *suffix)
{
	size_t length = strlen(text), n = strlen(suffix);

	if (length < n || strcmp(text + length - n, suffix))
		return false;
	text[length - n] = '\0';
	return true;
}

static bool parse_map(char *line, struct la_proc_map *map)
{
	unsigned int major, minor;
	int path = 0;

	*map = (struct la_proc_map){ 0 };
	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &map->start, &map->end, &map->offset, &major, &minor,
		   &map->inode, &path) < 6 ||
	    !path)
		return false;
	map->device = (uint64_t)major << 32 | minor;
	map->deleted = cut_suffix(line + path, " (deleted)");
	map->path = line + path;
	return true;
}

bool la_proc_next_map(char **text, struct la_proc_map *map)
{
	char *line;

	while ((line = strsep(text, "\n")))
		if (parse_map(line, map))
			return true;
	return false;
}

ssize_t la_proc_peek(const struct la_proc *proc, uint64_t addr, void *out,
		     size_t size)
{
	struct iovec here = { out, size };
	struct iovec there = { (void *)(uintptr_t)addr, size };
	ssize_t n = process_vm_readv(proc->pid, &here, 1, &there, 1, 0);

	return n < 0 ? -errno : n;
}

/* Of Yama; 0 where there is none. */
static int ptrace_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &scope) != 1)
		scope = 0;
	fclose(file);
	return scope;
}

static bool is_of_another(const struct la_proc *proc, uid_t *owner)
{
	struct stat st;

	if (fstat(proc->folder, &st))
		return false;
	*owner = st.st_uid;
	return st.st_uid != geteuid();
}

int la_proc_refused(const struct la_proc *proc, struct la_env *env,
		    int errno_value, bool memory)
{
	const char *what = memory ? "memory" : "environment block";
	int scope = ptrace_scope();
	uid_t owner;

	if (errno_value == ESRCH || errno_value == ENOENT)
		return la_env_set_unknown(env, "the process has ended");
	if (errno_value != EPERM && errno_value != EACCES)
		return la_env_set_unknown(env, "its %s cannot be read: %s",
					  what, strerror(errno_value));
	if (is_of_another(proc, &owner) && geteuid())
		return la_env_set_unknown(
			env,
			"no permission to read its %s: it belongs to user %u "
			"or is protected; run this as that user or root",
			what, (unsigned int)owner);
	if (memory && scope && geteuid())
		return la_env_set_unknown(
			env,
			"no permission to read its memory: Yama allows that "
			"to parents and to root alone (ptrace_scope is %d); "
			"run this as root",
			scope);
	return la_env_set_unknown(
		env, "no permission to read its %s, as in a container "
		     "without CAP_SYS_PTRACE",
		what);
}
