// SPDX-License-Identifier: Apache-2.0
/* Texts that cannot be read, or that their reader refuses: what is said. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "util/strbuf.h"
#include "util/util.h"

static const char *const watched[] = { "V", NULL };

static int read_text(struct la_script **out, enum la_script_kind kind,
		     const char *text, size_t length, struct la_error *err)
{
	const struct la_script_options options = { .kind = kind,
						   .watched = watched };

	return la_script_read(out, text, length, &options, err);
}

/* Lines that a shell refuses, and why V is lost. */
static const struct {
	enum la_script_kind kind;
	const char *text, *why;
} lines[] = {
	{ LA_SCRIPT_BASH, "if true; then export V=1",
	  "a word is missing that closes it" },
	{ LA_SCRIPT_BASH, "export V=1 >", "a file is missing" },
	{ LA_SCRIPT_BASH, "export V=1; if ; then a; fi",
	  "a command is missing" },
	{ LA_SCRIPT_BASH, "export V=1 |", "a command is missing" },
	{ LA_SCRIPT_BASH, "export V=1 && ", "a command is missing" },
	{ LA_SCRIPT_BASH, "for ; do export V=1; done",
	  "the loop has no variable" },
	{ LA_SCRIPT_BASH, "case a in a export V=1;; esac",
	  "a pattern is not closed" },
	{ LA_SCRIPT_BASH, "case a in a) export V=1", "a case is not closed" },
	{ LA_SCRIPT_BASH, "case ; in a) export V=1;; esac",
	  "case of nothing" },
	{ LA_SCRIPT_BASH, "[[ a; export V=1", "no ]]" },
	{ LA_SCRIPT_BASH, "f() ; export V=1", "the function has no body" },
	{ LA_SCRIPT_BASH, "f( export V=1", "a parenthesis out of place" },
	{ LA_SCRIPT_BASH, "export V=1 ( a )", "a parenthesis out of place" },
	{ LA_SCRIPT_BASH, "( export V=1", "no closing parenthesis" },
	{ LA_SCRIPT_BASH, "a) export V=1", "a word out of place" },
	{ LA_SCRIPT_BASH, "export V=1; fi", "a word out of place" },
	{ LA_SCRIPT_FISH, "set -gx V 1; end", "a word out of place" },
	{ LA_SCRIPT_FISH, "for ;set -gx V 1;end", "the loop has no variable" },
	{ LA_SCRIPT_FISH, "for i on a;set -gx V 1;end", "in is missing" },
	{ LA_SCRIPT_FISH, "switch ;set -gx V 1;end", "switch of nothing" },
	{ LA_SCRIPT_FISH, "(a) b; set -gx V 1",
	  "a command is made by another" },
	{ LA_SCRIPT_FISH, "V=1", "fish has no NAME=value line" },
	{ LA_SCRIPT_FISH, "set -gx V {1", "a brace without the other" },
	{ LA_SCRIPT_FISH, "set -gx V 1; and", "a command is missing" },
	{ LA_SCRIPT_FISH, "set -gx V 1 | ", "a command is missing" },
	{ LA_SCRIPT_FISH, "begin; set -gx V 1", "end is missing" },
	{ LA_SCRIPT_TCSH, "foreach ( a b )\nsetenv V 1\nend",
	  "the loop has no variable" },
	{ LA_SCRIPT_TCSH, "foreach i a b\nsetenv V 1\nend", "( is missing" },
	{ LA_SCRIPT_TCSH, "foreach i ( a b\nsetenv V 1\nend",
	  ") is missing" },
	{ LA_SCRIPT_TCSH, "switch (a)\nsetenv V 1", "endsw is missing" },
	{ LA_SCRIPT_TCSH, "setenv V 1 |", "a command is missing" },
	{ LA_SCRIPT_TCSH, "setenv V 1 &&", "a command is missing" },
	{ LA_SCRIPT_TCSH, "setenv V=1",
	  "setenv wants a blank between name and value" },
	{ LA_SCRIPT_TCSH, "setenv V 1 2",
	  "setenv takes a name and one value" },
	{ LA_SCRIPT_TCSH, "setenv V *.nosuch",
	  "no file matches: the command does not run" },
};

static void check_lost(enum la_script_kind kind, const char *text,
		       const char *why)
{
	const struct la_script_assignment *a;
	struct la_script *script;
	size_t count;

	ck_assert_int_eq(read_text(&script, kind, text, strlen(text), NULL), 0);
	a = la_script_assignments(script, &count);
	ck_assert_msg(count > 0, "no place in: %s", text);
	ck_assert_int_eq(a->fate, LA_SCRIPT_LOST);
	ck_assert_uint_eq(a->diagnostic_count, 1);
	ck_assert_str_eq(a->diagnostics[0].text, why);
	la_script_free(script);
}

/* Does the shell itself complain?  What is not there is not asked. */
static bool is_accepted(enum la_script_kind kind, const char *text)
{
	const char *shell = kind == LA_SCRIPT_BASH ? "bash -n" :
						     "fish --no-execute";
	char command[64];
	FILE *pipe;

	snprintf(command, sizeof(command), "command -v %.4s >/dev/null", shell);
	if (system(command) != 0)
		return false;
	snprintf(command, sizeof(command), "%s 2>&1 | grep -q .", shell);
	pipe = popen(command, "w");
	ck_assert_ptr_nonnull(pipe);
	fprintf(pipe, "%s\n", text);
	return pclose(pipe) != 0;
}

START_TEST(test_lines_that_a_shell_refuses)
{
	check_lost(lines[_i].kind, lines[_i].text, lines[_i].why);
	if (lines[_i].kind != LA_SCRIPT_TCSH)
		ck_assert(!is_accepted(lines[_i].kind, lines[_i].text));
}
END_TEST

/* A text that is deep, or much: count times open, the middle, count times
 * close. */
struct deep {
	enum la_script_kind kind;
	const char *before, *open, *middle, *close;
	size_t count;
	const char *error; /* of the reader, or of the first place */
};

static struct la_strbuf make_deep(const struct deep *deep)
{
	struct la_strbuf text = { 0 };
	size_t i;

	la_strbuf_addstr(&text, deep->before);
	for (i = 0; i < deep->count; i++)
		la_strbuf_addstr(&text, deep->open);
	la_strbuf_addstr(&text, deep->middle);
	for (i = 0; i < deep->count; i++)
		la_strbuf_addstr(&text, deep->close);
	ck_assert(!text.failed);
	return text;
}

/* Shells follow what is before, and refuse the line. */
static const struct deep deep_lines[] = {
	{ LA_SCRIPT_BASH, "", "{ ", "V=1", " ;}", 100, "nested too deep" },
	{ LA_SCRIPT_BASH, "", "if true; then ", "export V=1", "; fi", 100,
	  "nested too deep" },
	{ LA_SCRIPT_FISH, "", "begin;", "set -gx V 1;", "end;", 100,
	  "nested too deep" },
	{ LA_SCRIPT_TCSH, "", "if (1) then\n", "setenv V 1\n", "endif\n", 100,
	  "nested too deep" },
};

START_TEST(test_lines_that_are_nested_too_deep)
{
	const struct deep *deep = &deep_lines[_i];
	struct la_strbuf text = make_deep(deep);

	check_lost(deep->kind, text.data, deep->error);
	la_strbuf_release(&text);
}
END_TEST

#define TWICE_4 "a=a+a\na=a+a\na=a+a\na=a+a\n"
#define TWICE_16 TWICE_4 TWICE_4 TWICE_4 TWICE_4

static const struct deep deep_texts[] = {
	{ LA_SCRIPT_CMD, "", "(", "set V=1", ")", 100,
	  "nested too deep, or too long" },
	{ LA_SCRIPT_POWERSHELL, "$env:V=", "(", "1", ")", 300,
	  "nested too deep" },
	{ LA_SCRIPT_PYTHON, "import os\na='a'\n" TWICE_16,
	  "b=a+'x'\n", "os.environ['V']='1'\n", "", 3000, "too much to evaluate" },
#ifdef HAVE_YAML
	{ LA_SCRIPT_K8S, "a: ", "[ ", "1", "]", 100,
	  "nested too deep, or too much of it" },
	{ LA_SCRIPT_K8S, "a: ", "[ ", "1", "]", 1000,
	  "nested too deep, or too many anchors" },
	{ LA_SCRIPT_K8S, "", "- &a x\n", "", "", 100000,
	  "nested too deep, or too many anchors" },
#endif
};

static void check_refused(enum la_script_kind kind, const char *text,
			  size_t length, int code, const char *why)
{
	struct la_script *script = NULL;
	struct la_error err = { 0 };

	ck_assert_int_eq(read_text(&script, kind, text, length, &err), code);
	ck_assert_int_eq(err.code, code);
	ck_assert_str_eq(err.text, why);
	ck_assert_ptr_null(script);
}

START_TEST(test_texts_that_are_nested_too_deep)
{
	const struct deep *deep = &deep_texts[_i];
	struct la_strbuf text = make_deep(deep);

	check_refused(deep->kind, text.data, text.length, -EFBIG, deep->error);
	la_strbuf_release(&text);
}
END_TEST

/* Each line further to the right. */
START_TEST(test_python_that_is_nested_too_deep)
{
	struct la_strbuf text = { 0 };
	int i;

	la_strbuf_addstr(&text, "import os\n");
	for (i = 0; i <= 200; i++)
		la_strbuf_addf(&text, "%*s%s\n", i, "",
			       i < 200 ? "if a:" : "os.environ['V'] = '1'");
	check_refused(LA_SCRIPT_PYTHON, text.data, text.length, -EFBIG,
		      "nested too deep");
	la_strbuf_release(&text);
}
END_TEST

START_TEST(test_texts_that_are_too_long)
{
	enum { MOST = 16 << 20 };
	struct la_script *script;
	char *text = malloc(MOST + 1);

	memset(text, '\n', MOST + 1);
	check_refused(LA_SCRIPT_BASH, text, MOST + 1, -EFBIG,
		      "longer than 16 MiB");
	ck_assert_int_eq(read_text(&script, LA_SCRIPT_BASH, text, MOST, NULL),
			 0);
	la_script_free(script);
	check_refused(LA_SCRIPT_KINDS, text, 1, -EINVAL, "no such kind");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script-refused");
	TCase *tcase = tcase_create("refused");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_lines_that_a_shell_refuses, 0,
			    ARRAY_SIZE(lines));
	tcase_add_loop_test(tcase, test_lines_that_are_nested_too_deep, 0,
			    ARRAY_SIZE(deep_lines));
	tcase_add_loop_test(tcase, test_texts_that_are_nested_too_deep, 0,
			    ARRAY_SIZE(deep_texts));
	tcase_add_test(tcase, test_python_that_is_nested_too_deep);
	tcase_add_test(tcase, test_texts_that_are_too_long);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
