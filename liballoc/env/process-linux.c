// SPDX-License-Identifier: Apache-2.0
/* A process of Linux, from /proc; it is never stopped. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "env/proc.h"
#include "util/error.h"

enum {
	TEXT_MAX = 1 << 20, /* bytes of stat, cgroup, command line */
	MAPS_MAX = 64 << 20, /* ... of maps */
	STARTING = 8, /* looks at a program that may still be loading */
	KERNEL_FLAG = 0x00200000 /* of stat: PF_KTHREAD */
};

/* Libraries of torch, the ones that hold the allocator first. */
static const char *const libraries[] = {
	"/libc10_cuda.so", "/libc10_hip.so", "/libtorch_cuda.so",
	"/libtorch_hip.so", "/libc10.so", "/libtorch_cpu.so", NULL
};

/* Files of devices that a program has open once it uses a GPU; with a number
 * behind them. */
static const char *const devices[] = { "/dev/nvidia", "/dev/dxg", "/dev/kfd",
				       NULL };

/* Name and parent stand around the last parenthesis.  state: as the kernel
 * writes it, 'K' for a thread of its own. */
static int read_stat(struct la_env_process *process,
		     const struct la_proc *proc, char *state)
{
	struct la_strbuf text = { 0 };
	int ret = la_proc_read(proc, "stat", TEXT_MAX, &text);
	char *open, *close;
	unsigned int flags;
	long parent;

	open = ret == 0 && text.data ? strchr(text.data, '(') : NULL;
	close = open ? strrchr(open, ')') : NULL;
	if (close && sscanf(close + 1, " %c %ld %*d %*d %*d %*d %u", state,
			    &parent, &flags) == 3) {
		if (flags & KERNEL_FLAG && *state != 'Z')
			*state = 'K';
		process->command = strndup(open + 1,
					   (size_t)(close - open - 1));
		process->info.parent = parent;
		ret = process->command ? 0 : -ENOMEM;
	} else if (ret == 0) {
		ret = -ESRCH;
	}
	la_strbuf_release(&text);
	return ret;
}

static int read_arguments(struct la_env_process *process,
			  const struct la_proc *proc)
{
	struct la_strbuf text = { 0 };
	size_t i;

	if (la_proc_read(proc, "cmdline", TEXT_MAX, &text) == -ENOMEM) {
		la_strbuf_release(&text);
		return -ENOMEM;
	}
	while (text.length && !text.data[text.length - 1])
		text.length--;
	for (i = 0; i < text.length; i++)
		if (!text.data[i])
			text.data[i] = ' ';
	if (text.length)
		process->arguments = text.data;
	else
		la_strbuf_release(&text);
	return 0;
}

/* "/system.slice/x.service" and what may follow. */
static void note_unit(struct la_env_process *process, char *path)
{
	static const char user[] = "user@";
	char *part, *unit = NULL;

	while ((part = strsep(&path, "/"))) {
		size_t n = strlen(part);

		if (n < 8 || strcmp(part + n - 8, ".service"))
			continue;
		if (!strncmp(part, user, strlen(user)))
			process->info.user_unit = true;
		else
			unit = part;
	}
	if (unit)
		process->unit = strdup(unit);
	else
		process->info.user_unit = false;
}

static void read_unit(struct la_env_process *process,
		      const struct la_proc *proc)
{
	struct la_strbuf text = { 0 };
	char *rest, *line, *path;

	if (la_proc_read(proc, "cgroup", TEXT_MAX, &text) == 0) {
		rest = text.data;
		while (!process->unit && (line = strsep(&rest, "\n"))) {
			path = strchr(line, ':');
			path = path ? strchr(path + 1, ':') : NULL;
			if (path && (strstr(line, ":name=systemd:") ||
				     !strncmp(line, "0::", 3)))
				note_unit(process, path + 1);
		}
	}
	la_strbuf_release(&text);
}

/* Does it see other files than the caller? */
static bool has_own_root(const struct la_proc *proc)
{
	struct stat here, there;

	return !stat("/", &here) &&
	       !fstatat(proc->folder, "root/", &there, 0) &&
	       (here.st_dev != there.st_dev || here.st_ino != there.st_ino);
}

static int read_links(struct la_env_process *process,
		      const struct la_proc *proc)
{
	process->program = la_proc_link(proc, "exe");
	process->folder = la_proc_link(proc, "cwd");
	if (!has_own_root(proc))
		return 0;
	return asprintf(&process->root, "/proc/%d/root", (int)proc->pid) < 0 ?
		       -ENOMEM :
		       0;
}

/* Is it the library, perhaps with a number behind its name? */
static bool is_library(const char *path, const char *library)
{
	const char *name = strrchr(path, '/');

	return name && !strncmp(name, library, strlen(library));
}

static void note_libraries(struct la_env_process *process, const char *maps)
{
	char *copy = strdup(maps ? maps : ""), *rest = copy;
	size_t best = sizeof(libraries) / sizeof(*libraries) - 1, i;
	struct la_proc_map map;

	while (rest && la_proc_next_map(&rest, &map))
		for (i = 0; i < best; i++)
			if (is_library(map.path, libraries[i])) {
				free(process->torch);
				process->torch = strdup(map.path);
				best = i;
			}
	free(copy);
}

static bool is_device(const char *path)
{
	size_t i, n;

	for (i = 0; devices[i]; i++) {
		n = strlen(devices[i]);
		if (!strncmp(path, devices[i], n) &&
		    (!path[n] || isdigit((unsigned char)path[n])))
			return true;
	}
	return false;
}

static void note_devices(struct la_env_process *process,
			 const struct la_proc *proc)
{
	char name[sizeof("fd/2147483647")], *target;
	int fd, missing = 0;

	/* Numbers are given from the lowest that is free. */
	for (fd = 0; missing < 256 && !process->info.gpu; fd++) {
		snprintf(name, sizeof(name), "fd/%d", fd);
		target = la_proc_link(proc, name);
		missing = target ? 0 : missing + 1;
		process->info.gpu = target && is_device(target);
		free(target);
	}
}

/* One that ends loses its memory first: then its block is empty. */
static bool has_memory(const struct la_proc *proc)
{
	char *program = la_proc_link(proc, "exe");
	bool has = program;

	free(program);
	return has;
}

static int read_initial(struct la_env_process *process,
			const struct la_proc *proc, char state)
{
	struct la_strbuf block = { 0 };
	int ret = la_proc_read(proc, "environ", LA_ENV_BYTES, &block);
	bool known = ret == 0 && state != 'Z' && state != 'K' &&
		     (block.length || has_memory(proc));

	if (known)
		ret = la_env_of_block(&process->initial,
				      la_strbuf_text(&block), block.length,
				      LA_PLATFORM_LINUX);
	la_strbuf_release(&block);
	if (known)
		return ret;
	if (la_env_new(&process->initial, LA_PLATFORM_LINUX) < 0)
		return -ENOMEM;
	if (state == 'K')
		return la_env_set_unknown(process->initial,
					  "it is a thread of the kernel");
	return la_proc_refused(proc, process->initial, ret < 0 ? -ret : ESRCH,
			       false);
}

static int read_once(struct la_env_process *process,
		     const struct la_proc *proc, struct la_strbuf *maps)
{
	int ret;

	maps->length = 0;
	ret = la_proc_read(proc, "maps", MAPS_MAX, maps);
	if (ret == -ENOMEM)
		return ret;
	if (ret < 0)
		return la_proc_refused(proc, process->current, -ret, true);
	note_libraries(process, maps->data);
	return la_proc_live(proc, maps->data, process->current,
			    &process->current_from);
}

/* A program that has just been started loads its C library first. */
static int read_current(struct la_env_process *process,
			const struct la_proc *proc)
{
	const struct timespec pause = { .tv_nsec = 4000000 };
	struct la_strbuf maps = { 0 };
	size_t before = 0, i;
	int ret = 0;

	for (i = 0; i < STARTING && ret == 0; i++) {
		if (i)
			nanosleep(&pause, NULL);
		la_env_free(process->current);
		process->current = NULL;
		ret = la_env_new(&process->current, LA_PLATFORM_LINUX);
		if (ret == 0)
			ret = read_once(process, proc, &maps);
		if (ret < 0 || !la_env_unknown(process->current) ||
		    (i > 1 && maps.length == before))
			break;
		before = maps.length;
	}
	la_strbuf_release(&maps);
	return ret;
}

static int read_all(struct la_env_process *process,
		    const struct la_proc *proc)
{
	char state = 'Z';
	int ret = read_stat(process, proc, &state);

	if (ret == 0)
		ret = read_arguments(process, proc);
	if (ret == 0)
		ret = read_links(process, proc);
	if (ret < 0)
		return ret;
	read_unit(process, proc);
	note_devices(process, proc);
	ret = read_initial(process, proc, state);
	return ret < 0 ? ret : read_current(process, proc);
}

int la_env_process_read(struct la_env_process *process, int64_t pid,
			struct la_error *err)
{
	struct la_proc proc = { .pid = pid ? (pid_t)pid : getpid() };
	char path[sizeof("/proc/2147483647")];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d", (int)proc.pid);
	proc.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc.folder < 0)
		return la_error_set(err, errno == ENOENT ? -ESRCH : -errno,
				    LA_NO_OFFSET, "no process %d",
				    (int)proc.pid);
	process->info.pid = proc.pid;
	ret = read_all(process, &proc);
	close(proc.folder);
	return ret == 0 ? 0 :
			  la_error_set(err, ret, LA_NO_OFFSET,
				       "process %d cannot be read: %s",
				       (int)proc.pid, strerror(-ret));
}
