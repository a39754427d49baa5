// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of a parse: one piece for a setting, none left behind, and an answer
 * of -ENOMEM whichever request is refused.  The C library's functions are
 * replaced by ones that count and refuse on order.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *data);

static size_t requests, refuse_at; /* refuse_at: counted from 1; 0: none */
static long live; /* pieces */

static bool is_refused(void)
{
	if (++requests != refuse_at)
		return false;
	errno = ENOMEM;
	return true;
}

static void *count(void *data)
{
	live += !!data;
	return data;
}

void *malloc(size_t size)
{
	return is_refused() ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t nr, size_t size)
{
	return is_refused() ? NULL : count(__libc_calloc(nr, size));
}

void *realloc(void *old, size_t size)
{
	if (is_refused())
		return NULL;
	return old ? __libc_realloc(old, size) : count(__libc_malloc(size));
}

void *reallocarray(void *old, size_t nr, size_t size)
{
	if (__builtin_mul_overflow(nr, size, &size))
		return NULL;
	return realloc(old, size);
}

void free(void *data)
{
	live -= !!data;
	__libc_free(data);
}

static const struct {
	unsigned int release;
	const char *text;
} cases[] = {
	{ LA_RELEASE(1, 13),
	  "max_split_size_mb:64 roundup_power2_divisions:4" },
	{ LA_RELEASE(2, 6), "garbage_collection_threshold:0.8,"
			    "roundup_power2_divisions:[256:1,>:4]" },
	{ LA_RELEASE(2, 11), "" },
	{ LA_RELEASE(2, 11), "garbage_collection_threshold:0.8,"
			     "roundup_power2_divisions:[256:1,>:4]" },
	{ LA_RELEASE(2, 15), "expandable_segments_reserve_by_class:[a:1G]" },
};

START_TEST(test_a_setting_is_one_piece_of_memory)
{
	const struct la_setting_context context = { .release =
							    cases[_i].release };
	struct la_setting *setting;
	long before = live, more;
	size_t asked;
	int err;

	requests = 0;
	err = la_setting_parse_for(&setting, cases[_i].text,
				   strlen(cases[_i].text), &context, NULL);
	asked = requests;
	more = live - before;
	la_setting_free(setting);
	before -= live;
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(asked, 1);
	ck_assert_int_eq(more, 1);
	ck_assert_int_eq(before, 0);
}
END_TEST

static const char *const checked[] = {
	"max_split_size_mb:64MB,max_split_size_mb:-1",
	"max_split_size_mb:64,nothing:1",
	"expandable_segments:true",
};

/* Pieces that a check leaves behind when request `at` is refused. */
static long refuse(const char *text, size_t at, int *err)
{
	const struct la_setting_context context = { .release =
							    LA_RELEASE(2, 11) };
	struct la_setting_check *check = NULL;
	long before = live;

	requests = 0;
	refuse_at = at;
	*err = la_setting_check_new(&check, text, strlen(text), &context);
	refuse_at = 0;
	la_setting_check_free(check);
	return live - before;
}

/* Refuse the first request, then the second, until none is left to refuse. */
START_TEST(test_memory_may_end_anywhere)
{
	int err = -ENOMEM;
	size_t at = 0;

	while (err) {
		long left = refuse(checked[_i], ++at, &err);

		ck_assert(!err || err == -ENOMEM);
		ck_assert_int_eq(left, 0);
	}
	ck_assert_uint_gt(at, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting, memory");
	TCase *tc = tcase_create("memory");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_a_setting_is_one_piece_of_memory, 0,
			    ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, test_memory_may_end_anywhere, 0,
			    ARRAY_SIZE(checked));
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
#else
int main(void)
{
	puts("skipped: another allocator than the C library's");
	return 77;
}
#endif
