// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/plugin.h>

#include "print.h"
#include "run.h"
#include "util/size.h"

enum { PROCESSES = 8 /* that are told of, of at most MOST */, MOST = 4096 };

/* What the processes of a run have left; owned. */
struct reports {
	struct la_report *item;
	size_t count;
};

/* Those of a file that was written whole. */
static bool read_report(struct la_report *report, int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, report, sizeof(*report));
	close(fd);
	return got == sizeof(*report) && report->size == sizeof(*report) &&
	       !memcmp(report->magic, LA_REPORT_MAGIC,
		       sizeof(LA_REPORT_MAGIC)) &&
	       report->policy < LA_HEAP_POLICIES &&
	       report->device_count <= LA_REPORT_DEVICES;
}

static bool is_report(const char *name)
{
	size_t length = strlen(name), suffix = strlen(LA_REPORT_SUFFIX);

	return length > suffix &&
	       !strcmp(name + length - suffix, LA_REPORT_SUFFIX);
}

static void take(struct reports *reports, int folder, const char *name)
{
	struct la_report *item;

	if (reports->count >= MOST)
		return;
	item = realloc(reports->item, (reports->count + 1) * sizeof(*item));
	if (!item)
		return;
	reports->item = item;
	if (read_report(&item[reports->count], folder, name))
		reports->count++;
}

static void take_all(struct reports *reports, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (is_report(entry->d_name)) {
			take(reports, dirfd(dir), entry->d_name);
			unlinkat(dirfd(dir), entry->d_name, 0);
		}
	closedir(dir);
	rmdir(folder);
}

static uint64_t most_reserved(const struct la_report *report)
{
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < report->device_count; i++)
		if (report->device[i].stats.heap.reserved_peak > most)
			most = report->device[i].stats.heap.reserved_peak;
	return most;
}

/* What held most comes first. */
static int compare(const void *a, const void *b)
{
	uint64_t first = most_reserved(a), second = most_reserved(b);

	return first < second ? 1 : -(first > second);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_memory(const struct la_report_device *device)
{
	const struct la_heap_stats *heap = &device->stats.heap;
	uint64_t lost = heap->reserved_peak > heap->allocated_peak ?
				heap->reserved_peak - heap->allocated_peak :
				0;
	char text[LA_SIZE_TEXT];

	fprintf(stderr, "    peak allocated  %-12s in at most %" PRIu64
		" blocks\n", la_size_format(text, heap->allocated_peak),
		device->stats.live_peak);
	fprintf(stderr, "    peak reserved   %s\n",
		la_size_format(text, heap->reserved_peak));
	fprintf(stderr, "    between them    %-12s %.1f %% lost to "
		"fragmentation and caching\n", la_size_format(text, lost),
		share(lost, heap->reserved_peak));
}

static void print_work(const struct la_report *report,
		       const struct la_allocator_stats *stats)
{
	uint64_t ran = report->last_ns - report->start_ns;
	char seconds[32];

	snprintf(seconds, sizeof(seconds), "%.3f s", (double)stats->time / 1e9);

	fprintf(stderr, "    requests        %-12" PRIu64
		" %.1f %% served by a thread's cache\n", stats->served,
		share(stats->cached_hits, stats->served));
	fprintf(stderr, "    driver calls    %-12" PRIu64 " %" PRIu64
		" waits for streams\n", stats->driver_calls, stats->stalls);
	fprintf(stderr, "    time in hooks   %-12s %.2f %% of the run, %.3f s of "
		"it in the driver\n", seconds, share(stats->time, ran),
		(double)stats->device_time / 1e9);
	fprintf(stderr, "    out of memory   %" PRIu64 "\n", stats->heap.ooms);
}

static void print_device(const struct la_report *report, uint32_t number)
{
	const struct la_report_device *device = &report->device[number];
	char text[LA_SIZE_TEXT];

	if (!device->stats.served && !device->stats.heap.ooms)
		return;
	fprintf(stderr, "  GPU %" PRIu32, number);
	if (device->total)
		fprintf(stderr, " of %s", la_size_format(text, device->total));
	if (device->cap != UINT64_MAX)
		fprintf(stderr, ", %s allowed",
			la_size_format(text, device->cap));
	fputc('\n', stderr);
	print_memory(device);
	print_work(report, &device->stats);
}

static void print_process(const struct la_report *report)
{
	uint32_t i;

	print_error("process %" PRIu64 ", policy %s", report->pid,
		    print_policies[report->policy]);
	for (i = 0; i < report->device_count; i++)
		print_device(report, i);
	if (!report->ended)
		fprintf(stderr, "  It did not end by itself (killed, or became "
			"another program): the last %d ms\n  before that may "
			"be missing.\n", LA_REPORT_PERIOD_MS);
}

void run_summary(const char *folder, int status)
{
	struct reports reports = { .item = NULL };
	size_t i;

	take_all(&reports, folder);
	if (reports.count)
		qsort(reports.item, reports.count, sizeof(*reports.item),
		      compare);
	for (i = 0; i < reports.count && i < PROCESSES; i++)
		print_process(&reports.item[i]);
	if (reports.count > PROCESSES)
		print_error("%zu more processes used a GPU",
			    reports.count - PROCESSES);
	if (!reports.count)
		print_error("no process used a GPU through liballoc");
	if (WIFSIGNALED(status))
		print_error("the program was killed by signal %d (%s)",
			    WTERMSIG(status), strsignal(WTERMSIG(status)));
	free(reports.item);
}
