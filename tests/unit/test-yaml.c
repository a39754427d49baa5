// SPDX-License-Identifier: Apache-2.0
/* YAML as a tree: what is taken, where it stands, and what is refused. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "util/yaml.h"

#ifdef HAVE_YAML

static struct la_yaml *read_tree(const char *text)
{
	struct la_yaml *tree;

	ck_assert_int_eq(la_yaml_parse(&tree, text, strlen(text), NULL), 0);
	return tree;
}

START_TEST(test_a_tree_has_keys_values_and_places)
{
	struct la_yaml *tree = read_tree("# comment\na: \"x\xc3\xbc\"\n"
					 "b: [1, {c: d}]\n");
	const struct la_yaml *b = tree->first->next, *map;

	ck_assert_int_eq(tree->kind, LA_YAML_MAP);
	ck_assert_str_eq(tree->first->key->text, "a");
	ck_assert_str_eq(tree->first->text, "x\xc3\xbc");
	ck_assert_str_eq(b->key->text, "b");
	ck_assert_ptr_null(b->next);
	ck_assert_int_eq(b->kind, LA_YAML_LIST);
	ck_assert_uint_eq(b->line, 3);
	ck_assert_uint_eq(b->column, 4);
	/* In bytes: the u with two dots is two of them. */
	ck_assert_uint_eq(b->offset, 10 + 9 + 3);
	map = b->first->next;
	ck_assert_str_eq(map->first->key->text, "c");
	ck_assert_str_eq(map->first->text, "d");
	la_yaml_free(tree);
}
END_TEST

static const struct {
	const char *text, *error;
	uint64_t offset;
} refused[] = {
	{ "", "line 1, column 1: empty", 0 },
	{ "a: &x 1\n", "line 1, column 4: anchors are not taken here", 3 },
	{ "a: *x\n", "line 1, column 4: aliases are not taken here", 3 },
	{ "&x a: 1\n", "line 1, column 1: anchors are not taken here", 0 },
	{ "a: !!int 1\n", "line 1, column 4: tags are not taken here", 3 },
	{ "a: 1\nb: 2\na: 3\n", "line 3, column 1: the same key again", 10 },
	{ "[x]: 1\n", "line 1, column 1: a key has to be a word", 0 },
	{ "a: 1\n---\nb: 2\n",
	  "line 2, column 1: one document is taken, not several", 5 },
	{ "a: \"x\\0y\"\n", "line 1, column 4: a NUL byte", 3 },
	{ "[[[[[[[[[[[[[[[[[x", "line 1, column 17: nested too deeply", 16 },
};

START_TEST(test_what_is_refused)
{
	struct la_yaml *tree = NULL;
	struct la_error err = { 0 };

	ck_assert_int_eq(la_yaml_parse(&tree, refused[_i].text,
				       strlen(refused[_i].text), &err),
			 -EBADMSG);
	ck_assert_str_eq(err.text, refused[_i].error);
	ck_assert_uint_eq(err.offset, refused[_i].offset);
	ck_assert_ptr_null(tree);
}
END_TEST

static const char *const broken[] = {
	"a: [1", "a: 'x", "\ta: 1\n", "a: 1\n b: 2\n", "\xff\xfe", "a: \x01\n",
};

START_TEST(test_what_is_not_yaml)
{
	struct la_yaml *tree = NULL;
	struct la_error err = { 0 };

	ck_assert_int_eq(
		la_yaml_parse(&tree, broken[_i], strlen(broken[_i]), &err),
		-EBADMSG);
	ck_assert_str_ne(err.text, "");
	ck_assert_uint_le(err.offset, strlen(broken[_i]));
	ck_assert_ptr_null(tree);
}
END_TEST

START_TEST(test_sixteen_deep_is_taken)
{
	la_yaml_free(read_tree("[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]"));
}
END_TEST

/* A list of so many items: their number and one are its nodes. */
static int read_list(size_t items)
{
	size_t length = 2 * items + 2, i;
	struct la_yaml *tree = NULL;
	char *text = malloc(length);
	int code;

	text[0] = '[';
	for (i = 0; i < items; i++)
		memcpy(text + 1 + 2 * i, "1,", 2);
	text[length - 1] = ']';
	code = la_yaml_parse(&tree, text, length, NULL);
	la_yaml_free(tree);
	free(text);
	return code;
}

START_TEST(test_bounds_are_efbig)
{
	char *text = malloc(LA_YAML_BYTES + 1);
	struct la_yaml *tree;

	memset(text, '#', LA_YAML_BYTES + 1);
	ck_assert_int_eq(la_yaml_parse(&tree, text, LA_YAML_BYTES, NULL),
			 -EBADMSG);
	ck_assert_int_eq(la_yaml_parse(&tree, text, LA_YAML_BYTES + 1, NULL),
			 -EFBIG);
	free(text);
	ck_assert_int_eq(read_list(LA_YAML_NODES - 1), 0);
	ck_assert_int_eq(read_list(LA_YAML_NODES), -EFBIG);
}
END_TEST

static const struct {
	const char *text;
	double value; /* -1: none */
} numbers[] = {
	{ "[0]", 0 },	{ "[1.5]", 1.5 }, { "[1e3]", 1000 }, { "['2']", 2 },
	{ "[-1]", -1 }, { "[+1]", -1 },	  { "[.5]", -1 },    { "[1x]", -1 },
	{ "['']", -1 }, { "[nan]", -1 },  { "[1e16]", -1 },  { "[[1]]", -1 },
};

START_TEST(test_numbers)
{
	struct la_yaml *tree = read_tree(numbers[_i].text);
	double value = -1;
	int code = la_yaml_number(tree->first, &value, NULL);

	ck_assert_int_eq(code, numbers[_i].value < 0 ? -EBADMSG : 0);
	ck_assert_double_eq(value, numbers[_i].value);
	la_yaml_free(tree);
}
END_TEST

START_TEST(test_no_file_is_enoent)
{
	struct la_yaml *tree;

	ck_assert_int_eq(la_yaml_read(&tree, "/nonexistent", NULL), -ENOENT);
	ck_assert_int_eq(la_yaml_read(&tree, "/", NULL), -EIO);
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_test(tc, test_a_tree_has_keys_values_and_places);
	tcase_add_loop_test(tc, test_what_is_refused, 0, ARRAY_SIZE(refused));
	tcase_add_loop_test(tc, test_what_is_not_yaml, 0, ARRAY_SIZE(broken));
	tcase_add_test(tc, test_sixteen_deep_is_taken);
	tcase_add_test(tc, test_bounds_are_efbig);
	tcase_add_loop_test(tc, test_numbers, 0, ARRAY_SIZE(numbers));
	tcase_add_test(tc, test_no_file_is_enoent);
}

#else

START_TEST(test_reading_is_enotsup)
{
	struct la_yaml *tree = NULL;

	ck_assert_int_eq(la_yaml_parse(&tree, "a: 1", 4, NULL), -ENOTSUP);
	ck_assert_ptr_null(tree);
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_test(tc, test_reading_is_enotsup);
}

#endif

int main(void)
{
	Suite *s = suite_create("yaml");
	TCase *tc = tcase_create("yaml");
	SRunner *sr = srunner_create(s);
	int failed;

	add_tests(tc);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
