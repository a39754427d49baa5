// SPDX-License-Identifier: Apache-2.0
/* Launchers into containers: docker, podman, kubectl, apptainer, enroot. */
#include <string.h>

#include "script/launcher-state.h"

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

/* docker run [options] image command...; plain: options without a value */
static void run_container(struct la_launch *launch, const char *plain)
{
	bool copied[LA_LAUNCH_GIVEN + 1] = { false };
	const char *word, *set, *at;

	while (*(word = la_launch_word(launch)) == '-') {
		set = la_launch_option(launch, "-e", "--env");
		if (set) {
			copy_or_set(launch, set, copied);
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

/* --env of Apptainer is a list of NAME=VALUE. */
static void set_list(struct la_launch *launch, const char *set)
{
	size_t at = la_launch_set(launch, set);
	const char *value = strchr(set, '=');

	if (at == LA_SCRIPT_WHOLE || !value || !strchr(value, ','))
		return;
	la_script_change(launch->script, at, NULL, LA_SCRIPT_UNKNOWN);
	la_launch_say(launch, at, LA_SCRIPT_COMMA_CUT);
}

static void run_apptainer(struct la_launch *launch)
{
	static const char plain[] =
		" --nv --rocm --writable --writable-tmpfs --contain "
		"--containall --no-home --fakeroot --compat --unsquash ";
	const char *word, *set, *at;

	if (!la_launch_is(launch, "exec") && !la_launch_is(launch, "run")) {
		launch->at = launch->count;
		return;
	}
	launch->at++;
	while (*(word = la_launch_word(launch)) == '-') {
		set = la_launch_option(launch, NULL, "--env");
		if (set) {
			set_list(launch, set);
			continue;
		}
		launch->at++;
		if (!strcmp(word, "-e") || !strcmp(word, "--cleanenv")) {
			la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
			continue;
		}
		at = strstr(plain, word);
		if (strchr(word, '=') ||
		    (at && at[-1] == ' ' && at[strlen(word)] == ' ') ||
		    !strcmp(word, "-c") || !strcmp(word, "-C") ||
		    !strcmp(word, "-w") || !strcmp(word, "-f"))
			continue;
		launch->at += launch->at < launch->count;
	}
	launch->at += launch->at < launch->count;
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
	{ "apptainer", run_apptainer }, { "singularity", run_apptainer },
	{ "enroot", run_enroot },	{ NULL, NULL },
};
