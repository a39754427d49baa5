// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/script.h>

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

/* A program that reads lines of a kind, and what makes it run printenv. */
static const struct reader {
	enum la_script_kind kind;
	const char *argv[4];
	const char *child;
} readers[] = {
	{ LA_SCRIPT_BASH, { "bash" }, "printenv " NAME },
	{ LA_SCRIPT_SH, { "dash" }, "printenv " NAME },
	{ LA_SCRIPT_BUSYBOX, { "busybox", "sh" }, "printenv " NAME },
	{ LA_SCRIPT_ZSH, { "zsh", "-f" }, "printenv " NAME },
	{ LA_SCRIPT_KSH, { "ksh" }, "printenv " NAME },
	{ LA_SCRIPT_MKSH, { "mksh" }, "printenv " NAME },
	{ LA_SCRIPT_FISH, { "fish", "--no-config" }, "printenv " NAME },
	{ LA_SCRIPT_TCSH, { "tcsh", "-f" }, "printenv " NAME },
	{ LA_SCRIPT_PYTHON,
	  { "python3", "-" },
	  "import subprocess\n"
	  "subprocess.run(['printenv', '" NAME "'], check=True)" },
};

static bool is_there(const char *program)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	return !system(command);
}

/* What a child of the reader sees after the line, length in bytes. */
static size_t seen_by_child(const struct reader *reader, const char *line,
			    char *seen, size_t size)
{
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
		execvp(reader->argv[0], (char *const *)reader->argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	ck_assert_int_gt(dprintf(in[1], "%s\n%s\n", line, reader->child), 0);
	close(in[1]);
	while ((n = read(out[0], seen + length, size - length)) > 0)
		length += n;
	close(out[0]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	return length;
}

/* Every value arrives, or the writer says why no line does it. */
START_TEST(test_a_real_reader_gives_its_children_the_value)
{
	const struct reader *reader = &readers[_i];
	char seen[512], *line;
	struct la_error err;
	size_t i, length;
	int ret;

	if (!is_there(reader->argv[0]))
		return;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ret = la_script_write(reader->kind, NAME, values[i], &line,
				      &err);
		if (ret) {
			ck_assert_int_eq(ret, -EOPNOTSUPP);
			continue;
		}
		length = seen_by_child(reader, line, seen, sizeof(seen));
		ck_assert_msg(length == strlen(values[i]) + 1 &&
				      !memcmp(seen, values[i], length - 1),
			      "%s: %s gave %.*s", reader->argv[0], line,
			      (int)length, seen);
		free(line);
	}
}
END_TEST

/* Forms that real shells were seen to take, or documented to. */
static const struct {
	enum la_script_kind shell;
	const char *value;
	const char *line; /* NULL: refused */
} lines[] = {
	{ LA_SCRIPT_BASH, "a:1", "export V='a:1'" },
	{ LA_SCRIPT_SLURM, "a:1,b:2", "export V='a:1,b:2'" },
	{ LA_SCRIPT_FISH, "it's \\", "set -gx V 'it\\'s \\\\'" },
	{ LA_SCRIPT_TCSH, "a!", "setenv V 'a\\!'" },
	{ LA_SCRIPT_DOCKERFILE, "a:$x", "ENV V=\"a:\\$x\"" },
	{ LA_SCRIPT_DOCKERFILE, "a\nb", NULL },
	{ LA_SCRIPT_COMPOSE, "a:$x", "V: \"a:$$x\"" },
	{ LA_SCRIPT_K8S, "a:1", "- name: V\n  value: \"a:1\"" },
	{ LA_SCRIPT_SYSTEMD, "gc:50%", "Environment=\"V=gc:50%%\"" },
	{ LA_SCRIPT_SYSTEMD_ENV, "a:1,b:2", "V=a:1,b:2" },
	{ LA_SCRIPT_SYSTEMD_ENV, "a:[>:8]", "V=\"a:[>:8]\"" },
	{ LA_SCRIPT_DOTENV, "a:1,b:2", "V=a:1,b:2" },
	{ LA_SCRIPT_DOTENV, "a:[>:8]", "V='a:[>:8]'" },
	{ LA_SCRIPT_DOTENV, "$x", NULL },
	{ LA_SCRIPT_DOCKER_ENV, "a:[>:8]", "V=a:[>:8]" },
	{ LA_SCRIPT_ENVIRONMENT_D, "$x", NULL },
	{ LA_SCRIPT_ENVIRONMENT, "a:1 ", NULL },
	{ LA_SCRIPT_ENVIRONMENT, "a:1", "V=a:1" },
	{ LA_SCRIPT_PAM_ENV, "a:1", "V DEFAULT=\"a:1\"" },
	{ LA_SCRIPT_CRONTAB, "a:1 # b", "V=\"a:1 # b\"" },
	{ LA_SCRIPT_PYTHON, "a\"b",
	  "import os\nos.environ[\"V\"] = \"a\\\"b\"" },
	{ LA_SCRIPT_CELL, "a:1", "%env V=a:1" },
	{ LA_SCRIPT_CELL, "{a}", NULL },
	{ LA_SCRIPT_NOTEBOOK, "a:1", NULL },
	{ LA_SCRIPT_LAUNCH, "a:1", "\"V\": \"a:1\"" },
	{ LA_SCRIPT_KERNEL, "$x", NULL },
	{ LA_SCRIPT_MODULE, "a:[256:1]", "setenv V {a:[256:1]}" },
	{ LA_SCRIPT_MODULE_LUA, "a:1", "setenv(\"V\", \"a:1\")" },
	{ LA_SCRIPT_CMD_PROMPT, "a:[256:1,>:8]", "set \"V=a:[256:1,>:8]\"" },
	{ LA_SCRIPT_CMD_PROMPT, "50%", "set \"V=50%\"" },
	{ LA_SCRIPT_CMD_PROMPT, "%PATH%", NULL },
	{ LA_SCRIPT_CMD_PROMPT, "a\"b", NULL },
	{ LA_SCRIPT_CMD_PROMPT, "a\nb", NULL },
	{ LA_SCRIPT_CMD_PROMPT, "", NULL },
	{ LA_SCRIPT_CMD_PROMPT, "\xff", NULL },
	{ LA_SCRIPT_CMD, "gc:50%", "set \"V=gc:50%%\"" },
	{ LA_SCRIPT_CMD, "a\"b", NULL },
	{ LA_SCRIPT_POWERSHELL, "max_split_size_mb:128",
	  "$env:V = 'max_split_size_mb:128'" },
	{ LA_SCRIPT_POWERSHELL, "a:1`n$x", "$env:V = 'a:1`n$x'" },
	{ LA_SCRIPT_POWERSHELL, "it's", "$env:V = 'it''s'" },
	{ LA_SCRIPT_POWERSHELL, "\u2019", "$env:V = '\u2019\u2019'" },
	{ LA_SCRIPT_POWERSHELL, "a\"b", "$env:V = 'a\"b'" },
	{ LA_SCRIPT_POWERSHELL, "", NULL },
	{ LA_SCRIPT_POWERSHELL, "\xff", NULL },
};

START_TEST(test_line_or_clear_refusal)
{
	char untouched[] = "untouched", *line = untouched;
	struct la_error err;
	int ret;

	ret = la_script_write(lines[_i].shell, "V", lines[_i].value, &line,
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

	ck_assert_int_eq(
		la_script_write(LA_SCRIPT_BASH, "1V", "a", &line, NULL),
		-EINVAL);
	ck_assert_int_eq(
		la_script_write(LA_SCRIPT_BASH, "V;id", "a", &line, NULL),
		-EINVAL);
	ck_assert_int_eq(la_script_write(LA_SCRIPT_BASH, "", "a", &line, NULL),
			 -EINVAL);
	memset(text, 'a', sizeof(text) - 1);
	ck_assert_int_eq(
		la_script_write(LA_SCRIPT_CMD_PROMPT, "V", text, &line, NULL),
		-EOPNOTSUPP);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script write");
	TCase *tc = tcase_create("write");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_a_real_reader_gives_its_children_the_value,
			    0, ARRAY_SIZE(readers));
	tcase_set_timeout(tc, 60);
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
