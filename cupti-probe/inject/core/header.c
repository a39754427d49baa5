// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/parts.h"
#include "core/store.h"

/* Up to size - 1 bytes of a file, and a zero; how many. */
static size_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	if (got < 0)
		got = 0;
	text[got] = '\0';
	return (size_t)got;
}

void header_boot_id(char boot_id[40])
{
	memset(boot_id, 0, 40);
	read_file("/proc/sys/kernel/random/boot_id", boot_id, 40);
	boot_id[strcspn(boot_id, "\n")] = '\0';
}

void header_host(char host[64])
{
	memset(host, 0, 64);
	if (gethostname(host, 63) < 0 || !*host)
		strcpy(host, "localhost");
}

/* Field 22 of /proc/PID/stat; the second, in brackets, may hold anything. */
uint64_t header_start_time(pid_t pid)
{
	char path[32], text[512], *at;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	read_file(path, text, sizeof(text));
	at = strrchr(text, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* What is set of a launcher's variables, as NAME=value with blanks. */
static void fill_job(char *job, size_t size)
{
	static const char *const names[] = {
		"RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_JOB_ID",
		"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"
	};
	size_t i, used = 0;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && used < size)
			used += snprintf(job + used, size - used, "%s%s=%s",
					 used ? " " : "", names[i], value);
	}
}

/* What torch reads: the new name comes before the old one. */
static void fill_setting(char *setting, size_t size)
{
	const char *value = getenv("PYTORCH_ALLOC_CONF");

	if (!value)
		value = getenv("PYTORCH_CUDA_ALLOC_CONF");
	snprintf(setting, size, "%s", value ? value : "");
}

static void fill_arguments(char *arguments, size_t size)
{
	size_t i, got = read_file("/proc/self/cmdline", arguments, size);

	while (got && !arguments[got - 1])
		got--;
	for (i = 0; i < got; i++)
		if (!arguments[i])
			arguments[i] = ' ';
}

static void fill_times(struct la_probe_header *header)
{
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	header->monotonic = store_now();
	header->heartbeat = header->monotonic;
	header->realtime = (uint64_t)real.tv_sec * 1000000000 +
			   (uint64_t)real.tv_nsec;
}

void header_fill(struct la_probe_header *header, const struct config *config)
{
	header->version = LA_PROBE_VERSION;
	header->endian = LA_PROBE_ENDIAN;
	header->pid = (uint32_t)getpid();
	header->uid = getuid();
	header->start_time = header_start_time(getpid());
	fill_times(header);
	header_boot_id(header->boot_id);
	header_host(header->host);
	if (readlink("/proc/self/exe", header->exe,
		     sizeof(header->exe) - 1) < 0)
		header->exe[0] = '\0';
	snprintf(header->run, sizeof(header->run), "%s",
		 config->run ? config->run : "");
	if (config->arguments)
		fill_arguments(header->arguments, sizeof(header->arguments));
	fill_setting(header->setting, sizeof(header->setting));
	fill_job(header->job, sizeof(header->job));
	snprintf(header->note, sizeof(header->note), "%s", config->note);
}
