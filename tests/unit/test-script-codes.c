// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

static char page[65536];

static void read_page(void)
{
	FILE *file = fopen("docs/codes.md", "r");
	size_t length;

	ck_assert_ptr_nonnull(file);
	length = fread(page, 1, sizeof(page) - 1, file);
	fclose(file);
	ck_assert_uint_lt(length, sizeof(page) - 1);
	page[length] = '\0';
}

/* A cell of a table in Markdown: a bar would end it. */
static void add_cell(char *row, const char *text)
{
	strcat(row, " ");
	for (row += strlen(row); *text; text++) {
		if (*text == '|')
			*row++ = '\\';
		*row++ = *text;
	}
	strcpy(row, " |");
}

START_TEST(test_codes_page_lists_every_code)
{
	const struct la_script_code_info *code;
	char row[1024], example[256];
	size_t i;

	read_page();
	for (i = 0; (code = la_script_code_at(i)); i++) {
		snprintf(row, sizeof(row), "\n| LA%d |", (int)code->code);
		snprintf(example, sizeof(example), "`%s`", code->example);
		add_cell(row, code->meaning);
		add_cell(row, code->kind);
		add_cell(row, example);
		add_cell(row, code->instead);
		strcat(row, "\n");
		ck_assert_msg(strstr(page, row) != NULL, "no row%s", row);
	}
}
END_TEST

START_TEST(test_codes_page_lists_no_other_code)
{
	const char *at;
	size_t rows = 0, codes = 0;

	read_page();
	for (at = page; (at = strstr(at, "\n| LA2")); at++)
		rows += strtol(at + strlen("\n| LA"), NULL, 10) >= 220;
	while (la_script_code_at(codes))
		codes++;
	ck_assert_uint_eq(rows, codes);
}
END_TEST

START_TEST(test_codes_ascend_within_their_range)
{
	const struct la_script_code_info *code;
	int last = 219;
	size_t i;

	for (i = 0; (code = la_script_code_at(i)); i++) {
		ck_assert_int_gt(code->code, last);
		last = (int)code->code;
	}
	ck_assert_int_le(last, 299);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script codes");
	TCase *tc = tcase_create("codes");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_codes_page_lists_every_code);
	tcase_add_test(tc, test_codes_page_lists_no_other_code);
	tcase_add_test(tc, test_codes_ascend_within_their_range);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
