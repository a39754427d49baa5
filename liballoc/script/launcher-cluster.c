// SPDX-License-Identifier: Apache-2.0
/* Launchers to other machines: ssh, mpirun, srun, deepspeed. */
#include <stdlib.h>
#include <string.h>

#include "script/launcher-state.h"
#include "script/written.h"

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

/* DeepSpeed; rules from the sources of 0.19. */

struct deepspeed {
	bool far; /* there may be other nodes */
	bool surely; /* ... and there are, or it acts as if there were */
	bool same; /* all has this environment */
	bool mpi;
};

static void read_deepspeed(struct la_launch *launch, struct deepspeed *d)
{
	const char *word, *value;

	while (*(word = la_launch_word(launch)) == '-') {
		value = la_launch_option(launch, NULL, "--launcher");
		if (value) {
			d->same |= !strcasecmp(value, "slurm");
			d->mpi |= strcasecmp(value, "pdsh") && !d->same;
			continue;
		}
		value = la_launch_option(launch, NULL, "--num_nodes");
		if (value) {
			d->surely |= atoi(value) > 1;
			continue;
		}
		d->far |= !strcmp(word, "-H") ||
			  !strncmp(word, "--hostfile", 10) ||
			  !strncmp(word, "--include", 9);
		d->surely |= !strcmp(word, "--force_multi");
		d->same |= !strcmp(word, "--no_ssh");
		launch->at += 1 + (strncmp(word, "--no_", 5) &&
				   strcmp(word, "--force_multi") &&
				   strcmp(word, "--module") &&
				   strcmp(word, "--save_pid") &&
				   strcmp(word, "--bind_cores_to_rank") &&
				   !strchr(word, '='));
	}
	if (launch->at > launch->count)
		launch->at = launch->count;
}

/* Lines of .deepspeed_env become export NAME="VALUE" on each node. */
static void read_deepspeed_env(struct la_launch *launch, const char *path)
{
	const struct la_script_file *file = la_script_file(launch->script,
							   path);
	const char *line = file && file->known ? la_strbuf_text(&file->text) :
						 "";
	struct la_strbuf value;
	size_t n, name;

	for (; *line; line += n + !!line[n]) {
		n = strcspn(line, "\n");
		name = strcspn(line, "=\n");
		value = (struct la_strbuf){ 0 };
		if (name < n)
			la_strbuf_add(&value, line + name + 1, n - name - 1);
		if (name < n)
			la_launch_set_name(launch, line, name,
					   strpbrk(la_strbuf_text(&value),
						   "\"$`\\ ") ?
						   NULL :
						   la_strbuf_text(&value));
		la_strbuf_release(&value);
	}
}

/* With more than one host, pdsh starts all through ssh, here too. */
static void doubt_pdsh(struct la_launch *launch)
{
	const struct la_script_word *word = &launch->word[launch->self];
	const struct la_script_given *given;
	size_t i;

	for (i = 0; i < launch->given_count; i++) {
		given = &launch->given[i];
		la_script_change(launch->script, given->assignment, NULL,
				 LA_SCRIPT_UNKNOWN);
		la_script_say(launch->script, launch->part, given->assignment,
			      LA_SCRIPT_OTHER_NODES, word->start, word->end,
			      "with more than one host, pdsh starts the "
			      "program on each, here too, without %s",
			      given->name);
	}
}

static void run_deepspeed(struct la_launch *launch)
{
	const bool forwarded[LA_LAUNCH_GIVEN + 1] = { false };
	struct deepspeed d = { 0 };

	read_deepspeed(launch, &d);
	if ((d.far || d.surely) && !d.same) {
		if (d.surely && !d.mpi)
			la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
		else if (!d.mpi)
			doubt_pdsh(launch);
		else
			say_other_nodes(launch, forwarded);
		read_deepspeed_env(launch, "~/.deepspeed_env");
		read_deepspeed_env(launch, ".deepspeed_env");
	}
	launch->at = launch->count;
}

/* What Pyxis does: an image's own variable comes before that of the host,
 * unless --container-env names it. */
struct pyxis {
	bool image;
	const char *env;
};

static bool read_pyxis(struct la_launch *launch, struct pyxis *pyxis)
{
	const char *value = la_launch_option(launch, NULL, "--container-env");

	if (value) {
		pyxis->env = value;
		return true;
	}
	value = la_launch_option(launch, NULL, "--container-image");
	if (!value)
		value = la_launch_option(launch, NULL, "--container-name");
	pyxis->image |= value != NULL;
	return value;
}

static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (; list; list = strchr(list, ','), list += list != NULL)
		if (!strncmp(list, name, n) && (!list[n] || list[n] == ','))
			return true;
	return false;
}

static void run_pyxis(struct la_launch *launch, const struct pyxis *pyxis)
{
	const struct la_script_word *word = &launch->word[launch->self];
	size_t i;

	for (i = 0; pyxis->image && i < launch->given_count; i++)
		if (!is_listed(pyxis->env, launch->given[i].name))
			la_script_say(launch->script, launch->part,
				      launch->given[i].assignment,
				      LA_SCRIPT_OVERRIDDEN, word->start,
				      word->end,
				      "a variable that the image sets comes "
				      "before it, unless --container-env "
				      "names it");
}

/* Options of Slurm and Pyxis without a value. */
static const char *const slurm_plain[] = {
	"--exclusive",
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
	"--container-readonly",
	"--container-mount-home",
	"--no-container-mount-home",
	"--container-remap-root",
	"--no-container-remap-root",
	"--container-entrypoint",
	"--no-container-entrypoint",
	NULL
};

static void run_slurm(struct la_launch *launch, enum la_slurm_who who)
{
	static const char valued[] = "nNcptJAwxoeiDqCGmMLdaBrST";
	const char *word, *spec, *wrapped = NULL;
	struct pyxis pyxis = { 0 };
	bool listed = false;
	size_t start = 0;

	while (*(word = la_launch_word(launch)) == '-') {
		spec = la_launch_option(launch, NULL, "--export");
		if (spec) {
			la_slurm_export(launch, who, spec);
			listed = true;
			continue;
		}
		if (read_pyxis(launch, &pyxis))
			continue;
		if (la_launch_option(launch, NULL, "--export-file")) {
			la_launch_doubt(launch,
					"the file of --export-file may set it");
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
			    !strchr(word, '=') && !is_any(word, slurm_plain) :
			    word[1] && !word[2] && strchr(valued, word[1]))
			launch->at += launch->at < launch->count;
	}
	if (who == LA_SLURM_SRUN && !listed)
		la_slurm_inherit(launch);
	run_pyxis(launch, &pyxis);
	if (wrapped)
		la_launch_read(launch, LA_SCRIPT_SH, wrapped, start);
}

static void run_srun(struct la_launch *launch)
{
	run_slurm(launch, LA_SLURM_SRUN);
}

/* A batch script that the text wrote, where it does not build on what it is
 * given. */
static void read_batch(struct la_launch *launch)
{
	const struct la_script_file *file;
	size_t i;

	if (launch->at == launch->count)
		return;
	launch->at++;
	file = la_launch_file(launch);
	if (!file || file->added)
		return;
	for (i = 0; i < launch->given_count; i++)
		if (strstr(la_strbuf_text(&file->text),
			   launch->given[i].name)) {
			la_launch_doubt(launch, "the batch script names it");
			return;
		}
	la_launch_read(launch, LA_SCRIPT_SLURM, la_strbuf_text(&file->text),
		       launch->word[launch->self].start);
}

static void run_sbatch(struct la_launch *launch)
{
	run_slurm(launch, LA_SLURM_SBATCH);
	read_batch(launch);
	launch->at = launch->count;
}

/* Runs the program here, with all that it has. */
static void run_salloc(struct la_launch *launch)
{
	run_slurm(launch, LA_SLURM_SBATCH);
}

/* {"env_vars": {...}}; ${X} in a value is what the cluster has. */
static void read_runtime_env(struct la_launch *launch, const char *text)
{
	size_t before = la_script_count(launch->script), i;

	la_launch_read(launch, LA_SCRIPT_CONDA, text,
		       launch->word[launch->at - 1].start);
	for (i = before; strstr(text, "${") && la_script_peek(launch->script,
							      i); i++) {
		la_script_change(launch->script, i, NULL, LA_SCRIPT_UNKNOWN);
		la_launch_say(launch, i, LA_SCRIPT_NEEDS_RUNNING);
	}
}

/* ray job submit [options] [--] command: workers have the environment of their
 * daemon, and what the runtime environment adds. */
static void run_ray(struct la_launch *launch)
{
	const struct la_script_file *file;
	const char *text;

	if (!la_launch_is(launch, "job")) {
		launch->at = launch->count;
		return;
	}
	launch->at++;
	if (la_launch_is(launch, "submit"))
		la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
	while (launch->at < launch->count && !la_launch_is(launch, "--")) {
		text = la_launch_option(launch, NULL, "--runtime-env-json");
		if (text) {
			read_runtime_env(launch, text);
		} else if (la_launch_option(launch, NULL, "--runtime-env")) {
			file = la_launch_file(launch);
			if (file)
				la_launch_read(launch, LA_SCRIPT_YAML,
					       la_strbuf_text(&file->text),
					       launch->word[launch->self]
						       .start);
			else
				la_launch_say(launch, LA_SCRIPT_WHOLE,
					      LA_SCRIPT_ELSEWHERE);
		} else {
			launch->at++;
		}
	}
	launch->at += launch->at < launch->count;
}

const struct la_launcher la_launchers_cluster[] = {
	{ "ssh", run_ssh },
	{ "mpirun", run_mpirun },
	{ "mpiexec", run_mpirun },
	{ "orterun", run_mpirun },
	{ "deepspeed", run_deepspeed },
	{ "srun", run_srun },
	{ "salloc", run_salloc },
	{ "sbatch", run_sbatch },
	{ "ray", run_ray },
	{ NULL, NULL },
};
