// SPDX-License-Identifier: Apache-2.0
/* What la_script_write() writes la_script_read() reads, to the byte. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "util/strbuf.h"
#include "util/util.h"

#define NAME "PYTORCH_CUDA_ALLOC_CONF"

static const char *const values[] = {
	"",
	"expandable_segments:True",
	"roundup_power2_divisions:[256:1,512:2,>:8]",
	"max_split_size_mb:128,garbage_collection_threshold:0.8",
	"it's",
	"\"double\"",
	"a=b;c",
	"$HOME ${HOME} `id` $(id) $(V) $$",
	"\\n \\",
	"50% %PATH% %n !x! ^&|<>",
	" leading and trailing ",
	"two\nlines",
	"tab\there",
	"a # b",
	"\xff\xfe not UTF-8",
	"\u201cquotes\u201d \u2018too\u2019 \u00a0",
	"-n",
	"~*?[a-z]{a,b}",
};

/* What stands around a line in a file of the kind. */
static const struct {
	enum la_script_kind kind;
	const char *before, *after;
} files[] = {
	{ LA_SCRIPT_LAUNCH, "{\"configurations\": [{\"env\": {", "}}]}" },
	{ LA_SCRIPT_KERNEL, "{\"argv\": [], \"env\": {", "}}" },
	{ LA_SCRIPT_CONDA, "{\"env_vars\": {", "}}" },
	{ LA_SCRIPT_SYSTEMD, "[Service]\n", "\n" },
	{ LA_SCRIPT_DOCKERFILE, "FROM debian\n", "\n" },
	{ LA_SCRIPT_COMPOSE, "services:\n  a:\n    environment:\n      ",
	  "\n" },
	{ LA_SCRIPT_MODULE, "#%Module1.0\n", "\n" },
};

static void wrap(struct la_strbuf *text, enum la_script_kind kind,
		 const char *line)
{
	const char *before = "", *after = "\n";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i].kind != kind)
			continue;
		before = files[i].before;
		after = files[i].after;
	}
	la_strbuf_addf(text, "%s%s%s", before, line, after);
}

static void check_read(enum la_script_kind kind, const char *line,
		       const char *value)
{
	const struct la_script_options options = { .kind = kind };
	const struct la_script_assignment *found;
	struct la_strbuf text = { 0 };
	struct la_script *script;
	size_t count;
	int ret;

	wrap(&text, kind, line);
	ret = la_script_read(&script, text.data, text.length, &options, NULL);
	if (ret == -ENOTSUP) {
		la_strbuf_release(&text);
		return; /* a build without libyaml or jansson */
	}
	ck_assert_msg(!ret, "%s: %d for %s", la_script_kind_name(kind), ret,
		      text.data);
	found = la_script_assignments(script, &count);
	ck_assert_msg(count && found[count - 1].fate == LA_SCRIPT_ARRIVES &&
			      !strcmp(found[count - 1].value, value),
		      "%s reads %s as %s", la_script_kind_name(kind), text.data,
		      count && found[count - 1].value ? found[count - 1].value :
							"nothing");
	la_script_free(script);
	la_strbuf_release(&text);
}

START_TEST(test_what_is_written_is_read)
{
	enum la_script_kind kind = _i;
	struct la_error err;
	size_t i, written = 0;
	char *line;
	int ret;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ret = la_script_write(kind, NAME, values[i], &line, &err);
		if (ret) {
			ck_assert_int_eq(ret, -EOPNOTSUPP);
			ck_assert_uint_le(err.offset, strlen(values[i]));
			continue;
		}
		check_read(kind, line, values[i]);
		free(line);
		written++;
	}
	ck_assert(written >= 3 || kind == LA_SCRIPT_NOTEBOOK);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script round");
	TCase *tc = tcase_create("round");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_what_is_written_is_read, 0,
			    LA_SCRIPT_KINDS);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
