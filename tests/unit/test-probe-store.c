// SPDX-License-Identifier: Apache-2.0
/*
 * The probe's file: what is in it at first, and who may write to it.
 *
 * Promise: bounded-space.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <liballoc/probe.h>

#include "core/store.h"

static char folder[] = "/tmp/probe-store-XXXXXX";

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("CUPTI_PROBE_DIR", folder, 1);
	setenv("CUPTI_PROBE_SIZE", "4M", 1);
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void open_store(void)
{
	struct config config;
	char message[256] = "";

	config_read(&config);
	ck_assert_msg(store_open(&config, message) == 0, "%s", message);
}

static unsigned int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void first_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, size, file));
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
}

/* By another way than the probe: the name of this program has no blanks. */
static unsigned long long start_time(void)
{
	char line[1024];
	unsigned long long ticks = 0;

	first_line("/proc/self/stat", line, sizeof(line));
	ck_assert_int_eq(sscanf(line, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u "
			 "%*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			 &ticks), 1);
	return ticks;
}

START_TEST(who)
{
	const struct la_probe_header *h;
	char text[512] = "", path[600];
	struct timespec real;

	open_store();
	h = store.header;
	ck_assert_mem_eq(h->magic, "LAPROBE", 8);
	ck_assert_uint_eq(h->version, 1);
	ck_assert_uint_eq(h->endian, 0x01020304);
	ck_assert_uint_eq(h->pid, getpid());
	ck_assert_uint_eq(h->uid, getuid());
	ck_assert_uint_eq(h->start_time, start_time());
	clock_gettime(CLOCK_REALTIME, &real);
	ck_assert_uint_le((uint64_t)real.tv_sec - h->realtime / 1000000000, 60);
	ck_assert_uint_le(store_now() - h->monotonic, 60000000000);
	ck_assert_uint_eq(h->heartbeat, h->monotonic);
	first_line("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	ck_assert_str_eq(h->boot_id, text);
	snprintf(path, sizeof(path), ".%d.%.8s.cpr", (int)getpid(), text);
	gethostname(text, sizeof(text));
	ck_assert_str_eq(h->host, text);
	ck_assert_int_eq(strncmp(store.path, folder, strlen(folder)), 0);
	strcat(text, path);
	ck_assert_str_eq(strrchr(store.path, '/') + 1, text);
	ck_assert_str_eq(realpath("/proc/self/exe", path), h->exe);
}
END_TEST

START_TEST(environment)
{
	static const char *const job[] = { "RANK", "LOCAL_RANK", "WORLD_SIZE",
		"SLURM_JOB_ID", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
		"PMI_RANK" };
	size_t i;

	for (i = 0; i < sizeof(job) / sizeof(*job); i++)
		unsetenv(job[i]);
	setenv("RANK", "3", 1);
	setenv("SLURM_JOB_ID", "77", 1);
	setenv("PYTORCH_ALLOC_CONF", "expandable_segments:True", 1);
	setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:1", 1);
	setenv("CUPTI_PROBE_RUN", "a run", 1);
	setenv("CUPTI_PROBE_NVML", "perhaps", 1);
	open_store();
	ck_assert_str_eq(store.header->job, "RANK=3 SLURM_JOB_ID=77");
	ck_assert_str_eq(store.header->setting, "expandable_segments:True");
	ck_assert_str_eq(store.header->run, "a run");
	ck_assert_str_eq(store.header->arguments, "");
	ck_assert_str_eq(store.header->note,
			 "CUPTI_PROBE_NVML is neither on nor off\n");
}
END_TEST

START_TEST(long_environment)
{
	static char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	setenv("RANK", text, 1);
	unsetenv("PYTORCH_ALLOC_CONF");
	setenv("PYTORCH_CUDA_ALLOC_CONF", text, 1);
	setenv("CUPTI_PROBE_RUN", text, 1);
	setenv("CUPTI_PROBE_ARGUMENTS", "on", 1);
	open_store();
	ck_assert_uint_eq(strlen(store.header->job), 191);
	ck_assert_uint_eq(strlen(store.header->setting), 511);
	ck_assert_uint_eq(strlen(store.header->run), 39);
	ck_assert_ptr_nonnull(strstr(store.header->arguments, "probe-store"));
}
END_TEST

static void in_order(uint64_t *end, uint64_t offset, uint64_t size,
		     uint64_t align)
{
	ck_assert_uint_eq(offset % align, 0);
	ck_assert_uint_ge(offset, *end);
	*end = offset + size;
}

/* Parts do not overlap, and all of the file is in use. */
static void check_layout(const struct la_probe_header *h)
{
	uint64_t end = sizeof(*h), chunk = sizeof(struct la_probe_chunk);

	ck_assert_uint_eq(chunk, 65536);
	in_order(&end, h->device_offset,
		 LA_PROBE_DEVICES * sizeof(struct la_probe_device), 4096);
	in_order(&end, h->oom_offset,
		 LA_PROBE_OOMS * sizeof(struct la_probe_oom), 4096);
	in_order(&end, h->table_offset,
		 h->table_slots * sizeof(struct la_probe_holding), 4096);
	in_order(&end, h->chunk_offset[0], h->chunk_count[0] * chunk, 4096);
	in_order(&end, h->chunk_offset[1], h->chunk_count[1] * chunk, 4096);
	ck_assert_uint_eq(end, h->file_size);
	ck_assert_uint_gt(h->chunk_count[0], 0);
	ck_assert_uint_ge(h->chunk_count[1], 3 * h->chunk_count[0]);
}

static const struct {
	const char *size;
	uint64_t least, most; /* bytes of the file */
	uint64_t slots;
} sizes[] = {
	{ "1", 4 * 1048576 - 65536, 4 * 1048576, 8192 },
	{ "4M", 4 * 1048576 - 65536, 4 * 1048576, 8192 },
	{ "10000000", 10000000 - 65536, 10000000, 16384 },
	{ "64M", 64 * 1048576 - 65536, 64 * 1048576, 131072 },
	{ "200M", 200 * 1048576 - 65536, 200 * 1048576, 262144 },
};

START_TEST(layout)
{
	struct stat st;

	setenv("CUPTI_PROBE_SIZE", sizes[_i].size, 1);
	open_store();
	ck_assert_int_eq(stat(store.path, &st), 0);
	ck_assert_uint_eq(store.header->file_size, (uint64_t)st.st_size);
	ck_assert_uint_ge((uint64_t)st.st_blocks * 512, (uint64_t)st.st_size);
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0600);
	ck_assert_uint_ge((uint64_t)st.st_size, sizes[_i].least);
	ck_assert_uint_le((uint64_t)st.st_size, sizes[_i].most);
	ck_assert_uint_eq(store.header->table_slots, sizes[_i].slots);
	check_layout(store.header);
	ck_assert_str_eq(store.header->note, "");
}
END_TEST

START_TEST(nothing_else_changes)
{
	unsigned int before = descriptors();
	struct config config;
	char message[256];

	errno = 77;
	open_store();
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(descriptors(), before);
	setenv("CUPTI_PROBE_DIR", "/proc/none/of/it", 1);
	config_read(&config);
	ck_assert_int_eq(store_open(&config, message), -ENOENT);
	ck_assert_str_eq(message, "/proc/none/of/it: "
			 "No such file or directory");
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(descriptors(), before);
}
END_TEST

static void write_something(void)
{
	struct la_probe_record record = { .op = 1 };
	struct la_probe_holding holding = { .addr = 4096, .size = 1 }, old;
	uint64_t serial;

	store_record(LA_PROBE_DRIVER, &record);
	store_record(LA_PROBE_ALLOCATOR, &record);
	store_add(&holding, &old);
	store_count(0, LA_PROBE_KIND_DEVICE, 7);
	store_oom(&serial);
	store_end();
}

/* Can a lock on the file be had, as one who removes old files asks? */
static bool is_free(void)
{
	int fd = open(store.path, O_RDONLY);
	bool got;

	ck_assert_int_ge(fd, 0);
	got = !flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return got;
}

/* The file as it is on the disk. */
static void *contents(void)
{
	size_t size = store.header->file_size;
	char *copy = malloc(size);
	FILE *file = fopen(store.path, "r");

	ck_assert_uint_eq(fread(copy, 1, size, file), size);
	fclose(file);
	return copy;
}

static int status_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

/* A child has no store, and cannot get at its parent's even by mistake. */
START_TEST(forked)
{
	struct la_probe_header *header;
	void *before, *after;
	pid_t pid;

	open_store();
	write_something();
	header = store.header;
	before = contents();
	pid = fork();
	if (!pid) {
		if (store.header)
			_exit(1);
		write_something();
		memset(store.device, 0xff, sizeof(*store.device));
		header->pid = 1;
		_exit(0);
	}
	ck_assert_int_eq(status_of(pid), 0);
	after = contents();
	ck_assert_int_eq(memcmp(before, after, header->file_size), 0);
	ck_assert(!is_free());
	write_something();
	ck_assert_uint_eq(store.device->live[LA_PROBE_KIND_DEVICE], 14);
	free(before);
	free(after);
}
END_TEST

/* One that is left behind does not make its parent look alive. */
START_TEST(orphan)
{
	int end[2], told[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(end) | pipe(told), 0);
	pid = fork();
	if (!pid) {
		open_store();
		close(end[1]);
		if (fork())
			_exit(write(told[1], store.path,
				    sizeof(store.path)) < 0);
		_exit((int)read(end[0], &c, 1));
	}
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(read(told[0], store.path, sizeof(store.path)),
			 sizeof(store.path));
	while (!is_free())
		usleep(1000);
	close(end[1]);
}
END_TEST

/* vfork(2) and posix_spawn(3) share memory: nothing changes for the parent. */
START_TEST(spawned)
{
	char *const arguments[] = { (char *)"true", NULL };
	extern char **environ;
	const uint64_t *live;
	uint64_t before;
	pid_t pid;

	open_store();
	pid = vfork();
	if (!pid) {
		write_something();
		execvp("true", arguments);
		_exit(127);
	}
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_ptr_nonnull(store.header);
	ck_assert_int_eq(posix_spawnp(&pid, "true", NULL, NULL, arguments,
				      environ), 0);
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(system("true"), 0);
	live = &store.device->live[LA_PROBE_KIND_DEVICE];
	before = *live;
	write_something();
	ck_assert_uint_eq(*live, before + 7);
	ck_assert(!is_free());
}
END_TEST

START_TEST(daemonized)
{
	int told[2];
	char c = 'x';
	pid_t pid;

	ck_assert_int_eq(pipe(told), 0);
	pid = fork();
	if (!pid) {
		open_store();
		if (daemon(1, 1) < 0)
			_exit(1);
		write_something();
		c = store.header ? 'b' : 'g';
		_exit(write(told[1], &c, 1) != 1);
	}
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(read(told[0], &c, 1), 1);
	ck_assert_int_eq(c, 'g');
}
END_TEST

START_TEST(names)
{
	struct stat st;
	char first[512];

	open_store();
	strcpy(first, store.path);
	open_store();
	ck_assert_int_eq(stat(store.path, &st), 0);
	first[strlen(first) - 4] = '\0';
	strcat(first, ".1.cpr");
	ck_assert_str_eq(store.path, first);
}
END_TEST

START_TEST(counts)
{
	const struct la_probe_device *device;
	const unsigned int kind = LA_PROBE_KIND_PHYSICAL;

	open_store();
	device = &store.device[3];
	store_count(3, kind, 100);
	store_count(3, kind, 50);
	store_count(3, kind, -100);
	store_count(3, kind, 20);
	store_count(LA_PROBE_DEVICES, kind, 20);
	store_count(255, kind, 20);
	ck_assert_uint_eq(device->live[kind], 70);
	ck_assert_uint_eq(device->peak[kind], 150);
	ck_assert_uint_eq(device->count[kind], 2);
	ck_assert_uint_eq(store.device[2].live[kind], 0);
	ck_assert_uint_eq(store.oom[0].serial, 0);
}
END_TEST

/* The first sixteen stay; the rest take turns. */
START_TEST(ooms)
{
	struct la_probe_oom *oom;
	uint64_t serial, i;

	open_store();
	for (i = 1; i <= 70; i++) {
		oom = store_oom(&serial);
		ck_assert_uint_eq(serial, i);
		ck_assert_uint_eq(oom->serial, 0);
		ck_assert_uint_eq(oom->size, 0);
		ck_assert_uint_eq(oom->process[23].used, 0);
		oom->size = i;
		oom->process[23].used = i;
		oom->serial = serial;
	}
	for (i = 0; i < 16; i++)
		ck_assert_uint_eq(store.oom[i].serial, i + 1);
	for (; i < 32; i++)
		ck_assert_uint_gt(store.oom[i].serial, 54);
}
END_TEST

/* The file of a long run is that of a short one: of 2^22 blocks, each of which
 * comes and goes, the last are kept. */
START_TEST(long_run)
{
	struct la_probe_holding holding = { .size = 512, .references = 1 };
	const struct la_probe_record *records;
	struct la_probe_record record;
	struct stat before, after;
	struct la_probe *probe;
	size_t count;
	uint64_t i;

	open_store();
	ck_assert_int_eq(stat(store.path, &before), 0);
	for (i = 1; i <= 1 << 22; i++) {
		record = (struct la_probe_record){
			.addr = i << 9,
			.op = LA_PROBE_OP_BLOCK_ALLOC,
		};
		holding.addr = i << 9;
		holding.kind = LA_PROBE_KIND_BLOCK;
		store_add(&holding, NULL);
		store_record(LA_PROBE_ALLOCATOR, &record);
		store_remove(holding.addr, LA_PROBE_KIND_BLOCK, NULL);
	}
	ck_assert_int_eq(stat(store.path, &after), 0);
	ck_assert_int_eq(after.st_size, before.st_size);
	ck_assert_int_eq(after.st_blocks, before.st_blocks);
	ck_assert_uint_eq(after.st_size, store.header->file_size);
	ck_assert_uint_eq(store.header->lost_records, 0);
	ck_assert_uint_eq(store.header->lost_holdings, 0);
	ck_assert_int_eq(la_probe_open(&probe, store.path, NULL), 0);
	records = la_probe_records(probe, &count);
	i = store.header->chunk_count[LA_PROBE_ALLOCATOR];
	ck_assert_uint_gt(count, (i - 1) * 1023);
	ck_assert_uint_le(count, i * 1023);
	for (i = 0; i < count; i++)
		ck_assert_uint_eq(records[i].addr >> 9,
				  (1 << 22) - count + 1 + i);
	la_probe_free(probe);
}
END_TEST

START_TEST(end)
{
	open_store();
	ck_assert_uint_eq(store.header->ended, 0);
	store_end();
	ck_assert_uint_le(store_now() - store.header->ended, 60000000000);
	ck_assert_uint_eq(store_thread(), (uint32_t)syscall(SYS_gettid));
}
END_TEST

int main(void)
{
	const int count = sizeof(sizes) / sizeof(*sizes);
	Suite *suite = suite_create("probe-store");
	TCase *tc = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, who);
	tcase_add_test(tc, environment);
	tcase_add_test(tc, long_environment);
	tcase_add_loop_test(tc, layout, 0, count);
	tcase_add_test(tc, nothing_else_changes);
	tcase_add_test(tc, forked);
	tcase_add_test(tc, orphan);
	tcase_add_test(tc, spawned);
	tcase_add_test(tc, daemonized);
	tcase_add_test(tc, names);
	tcase_add_test(tc, counts);
	tcase_add_test(tc, ooms);
	tcase_add_test(tc, long_run);
	tcase_add_test(tc, end);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
