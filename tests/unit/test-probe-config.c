// SPDX-License-Identifier: Apache-2.0
/* What the probe understands of its variables. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"

static const char *const names[] = {
#define PROBE_VARIABLE(id, name, takes, standard, help) name,
#include "core/variables.inc"
};

static struct config config;

static void read_with(const char *name, const char *value)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
	if (name)
		setenv(name, value, 1);
	config_read(&config);
}

START_TEST(nothing_set)
{
	read_with(NULL, NULL);
	ck_assert(!config.off && config.allocator && config.nvml);
	ck_assert(!config.exclusive && !config.arguments);
	ck_assert_uint_eq(config.size, 64 * 1024 * 1024);
	ck_assert_uint_eq(config.node_size, 0);
	ck_assert_ptr_null(config.directory);
	ck_assert_ptr_null(config.chain);
	ck_assert_ptr_null(config.reporter);
	ck_assert_ptr_null(config.run);
	ck_assert_str_eq(config.note, "");
}
END_TEST

static const struct {
	const char *text;
	uint64_t size; /* 0: not understood */
} sizes[] = {
	{ "1", 1 },
	{ "512B", 512 },
	{ "4096b", 4096 },
	{ "8K", 8192 },
	{ "64M", 67108864 },
	{ "64m", 67108864 },
	{ "64Mi", 67108864 },
	{ "64MiB", 67108864 },
	{ "64 MiB", 67108864 },
	{ "64MB", 64000000 },
	{ "64kB", 64000 },
	{ "1GiB", 1073741824 },
	{ "1GB", 1000000000 },
	{ "2T", 2199023255552 },
	{ "16777215T", 16777215 * 1099511627776ull },
	{ "16777216T", 0 },
	{ "18446744073709551616", 0 },
	{ "0", 0 },
	{ "-1", 0 },
	{ "M", 0 },
	{ "64X", 0 },
	{ "64MiBs", 0 },
	{ "64M1", 0 },
	{ "1.5G", 0 },
	{ " 64M", 0 },
	{ "0x40", 0 },
};

START_TEST(size)
{
	const uint64_t standard = 64 * 1024 * 1024;
	const uint64_t wanted = sizes[_i].size;

	read_with("CUPTI_PROBE_SIZE", sizes[_i].text);
	ck_assert_uint_eq(config.size, wanted ? wanted : standard);
	ck_assert_str_eq(config.note,
			 wanted ? "" : "CUPTI_PROBE_SIZE is no size\n");
	read_with("CUPTI_PROBE_NODE_SIZE", sizes[_i].text);
	ck_assert_uint_eq(config.node_size, wanted);
}
END_TEST

START_TEST(switches)
{
	static const char *const off[] = { "off", "OFF", "0", "no", "false" };
	static const char *const on[] = { "on", "1", "yes", "True", "" };
	size_t i;

	for (i = 0; i < 5; i++) {
		read_with("CUPTI_PROBE", off[i]);
		ck_assert(config.off);
		read_with("CUPTI_PROBE", on[i]);
		ck_assert(!config.off);
		read_with("CUPTI_PROBE_ALLOCATOR", off[i]);
		ck_assert(!config.allocator && config.nvml);
		read_with("CUPTI_PROBE_NVML", off[i]);
		ck_assert(!config.nvml && config.allocator);
		read_with("CUPTI_PROBE_ARGUMENTS", on[i]);
		ck_assert_int_eq(config.arguments, *on[i] != '\0');
		read_with("CUPTI_PROBE_EXCLUSIVE", on[i]);
		ck_assert_int_eq(config.exclusive, *on[i] != '\0');
		ck_assert_str_eq(config.note, "");
	}
	read_with("CUPTI_PROBE", "maybe");
	ck_assert(!config.off);
	ck_assert_str_eq(config.note, "CUPTI_PROBE is neither on nor off\n");
}
END_TEST

START_TEST(texts_are_copied)
{
	char text[] = "CUPTI_PROBE_DIR=/tmp/a";

	read_with("CUPTI_PROBE_CHAIN", "/x/lib.so");
	setenv("CUPTI_PROBE_REPORT", "off", 1);
	setenv("CUPTI_PROBE_RUN", "r1", 1);
	putenv(text);
	config_read(&config);
	memset(strchr(text, '/'), 'x', 6);
	clearenv();
	ck_assert_str_eq(config.directory, "/tmp/a");
	ck_assert_str_eq(config.chain, "/x/lib.so");
	ck_assert_str_eq(config.reporter, "off");
	ck_assert_str_eq(config.run, "r1");
}
END_TEST

START_TEST(too_long)
{
	static char text[10000];

	memset(text, 'a', sizeof(text) - 1);
	read_with("CUPTI_PROBE_CHAIN", text);
	ck_assert_ptr_null(config.chain);
	ck_assert_str_eq(config.note, "CUPTI_PROBE_CHAIN is too long\n");
	read_with("CUPTI_PROBE_SIZE", text);
	ck_assert_str_eq(config.note, "CUPTI_PROBE_SIZE is no size\n");
}
END_TEST

int main(void)
{
	const int count = sizeof(sizes) / sizeof(*sizes);
	Suite *suite = suite_create("probe-config");
	TCase *tc = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, nothing_set);
	tcase_add_loop_test(tc, size, 0, count);
	tcase_add_test(tc, switches);
	tcase_add_test(tc, texts_are_copied);
	tcase_add_test(tc, too_long);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
