// SPDX-License-Identifier: Apache-2.0
/* Launchers to other machines: ssh, mpirun, srun, deepspeed. */
#include <string.h>

#include "script/launcher-state.h"

/* ssh [options] host command...: the command is read by a shell there. */
static void run_ssh(struct la_launch *launch)
{
	static const char valued[] = "BbcDEeFIiJLlmOopQRSWw";
	const char *word, *option, *names;
	struct la_script_given *given;
	size_t at;

	while (*(word = la_launch_word(launch)) == '-') {
		option = la_launch_option(launch, "-o", NULL);
		if (!option) {
			launch->at += 1 + (word[1] && !word[2] &&
					   strchr(valued, word[1]));
			continue;
		}
		names = option + strcspn(option, "= ");
		names += *names != '\0';
		if (!strncasecmp(option, "SetEnv", 6)) {
			at = la_launch_set(launch, names);
			if (at != LA_SCRIPT_WHOLE)
				la_launch_say(launch, at, LA_SCRIPT_POLICY);
			launch->given_count -= at != LA_SCRIPT_WHOLE;
		} else if (!strncasecmp(option, "SendEnv", 7)) {
			given = la_launch_given(launch, names, strlen(names));
			if (given) {
				la_launch_say(launch, given->assignment,
					      LA_SCRIPT_POLICY);
				*given = launch->given[--launch->given_count];
			}
		}
	}
	launch->at += launch->at < launch->count;
	if (launch->at == launch->count)
		return;
	la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
	la_launch_remote(launch, LA_SCRIPT_BASH);
}

static bool is_any(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

static void say_other_nodes(struct la_launch *launch, const bool *forwarded)
{
	size_t i;

	for (i = 0; i < launch->given_count; i++)
		if (!forwarded[i])
			la_launch_say(launch, launch->given[i].assignment,
				      LA_SCRIPT_OTHER_NODES);
}

/* -x NAME, -x NAME=VALUE */
static void forward(struct la_launch *launch, const char *name, bool *forwarded)
{
	struct la_script_given *given;

	la_launch_set(launch, name);
	given = la_launch_given(launch, name, strcspn(name, "="));
	if (given)
		forwarded[given - launch->given] = true;
}

/* -genv NAME VALUE, -env NAME VALUE */
static void forward_pair(struct la_launch *launch, bool *forwarded)
{
	const char *name;
	struct la_script_given *given;

	launch->at++;
	name = la_launch_word(launch);
	launch->at += 2;
	if (launch->at > launch->count) {
		launch->at = launch->count;
		return;
	}
	launch->at--;
	la_launch_set_name(launch, name, strlen(name), la_launch_word(launch));
	launch->at++;
	given = la_launch_given(launch, name, strlen(name));
	if (given)
		forwarded[given - launch->given] = true;
}

static void run_mpirun(struct la_launch *launch)
{
	static const char *const hosts[] = { "-H",
					     "--host",
					     "-host",
					     "--hostfile",
					     "-hostfile",
					     "-machinefile",
					     "--machinefile",
					     "-hosts",
					     "-f",
					     NULL };
	static const char *const valued[] = {
		"-np",	    "-n",	 "--np",      "-N",   "-c",
		"--map-by", "--bind-to", "-npernode", "-ppn", "--rank-by",
		"-wdir",    "--wdir",	 NULL
	};
	bool forwarded[LA_LAUNCH_GIVEN + 1] = { false };
	const char *word, *name;
	bool far = false;

	while (*(word = la_launch_word(launch)) == '-') {
		if (!strcmp(word, "-genv") || !strcmp(word, "-env")) {
			forward_pair(launch, forwarded);
			continue;
		}
		name = !strcmp(word, "-x") ?
			       la_launch_option(launch, "-x", NULL) :
			       NULL;
		if (name) {
			forward(launch, name, forwarded);
			continue;
		}
		far = far || is_any(word, hosts);
		launch->at += 1 + (is_any(word, hosts) || is_any(word, valued));
		if (!strcmp(word, "-mca") || !strcmp(word, "--mca"))
			launch->at += 2;
	}
	if (far)
		say_other_nodes(launch, forwarded);
}

/* Its launcher for several nodes forwards names that it knows. */
static void run_deepspeed(struct la_launch *launch)
{
	const bool forwarded[LA_LAUNCH_GIVEN + 1] = { false };
	bool far = false;

	for (; launch->at < launch->count; launch->at++)
		far = far || la_launch_is(launch, "-H") ||
		      !strncmp(la_launch_word(launch), "--hostfile", 10) ||
		      !strncmp(la_launch_word(launch), "--num_nodes", 11);
	if (far)
		say_other_nodes(launch, forwarded);
}

static void run_slurm(struct la_launch *launch, enum la_slurm_who who)
{
	static const char *const plain[] = { "--exclusive",
					     "--pty",
					     "--unbuffered",
					     "--overlap",
					     "--label",
					     "--multi-prog",
					     "--test-only",
					     "--no-kill",
					     "--wait",
					     "--requeue",
					     "--no-requeue",
					     "--parsable",
					     "--overcommit",
					     "--verbose",
					     "--quiet",
					     "--hold",
					     "--contiguous",
					     "--container-writable",
					     "--no-container-mount-home",
					     NULL };
	static const char valued[] = "nNcptJAwxoeiDqCGmMLdaBrST";
	const char *word, *spec, *wrapped = NULL;
	bool listed = false;
	size_t start = 0;

	while (*(word = la_launch_word(launch)) == '-') {
		spec = la_launch_option(launch, NULL, "--export");
		if (spec) {
			la_slurm_export(launch, who, spec);
			listed = true;
			continue;
		}
		spec = la_launch_option(launch, NULL, "--wrap");
		if (spec) {
			wrapped = spec;
			start = launch->word[launch->at - 1].start;
			continue;
		}
		launch->at++;
		if (word[1] == '-' ?
			    !strchr(word, '=') && !is_any(word, plain) :
			    word[1] && !word[2] && strchr(valued, word[1]))
			launch->at += launch->at < launch->count;
	}
	if (who == LA_SLURM_SRUN && !listed)
		la_slurm_inherit(launch);
	if (wrapped)
		la_launch_read(launch, LA_SCRIPT_SH, wrapped, start);
}

static void run_srun(struct la_launch *launch)
{
	run_slurm(launch, LA_SLURM_SRUN);
}

static void run_sbatch(struct la_launch *launch)
{
	run_slurm(launch, LA_SLURM_SBATCH);
	launch->at = launch->count;
}

/* ray job submit: workers have the environment of their daemon. */
static void run_ray(struct la_launch *launch)
{
	if (!la_launch_is(launch, "job")) {
		launch->at = launch->count;
		return;
	}
	la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
	launch->at = launch->count;
}

const struct la_launcher la_launchers_cluster[] = {
	{ "ssh", run_ssh },
	{ "mpirun", run_mpirun },
	{ "mpiexec", run_mpirun },
	{ "orterun", run_mpirun },
	{ "deepspeed", run_deepspeed },
	{ "srun", run_srun },
	{ "salloc", run_sbatch },
	{ "sbatch", run_sbatch },
	{ "ray", run_ray },
	{ NULL, NULL },
};
