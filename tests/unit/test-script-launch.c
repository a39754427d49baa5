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

#include "support/script-vector.h"
#include "util/util.h"

static const char *const watched[] = { "V", NULL };

static const struct script_vector vectors[] = {
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
	/* Apptainer and SingularityCE: S */
	{ LA_SCRIPT_BASH, "export APPTAINERENV_V=a\napptainer exec -e x y", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "SINGULARITYENV_V=a singularity run x", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "APPTAINERENV_V=a singularity run x", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_BASH, "APPTAINERENV_V=$(a) apptainer run x", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_BASH, "V=b APPTAINERENV_V=a apptainer run x", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "sudo APPTAINERENV_V=a apptainer run x", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "APPTAINERENV_V=a apptainer run --env V=b:1,c:2 x",
	  "b:1,c:2", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "apptainer run --env A=1,V=b:1,C=1 x", "b:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "apptainer run --env A=1,V=b:1,c:2 x", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_COMMA_CUT },
	{ LA_SCRIPT_BASH, "V=a apptainer run x", "a", LA_SCRIPT_ARRIVES,
	  LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_BASH, "V=a apptainer run --cleanenv x", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_NOT_PASSED },
	{ LA_SCRIPT_BASH, "echo V=a >f; apptainer run --env-file f x", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	/* Pyxis: its own tests say so */
	{ LA_SCRIPT_BASH, "export V=a\nsrun --container-image=x y", "a",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	{ LA_SCRIPT_BASH,
	  "export V=a\nsrun --container-image x --container-env A,V y", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	/* docker, R */
	{ LA_SCRIPT_BASH, "echo 'V=\"a\"' >f; docker run --env-file f x",
	  "\"a\"", LA_SCRIPT_ARRIVES, LA_SCRIPT_QUOTES_KEPT },
	{ LA_SCRIPT_BASH, "docker run --env-file f -e V=a x", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	/* DeepSpeed 0.19 and accelerate 1.15: S */
	{ LA_SCRIPT_BASH, "V=a deepspeed --num_gpus 2 x.py", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "V=a deepspeed --num_nodes=2 x.py", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_NOT_PASSED },
	{ LA_SCRIPT_BASH, "V=a deepspeed --hostfile h x.py", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_OTHER_NODES },
	{ LA_SCRIPT_BASH, "V=a deepspeed --launcher SLURM -H h x.py", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "V=a deepspeed --launcher openmpi -H h x.py", "a",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OTHER_NODES },
	{ LA_SCRIPT_BASH,
	  "echo V=a:1,b >>~/.deepspeed_env\ndeepspeed -H h x.py", "a:1,b",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "V=a accelerate launch --num_machines 2 x.py", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "V=a torchrun --nproc-per-node 2 x.py", "a",
	  LA_SCRIPT_ARRIVES, 0 },
#ifdef HAVE_JANSSON
	/* Ray */
	{ LA_SCRIPT_BASH,
	  "ray job submit --runtime-env-json '{\"env_vars\":{\"V\":\"a\"}}' "
	  "-- python x", "a", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH,
	  "ray job submit --runtime-env-json '{\"env_vars\":{\"V\":\"${X}\"}}'",
	  NULL, LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
#endif
#ifdef HAVE_YAML
	{ LA_SCRIPT_BASH,
	  "cat >r.yaml <<E\nenv_vars:\n  V: a\nE\n"
	  "ray job submit --runtime-env r.yaml -- x", "a", LA_SCRIPT_ARRIVES,
	  0 },
	{ LA_SCRIPT_YAML, "env_vars:\n  V: a:1\n", "a:1", LA_SCRIPT_ARRIVES,
	  0 },
#endif
	{ LA_SCRIPT_BASH, "V=a ray job submit -- python x", NULL,
	  LA_SCRIPT_LOST, LA_SCRIPT_NOT_PASSED },
	{ LA_SCRIPT_BASH, "ray job submit -- env V=a python x", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	/* Slurm */
	{ LA_SCRIPT_BASH, "V=a salloc -N 1 env V=b python x", "b",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH,
	  "cat >j <<E\n#!/bin/sh\nexport V=a\nsrun x\nE\nsbatch -N 1 j", "a",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "V=a sbatch --export-file=f j", "a",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_OVERRIDDEN },
	/* screen, GNU parallel: R */
	{ LA_SCRIPT_BASH, "V=a screen -S s -X screen x", "a",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_STALE_SERVER },
	{ LA_SCRIPT_BASH, "V=a screen -dmS s x", "a", LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "screen -S s -X setenv V a", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_ACTS_LATER },
	{ LA_SCRIPT_BASH, "parallel V={} x ::: a b", NULL, LA_SCRIPT_UNKNOWN,
	  LA_SCRIPT_NEEDS_RUNNING },
	{ LA_SCRIPT_BASH, "V=a parallel -S h x ::: b", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_NOT_PASSED },
	{ LA_SCRIPT_BASH, "V=a parallel --env V -S h x ::: b", "a",
	  LA_SCRIPT_ARRIVES, LA_SCRIPT_POLICY },
	/* nsys */
	{ LA_SCRIPT_BASH, "nsys profile -o r -e V=a:1 python x", "a:1",
	  LA_SCRIPT_ARRIVES, 0 },
	{ LA_SCRIPT_BASH, "nsys profile -e V=a:1,b:2 python x", NULL,
	  LA_SCRIPT_UNKNOWN, LA_SCRIPT_NEEDS_RUNNING },
	/* the subsystem of Windows for Linux */
	{ LA_SCRIPT_BASH, "setx.exe V a:1", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_SETX },
	{ LA_SCRIPT_BASH, "cmd.exe /c set V=a:1", NULL, LA_SCRIPT_LOST,
	  LA_SCRIPT_CHILD_ENDS },
};

START_TEST(test_the_last_place_is_what_a_program_finds)
{
	const char *differs = script_vector_differs(&vectors[_i]);

	ck_assert_msg(!differs, "%s of: %s", differs, vectors[_i].text);
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
	script_read_pieces(vectors[_i].kind, vectors[_i].text);
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
