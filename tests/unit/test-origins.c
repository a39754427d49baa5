// SPDX-License-Identifier: Apache-2.0
/*
 * Places that set a variable, below a root that is made for each test: which
 * are read, in which order, and which gave the value.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <liballoc/env.h>

#include "env/way.h"

/* A process of a service, as la_env_process_open() would fill it. */
static struct la_env_process service;

static char root[] = "/tmp/origins-XXXXXX";
static struct la_env *env;
static struct la_env_origins *origins;

static void make_folders(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void put(const char *file, const char *text)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s%s", root, file);
	make_folders(path);
	out = fopen(path, "w");
	ck_assert(out);
	fputs(text, out);
	ck_assert_int_eq(fclose(out), 0);
}

static void setup(void)
{
	struct la_env *unknown;

	ck_assert_int_eq(la_env_of_block(&unknown, "x", 1, LA_PLATFORM_LINUX),
			 0);
	service = (struct la_env_process){
		.initial = unknown,
		.info = { .pid = 1, .initial = unknown, .current = unknown },
	};
	strcpy(root, "/tmp/origins-XXXXXX");
	ck_assert(mkdtemp(root));
	env = NULL;
	origins = NULL;
}

static void teardown(void)
{
	char command[64];

	la_env_origins_free(origins);
	la_env_free(env);
	la_env_free(service.initial);
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

static void find_of(const char *value, const char *const *files,
		    const struct la_env_process *process)
{
	char entry[256];
	const char *entries[] = { entry, "CONDA_PREFIX=/opt/conda",
				  "USER=me" };
	struct la_env_search search = {
		.root = root,
		.home = "/home/me",
		.folder = "/work",
		.files = files,
		.process = process,
	};

	snprintf(entry, sizeof(entry), "PYTORCH_CUDA_ALLOC_CONF=%s", value);
	ck_assert_int_eq(la_env_of_entries(&env, entries, 3,
					   LA_PLATFORM_LINUX), 0);
	search.env = env;
	ck_assert_int_eq(la_env_origins_find(&origins, &search, NULL), 0);
}

static void find(const char *value, const char *const *files)
{
	find_of(value, files, NULL);
}

static const struct la_env_origin *in(const char *file)
{
	const struct la_env_origin *origin;
	size_t count, i;

	origin = la_env_origins(origins, &count);
	for (i = 0; i < count; i++)
		if (!strcmp(origin[i].file, file))
			return &origin[i];
	return NULL;
}

static void check(const char *file, const char *value, size_t line,
		  bool matches, bool source)
{
	const struct la_env_origin *origin = in(file);

	ck_assert_msg(origin != NULL, "nothing in %s", file);
	if (value)
		ck_assert_str_eq(origin->value, value);
	else
		ck_assert_ptr_null(origin->value);
	ck_assert_uint_eq(origin->line, line);
	ck_assert_int_eq(origin->matches, matches);
	ck_assert_msg(origin->source == source, "source of %s", file);
}

START_TEST(system_files)
{
	put("/etc/environment", "# mine\nPYTORCH_CUDA_ALLOC_CONF=backend:x\n");
	put("/etc/environment.d/10.conf",
	    "PYTORCH_CUDA_ALLOC_CONF=backend:z\n");
	find("backend:x", NULL);
	check("/etc/environment", "backend:x", 2, true, true);
	check("/etc/environment.d/10.conf", "backend:z", 1, false, false);
	ck_assert_int_eq(in("/etc/environment")->scope, LA_ENV_SYSTEM);
}
END_TEST

START_TEST(last_that_gives_it)
{
	put("/etc/environment", "PYTORCH_CUDA_ALLOC_CONF=backend:x\n");
	put("/home/me/.env", "PYTORCH_CUDA_ALLOC_CONF=not:read\n");
	put("/work/.env", "A=1\nPYTORCH_CUDA_ALLOC_CONF=backend:x\n");
	find("backend:x", NULL);
	check("/etc/environment", "backend:x", 1, true, false);
	check("/work/.env", "backend:x", 2, true, true);
	ck_assert_ptr_null(in("/home/me/.env"));
}
END_TEST

START_TEST(files_that_startup_files_read)
{
	put("/home/me/.bashrc",
	    "[ -f ~/.exports ] && . ~/.exports\nsource \"$HOME/a.sh\"\n"
	    "# . ~/not.sh\n. $X/not.sh\n");
	put("/home/me/.exports",
	    "export PYTORCH_CUDA_ALLOC_CONF=backend:x\n. ~/.exports\n");
	put("/home/me/a.sh", ". /opt/b.sh; . ~/.bashrc\n");
	put("/opt/b.sh", "\nexport PYTORCH_CUDA_ALLOC_CONF=backend:z\n");
	put("/home/me/not.sh", "export PYTORCH_CUDA_ALLOC_CONF=not:read\n");
	find("backend:x", NULL);
	check("/home/me/.exports", "backend:x", 1, true, true);
	check("/opt/b.sh", "backend:z", 2, false, false);
	ck_assert_ptr_null(in("/home/me/not.sh"));
}
END_TEST

START_TEST(what_sshd_sets)
{
	put("/etc/ssh/sshd_config", "#SetEnv PYTORCH_CUDA_ALLOC_CONF=no\n");
	put("/etc/ssh/sshd_config.d/a.conf",
	    " setenv A=1 \"PYTORCH_CUDA_ALLOC_CONF=backend:x\"\n");
	find("backend:x", NULL);
	check("/etc/ssh/sshd_config.d/a.conf", "backend:x", 0, true, true);
	ck_assert_ptr_null(in("/etc/ssh/sshd_config"));
}
END_TEST

START_TEST(nothing_is_found)
{
	size_t count;

	find("backend:x", NULL);
	la_env_origins(origins, &count);
	ck_assert_uint_eq(count, 0);
	la_env_origins_unread(origins, &count);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(links_stay_below_the_root)
{
	char path[512];

	put("/data/environment", "PYTORCH_CUDA_ALLOC_CONF=backend:x\n");
	put("/etc/x", "");
	snprintf(path, sizeof(path), "%s/etc/environment", root);
	ck_assert_int_eq(symlink("/data/environment", path), 0);
	find("backend:x", NULL);
	check("/etc/environment", "backend:x", 1, true, true);
}
END_TEST

START_TEST(what_is_no_file)
{
	const struct la_env_unread *unread;
	size_t count;
	char path[512];

	put("/etc/x", "");
	snprintf(path, sizeof(path), "%s/etc/environment", root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	find("backend:x", NULL);
	unread = la_env_origins_unread(origins, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(unread->file, "/etc/environment");
}
END_TEST

START_TEST(given_files)
{
	char path[512];
	const char *files[] = { path, NULL };

	put("/given/.env", "PYTORCH_CUDA_ALLOC_CONF=backend:x\n");
	snprintf(path, sizeof(path), "%s/given/.env", root);
	find("backend:x", files);
	check(path, "backend:x", 1, true, true);
	ck_assert_int_eq(in(path)->scope, LA_ENV_GIVEN);
}
END_TEST

/* EnvironmentFile= beats Environment=, and drop-ins act by their names. */
START_TEST(units)
{
	const struct la_env_origin *origin;
	size_t count;

	put("/usr/lib/systemd/system/x@.service",
	    "[Service]\nEnvironmentFile=-/etc/default/x\n"
	    "Environment=PYTORCH_CUDA_ALLOC_CONF=backend:x\n");
	put("/usr/lib/systemd/system/x@1.service.d/20.conf",
	    "[Service]\nEnvironment=PYTORCH_CUDA_ALLOC_CONF=backend:z\n");
	put("/etc/systemd/system/x@1.service.d/10.conf",
	    "[Service]\nEnvironment=PYTORCH_CUDA_ALLOC_CONF=backend:y\n");
	put("/etc/default/x", "PYTORCH_CUDA_ALLOC_CONF=backend:file\n");
	put("/etc/environment", "PYTORCH_CUDA_ALLOC_CONF=backend:file\n");
	service.info.unit = "x@1.service";
	find_of("backend:file", NULL, &service);
	origin = la_env_origins(origins, &count);
	ck_assert_uint_eq(count, 5);
	ck_assert_str_eq(origin[0].file, "/etc/environment");
	ck_assert_int_eq(origin[0].part, LA_ENV_NO_PART);
	ck_assert_str_eq(origin[1].file, "/usr/lib/systemd/system/x@.service");
	ck_assert_uint_eq(origin[1].line, 3);
	ck_assert_str_eq(origin[2].file,
			 "/etc/systemd/system/x@1.service.d/10.conf");
	ck_assert_str_eq(origin[3].file,
			 "/usr/lib/systemd/system/x@1.service.d/20.conf");
	ck_assert_str_eq(origin[4].file, "/etc/default/x");
	ck_assert(origin[4].source && origin[4].part == LA_ENV_TAKES_PART);
	ck_assert(!origin[0].source);
}
END_TEST

START_TEST(shells_by_their_command_line)
{
	static const struct {
		const char *arguments;
		enum la_script_kind kind;
		unsigned int mode;
		bool no_files;
	} rows[] = {
		{ "-bash", LA_SCRIPT_BASH, LA_ENV_LOGIN | LA_ENV_INTERACTIVE,
		  false },
		{ "/bin/bash", LA_SCRIPT_BASH, LA_ENV_INTERACTIVE, false },
		{ "bash train.sh -i", LA_SCRIPT_BASH, LA_ENV_BATCH, false },
		{ "bash -c python x.py", LA_SCRIPT_BASH, LA_ENV_BATCH, false },
		{ "bash -lc x", LA_SCRIPT_BASH, LA_ENV_LOGIN | LA_ENV_BATCH,
		  false },
		{ "bash -ic x", LA_SCRIPT_BASH, LA_ENV_INTERACTIVE, false },
		{ "bash --norc", LA_SCRIPT_BASH, LA_ENV_INTERACTIVE, true },
		{ "zsh -f", LA_SCRIPT_ZSH, LA_ENV_INTERACTIVE, true },
		{ "sh -c x", LA_SCRIPT_SH, LA_ENV_BATCH, false },
		{ "fish", LA_SCRIPT_FISH, LA_ENV_INTERACTIVE, false },
		{ "python3 -c x", 0, 0, false },
		{ "bashful", 0, 0, false },
		{ "", 0, 0, false },
	};
	struct la_env_shell shell;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		shell = la_env_shell_of(rows[i].arguments);
		ck_assert_msg(shell.kind == rows[i].kind &&
				      shell.mode == rows[i].mode &&
				      shell.no_files == rows[i].no_files,
			      "'%s': kind %d, mode %u", rows[i].arguments,
			      shell.kind, shell.mode);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("origins");
	TCase *tests = tcase_create("origins");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, system_files);
	tcase_add_test(tests, last_that_gives_it);
	tcase_add_test(tests, files_that_startup_files_read);
	tcase_add_test(tests, what_sshd_sets);
	tcase_add_test(tests, nothing_is_found);
	tcase_add_test(tests, links_stay_below_the_root);
	tcase_add_test(tests, what_is_no_file);
	tcase_add_test(tests, given_files);
	tcase_add_test(tests, units);
	tcase_add_test(tests, shells_by_their_command_line);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
