// SPDX-License-Identifier: Apache-2.0
/* Blocks: what is in them, and those that a program wrote over. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/env.h>

static struct la_env *read_block(const char *block, size_t length,
				 enum la_platform platform)
{
	struct la_env *env;

	ck_assert_int_eq(la_env_of_block(&env, block, length, platform), 0);
	return env;
}

static void expect_unknown(const char *block, size_t length)
{
	struct la_env *env = read_block(block, length, LA_PLATFORM_LINUX);

	ck_assert_msg(la_env_unknown(env) != NULL, "known: %s", block);
	ck_assert_ptr_null(la_env_entry(env, 0));
	ck_assert_ptr_null(la_env_value(env, "V", 0));
	la_env_free(env);
}

/* Arrays of char end with a byte that a block does not have. */
#define UNKNOWN(text) expect_unknown(text, sizeof(text) - 1)

START_TEST(entries)
{
	static const char block[] = "V=a=b\0E=\0V=2\0VV=3";
	struct la_env *env = read_block(block, sizeof(block),
					LA_PLATFORM_LINUX);

	ck_assert_ptr_null(la_env_unknown(env));
	ck_assert_str_eq(la_env_value(env, "V", 0), "a=b");
	ck_assert_str_eq(la_env_value(env, "V", 1), "2");
	ck_assert_ptr_null(la_env_value(env, "V", 2));
	ck_assert_str_eq(la_env_value(env, "E", 0), "");
	ck_assert_str_eq(la_env_entry(env, 3), "VV=3");
	ck_assert_ptr_null(la_env_entry(env, 4));
	ck_assert_ptr_null(la_env_value(env, "v", 0));
	la_env_free(env);
}
END_TEST

START_TEST(empty)
{
	struct la_env *env = read_block("", 0, LA_PLATFORM_LINUX);

	ck_assert_ptr_null(la_env_unknown(env));
	ck_assert_ptr_null(la_env_entry(env, 0));
	la_env_free(env);
}
END_TEST

START_TEST(overwritten)
{
	UNKNOWN("xxxxxxxxxxxxxx");
	UNKNOWN("worker 1\0\0\0\0\0\0");
	UNKNOWN("worker a=b\0\0\0");
	UNKNOWN("worker a=b   \0");
	UNKNOWN("r: idle\0V=1\0");
	UNKNOWN("V=1\0\0");
	UNKNOWN("\0");
	UNKNOWN("V=1");
	UNKNOWN("=1\0");
}
END_TEST

START_TEST(windows)
{
	static const char block[] = "=C:=C:\\x\0Path=a\0v=1";
	struct la_env *env = read_block(block, sizeof(block),
					LA_PLATFORM_WINDOWS);

	ck_assert_ptr_null(la_env_unknown(env));
	ck_assert_str_eq(la_env_value(env, "V", 0), "1");
	ck_assert_str_eq(la_env_value(env, "PATH", 0), "a");
	ck_assert_str_eq(la_env_entry(env, 0), "Path=a");
	la_env_free(env);
}
END_TEST

START_TEST(own)
{
	struct la_env *env;

	setenv("V", "mine", 1);
	ck_assert_int_eq(la_env_own(&env), 0);
	ck_assert_str_eq(la_env_value(env, "V", 0), "mine");
	la_env_free(env);
	unsetenv("V");
	ck_assert_int_eq(la_env_own(&env), 0);
	ck_assert_ptr_null(la_env_value(env, "V", 0));
	la_env_free(env);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("env");
	TCase *tests = tcase_create("env");
	SRunner *runner;
	int failed;

	tcase_add_test(tests, entries);
	tcase_add_test(tests, empty);
	tcase_add_test(tests, overwritten);
	tcase_add_test(tests, windows);
	tcase_add_test(tests, own);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
