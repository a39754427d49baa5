// SPDX-License-Identifier: Apache-2.0
/*
 * write-probe FILE [NAME=VALUE]...: a recording of cupti-probe, small and
 * whole.
 *
 * Numbers: pid (default 4711), began and ended (seconds: of the epoch, now by
 * default, and after that; ended 0: no clean exit), ooms, retries, lost, size
 * and free (bytes, of each OOM), total, live, reserved, device_count.  Texts:
 * host, exe, run, job, note, device, boot (default: of this system).
 * running=PID: that process has it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <liballoc/probe-format.h>

#define SECOND 1000000000ull

enum { SLOTS = 64 };

static struct {
	struct la_probe_header header;
	char rest[LA_PROBE_PAGE - sizeof(struct la_probe_header)];
	struct la_probe_device device[LA_PROBE_DEVICES];
	struct la_probe_oom oom[LA_PROBE_OOMS];
	struct la_probe_holding holding[SLOTS];
	struct la_probe_chunk chunk[LA_PROBE_LEVELS];
} file;

static char **arguments;

static const char *text(const char *name, const char *otherwise)
{
	size_t length = strlen(name);
	char **a;

	for (a = arguments; *a; a++)
		if (!strncmp(*a, name, length) && (*a)[length] == '=')
			return *a + length + 1;
	return otherwise;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *value = text(name, NULL);

	return value ? strtoull(value, NULL, 10) : otherwise;
}

static void copy(char *out, size_t size, const char *value)
{
	memcpy(out, value, strnlen(value, size));
}

#define COPY(out, name, otherwise) \
	copy(out, sizeof(out), text(name, otherwise))

static void read_boot(char *out, size_t size)
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "r");

	if (in && fgets(out, (int)size, in))
		out[strcspn(out, "\n")] = '\0';
	if (in)
		fclose(in);
}

static uint64_t start_time(uint64_t pid)
{
	char path[64], line[1024] = "", *at;
	FILE *in;
	int field;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	in = fopen(path, "r");
	if (in && !fgets(line, sizeof(line), in))
		line[0] = '\0';
	if (in)
		fclose(in);
	at = strrchr(line, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

static void fill_header(struct la_probe_header *header)
{
	uint64_t running = number("running", 0);
	char boot[64] = "";

	read_boot(boot, sizeof(boot));
	header->version = LA_PROBE_VERSION;
	header->endian = LA_PROBE_ENDIAN;
	header->file_size = sizeof(file);
	header->device_offset = (uint64_t)((char *)file.device - (char *)&file);
	header->oom_offset = (uint64_t)((char *)file.oom - (char *)&file);
	header->table_offset = (uint64_t)((char *)file.holding - (char *)&file);
	header->table_slots = SLOTS;
	header->chunk_offset[0] =
		(uint64_t)((char *)&file.chunk[0] - (char *)&file);
	header->chunk_offset[1] =
		(uint64_t)((char *)&file.chunk[1] - (char *)&file);
	header->chunk_count[0] = header->chunk_count[1] = 1;
	header->pid = (uint32_t)(running ? running : number("pid", 4711));
	header->start_time = running ? start_time(running) : 12345;
	header->monotonic = 10 * SECOND;
	header->realtime = number("began", (uint64_t)time(NULL)) * SECOND;
	COPY(header->boot_id, "boot", boot);
	COPY(header->host, "host", "node7");
	COPY(header->run, "run", "");
	COPY(header->exe, "exe", "/usr/bin/python3");
	COPY(header->job, "job", "");
	COPY(header->note, "note", "");
	header->front = LA_PROBE_FRONT_PRELOAD;
	header->device_count = (uint32_t)number("device_count", 1);
	header->view[LA_PROBE_DRIVER].from = 11 * SECOND;
	header->heartbeat = 15 * SECOND;
	if (number("ended", running ? 0 : 5))
		header->ended = (10 + number("ended", 5)) * SECOND;
	header->ooms = number("ooms", 0);
	header->retries = number("retries", 0);
	header->episodes = header->ooms + header->retries;
	header->calls = 100;
	header->failed_calls = header->episodes;
	header->lost_records = number("lost", 0);
	memcpy(header->magic, LA_PROBE_MAGIC, sizeof(header->magic));
}

static void fill_device(struct la_probe_device *device)
{
	int i;

	for (i = 0; i < 16; i++)
		device->uuid[i] = (uint8_t)(i + 1);
	COPY(device->name, "device", "NVIDIA Test");
	device->total = number("total", 1ull << 30);
	device->free = device->least_free = number("free", 1ull << 20);
	device->free_time = 12 * SECOND;
	device->live[LA_PROBE_KIND_DEVICE] = number("live", 900ull << 20);
	device->peak[LA_PROBE_KIND_DEVICE] = number("live", 900ull << 20);
	device->count[LA_PROBE_KIND_DEVICE] = 3;
	device->allocated = device->reserved = number("reserved", 0);
	device->peak_allocated = device->peak_reserved = device->reserved;
	device->ooms = number("ooms", 0);
	device->retries = number("retries", 0);
}

static void fill_ooms(void)
{
	uint64_t count = number("ooms", 0), i;
	struct la_probe_oom *oom;

	for (i = 0; i < count && i < LA_PROBE_OOMS; i++) {
		oom = &file.oom[i];
		oom->serial = i + 1;
		oom->time = (12 + i) * SECOND;
		oom->closed = oom->time + SECOND / 5;
		oom->state = LA_PROBE_OOM_EXPIRED;
		oom->thread = 1;
		oom->call = 243;
		oom->result = 2;
		oom->failures = 1;
		oom->op = LA_PROBE_OP_ALLOC;
		oom->size = number("size", 2ull << 30);
		oom->free = oom->free_last = number("free", 1ull << 20);
		oom->total = number("total", 1ull << 30);
		oom->live[LA_PROBE_KIND_DEVICE] = number("live", 900ull << 20);
	}
}

int main(int argc, char **argv)
{
	FILE *out;

	if (argc < 2)
		return 2;
	arguments = argv + 2;
	fill_header(&file.header);
	fill_device(&file.device[0]);
	fill_ooms();
	out = fopen(argv[1], "wb");
	return !out || fwrite(&file, sizeof(file), 1, out) != 1 || fclose(out);
}
