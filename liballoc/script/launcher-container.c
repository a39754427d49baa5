// SPDX-License-Identifier: Apache-2.0
/* Launchers into containers: docker, podman, kubectl, apptainer, enroot. */
#include <string.h>

#include "script/launcher-state.h"
#include "script/written.h"

/* -e NAME: what the client has. */
static void copy_or_set(struct la_launch *launch, const char *set, bool *copied)
{
	struct la_script_given *given;
	size_t at;

	if (!strchr(set, '=')) {
		given = la_launch_given(launch, set, strlen(set));
		if (given)
			copied[given - launch->given] = true;
		return;
	}
	at = la_launch_set(launch, set);
	given = la_launch_given(launch, set, strcspn(set, "="));
	if (!given || at == LA_SCRIPT_WHOLE)
		return;
	copied[given - launch->given] = true;
	set = strchr(set, '=') + 1;
	if (*set == '"' || *set == '\'')
		la_launch_say(launch, at, LA_SCRIPT_QUOTES_KEPT);
}

static void drop_uncopied(struct la_launch *launch, bool *copied)
{
	size_t i = 0;

	while (i < launch->given_count) {
		if (copied[i]) {
			i++;
			continue;
		}
		copied[i] = copied[launch->given_count - 1];
		la_launch_drop(launch, &launch->given[i], LA_SCRIPT_NOT_PASSED);
	}
}

/* A file of variables that the text does not show. */
static void say_file(struct la_launch *launch)
{
	if (launch->given_count)
		la_launch_doubt(launch, "the file of --env-file may set it");
	else
		la_script_say(launch->script, launch->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_ELSEWHERE,
			      launch->word[launch->self].start,
			      launch->word[launch->self].end,
			      "the file of --env-file may set variables");
}

/* docker run [options] image command...; plain: options without a value */
static void run_container(struct la_launch *launch, const char *plain)
{
	bool copied[LA_LAUNCH_GIVEN + 1] = { false };
	const struct la_script_file *file = NULL;
	const char *word, *set, *at;
	bool has_file = false;

	while (*(word = la_launch_word(launch)) == '-') {
		set = la_launch_option(launch, "-e", "--env");
		if (set) {
			copy_or_set(launch, set, copied);
			continue;
		}
		if (la_launch_option(launch, NULL, "--env-file")) {
			has_file = true;
			file = la_launch_file(launch);
			continue;
		}
		launch->at++;
		at = strstr(plain, word);
		if (word[1] == '-' ?
			    strchr(word, '=') || (at && at[-1] == ' ' &&
						  at[strlen(word)] == ' ') :
			    strspn(word + 1, "ditPq") == strlen(word + 1))
			continue;
		if (word[1] == '-' || !word[2] || word[2] == '=')
			launch->at += launch->at < launch->count;
	}
	drop_uncopied(launch, copied);
	if (file && !launch->given_count)
		la_launch_read(launch, LA_SCRIPT_DOCKER_ENV,
			       la_strbuf_text(&file->text),
			       launch->word[launch->self].start);
	else if (has_file && !launch->given_count)
		say_file(launch);
	launch->at += launch->at < launch->count;
}

static void run_build(struct la_launch *launch)
{
	const char *set;
	size_t at;

	while (launch->at < launch->count) {
		set = la_launch_option(launch, NULL, "--build-arg");
		if (!set) {
			launch->at++;
			continue;
		}
		at = la_launch_set(launch, set);
		if (at == LA_SCRIPT_WHOLE)
			continue;
		la_script_change(launch->script, at, NULL, LA_SCRIPT_LOST);
		la_launch_say(launch, at, LA_SCRIPT_BUILD_ARGUMENT);
	}
}

static void run_docker(struct la_launch *launch)
{
	static const char plain[] =
		" --rm --privileged --init --read-only --detach --interactive "
		"--tty --publish-all --no-healthcheck --oom-kill-disable "
		"--sig-proxy --replace --no-TTY --build ";

	for (; launch->at < launch->count; launch->at++) {
		if (la_launch_is(launch, "run") ||
		    la_launch_is(launch, "exec") ||
		    la_launch_is(launch, "create")) {
			launch->at++;
			run_container(launch, plain);
			return;
		}
		if (la_launch_is(launch, "build")) {
			run_build(launch);
			return;
		}
	}
}

/* kubectl set env deployment/x V=x, kubectl run x --env=V=x */
static void run_kubectl(struct la_launch *launch)
{
	bool sets = la_launch_is(launch, "set");
	const char *set;

	while (launch->at < launch->count) {
		set = la_launch_option(launch, "-e", "--env");
		if (!set && sets)
			set = la_launch_word(launch);
		launch->at += launch->at < launch->count && (!set || sets);
		if (set)
			la_launch_set(launch, set);
	}
}

/* Apptainer and Singularity; rules from the sources of Apptainer 1.x and
 * SingularityCE 4.x. */

struct apptainer {
	const char *env[LA_LAUNCH_GIVEN]; /* each --env */
	size_t env_at[LA_LAUNCH_GIVEN]; /* the word behind it */
	size_t env_count;
	const struct la_script_file *file; /* of --env-file, if it is known */
	bool has_file, clean;
};

/* One --env: with one equals sign all behind it is the value, else a list of
 * NAME=VALUE whose values end at commas. */
static void set_list(struct la_launch *launch, const char *set)
{
	const char *item = set, *equals = strchr(set, '=');
	struct la_strbuf one = { 0 };
	bool alone = equals && !strchr(equals + 1, '=');
	size_t n, at;

	for (; item; item = item[n] ? item + n + 1 : NULL) {
		n = alone ? strlen(item) : strcspn(item, ",");
		la_strbuf_release(&one);
		one = (struct la_strbuf){ 0 };
		la_strbuf_add(&one, item, n);
		at = la_launch_set(launch, la_strbuf_text(&one));
		if (at == LA_SCRIPT_WHOLE)
			continue;
		if (strchr(set, '"'))
			la_script_change(launch->script, at, NULL,
					 LA_SCRIPT_UNKNOWN);
		else if (item[n] && !memchr(item + n + 1, '=',
					    strcspn(item + n + 1, ",")))
			la_script_change(launch->script, at, NULL,
					 LA_SCRIPT_LOST);
		else
			continue;
		la_launch_say(launch, at,
			      strchr(set, '"') ? LA_SCRIPT_NEEDS_RUNNING :
						 LA_SCRIPT_COMMA_CUT);
	}
	la_strbuf_release(&one);
}

static void read_apptainer(struct la_launch *launch, struct apptainer *a)
{
	static const char plain[] =
		" --nv --rocm --writable --writable-tmpfs --contain "
		"--containall --no-home --fakeroot --compat --unsquash "
		"--nvccli --no-init --no-eval --userns --pid --ipc --net "
		"--uts --no-privs --keep-privs --no-umask --sharens ";
	const char *word, *set, *at;

	while (*(word = la_launch_word(launch)) == '-') {
		set = la_launch_option(launch, NULL, "--env");
		if (set && a->env_count < LA_LAUNCH_GIVEN) {
			a->env_at[a->env_count] = launch->at;
			a->env[a->env_count++] = set;
			continue;
		}
		if (la_launch_option(launch, NULL, "--env-file")) {
			a->has_file = true;
			a->file = la_launch_file(launch);
			continue;
		}
		launch->at++;
		a->clean |= !strcmp(word, "-e") || !strcmp(word, "-C") ||
			    !strcmp(word, "--cleanenv") ||
			    !strcmp(word, "--containall") ||
			    !strcmp(word, "--compat");
		at = strstr(plain, word);
		if (strchr(word, '=') ||
		    (at && at[-1] == ' ' && at[strlen(word)] == ' ') ||
		    (word[1] != '-' && !word[2] && strchr("ecCwfpiu", word[1])) ||
		    !strcmp(word, "--cleanenv"))
			continue;
		launch->at += launch->at < launch->count;
	}
}

/* APPTAINERENV_V wins over the host's V, whatever is cleaned. */
static void set_prefixed(struct la_launch *launch, bool apptainer)
{
	const struct la_script_given *own, *other;
	const char *name;
	size_t i, at;

	for (i = 0; (name = la_script_watched(launch->script, i)); i++) {
		own = la_launch_prefixed(launch, "APPTAINERENV_", name);
		other = la_launch_prefixed(launch, "SINGULARITYENV_", name);
		if (!own && !other)
			continue;
		at = la_launch_set_name(launch, name, strlen(name),
					own && (apptainer || !other) ?
						own->value :
						other->value);
		if (apptainer || !own)
			continue;
		la_script_change(launch->script, at, NULL, LA_SCRIPT_UNKNOWN);
		la_launch_say(launch, at, LA_SCRIPT_NEEDS_RUNNING);
	}
}

/* The file is read by a shell that exports all that it sets. */
static void read_env_file(struct la_launch *launch,
			  const struct la_script_file *file)
{
	struct la_strbuf text = { 0 };
	struct la_script_part part = { .offset = launch->part->offset };
	struct la_error err;

	la_strbuf_addstr(&text, "set -a\n");
	la_strbuf_add(&text, la_strbuf_text(&file->text), file->text.length);
	part.text = la_strbuf_text(&text);
	part.length = text.length;
	if (launch->part->exact)
		part.offset += launch->word[launch->self].start;
	if (text.failed ||
	    la_script_nested(launch->script, LA_SCRIPT_BASH, &part, &err))
		la_launch_say(launch, LA_SCRIPT_WHOLE, LA_SCRIPT_NEEDS_RUNNING);
	la_strbuf_release(&text);
}

static void run_containers(struct la_launch *launch, bool apptainer)
{
	struct apptainer a = { 0 };
	size_t end, i;

	while (*la_launch_word(launch) == '-')
		launch->at++;
	if (!la_launch_is(launch, "exec") && !la_launch_is(launch, "run") &&
	    !la_launch_is(launch, "shell") && !la_launch_is(launch, "test")) {
		launch->at = launch->count;
		return;
	}
	launch->at++;
	read_apptainer(launch, &a);
	end = launch->at + (launch->at < launch->count);
	while (a.clean && launch->given_count)
		la_launch_drop(launch, &launch->given[0],
			       LA_SCRIPT_NOT_PASSED);
	la_launch_doubt(launch, "a value of the image's %environment comes "
				"before it; --env comes before that");
	launch->at = launch->self + 1;
	set_prefixed(launch, apptainer);
	if (a.file)
		read_env_file(launch, a.file);
	else if (a.has_file)
		say_file(launch);
	for (i = 0; i < a.env_count; i++) {
		launch->at = a.env_at[i];
		set_list(launch, a.env[i]);
	}
	launch->at = end;
}

static void run_apptainer(struct la_launch *launch)
{
	run_containers(launch, true);
}

static void run_singularity(struct la_launch *launch)
{
	run_containers(launch, false);
}

static void run_enroot(struct la_launch *launch)
{
	const char *word, *set;

	for (launch->at++; *(word = la_launch_word(launch)) == '-';) {
		set = la_launch_option(launch, "-e", "--env");
		if (set) {
			la_launch_set(launch, set);
			continue;
		}
		launch->at += 1 + (!strcmp(word, "-m") || !strcmp(word, "-c") ||
				   !strcmp(word, "--mount") ||
				   !strcmp(word, "--conf"));
	}
	launch->at += launch->at < launch->count;
}

const struct la_launcher la_launchers_container[] = {
	{ "docker", run_docker },	{ "podman", run_docker },
	{ "nerdctl", run_docker },	{ "kubectl", run_kubectl },
	{ "apptainer", run_apptainer }, { "singularity", run_singularity },
	{ "enroot", run_enroot },	{ NULL, NULL },
};
