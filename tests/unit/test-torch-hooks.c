// SPDX-License-Identifier: Apache-2.0
/* The hooks as torch calls them, on simulated devices. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/plugin.h"
#include "torch/filter.h"
#include "torch/plugin.h"
#include "util/util.h"

/* std::function as libstdc++ makes it of a small callable: in place. */
static int copies, destroyed;

static bool manage(union la_filter_target *to,
		   const union la_filter_target *from, int operation)
{
	if (operation == 2) {
		*to = *from;
		copies++;
	} else if (operation == 3) {
		destroyed++;
	}
	return false;
}

/* The callable is the stream that it says yes to. */
static bool is_stream(const union la_filter_target *target, void **stream)
{
	return target->pointer == *stream;
}

static struct la_filter filter_of(void *stream)
{
	return (struct la_filter){ { stream }, manage, is_stream };
}

static void *stream_at(uintptr_t number)
{
	return (void *)number;
}

static struct la_allocator_stats stats_of(unsigned int device)
{
	struct la_allocator_stats stats;

	ck_assert_int_eq(la_allocator_stats(la_plugin()->allocator, device,
					    &stats),
			 0);
	return stats;
}

static void configure(const char *options)
{
	ck_assert_int_eq(la_plugin_configure("2.11.0", options, NULL), 0);
}

/* What the last request that was served got. */
static void *got;

struct request {
	uint64_t size;
	int device;
};

static void ask(void *data)
{
	const struct request *request = data;

	got = la_torch_alloc((ssize_t)request->size, request->device, NULL);
}

static bool refuses(uint64_t size, int device)
{
	struct request request = { size, device };

	return plugin_throws(ask, &request);
}

static void reset(void *unused)
{
	(void)unused;
	la_torch_reset();
}

static void init(void *unused)
{
	(void)unused;
	la_torch_init(1);
}

static void set_fraction(void *unused)
{
	(void)unused;
	la_torch_memory_fraction(0.5, PLUGIN_DEVICES);
}

static void begin_again(void *filter)
{
	static const struct plugin_pool id = { { 5, 0 } };

	la_torch_begin_allocate_to_pool(0, id, filter);
}

START_TEST(test_a_filter_is_copied_called_and_released)
{
	struct la_filter filter = filter_of(stream_at(7)), *copy;

	copy = la_filter_copy(&filter);
	memset(&filter, 0xff, sizeof(filter));
	ck_assert_int_eq(copies, 1);
	ck_assert(la_filter_call(copy, 7));
	ck_assert(!la_filter_call(copy, 8));
	la_filter_release(copy);
	ck_assert_int_eq(destroyed, 1);
}
END_TEST

START_TEST(test_an_empty_filter_takes_all)
{
	struct la_filter empty = { { NULL }, NULL, NULL };
	struct la_filter *copy = la_filter_copy(&empty);

	ck_assert(la_filter_call(copy, 1));
	la_filter_release(copy);
	ck_assert_int_eq(copies + destroyed, 0);
}
END_TEST

START_TEST(test_requests_are_served_and_freed)
{
	char *a, *b, *other;

	configure("policy:torch");
	la_torch_init(PLUGIN_DEVICES);
	ck_assert_ptr_null(la_torch_alloc(0, 0, NULL));
	la_torch_free(NULL, 0, 0, NULL);
	a = la_torch_alloc(1000, 0, NULL);
	b = la_torch_alloc(5 * MIB, 0, NULL);
	other = la_torch_alloc(1000, 1, NULL);
	ck_assert(a && b && other && a != b && a != other);
	ck_assert_uint_eq((uintptr_t)a % 512, 0);
	ck_assert_uint_eq(stats_of(0).requested, 1000 + 5 * MIB);
	ck_assert_uint_eq(stats_of(1).requested, 1000);
	la_torch_record_stream(b, stream_at(3));
	la_torch_record_stream(&copies, stream_at(3));
	la_torch_free(a, 1000, 0, NULL);
	la_torch_free(b, 5 * MIB, 0, NULL);
	la_torch_free(other, 1000, 1, NULL);
	ck_assert_uint_eq(stats_of(0).live, 0);
	la_torch_reset();
	ck_assert_uint_eq(stats_of(0).heap.reserved, 0);
	ck_assert_int_eq(la_allocator_check(la_plugin()->allocator, NULL), 0);
}
END_TEST

START_TEST(test_a_request_that_does_not_fit_throws)
{
	configure("policy:torch,limit:100MiB");
	got = &copies;
	ck_assert(refuses(101 * MIB, 1));
	ck_assert_int_eq(plugin_thrown, LA_THROWN_OOM);
	ck_assert_ptr_eq(got, &copies);
	ck_assert_ptr_nonnull(strstr(plugin_text,
				     "Tried to allocate 101.00 MiB. GPU 1 "));
	ck_assert_ptr_nonnull(strstr(plugin_text, "100.00 MiB allowed; "));
	ck_assert_ptr_nonnull(strstr(plugin_text, "(policy torch)"));
	ck_assert_uint_eq(stats_of(1).heap.ooms, 1);
	ck_assert(!refuses(90 * MIB, 1));
	ck_assert_ptr_ne(got, &copies);
	ck_assert_ptr_null(la_torch_segment_alloc(90 * MIB, 1, NULL));
}
END_TEST

static int told;

static void observe(int device, uint64_t size, uint64_t total, uint64_t free)
{
	told++;
	ck_assert_int_eq(device, 0);
	ck_assert_uint_eq(size, 2 * GIB);
	ck_assert_uint_eq(total, plugin_card);
	ck_assert_uint_eq(free, UINT64_MAX);
}

START_TEST(test_observers_hear_before_it_throws)
{
	la_plugin_observe(observe);
	ck_assert(refuses(2 * GIB, 0));
	ck_assert_int_eq(told, 1);
}
END_TEST

START_TEST(test_the_fraction_is_a_cap_and_the_limit_stays)
{
	configure("policy:torch,limit:600MiB");
	la_torch_memory_fraction(0.25, 0);
	ck_assert(refuses(300 * MIB, 0));
	la_torch_memory_fraction(1.0, 0);
	ck_assert(!refuses(300 * MIB, 0));
	ck_assert(refuses(400 * MIB, 0));
	ck_assert(plugin_throws(set_fraction, NULL));
	ck_assert_int_eq(plugin_thrown, LA_THROWN_ERROR);
}
END_TEST

START_TEST(test_the_base_of_a_block_is_told)
{
	char *a, *b;
	size_t size = 0;

	configure("policy:torch");
	a = la_torch_alloc(3 * MIB, 0, NULL);
	b = la_torch_alloc(3 * MIB, 0, NULL);
	ck_assert_ptr_eq(la_torch_base_alloc(b + 512, &size), a);
	ck_assert_uint_eq(size, 20 * MIB);
	size = 5;
	ck_assert_ptr_eq(la_torch_base_alloc(&size, &size), &size);
	ck_assert_uint_eq(size, 5);
}
END_TEST

static void seek_pool(void *data, const struct la_block_info *info)
{
	struct la_block_info *wanted = data;

	if (info->addr == wanted->addr)
		*wanted = *info;
}

static uint64_t pool_of(void *at)
{
	struct la_block_info info = { .addr = (uintptr_t)at };

	la_allocator_walk(la_plugin()->allocator, 0, seek_pool, &info);
	return info.pool[0];
}

START_TEST(test_a_pool_takes_its_streams)
{
	static const struct plugin_pool id = { { 5, 0 } };
	struct la_filter filter = filter_of(stream_at(9));
	void *in, *out, *late;

	la_torch_begin_allocate_to_pool(0, id, &filter);
	in = la_torch_alloc(3 * MIB, 0, stream_at(9));
	out = la_torch_alloc(3 * MIB, 0, stream_at(8));
	ck_assert(plugin_throws(begin_again, &filter));
	ck_assert_int_eq(copies, 2);
	ck_assert_int_eq(destroyed, 1);
	la_torch_end_allocate_to_pool(0, id);
	ck_assert_int_eq(destroyed, 2);
	late = la_torch_alloc(3 * MIB, 0, stream_at(9));
	ck_assert_uint_eq(pool_of(in), 5);
	ck_assert_uint_eq(pool_of(out), 0);
	ck_assert_uint_eq(pool_of(late), 0);
	la_torch_end_allocate_to_pool(0, id);
	la_torch_free(in, 3 * MIB, 0, stream_at(9));
	la_torch_release_pool(0, id);
	la_torch_release_pool(0, id);
}
END_TEST

START_TEST(test_a_trial_throws_once)
{
	la_torch_trial();
	ck_assert(plugin_throws(reset, NULL));
	ck_assert_int_eq(plugin_thrown, LA_THROWN_OOM);
	ck_assert_int_eq(strncmp(plugin_text, "CUDA out of memory. Tried", 25),
			 0);
	ck_assert(!plugin_throws(reset, NULL));
	ck_assert_ptr_null(la_plugin_if_used());
}
END_TEST

START_TEST(test_settings_of_the_environment_are_read)
{
	setenv("LIBALLOC_CONF", "policy:torch,limit:64MiB", 1);
	setenv("PYTORCH_CUDA_ALLOC_CONF", "roundup_power2_divisions:1", 1);
	ck_assert(!refuses(33 * MIB, 0));
	ck_assert(refuses(60 * MIB, 0));
}
END_TEST

START_TEST(test_bad_settings_throw_at_the_first_use)
{
	setenv("LIBALLOC_CONF", "policy:torch,limit:x", 1);
	ck_assert(plugin_throws(init, NULL));
	ck_assert_int_eq(plugin_thrown, LA_THROWN_ERROR);
	ck_assert_str_eq(plugin_text,
			 "liballoc: limit wants a size such as 20GiB (at byte "
			 "19)");
	setenv("LIBALLOC_CONF", "policy:torch", 1);
	setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:1", 1);
	ck_assert(refuses(1, 0));
	ck_assert_ptr_nonnull(strstr(plugin_text, "max_split_size"));
}
END_TEST

START_TEST(test_what_is_in_use_cannot_be_configured)
{
	struct la_error err;

	configure("policy:torch");
	la_torch_init(1);
	ck_assert_int_eq(la_plugin_configure(NULL, "", &err), -EBUSY);
}
END_TEST

START_TEST(test_a_child_of_fork_is_refused)
{
	void *at;
	int status;
	pid_t child;

	at = la_torch_alloc(MIB, 0, NULL);
	child = fork();
	if (child == 0) {
		la_torch_free(at, MIB, 0, NULL);
		_exit(refuses(MIB, 0) &&
			      plugin_thrown == LA_THROWN_ERROR ?
		      0 :
		      1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

enum { ROUNDS = 3000, HELD = 16 };

static void *use(void *stream)
{
	void *held[HELD] = { NULL };
	unsigned int i, seed = (unsigned int)(uintptr_t)stream;

	for (i = 0; i < ROUNDS; i++) {
		size_t size = (size_t)rand_r(&seed) % (i % 8 ? 4096 : MIB) + 1;
		void **slot = &held[(size_t)rand_r(&seed) % HELD];

		la_torch_free(*slot, 0, 0, stream);
		*slot = la_torch_alloc((ssize_t)size, 0, stream);
		if (i % 16 == 0)
			la_torch_record_stream(*slot, stream_at(100));
		if (i % 1000 == 0)
			la_torch_reset();
	}
	for (i = 0; i < HELD; i++)
		la_torch_free(held[i], 0, 0, stream);
	return NULL;
}

START_TEST(test_two_threads)
{
	pthread_t thread[2];
	size_t i;

	for (i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, use,
						stream_at(i + 1)),
				 0);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(stats_of(0).live, 0);
	ck_assert_uint_eq(stats_of(0).served, 2 * ROUNDS);
	ck_assert_int_eq(la_allocator_check(la_plugin()->allocator, NULL), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torch-hooks");
	TCase *tc = tcase_create("hooks");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_a_filter_is_copied_called_and_released);
	tcase_add_test(tc, test_an_empty_filter_takes_all);
	tcase_add_test(tc, test_requests_are_served_and_freed);
	tcase_add_test(tc, test_a_request_that_does_not_fit_throws);
	tcase_add_test(tc, test_observers_hear_before_it_throws);
	tcase_add_test(tc, test_the_fraction_is_a_cap_and_the_limit_stays);
	tcase_add_test(tc, test_the_base_of_a_block_is_told);
	tcase_add_test(tc, test_a_pool_takes_its_streams);
	tcase_add_test(tc, test_a_trial_throws_once);
	tcase_add_test(tc, test_settings_of_the_environment_are_read);
	tcase_add_test(tc, test_bad_settings_throw_at_the_first_use);
	tcase_add_test(tc, test_what_is_in_use_cannot_be_configured);
	tcase_add_test(tc, test_a_child_of_fork_is_refused);
	tcase_add_test(tc, test_two_threads);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
