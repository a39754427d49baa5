// SPDX-License-Identifier: Apache-2.0
/*
 * Launchers, and files that a script writes: what a program that is started at
 * the end finds.  R: the real program did so here; S: its sources say so; the
 * rest is from documentation.
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "util/util.h"

static const char *const watched[] = { "V", NULL };

static const struct vector {
	enum la_script_kind kind;
	const char *text;
	const char *value; /* of the last place; NULL: none */
	enum la_script_fate fate;
	int code; /* said of the last place, 0: nothing is */
} vectors[] = {
	/* files that are written, bash: R */
	{ LA_SCRIPT_BASH, "echo 'export V=a:1' >>~/.bashrc\npython x", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_BASH, "echo 'export V=a:1' >>~/.bashrc; . ~/.bashrc", "a:1",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_BASH, "echo export V=a >>~/.zshrc && source $HOME/.zshrc",
	  "a", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "echo V=a:1 | sudo tee -a /etc/environment", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_BASH, "sudo tee -a /etc/environment <<E\nV=a:1\nE\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_BASH, "sudo sh -c 'echo V=a:1 >>/etc/environment'", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_BASH, "cat >>~/.bashrc <<'E'\nexport V=a:1\nE\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_BASH, "echo V=a:1 >>~/.bashrc", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NOT_EXPORTED },
	{ LA_SCRIPT_BASH, "export V=z; echo export V=a >>~/.bashrc; python x",
	  "z", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "echo \"export V=$(x)\" >y; . ./y; python z", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_BASH, "cat >r <<E\nexport V=a\npython x\nE\nbash r", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "cat >Dockerfile <<E\nFROM x\nENV V=a\nE\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_FISH, "echo 'set -gx V a' >>~/.config/fish/config.fish",
	  NULL, LA_SCRIPT_LOST, LA_SCRIPT_ACTS_LATER },
};

static bool says(const struct la_script_assignment *a, int code)
{
	size_t i;

	for (i = 0; i < a->diagnostic_count; i++)
		if ((int)a->diagnostics[i].code == code)
			return true;
	return !code && !a->diagnostic_count;
}

START_TEST(test_the_last_place_is_what_a_program_finds)
{
	const struct vector *v = &vectors[_i];
	struct la_script_options options = { .kind = v->kind,
					     .watched = watched };
	const struct la_script_assignment *a;
	struct la_script *script;
	size_t count;

	ck_assert_int_eq(la_script_read(&script, v->text, strlen(v->text),
					&options, NULL),
			 0);
	a = la_script_assignments(script, &count);
	ck_assert_msg(count, "no place in: %s", v->text);
	a += count - 1;
	ck_assert_msg(a->fate == v->fate, "fate %d of: %s", a->fate, v->text);
	if (v->value)
		ck_assert_str_eq(a->value, v->value);
	else
		ck_assert_ptr_null(a->value);
	ck_assert_msg(says(a, v->code), "no %d in: %s", v->code, v->text);
	ck_assert_uint_le(a->offset + a->length, strlen(v->text));
	la_script_free(script);
}
END_TEST

/* The line says what who reads the file will have, and where. */
START_TEST(test_what_is_written_for_later_names_its_value)
{
	static const char text[] = "echo 'export V=\"a:1\"' >>~/.bashrc\n";
	struct la_script_options options = { .kind = LA_SCRIPT_BASH,
					     .watched = watched };
	const struct la_script_assignment *a;
	struct la_script *script;
	size_t count;

	ck_assert_int_eq(la_script_read(&script, text, strlen(text), &options,
					NULL),
			 0);
	a = la_script_assignments(script, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(a->column, strstr(text, "V=") - text + 1);
	ck_assert_uint_eq(a->diagnostic_count, 1);
	ck_assert_ptr_nonnull(strstr(a->diagnostics[0].text, "'a:1'"));
	ck_assert_ptr_nonnull(strstr(a->diagnostics[0].text, "~/.bashrc"));
	la_script_free(script);
}
END_TEST

/* Cut anywhere, the reader ends and stays within them. */
START_TEST(test_pieces_of_all_texts_are_read)
{
	struct la_script_options options = { .kind = vectors[_i].kind,
					     .watched = watched };
	struct la_script *script;
	size_t length;
	char *copy;

	for (length = 0; length <= strlen(vectors[_i].text); length++) {
		copy = malloc(length + 1);
		memcpy(copy, vectors[_i].text, length);
		if (!la_script_read(&script, copy, length, &options, NULL))
			la_script_free(script);
		free(copy);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script-launch");
	TCase *tcase = tcase_create("launch");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_the_last_place_is_what_a_program_finds,
			    0, ARRAY_SIZE(vectors));
	tcase_add_loop_test(tcase, test_pieces_of_all_texts_are_read, 0,
			    ARRAY_SIZE(vectors));
	tcase_add_test(tcase, test_what_is_written_for_later_names_its_value);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
