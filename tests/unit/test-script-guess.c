// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

#include "util/util.h"

static const struct {
	const char *path;
	const char *text;
	const char *kind; /* NULL: neither tells */
} files[] = {
	{ "Dockerfile", "", "dockerfile" },
	{ "a/Dockerfile.cuda", "", "dockerfile" },
	{ "x.dockerfile", "", "dockerfile" },
	{ "run.BAT", "", "cmd" },
	{ "C:\\x\\run.cmd", "", "cmd" },
	{ "train.ps1", "", "powershell" },
	{ "conf.fish", "", "fish" },
	{ "/home/u/.zshrc", "", "zsh" },
	{ ".zshenv", "", "zsh" },
	{ ".cshrc", "", "tcsh" },
	{ ".bashrc", "#!/bin/zsh\n", "bash" },
	{ "/home/u/.bash_profile", "", "bash" },
	{ ".profile", "", "sh" },
	{ "a.sh", "export A=1\n", "bash" },
	{ "a.sh", "#!/bin/sh\n", "sh" },
	{ "a.sh", "#!/usr/bin/env -S zsh -f\n", "zsh" },
	{ "a.sh", "#!/bin/bash\n#SBATCH -n1\n", "slurm" },
	{ "job.sbatch", "", "slurm" },
	{ "app.service", "", "systemd" },
	{ "/etc/systemd/system/app.service.d/10-x.conf", "", "systemd" },
	{ "/etc/environment", "", "environment" },
	{ "environment", "V=1\n", NULL },
	{ "/home/u/.config/environment.d/50-x.conf", "", "environment.d" },
	{ "/etc/security/pam_env.conf", "", "pam_env" },
	{ "/etc/crontab", "", "crontab" },
	{ "/etc/cron.d/x", "", "crontab" },
	{ ".env", "", "dotenv" },
	{ ".env.local", "", "dotenv" },
	{ "prod.env", "", "dotenv" },
	{ "x.yaml", "apiVersion: v1\nkind: Pod\n", "k8s" },
	{ "x.yml", "version: 3\nservices:\n", "compose" },
	{ "compose.yaml", "", "compose" },
	{ "x.yaml", "env:\n", "yaml" },
	{ "a.ipynb", "", "ipynb" },
	{ ".vscode/launch.json", "", "launch.json" },
	{ "kernels/x/kernel.json", "", "kernel.json" },
	{ "/opt/conda/conda-meta/state", "", "conda" },
	{ "a.py", "", "python" },
	{ "modules/1.0.lua", "", "modulefile-lua" },
	{ "1.0", "#%Module1.0\nsetenv A 1\n", "modulefile" },
	{ "run", "#!/usr/bin/env python3\n", "python" },
	{ "run", "#!/usr/bin/tcsh -f\n", "tcsh" },
	{ NULL, "  $env:V = 1\n", "powershell" },
	{ NULL, "FROM debian\nENV V=1\n", "dockerfile" },
	{ NULL, "[Unit]\n", "systemd" },
	{ NULL, "a:1\n", NULL },
	{ NULL, "", NULL },
	{ NULL, "#!/bin/awk -f\n", NULL },
	{ "photo.jpg", "", NULL },
};

START_TEST(test_name_then_text_tell_the_kind)
{
	enum la_script_kind kind;
	int ret = la_script_kind_guess(&kind, files[_i].path, files[_i].text,
				       strlen(files[_i].text));

	if (!files[_i].kind) {
		ck_assert_int_eq(ret, -ENOENT);
		return;
	}
	ck_assert_int_eq(ret, 0);
	ck_assert_str_eq(la_script_kind_name(kind), files[_i].kind);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("script guess");
	TCase *tc = tcase_create("guess");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_name_then_text_tell_the_kind, 0,
			    ARRAY_SIZE(files));
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
