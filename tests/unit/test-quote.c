// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/env.h>

#include "util/util.h"

#define NAME "PYTORCH_CUDA_ALLOC_CONF"

static const char *const values[] = {
	"",
	"expandable_segments:True",
	"roundup_power2_divisions:[256:1,512:2,>:8]",
	"it's",
	"'",
	"''a''",
	"\"double\"",
	"$HOME `id` $(id) \\n \\",
	"50% %PATH% !x! ^&|<>",
	" leading and trailing ",
	"line\nend\r\n",
	"tab\there",
	"\xff\xfe not UTF-8",
	"\u201cquotes\u201d \u2018too\u2019",
	"-n",
	"*?[a-z]{a,b}~#",
};

/* What a child of shell sees after the line, length in bytes. */
static size_t seen_by_child(const char *shell, const char *line, char *seen,
			    size_t size)
{
	static const char child[] = "\nprintenv " NAME "\n";
	size_t length = 0;
	int in[2], out[2], status;
	ssize_t n;
	pid_t pid;

	ck_assert(!pipe(in) && !pipe(out));
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execlp(shell, shell, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	ck_assert(write(in[1], line, strlen(line)) == (ssize_t)strlen(line));
	ck_assert(write(in[1], child, strlen(child)) == (ssize_t)strlen(child));
	close(in[1]);
	while ((n = read(out[0], seen + length, size - length)) > 0)
		length += n;
	close(out[0]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	return length;
}

static void check_shell(const char *shell, const char *value)
{
	char seen[512], *line;
	size_t length;

	ck_assert_int_eq(la_env_assignment(LA_SHELL_POSIX, NAME, value, &line,
					   NULL),
			 0);
	length = seen_by_child(shell, line, seen, sizeof(seen));
	ck_assert_uint_eq(length, strlen(value) + 1);
	ck_assert_mem_eq(seen, value, strlen(value));
	free(line);
}

START_TEST(test_bash_gives_its_children_the_value)
{
	check_shell("bash", values[_i]);
}
END_TEST

START_TEST(test_sh_gives_its_children_the_value)
{
	check_shell("sh", values[_i]);
}
END_TEST

/* Forms that real shells were seen to take, or documented to. */
static const struct {
	enum la_shell shell;
	const char *value;
	const char *line; /* NULL: refused */
} lines[] = {
	{ LA_SHELL_POSIX, "a:1", "export V='a:1'" },
	{ LA_SHELL_CMD, "a:[256:1,>:8]", "set \"V=a:[256:1,>:8]\"" },
	{ LA_SHELL_CMD, "50%", "set \"V=50%\"" },
	{ LA_SHELL_CMD, "%PATH%", NULL },
	{ LA_SHELL_CMD, "a\"b", NULL },
	{ LA_SHELL_CMD, "a\nb", NULL },
	{ LA_SHELL_CMD, "", NULL },
	{ LA_SHELL_CMD, "\xff", NULL },
	{ LA_SHELL_CMD_BATCH, "gc:50%", "set \"V=gc:50%%\"" },
	{ LA_SHELL_CMD_BATCH, "a\"b", NULL },
	{ LA_SHELL_POWERSHELL, "max_split_size_mb:128",
	  "$env:V = 'max_split_size_mb:128'" },
	{ LA_SHELL_POWERSHELL, "a:1`n$x", "$env:V = 'a:1`n$x'" },
	{ LA_SHELL_POWERSHELL, "it's", "$env:V = 'it''s'" },
	{ LA_SHELL_POWERSHELL, "\u2019", "$env:V = '\u2019\u2019'" },
	{ LA_SHELL_POWERSHELL, "a\"b", "$env:V = 'a\"b'" },
	{ LA_SHELL_POWERSHELL, "", NULL },
	{ LA_SHELL_POWERSHELL, "\xff", NULL },
};

START_TEST(test_line_or_clear_refusal)
{
	char untouched[] = "untouched", *line = untouched;
	struct la_error err;
	int ret;

	ret = la_env_assignment(lines[_i].shell, "V", lines[_i].value, &line,
				&err);
	if (!lines[_i].line) {
		ck_assert_int_eq(ret, -EOPNOTSUPP);
		ck_assert_ptr_eq(line, untouched);
		ck_assert_uint_le(err.offset, strlen(lines[_i].value));
		return;
	}
	ck_assert_int_eq(ret, 0);
	ck_assert_str_eq(line, lines[_i].line);
	free(line);
}
END_TEST

START_TEST(test_bad_names_and_long_lines_are_refused)
{
	static char text[9000];
	char *line;

	ck_assert_int_eq(la_env_assignment(LA_SHELL_POSIX, "1V", "a", &line,
					   NULL),
			 -EINVAL);
	ck_assert_int_eq(la_env_assignment(LA_SHELL_POSIX, "V;id", "a", &line,
					   NULL),
			 -EINVAL);
	ck_assert_int_eq(la_env_assignment(LA_SHELL_POSIX, "", "a", &line,
					   NULL),
			 -EINVAL);
	memset(text, 'a', sizeof(text) - 1);
	ck_assert_int_eq(la_env_assignment(LA_SHELL_CMD, "V", text, &line,
					   NULL),
			 -EOPNOTSUPP);
	ck_assert_ptr_null(la_shell_name((enum la_shell)99));
	ck_assert_str_eq(la_shell_name(LA_SHELL_POWERSHELL), "PowerShell");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("quote");
	TCase *tc = tcase_create("quote");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_bash_gives_its_children_the_value, 0,
			    ARRAY_SIZE(values));
	tcase_add_loop_test(tc, test_sh_gives_its_children_the_value, 0,
			    ARRAY_SIZE(values));
	tcase_add_loop_test(tc, test_line_or_clear_refusal, 0,
			    ARRAY_SIZE(lines));
	tcase_add_test(tc, test_bad_names_and_long_lines_are_refused);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
