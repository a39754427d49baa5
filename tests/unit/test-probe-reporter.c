// SPDX-License-Identifier: Apache-2.0
/*
 * The reporter is started without the program's learning of it.  In its place
 * runs a script that writes down what it was given.
 *
 * Promise: bounded-reports.
 */

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/store.h"
#include "support/probe-driver.h"
#include "util/util.h"

static char folder[64], script[96], written[96];
static volatile sig_atomic_t signals;
static int ahead; /* s that the process's clock is before the system's */

int clock_gettime(clockid_t id, struct timespec *time)
{
	int result = (int)syscall(SYS_clock_gettime, id, time);

	if (!result && id == CLOCK_MONOTONIC)
		time->tv_sec += __atomic_load_n(&ahead, __ATOMIC_RELAXED);
	return result;
}

static void count_signal(int number)
{
	(void)number;
	signals++;
}

/* Appends its lines to one file in one piece, so that each is whole.  A shell
 * blocks signals while it starts a program: it reads its own state itself. */
static void write_script(void)
{
	FILE *f;

	snprintf(folder, sizeof(folder), "/tmp/test-report-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(script, sizeof(script), "%s/reporter", folder);
	snprintf(written, sizeof(written), "%s/written", folder);
	f = fopen(script, "we");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
		"#!/bin/sh\n"
		"exec 9>&1\n"
		"{ echo \"arguments $*\"; env | sed 's/^/env /'\n"
		"echo \"session $(cut -d' ' -f6 /proc/$$/stat) $$\"\n"
		"for fd in /proc/$$/fd/*; do echo \"fd ${fd##*/}\"; done\n"
		"while read -r name mask; do case $name in Sig*)\n"
		"	echo \"$name $mask\" ;; esac; done </proc/$$/status\n"
		"echo \"out $(readlink /proc/$$/fd/9)\"; echo end\n"
		"} >%s.$$\n"
		"cat %s.$$ >>%s; rm %s.$$\n",
		written, written, written, written);
	ck_assert_int_eq(fchmod(fileno(f), 0700), 0);
	ck_assert_int_eq(fclose(f), 0);
	setenv("CUPTI_PROBE_REPORT", script, 1);
}

static void start(void)
{
	const struct sigaction action = { .sa_handler = count_signal };

	write_script();
	setenv("CUDA_INJECTION64_PATH", "/opt/injected.so", 1);
	setenv("LD_PRELOAD", "", 1);
	setenv("CUPTI_PROBE", "on", 1);
	setenv("KEPT", "as it was", 1);
	ck_assert_int_eq(sigaction(SIGCHLD, &action, NULL), 0);
	probe_driver_start();
}

static void end(void)
{
	probe_driver_end();
	unlink(script);
	unlink(written);
	rmdir(folder);
}

static size_t read_written(char *text, size_t size)
{
	int fd = open(written, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strlen(text);
}

static unsigned int reports(const char *text)
{
	unsigned int n = 0;

	while ((text = strstr(text, "\nend\n"))) {
		text += 5;
		n++;
	}
	return n;
}

/* The program looks for children all the while, as a shell would. */
static unsigned int wait_for_report(char *text, size_t size, int tenths)
{
	text[0] = '\0';
	while (tenths-- && !reports(text)) {
		ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
		ck_assert_int_eq(errno, ECHILD);
		usleep(100000);
		read_written(text, size);
	}
	return reports(text);
}

static void torch_oom(void)
{
	CUdeviceptr addr = 0;
	struct cuMemAlloc_v2_params params = { &addr, 2 * GIB };

	probe_enter(PROBE_cuMemAlloc_v2, &params);
	probe_exit(PROBE_cuMemAlloc_v2, &params, 2);
	probe_block_oom(2 * GIB, GIB, GIB, 0);
}

/* Not by PyTorch: the failing call, then the question. */
static void other_oom(int then)
{
	CUdeviceptr addr = 0x1000;
	struct cuMemAlloc_v2_params params = { &addr, 2 * GIB };
	size_t free_bytes = 1, total = 2;
	struct cuMemGetInfo_v2_params ask = { &free_bytes, &total };

	probe_enter(PROBE_cuMemAlloc_v2, &params);
	probe_exit(PROBE_cuMemAlloc_v2, &params, 2);
	probe_enter(PROBE_cuMemGetInfo_v2, &ask);
	probe_exit(PROBE_cuMemGetInfo_v2, &ask, 0);
	probe_enter(PROBE_cuMemAlloc_v2, &params);
	probe_exit(PROBE_cuMemAlloc_v2, &params, then);
}

static void expect_line(const char *text, const char *line)
{
	char whole[600];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	ck_assert_msg(strstr(text, whole), "no line '%s' in:\n%s", line, text);
}

START_TEST(test_program_learns_nothing)
{
	char text[65536];

	torch_oom();
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 100), 1);
	usleep(200000);
	ck_assert_int_eq(signals, 0);
	ck_assert_int_eq(wait(NULL), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(test_reporter_gets_nothing_of_the_program)
{
	char text[65536], line[600];
	int session, pid, fd = open("/dev/zero", O_RDONLY);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGTERM, SIG_IGN);
	torch_oom();
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 100), 1);
	snprintf(line, sizeof(line), "arguments report --write %s\n",
		 store.path);
	ck_assert_int_eq(strncmp(text, line, strlen(line)), 0);
	expect_line(text, "env KEPT=as it was");
	expect_line(text, "env CUPTI_PROBE=off");
	ck_assert_ptr_null(strstr(text, "CUPTI_PROBE=on"));
	ck_assert_ptr_null(strstr(text, "LD_PRELOAD"));
	ck_assert_ptr_null(strstr(text, "INJECTION64"));
	expect_line(text, "SigBlk: 0000000000000000");
	expect_line(text, "SigIgn: 0000000000000000");
	expect_line(text, "out /dev/null");
	snprintf(line, sizeof(line), "\nfd %d\n", fd);
	ck_assert_ptr_null(strstr(text, line));
	ck_assert_int_eq(sscanf(strstr(text, "session "), "session %d %d",
				&session, &pid),
			 2);
	ck_assert_int_eq(session, pid);
	close(fd);
}
END_TEST

/* As the first process of a container: orphans come to it. */
START_TEST(test_subreaper_learns_nothing)
{
	char text[65536];

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	torch_oom();
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 100), 1);
	usleep(400000);
	ck_assert_int_eq(signals, 0);
	ck_assert_int_eq(wait(NULL), -1);
	ck_assert_int_eq(errno, ECHILD);
	/* Nor is anything left of the child that stayed. */
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
}
END_TEST

START_TEST(test_one_report_for_many)
{
	char text[65536];
	int i;

	for (i = 0; i < 20; i++)
		torch_oom();
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 100), 1);
	for (i = 0; i < 20; i++)
		torch_oom();
	usleep(500000);
	read_written(text, sizeof(text));
	ck_assert_uint_eq(reports(text), 1);
}
END_TEST

static void pass(int seconds)
{
	__atomic_fetch_add(&ahead, seconds, __ATOMIC_RELAXED);
}

static void expect_reports(unsigned int count)
{
	char text[65536];
	int tenths = 100;

	do {
		usleep(100000);
		read_written(text, sizeof(text));
	} while (reports(text) < count && tenths--);
	ck_assert_uint_eq(reports(text), count);
}

START_TEST(test_reports_are_few_and_far_between)
{
	unsigned int i;

	torch_oom();
	expect_reports(1);
	for (i = 2; i <= 6; i++) {
		pass(25);
		torch_oom();
		usleep(300000);
		expect_reports(i - 1);
		pass(5);
		expect_reports(i);
	}
	pass(100);
	torch_oom();
	usleep(300000);
	expect_reports(6);
	ck_assert_uint_eq(store.header->ooms, 7);
}
END_TEST

START_TEST(test_unsettled_ooms_wait_a_second)
{
	char text[65536];

	other_oom(1);
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 5), 0);
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 100), 1);
}
END_TEST

START_TEST(test_retries_are_not_reported)
{
	char text[65536];
	unsigned int i;

	for (i = 0; i < 100 && !store.header->retries; i++)
		other_oom(0);
	if (i == 1) /* on a busy machine others were none */
		ck_assert_uint_eq(wait_for_report(text, sizeof(text), 20), 0);
}
END_TEST

/* Reported when the process ends, if it does before that second. */
START_TEST(test_report_at_the_end)
{
	char text[65536];
	int status;
	pid_t pid;

	write_script();
	pid = fork();
	if (!pid) {
		probe_driver_start();
		atexit(probe_driver_end);
		other_oom(1);
		exit(3);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 3);
	ck_assert_uint_eq(wait_for_report(text, sizeof(text), 100), 1);
}
END_TEST

START_TEST(test_off_is_off)
{
	setenv("CUPTI_PROBE_REPORT", "off", 1);
	probe_driver_start();
	torch_oom();
	usleep(300000);
	ck_assert_int_ne(access(written, F_OK), 0);
}
END_TEST

START_TEST(test_missing_program_is_harmless)
{
	write_script();
	unlink(script);
	probe_driver_start();
	torch_oom();
	usleep(300000);
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	ck_assert_uint_eq(store.header->ooms, 1);
}
END_TEST

static void refuse(unsigned int call)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, filter };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
			 0);
}

/* Then its lines would come between those of the program. */
START_TEST(test_streams_that_cannot_be_left)
{
	write_script();
	refuse(SYS_dup3);
	probe_driver_start();
	torch_oom();
	usleep(300000);
	ck_assert_int_ne(access(written, F_OK), 0);
	ck_assert_uint_eq(store.header->ooms, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe-reporter");
	TCase *t = tcase_create("started"), *own = tcase_create("own");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(t, start, end);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_program_learns_nothing);
	tcase_add_test(t, test_reporter_gets_nothing_of_the_program);
	tcase_add_test(t, test_subreaper_learns_nothing);
	tcase_add_test(t, test_one_report_for_many);
	tcase_add_test(t, test_reports_are_few_and_far_between);
	tcase_add_test(t, test_unsettled_ooms_wait_a_second);
	tcase_add_test(t, test_retries_are_not_reported);
	tcase_set_timeout(own, 60);
	tcase_add_checked_fixture(own, NULL, end);
	tcase_add_test(own, test_report_at_the_end);
	tcase_add_test(own, test_off_is_off);
	tcase_add_test(own, test_missing_program_is_harmless);
	tcase_add_test(own, test_streams_that_cannot_be_left);
	suite_add_tcase(s, t);
	suite_add_tcase(s, own);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
