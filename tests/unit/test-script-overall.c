// SPDX-License-Identifier: Apache-2.0
/* What holds for all kinds: prompts, placeholders, names that nothing sets. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#define V "PYTORCH_CUDA_ALLOC_CONF"

static const struct {
	enum la_script_kind kind;
	const char *text, *value; /* of the last place; NULL: none */
	enum la_script_code code; /* that is said somewhere; 0: nothing */
} texts[] = {
	{ LA_SCRIPT_BASH, "$ export " V "=a:1", "a:1", LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_BASH, "(venv) $ export " V "=a:1", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_BASH, "me@box:~/x$ export " V "=a:1\nme@box:~/x$ python x",
	  "a:1", LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_BASH, "[me@box x]$ export " V "=a:1", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_BASH, "root@box:/# export " V "=a:1", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_ZSH, "me@box x % export " V "=a:1", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_BASH, "# export " V "=a:1", NULL,
	  LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_BASH, "export " V "=a:1 X='me@box:~$ '", "a:1", 0 },
	{ LA_SCRIPT_BASH, "true\n$ export " V "=a:1", NULL,
	  LA_SCRIPT_NOT_FOUND },
	{ LA_SCRIPT_CMD, "C:\\Users\\me>set " V "=a:1", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_CMD, "(venv) C:\\x>set " V "=a:1", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_CMD, "C:\\x.exe \"b\">set", NULL, 0 },
	{ LA_SCRIPT_PYTHON,
	  ">>> import os\n>>> os.environ['" V "'] = 'a:1'\n", "a:1",
	  LA_SCRIPT_PROMPT },
	{ LA_SCRIPT_BASH, "export " V "='max_split_size_mb:<size>'",
	  "max_split_size_mb:<size>", LA_SCRIPT_PLACEHOLDER },
	{ LA_SCRIPT_BASH, "export " V "=max_split_size_mb:<size>", NULL,
	  LA_SCRIPT_PLACEHOLDER },
	{ LA_SCRIPT_BASH, "export " V "='a:[1:2,>:3]'", "a:[1:2,>:3]", 0 },
	{ LA_SCRIPT_BASH, "echo $" V, NULL, LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_BASH, "export PYTORCH_CUDA_ALLOC_CONFIG=a:1", NULL,
	  LA_SCRIPT_MISSPELT },
	{ LA_SCRIPT_BASH, "export pytorch_cuda_alloc_conf=a:1", NULL,
	  LA_SCRIPT_MISSPELT },
	{ LA_SCRIPT_BASH, "export PYTORCH_NPU_ALLOC_CONF=a:1", NULL, 0 },
};

static bool is_said(const struct la_script_diagnostic *said, size_t count,
		    enum la_script_code code)
{
	while (count--)
		if (!code || said[count].code == code)
			return true;
	return false;
}

START_TEST(overall)
{
	const struct la_script_options options = { .kind = texts[_i].kind };
	const struct la_script_assignment *a;
	const struct la_script_diagnostic *whole;
	size_t count, whole_count;
	struct la_script *script;
	bool said;

	ck_assert_int_eq(la_script_read(&script, texts[_i].text,
					strlen(texts[_i].text), &options,
					NULL),
			 0);
	a = la_script_assignments(script, &count);
	whole = la_script_diagnostics(script, &whole_count);
	if (texts[_i].value) {
		ck_assert_uint_gt(count, 0);
		ck_assert_str_eq(a[count - 1].value, texts[_i].value);
	} else if (count) {
		ck_assert_ptr_null(a[count - 1].value);
	}
	said = is_said(whole, whole_count, texts[_i].code) ||
	       (count && is_said(a[count - 1].diagnostics,
				 a[count - 1].diagnostic_count,
				 texts[_i].code));
	ck_assert_msg(said == !!texts[_i].code, "%s", texts[_i].text);
	la_script_free(script);
}
END_TEST

/* A byte of zero ends no text, and no reader stays before it. */
START_TEST(zero_bytes)
{
	static const char text[] = "set A\0=\0\n\0\0" V "\0=a:1\n\0";
	struct la_script_options options = { .kind = _i };
	struct la_script *script;

	if (!la_script_read(&script, text, sizeof(text) - 1, &options, NULL))
		la_script_free(script);
}
END_TEST

/* What doubles with each line is not put together without end. */
START_TEST(doubling)
{
	static const enum la_script_kind kinds[] = {
		LA_SCRIPT_DOTENV, LA_SCRIPT_ENVIRONMENT_D, LA_SCRIPT_DOCKERFILE
	};
	struct la_script_options options = { .kind = kinds[_i] };
	bool image = options.kind == LA_SCRIPT_DOCKERFILE;
	const struct la_script_assignment *a;
	struct la_script *script;
	char text[2048];
	size_t count, n;
	int i;

	n = sprintf(text, "%s", image ? "FROM x\nENV A0=a\n" : "A0=a\n");
	for (i = 1; i < 50; i++)
		n += sprintf(text + n, "%sA%d=${A%d}${A%d}\n",
			     image ? "ENV " : "", i, i - 1, i - 1);
	n += sprintf(text + n, "%s" V "=${A49}\n", image ? "ENV " : "");
	ck_assert_int_eq(la_script_read(&script, text, n, &options, NULL), 0);
	a = la_script_assignments(script, &count);
	ck_assert_uint_gt(count, 0);
	ck_assert_int_eq(a[count - 1].fate, LA_SCRIPT_UNKNOWN);
	ck_assert_uint_gt(a[count - 1].diagnostic_count, 0);
	la_script_free(script);
}
END_TEST

START_TEST(doubling_in_a_manifest)
{
	const struct la_script_options options = { .kind = LA_SCRIPT_K8S };
	const struct la_script_assignment *a;
	struct la_script *script;
	char text[8192];
	size_t count, n;
	int i, ret;

	n = sprintf(text, "kind: Pod\nspec:\n  containers:\n  - env:\n"
			  "    - {name: A0, value: a}\n");
	for (i = 1; i < 50; i++)
		n += sprintf(text + n,
			     "    - {name: A%d, value: $(A%d)$(A%d)}\n", i,
			     i - 1, i - 1);
	n += sprintf(text + n, "    - {name: " V ", value: $(A49)}\n");
	ret = la_script_read(&script, text, n, &options, NULL);
	if (ret == -ENOTSUP)
		return;
	ck_assert_int_eq(ret, 0);
	a = la_script_assignments(script, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(a->fate, LA_SCRIPT_UNKNOWN);
	ck_assert_uint_gt(a->diagnostic_count, 0);
	la_script_free(script);
}
END_TEST

START_TEST(backslash_at_the_end)
{
	static const char text[] = V "=a:1 \\";
	const struct la_script_options options = { .kind = LA_SCRIPT_BASH };
	struct la_script *script;

	ck_assert_int_eq(la_script_read(&script, text, sizeof(text) - 1,
					&options, NULL),
			 0);
	la_script_free(script);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script-overall");
	TCase *tests = tcase_create("texts");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tests, overall, 0,
			    sizeof(texts) / sizeof(*texts));
	tcase_add_loop_test(tests, zero_bytes, 0, LA_SCRIPT_KINDS);
	tcase_add_loop_test(tests, doubling, 0, 3);
	tcase_add_test(tests, doubling_in_a_manifest);
	tcase_add_test(tests, backslash_at_the_end);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
