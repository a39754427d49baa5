// SPDX-License-Identifier: Apache-2.0
/*
 * Files, containers and services: what their real readers made of a line.
 * Values marked R were recorded: systemd 252, docker 20.10 and 28.2,
 * python-dotenv 1.2, libpam 1.5.2, PyYAML 6.0.
 */

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "support/script-vector.h"
#include "util/util.h"

static const char *const watched[] = { "V", NULL };

static const struct script_vector vectors[] = {
	/* docker build, R */
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V=plain:1\nENV V=$V,second:2\n",
	  "plain:1,second:2", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V=\"dq:1\"\n", "dq:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V='$FOO/x'\n", "$FOO/x",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NOT_EXPANDED },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V legacy form value:1  \n",
	  "legacy form value:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V \"legacy quoted\"\n",
	  "legacy quoted", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V=a:[256:1,512:2,>:8]\n",
	  "a:[256:1,512:2,>:8]", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV A=a:1 \\\n    V=b:2\n", "b:2",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM scratch\nENV V=$NOPE\n", "",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V=${NOPE:-dflt}\n", "dflt",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V=$NOPE\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nARG M=128\nENV V=m:$M\n", "m:128",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_DOCKERFILE, "ARG M=128\nFROM x\nENV V=m:$M\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nARG V=a:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_DOCKERFILE, "FROM x AS a\nENV V=a:1\nFROM y\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_DOCKERFILE, "FROM x AS a\nENV V=a:1\nFROM a\n", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V=a:1,\\\n  b:2\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_SYNTAX },
	{ LA_SCRIPT_DOCKERFILE, "# escape=`\nFROM x\nENV A=1 `\n V=a\\b\n",
	  "a\\b", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nexport V=a:1\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_OTHER_LANGUAGE },
	{ LA_SCRIPT_DOCKERFILE, "FROM x\nENV V = a:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_BLANKS },
	/* docker run --env-file, R */
	{ LA_SCRIPT_DOCKER_ENV, "V=\"dq:1\"\n", "\"dq:1\"", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_QUOTES_KEPT },
	{ LA_SCRIPT_DOCKER_ENV, "V=a:1 # c\n", "a:1 # c", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_COMMENT_KEPT },
	{ LA_SCRIPT_DOCKER_ENV, "V=t:1   \n", "t:1   ", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_TRAILING_BLANK },
	{ LA_SCRIPT_DOCKER_ENV, "  V=1\n", "1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKER_ENV, "V=cr:1\r\n", "cr:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOCKER_ENV, "V=a:1\nZ = x\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SYNTAX },
	{ LA_SCRIPT_DOCKER_ENV, "V\n", NULL, LA_SCRIPT_UNKNOWN,
	  LA_SCRIPT_NEEDS_RUNNING },
	/* EnvironmentFile=, R */
	{ LA_SCRIPT_SYSTEMD_ENV, "V=\"dq:1 two\"\n", "dq:1 two",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "V='sq $HOME:1'\n", "sq $HOME:1",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NOT_EXPANDED },
	{ LA_SCRIPT_SYSTEMD_ENV, "V = sp:1\n", "sp:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=trail:1   \n", "trail:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=a:1,\\\nb:2\n", "a:1,b:2",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=%H\n", "%H", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=a\\x2cb\n", "ax2cb", LA_SCRIPT_ARRIVES,
	  0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=cr:1\r\n", "cr:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD_ENV, "export V=exp:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=\"unterminated\n", "unterminated\n",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NEWLINE_KEPT },
	/* environment.d, R */
	{ LA_SCRIPT_ENVIRONMENT_D, "V=a:1 # c\n", "a:1 # c",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_COMMENT_KEPT },
	{ LA_SCRIPT_ENVIRONMENT_D, "A=envd:1\nV=$A,b:2\n", "envd:1,b:2",
	  LA_SCRIPT_ARRIVES, 0 },
	/* units, R */
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=\"V=dq whole:1 two\"\n",
	  "dq whole:1 two", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=\"dq value:1\"\n",
	  "dq value:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=A=a:1 V=b:2\n", "b:2",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=$HOME/x\n", "$HOME/x",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NOT_EXPANDED },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=50%%\n", "50%",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=%H/x\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=a:1\\x2cb:2\n",
	  "a:1,b:2", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=\"V=a:1,\\\n  b:2\"\n",
	  "a:1,   b:2", LA_SCRIPT_ARRIVES, LA_SCRIPT_CONTINUATION },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=1\nEnvironment=V=2\n",
	  "2", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V = x\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_BLANKS },
	{ LA_SCRIPT_SYSTEMD,
	  "[Service]\nEnvironment=V=1\nEnvironmentFile=/etc/x\n", "1",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_SYSTEMD,
	  "[Service]\nUnsetEnvironment=V\nEnvironment=V=1\n", NULL,
	  LA_SCRIPT_REMOVED, 0 },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nEnvironment=V=1\nEnvironment=\n",
	  NULL, LA_SCRIPT_LOST, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_SYSTEMD, "[Unit]\nEnvironment=V=1\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_SYSTEMD, "[Service]\nPassEnvironment=V\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_ELSEWHERE },
	/* pam_env, R */
	{ LA_SCRIPT_ENVIRONMENT, "V=a:1 # c\n", "a:1 ", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_TRAILING_BLANK },
	{ LA_SCRIPT_ENVIRONMENT, "V = x\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_ENVIRONMENT, "V=a:1\nV\n", NULL, LA_SCRIPT_REMOVED, 0 },
	{ LA_SCRIPT_ENVIRONMENT, "V=a:1\nV x\n", "a:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_ENVIRONMENT, "export V=\"a:1\"\n", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_ENVIRONMENT, "V=a,\\\n  b\n", "a,  b", LA_SCRIPT_ARRIVES,
	  0 },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=\"\"\n", "", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=a DEFAULT=\n", "a", LA_SCRIPT_ARRIVES,
	  0 },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=\"a\" DEFAULT=\n", "",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=@{ OVERRIDE=a\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SYNTAX },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=\"a\"OVERRIDE=b\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_SYNTAX },
	{ LA_SCRIPT_SYSTEMD_ENV, "V=a \\\n", "a ", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_TRAILING_BLANK },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=a:1 OVERRIDE=b:1\n", "b:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_PAM_ENV, "X DEFAULT=b:1\nV DEFAULT=${X},c\n", "b:1,c",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=@{HOME}/x\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_PAM_ENV, "V DEFAULT=a \n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SYNTAX },
	/* .env, R */
	{ LA_SCRIPT_DOTENV, "V=a:1\n", "a:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_DOTENV, "V=a:1 # c\n", "a:1", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_READERS_DIFFER },
	{ LA_SCRIPT_DOTENV, "V: yaml:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NO_ASSIGNMENT },
	{ LA_SCRIPT_DOTENV, "A=1,V=m:192,B=false", "m:192",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_READERS_DIFFER },
	{ LA_SCRIPT_DOTENV, "\xef\xbb\xbfV=a:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_BYTE_ORDER_MARK },
	/* crontab */
	{ LA_SCRIPT_CRONTAB, "V = \"a:1\"\n", "a:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_CRONTAB, "V=a:1 # c\n", "a:1 # c", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_COMMENT_KEPT },
	{ LA_SCRIPT_CRONTAB, "export V=a:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SYNTAX },
	/* modulefiles: tclsh 8.6, lua 5.1 */
	{ LA_SCRIPT_MODULE, "set x a:1\nsetenv V \"$x,b:2\"\n", "a:1,b:2",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_MODULE, "setenv V {a:[1:1,>:8]}\n", "a:[1:1,>:8]",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_MODULE, "setenv V a:[1:1,>:8]\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SYNTAX },
	{ LA_SCRIPT_MODULE, "if {$x} {\n setenv V a:1\n}\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_MODULE_LUA, "local x = 'a'\nsetenv(\"V\", x .. \":1\")\n",
	  "a:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_MODULE_LUA, "setenv(\"V\", os.getenv(\"X\"))\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
#ifdef HAVE_YAML
	/* manifests */
	{ LA_SCRIPT_YAML, "V: m=32  # c\n", "m=32", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_YAML, "    V: 'a:1'\n  x: y\n", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_YAML, "V: |\n  a:1\n", "a:1\n", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_NEWLINE_KEPT },
	{ LA_SCRIPT_YAML, "a: &x {V: a:1}\n---\nb: {V: b:2}\n", "b:2",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_YAML, "V: True\n", NULL, LA_SCRIPT_UNKNOWN,
	  LA_SCRIPT_NOT_A_STRING },
	{ LA_SCRIPT_K8S, "- name: V\n  value: true\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NOT_A_STRING },
	{ LA_SCRIPT_K8S, "- name: V\n          value: \"a:1\"\n", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_K8S, "- name: V\n", NULL, LA_SCRIPT_UNKNOWN,
	  LA_SCRIPT_ELSEWHERE },
	{ LA_SCRIPT_K8S, "- {name: V, value: a}\n- {name: V, value: b}\n",
	  "b", LA_SCRIPT_ARRIVES, LA_SCRIPT_DUPLICATE },
	{ LA_SCRIPT_K8S, "- {name: A, value: a}\n- {name: V, value: $(A):1}\n",
	  "a:1", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_K8S, "- {name: V, value: $$(A)}\n", "$(A)",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NOT_EXPANDED },
	{ LA_SCRIPT_K8S,
	  "- name: V\n  valueFrom: {secretKeyRef: {name: x, key: y}}\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_ELSEWHERE },
	/* templates of Helm */
	{ LA_SCRIPT_K8S, "- name: V\n  value: {{ .x }}\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_K8S,
	  "env:\n{{- if .x }}\n- name: V\n  value: a\n{{- end }}\n", "a",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_K8S,
	  "env:\n{{- if .x }}\n{{- end }}\n- name: V\n  value: a\n", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_K8S, "command: [sh, -c, \"export V={{ .x }}; y\"]\n",
	  NULL, LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_YAML, "script:\n- V={{ x }} y\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_K8S, "env:\n  V: a:1\n", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SYNTAX },
	{ LA_SCRIPT_COMPOSE, "environment:\n  - V=\"a:1\"\n", "\"a:1\"",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_QUOTES_KEPT },
	{ LA_SCRIPT_COMPOSE, "environment:\n  V: ${X:-a:1}\n", "a:1",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_COMPOSE, "environment:\n  V: a$$1\n", "a$1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_COMPOSE, "environment:\n  - V\n", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_ELSEWHERE },
	{ LA_SCRIPT_COMPOSE, "environment:\n  V: true\n", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_NOT_A_STRING },
#endif
#ifdef HAVE_JANSSON
	{ LA_SCRIPT_LAUNCH, "{ // c\n\"env\": {\"V\": \"a:1\",},}", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_LAUNCH, "{\"env\": {\"V\": \"a\"}, \"envFile\": \"x\"}",
	  "a", LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_KERNEL, "{\"env\": {\"V\": \"${X}:1\"}}", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_CONDA, "{\"env_vars\": {\"V\": \"a:1\"}}", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_CONDA, "{\"env_vars\": {\"V\": \"***unset***\"}}", NULL,
	  LA_SCRIPT_REMOVED, 0 },
#endif
};

START_TEST(test_the_last_place_is_what_its_reader_made_of_it)
{
	const char *differs = script_vector_differs(&vectors[_i]);

	ck_assert_msg(!differs, "%s of: %s", differs, vectors[_i].text);
}
END_TEST

START_TEST(test_text_in_utf_16_sets_nothing)
{
	static const char text[] = "\xff\xfeV\0=\0a\0";
	struct la_script_options options = { .kind = LA_SCRIPT_DOTENV,
					     .watched = watched };
	const struct la_script_assignment *a;
	struct la_script *script;
	size_t count;

	ck_assert_int_eq(la_script_read(&script, text, sizeof(text) - 1,
					&options, NULL),
			 0);
	a = la_script_assignments(script, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(a->fate, LA_SCRIPT_LOST);
	ck_assert(script_says(a, LA_SCRIPT_BYTE_ORDER_MARK));
	la_script_free(script);
}
END_TEST

/* Whatever bytes there are, each reader ends and stays within them. */
START_TEST(test_pieces_of_all_texts_are_read_by_all_kinds)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++)
		script_read_pieces(_i, vectors[i].text);
}
END_TEST

START_TEST(test_what_cannot_be_parsed_is_an_error)
{
	static const struct {
		enum la_script_kind kind;
		const char *text;
	} bad[] = { { LA_SCRIPT_K8S, "a: [1\n" },
		    { LA_SCRIPT_LAUNCH, "{\"env\": [}" },
		    { LA_SCRIPT_NOTEBOOK, "not JSON" } };
	struct la_script *script = NULL;
	struct la_error err = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct la_script_options options = { .kind = bad[i].kind };
		int ret = la_script_read(&script, bad[i].text,
					 strlen(bad[i].text), &options, &err);

		ck_assert(ret == -EBADMSG || ret == -ENOTSUP);
		ck_assert_ptr_null(script);
		ck_assert_uint_gt(strlen(err.text), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script-files");
	TCase *tcase = tcase_create("files");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase,
			    test_the_last_place_is_what_its_reader_made_of_it,
			    0, ARRAY_SIZE(vectors));
	tcase_add_test(tcase, test_text_in_utf_16_sets_nothing);
	tcase_add_test(tcase, test_what_cannot_be_parsed_is_an_error);
	tcase_add_loop_test(tcase,
			    test_pieces_of_all_texts_are_read_by_all_kinds,
			    LA_SCRIPT_DOCKERFILE, LA_SCRIPT_KINDS);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
