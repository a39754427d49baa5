// SPDX-License-Identifier: Apache-2.0
/*
 * A file of figures that a thread keeps up to date: whoever ends the process,
 * and however, finds it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "torch/plugin.h"
#include "util/error.h"

enum { NAMES = 1000 };

/* The file, mapped, and whose figures it has; set once. */
static struct la_report *file;
static const struct la_plugin *source;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void write_figures(void)
{
	struct la_allocator_stats stats;
	unsigned int i;

	for (i = 0; i < file->device_count; i++) {
		if (la_allocator_stats(source->allocator, i, &stats) < 0)
			continue;
		file->device[i].stats = stats;
		file->device[i].cap = source->cap[i];
	}
	file->last_ns = now_ns();
}

static void *keep_writing(void *unused)
{
	static const struct timespec period = {
		.tv_nsec = LA_REPORT_PERIOD_MS * 1000000
	};

	(void)unused;
	for (;;) {
		nanosleep(&period, NULL);
		write_figures();
	}
	return NULL;
}

/* A child of fork() has the mapping, but these are not its figures. */
static __attribute__((destructor)) void write_last(void)
{
	if (!file || file->pid != (uint64_t)getpid())
		return;
	write_figures();
	file->ended = 1;
}

/* Signals are for the threads of the program. */
static int start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, keep_writing, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0)
		pthread_detach(thread);
	return -error;
}

/* A program that executes another has both under one number. */
static int open_new(const char *folder)
{
	char path[PATH_MAX + 64];
	int i, fd = -1;

	for (i = 0; i < NAMES && fd < 0; i++) {
		snprintf(path, sizeof(path), "%s/%ld.%d" LA_REPORT_SUFFIX,
			 folder, (long)getpid(), i);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC |
					O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int map_new(const char *folder)
{
	int fd = open_new(folder), status = 0;
	void *map;

	if (fd < 0)
		return fd;
	if (ftruncate(fd, sizeof(*file)) < 0)
		status = -errno;
	map = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	if (status == 0 && map == MAP_FAILED)
		status = -errno;
	if (status == 0)
		file = map;
	close(fd);
	return status;
}

int la_report_start(const struct la_plugin *plugin, struct la_error *err)
{
	unsigned int i;
	int status = map_new(plugin->options.report);

	if (status < 0)
		return la_error_set(err, status, LA_NO_OFFSET,
				    "cannot write to '%.200s': %s",
				    plugin->options.report, strerror(-status));
	source = plugin;
	*file = (struct la_report){
		.magic = LA_REPORT_MAGIC,
		.size = sizeof(*file),
		.pid = (uint64_t)getpid(),
		.start_ns = now_ns(),
		.policy = (uint32_t)plugin->options.policy,
		.device_count = plugin->devices.count,
	};
	for (i = 0; i < file->device_count; i++)
		file->device[i].total = plugin->devices.total[i];
	write_figures();
	status = start_thread();
	if (status < 0) {
		munmap(file, sizeof(*file));
		file = NULL;
	}
	return status;
}
