// SPDX-License-Identifier: Apache-2.0
/* cupti-probe stat: what a process holds now. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/opt.h"
#include "allocctl/print.h"
#include "device.h"
#include "folder.h"
#include "probe-cmd.h"
#include "util/size.h"

/* What was put on the command line. */
struct request {
	const char *operand; /* a process or a file */
	uint64_t interval; /* seconds; 0: once */
	int format;
};

static void print_row(const char *name, uint64_t bytes, uint64_t peak)
{
	char now[LA_SIZE_TEXT], most[LA_SIZE_TEXT];

	printf("  %-12s %12s  peak %12s\n", name, la_size_format(now, bytes),
	       la_size_format(most, peak));
}

static void print_device(const struct la_probe_device *device, unsigned int i)
{
	char free[LA_SIZE_TEXT], total[LA_SIZE_TEXT], least[LA_SIZE_TEXT];
	int kind;

	printf("device %u  ", i);
	print_escaped(device->name);
	printf("  %s free of %s, least %s\n", la_size_format(free, device->free),
	       la_size_format(total, device->total),
	       la_size_format(least, device->least_free));
	for (kind = 0; kind < DEVICE_KINDS; kind++)
		if (device->peak[kind])
			print_row(device_kinds[kind], device->live[kind],
				  device->peak[kind]);
	if (device->peak_reserved) {
		print_row("allocated", device->allocated,
			  device->peak_allocated);
		print_row("reserved", device->reserved, device->peak_reserved);
	}
	printf("  OOMs %" PRIu64 ", retries %" PRIu64 "\n", device->ooms,
	       device->retries);
}

static void print_text(const struct la_probe *probe)
{
	const struct la_probe_header *header = la_probe_header(probe);
	struct ended ended;
	unsigned int i;

	ended_of(&ended, probe);
	printf("pid %" PRIu32 "  ", header->pid);
	print_escaped(header->exe);
	printf("  %s  %" PRIu64 " calls, %" PRIu64 " failed, %" PRIu64
	       " OOMs, %" PRIu64 " retries\n",
	       ended_names[ended.how], header->calls, header->failed_calls,
	       header->ooms, header->retries);
	for (i = 0; i < header->device_count; i++)
		if (device_is_used(la_probe_device(probe, i)))
			print_device(la_probe_device(probe, i), i);
}

static void print_json(const struct la_probe *probe)
{
	const struct la_probe_header *header = la_probe_header(probe);
	struct la_json json;
	struct ended ended;
	unsigned int i;

	ended_of(&ended, probe);
	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "cupti-probe.stat/1");
	la_json_member_uint(&json, "pid", header->pid);
	la_json_member_text(&json, "host", header->host);
	la_json_member_text(&json, "exe", header->exe);
	la_json_member_text(&json, "ended", ended_names[ended.how]);
	la_json_member_uint(&json, "calls", header->calls);
	la_json_member_uint(&json, "failed_calls", header->failed_calls);
	la_json_member_uint(&json, "ooms", header->ooms);
	la_json_member_uint(&json, "retries", header->retries);
	la_json_member_uint(&json, "hook_time", header->hook_time);
	la_json_key(&json, "devices");
	la_json_array_begin(&json);
	for (i = 0; i < header->device_count; i++)
		device_json(&json, la_probe_device(probe, i), i);
	la_json_array_end(&json);
	la_json_object_end(&json);
	putchar('\n');
}

/* One line an interval: of all devices the bytes of this process. */
static void print_line(const struct la_probe *probe, bool titled)
{
	const struct la_probe_header *header = la_probe_header(probe);
	uint64_t free = UINT64_MAX, live = 0, allocated = 0, reserved = 0;
	unsigned int i;

	if (titled)
		printf("%8s %10s %10s %10s %10s %8s %6s\n", "SECONDS",
		       "FREE MIB", "LIVE MIB", "ALLOCATED", "RESERVED",
		       "RETRIES", "OOMS");
	for (i = 0; i < header->device_count; i++) {
		const struct la_probe_device *device =
			la_probe_device(probe, i);

		if (!device_is_used(device))
			continue;
		free = device->free < free ? device->free : free;
		live += device_live(device);
		allocated += device->allocated;
		reserved += device->reserved;
	}
	printf("%8.1f %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
	       " %8" PRIu64 " %6" PRIu64 "\n",
	       (double)head_since(header, header->heartbeat) / 1e9,
	       free == UINT64_MAX ? 0 : free >> 20, live >> 20,
	       allocated >> 20, reserved >> 20, header->retries, header->ooms);
}

/* Again and again while the process runs. */
static int repeat(const struct request *request, int fd)
{
	const struct timespec pause = { (time_t)request->interval, 0 };
	struct la_probe *probe;
	struct la_error err;
	bool running = true;
	unsigned int line;

	for (line = 0; running; line++) {
		if (line)
			nanosleep(&pause, NULL);
		if (head_read(&probe, fd, &err) < 0) {
			print_error("%s", err.text);
			return STATUS_CANNOT_TELL;
		}
		running = la_probe_is_running(probe);
		if (request->format == PRINT_JSON)
			print_json(probe);
		else
			print_line(probe, line % 20 == 0);
		la_probe_free(probe);
		if (fflush(stdout))
			break;
	}
	return STATUS_DONE;
}

static int once(const struct request *request, int fd)
{
	struct la_probe *probe;
	struct la_error err;

	if (head_read(&probe, fd, &err) < 0) {
		print_error("cannot read '%s': %s", request->operand,
			    err.text);
		return STATUS_CANNOT_TELL;
	}
	if (request->format == PRINT_JSON)
		print_json(probe);
	else
		print_text(probe);
	la_probe_free(probe);
	return STATUS_DONE;
}

/* The recording of a process: the newest with that number. */
static int open_process(uint32_t pid)
{
	char *path[FOLDER_CANDIDATES];
	size_t count = folder_candidates(path), i, e;
	struct folder folder;
	struct stat st;
	int fd = -1;

	for (i = 0; i < count; i++) {
		if (fd < 0 && path[i] && access(path[i], F_OK) == 0 &&
		    folder_open(&folder, path[i]) == STATUS_DONE) {
			for (e = 0; e < folder.count && fd < 0; e++)
				if (folder.entry[e].pid == pid)
					fd = head_open(folder.fd,
						       folder.entry[e].name,
						       O_RDONLY, &st, NULL);
			folder_close(&folder);
		}
		free(path[i]);
	}
	if (fd < 0)
		print_error("no recording of process %" PRIu32, pid);
	return fd;
}

static int open_operand(const char *operand)
{
	struct la_error err = { .text = "" };
	struct stat st;
	char *end;
	unsigned long pid = strtoul(operand, &end, 10);
	int fd;

	if (*operand >= '0' && *operand <= '9' && !*end && pid <= UINT32_MAX)
		return open_process((uint32_t)pid);
	fd = head_open(AT_FDCWD, operand, O_RDONLY, &st, &err);
	if (fd < 0)
		print_error("cannot read '%s': %s", operand, err.text);
	return fd;
}

static int serve(const struct request *request)
{
	int fd = open_operand(request->operand), status;

	if (fd < 0)
		return STATUS_CANNOT_TELL;
	status = request->interval ? repeat(request, fd) : once(request, fd);
	close(fd);
	return status;
}

static int stat_run(int argc, char **argv)
{
	struct request request = { .format = PRINT_TEXT };
	const struct opt opts[] = {
		{ OPT_NUMBER, "interval", &request.interval, "SECONDS",
		  "print a line every so often while it runs", NULL },
		{ OPT_CHOICE, "format", &request.format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "stat PID|FILE [OPTIONS]",
		.about = "Print what a process holds on each device, as the "
			 "probe in it counts.",
		.opts = opts,
		.examples = "  cupti-probe stat 4711\n"
			    "  cupti-probe stat 4711 --interval 1",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr == OPT_HELP)
		return STATUS_DONE;
	if (nr >= 0 && nr != 1)
		print_error("stat wants a PID or a FILE");
	if (nr != 1)
		return STATUS_USAGE;
	request.operand = argv[1];
	return serve(&request);
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "print what a process holds now",
	.run = stat_run,
};
