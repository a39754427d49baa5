// SPDX-License-Identifier: Apache-2.0
/* Launchers on the same machine: env, sudo, su, tmux, sh -c and the like. */
#include <string.h>

#include "script/launcher-state.h"
#include "util/util.h"

static bool is_assignment(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
				"abcdefghijklmnopqrstuvwxyz");

	return n && word[n] == '=' && !(*word >= '0' && *word <= '9');
}

/* NAME=VALUE words before the program. */
static size_t take_assignments(struct la_launch *launch)
{
	size_t set = LA_SCRIPT_WHOLE, one;
	const char *word;

	while (is_assignment(word = la_launch_word(launch))) {
		launch->at++;
		one = la_launch_set(launch, word);
		set = one == LA_SCRIPT_WHOLE ? set : one;
	}
	return set;
}

static void forget(struct la_launch *launch, const char *name)
{
	struct la_script_given *given;

	given = la_launch_given(launch, name, strlen(name));
	if (given)
		la_launch_drop(launch, given, LA_SCRIPT_NOT_PASSED);
	else if (la_script_watches(launch->script, name, strlen(name), false))
		la_script_add(launch->script, launch->part, name, strlen(name),
			      NULL, LA_SCRIPT_REMOVED,
			      launch->word[launch->self].start,
			      launch->word[launch->self].end);
}

static void run_env(struct la_launch *launch)
{
	const char *word, *name;

	while (word = la_launch_word(launch), *word == '-') {
		name = la_launch_option(launch, "-u", "--unset");
		if (name) {
			forget(launch, name);
			continue;
		}
		if (la_launch_option(launch, "-C", "--chdir"))
			continue;
		launch->at++;
		if (!strcmp(word, "-i") || !strcmp(word, "-") ||
		    !strcmp(word, "--ignore-environment"))
			la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
		if (!strcmp(word, "-S") || !strcmp(word, "--split-string")) {
			la_launch_remote(launch, LA_SCRIPT_SH);
			return;
		}
	}
	take_assignments(launch);
}

/* Names of a list that are kept; the rest goes. */
static void keep_listed(struct la_launch *launch, const char *list)
{
	size_t i = 0, n;
	const char *at;
	bool kept;

	while (i < launch->given_count) {
		n = strlen(launch->given[i].name);
		kept = false;
		for (at = list; at && !kept; at = strchr(at, ',')) {
			at += *at == ',';
			kept = !strncmp(at, launch->given[i].name, n) &&
			       (!at[n] || at[n] == ',');
		}
		if (kept)
			la_launch_say(launch, launch->given[i++].assignment,
				      LA_SCRIPT_POLICY);
		else
			la_launch_drop(launch, &launch->given[i],
				       LA_SCRIPT_NOT_PASSED);
	}
}

static void say_policy(struct la_launch *launch)
{
	size_t i;

	for (i = 0; i < launch->given_count; i++)
		la_launch_say(launch, launch->given[i].assignment,
			      LA_SCRIPT_POLICY);
}

/* Do the words that are next set the variable? */
static bool sets_anew(const struct la_launch *launch, const char *name)
{
	size_t n = strlen(name), i;
	const char *word;

	for (i = launch->at; i < launch->count; i++) {
		word = launch->word[i].text;
		if (!word || !is_assignment(word))
			return false;
		if (!strncmp(word, name, n) && word[n] == '=')
			return true;
	}
	return false;
}

/* All goes but what the words that are next set anew. */
static void drop_unset(struct la_launch *launch)
{
	size_t i = 0;

	while (i < launch->given_count) {
		if (sets_anew(launch, launch->given[i].name))
			i++;
		else
			la_launch_drop(launch, &launch->given[i],
				       LA_SCRIPT_NOT_PASSED);
	}
}

static void run_sudo(struct la_launch *launch)
{
	static const char valued[] = "ugpCrtTUDRh";
	const char *word, *list = NULL;
	bool keep = false;
	size_t set;

	while (word = la_launch_word(launch), *word == '-') {
		launch->at++;
		if (!strncmp(word, "--preserve-env=", 15))
			list = word + 15;
		else if (!strcmp(word, "--preserve-env") ||
			 (word[1] != '-' && strchr(word, 'E')))
			keep = true;
		else if (word[1] && !word[2] && strchr(valued, word[1]))
			launch->at++;
		else if (!strcmp(word, "--"))
			break;
	}
	if (launch->at >= launch->count)
		return;
	if (list)
		keep_listed(launch, list);
	else if (keep)
		say_policy(launch);
	else if (is_assignment(la_launch_word(launch)))
		drop_unset(launch);
	else
		la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
	set = take_assignments(launch);
	if (set != LA_SCRIPT_WHOLE)
		la_launch_say(launch, set, LA_SCRIPT_POLICY);
}

static void run_reset(struct la_launch *launch)
{
	la_launch_skip_options(launch, "uC", " --user ");
	la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
}

/* su - user -c command; runuser likewise */
static void run_su(struct la_launch *launch)
{
	const char *word, *kept, *list = "";
	bool login = false, command = false;

	while (launch->at < launch->count && !command) {
		kept = la_launch_option(launch, "-w",
					"--whitelist-environment");
		if (kept) {
			list = kept;
			continue;
		}
		word = la_launch_word(launch);
		launch->at++;
		login = login || !strcmp(word, "-") || !strcmp(word, "-l") ||
			!strcmp(word, "--login");
		command = !strcmp(word, "-c") || !strcmp(word, "--command");
	}
	if (login)
		keep_listed(launch, list);
	if (!command || launch->at >= launch->count)
		return;
	launch->count = launch->at + 1;
	la_launch_remote(launch, LA_SCRIPT_BASH);
}

/* A shell's or Python's -c. */
static void run_text(struct la_launch *launch, enum la_script_kind kind)
{
	const char *word;
	size_t count = launch->count;

	while (word = la_launch_word(launch), *word == '-' && word[1]) {
		launch->at++;
		if (word[1] == '-' || !strchr(word, 'c'))
			continue;
		launch->count = launch->at + 1 < count ? launch->at + 1 : count;
		la_launch_remote(launch, kind);
		break;
	}
	launch->at = launch->count = count;
}

static void run_bash(struct la_launch *launch)
{
	run_text(launch, LA_SCRIPT_BASH);
}

static void run_sh(struct la_launch *launch)
{
	run_text(launch, LA_SCRIPT_SH);
}

static void run_zsh(struct la_launch *launch)
{
	run_text(launch, LA_SCRIPT_ZSH);
}

static void run_fish(struct la_launch *launch)
{
	run_text(launch, LA_SCRIPT_FISH);
}

static void run_python(struct la_launch *launch)
{
	run_text(launch, LA_SCRIPT_PYTHON);
}

/* Launchers that pass on all that they have, and their options whose value
 * stands in the next word. */
static const struct plain {
	const char *name, *valued, *long_valued;
} plains[] = {
	{ "nohup", "", "" },
	{ "setsid", "", "" },
	{ "nice", "n", " --adjustment " },
	{ "ionice", "cnpPu", " --class --classdata " },
	{ "prlimit", "", "" },
	{ "time", "fo", " --format --output " },
	{ "stdbuf", "ioe", " --input --output --error " },
	{ "exec", "a", "" },
	{ "command", "", "" },
	{ "numactl", "iNmCpP",
	  " --interleave --cpunodebind --membind --physcpubind --preferred "
	  "--weighted-interleave " },
	{ "xargs", "adEILnPs",
	  " --arg-file --delimiter --max-lines --max-args --max-procs "
	  "--max-chars --replace " },
	{ "nvprof", "of", "" },
};

static void run_plain(struct la_launch *launch)
{
	const char *path = launch->word[launch->self].text;
	const char *slash = strrchr(path, '/');
	size_t i;

	path = slash ? slash + 1 : path;
	for (i = 0; i < ARRAY_SIZE(plains); i++)
		if (!strcmp(plains[i].name, path))
			la_launch_skip_options(launch, plains[i].valued,
					       plains[i].long_valued);
}

static void run_timeout(struct la_launch *launch)
{
	la_launch_skip_options(launch, "ks", " --signal --kill-after ");
	launch->at += launch->at < launch->count;
}

/* taskset [-c] mask program, chrt [-f] priority program */
static void run_taskset(struct la_launch *launch)
{
	la_launch_skip_options(launch, "", "");
	launch->at += launch->at < launch->count;
}

/* Options that set, until the program. */
static void run_systemd_run(struct la_launch *launch)
{
	const char *word, *set;
	bool scope = false;
	size_t i;

	for (i = launch->at; i < launch->count; i++)
		scope = scope || (launch->word[i].text &&
				  !strcmp(launch->word[i].text, "--scope"));
	if (!scope)
		la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
	while (word = la_launch_word(launch), *word == '-') {
		set = la_launch_option(launch, "-E", "--setenv");
		if (set) {
			la_launch_set(launch, set);
			continue;
		}
		launch->at++;
		if (!strcmp(word, "-p") || !strcmp(word, "-u") ||
		    !strcmp(word, "-M") || !strcmp(word, "--unit") ||
		    !strcmp(word, "--property"))
			launch->at++;
		if (!strcmp(word, "--"))
			break;
	}
}

/* tmux setenv [-gru] [-t session] NAME VALUE */
static void run_tmux_setenv(struct la_launch *launch)
{
	const char *name, *value;
	size_t at;

	la_launch_skip_options(launch, "t", "");
	name = la_launch_word(launch);
	launch->at++;
	if (launch->at >= launch->count)
		return;
	value = la_launch_word(launch);
	launch->at++;
	at = la_launch_set_name(launch, name, strlen(name), value);
	if (at != LA_SCRIPT_WHOLE)
		la_launch_say(launch, at, LA_SCRIPT_ACTS_LATER);
}

/* Past what remains, all of which the server that runs has started with. */
static void say_stale(struct la_launch *launch)
{
	while (launch->given_count)
		la_launch_say(launch,
			      launch->given[--launch->given_count].assignment,
			      LA_SCRIPT_STALE_SERVER);
}

static void run_tmux(struct la_launch *launch)
{
	const char *word, *set;
	bool own = false;

	la_launch_skip_options(launch, "LSfc", "");
	word = la_launch_word(launch);
	launch->at++;
	if (!strcmp(word, "setenv") || !strcmp(word, "set-environment")) {
		run_tmux_setenv(launch);
		launch->at = launch->count;
		return;
	}
	if (strncmp(word, "new", 3)) {
		launch->at = launch->count;
		return;
	}
	while (*(word = la_launch_word(launch)) == '-') {
		set = la_launch_option(launch, "-e", NULL);
		if (set) {
			own = la_launch_set(launch, set) != LA_SCRIPT_WHOLE;
			continue;
		}
		launch->at +=
			1 + (word[1] && !word[2] && strchr("scntxyF", word[1]));
	}
	if (!own)
		say_stale(launch);
	la_launch_remote(launch, LA_SCRIPT_SH);
}

/* NAME=VALUE or NAME VALUE that acts on what starts later. */
static void note_later(struct la_launch *launch, const char *name,
		       size_t length)
{
	size_t at;

	launch->at++;
	at = la_launch_set_name(launch, name, length, NULL);
	launch->at = launch->count;
	if (at == LA_SCRIPT_WHOLE)
		return;
	la_script_change(launch->script, at, NULL, LA_SCRIPT_LOST);
	la_launch_say(launch, at, LA_SCRIPT_ACTS_LATER);
}

/* screen -X setenv NAME VALUE acts on windows that open later; without -X a
 * new server starts, with what it is given. */
static void run_screen(struct la_launch *launch)
{
	const char *word, *name;
	bool remote = false;

	while (*(word = la_launch_word(launch)) == '-') {
		remote |= strchr(word, 'X') != NULL;
		launch->at += 1 + (strchr("cehpStTs", word[strlen(word) - 1]) !=
				   NULL && strcmp(word, "-ls"));
	}
	if (!remote)
		return;
	if (la_launch_is(launch, "setenv")) {
		launch->at++;
		name = la_launch_word(launch);
		note_later(launch, name, strlen(name));
	} else {
		say_stale(launch);
	}
	launch->at = launch->count;
}

/* parallel [options] command {} ::: arguments; -S: on other machines, whose
 * programs get what --env names. */
static void run_parallel(struct la_launch *launch)
{
	static const char long_valued[] =
		" --jobs --max-procs --sshlogin --sshloginfile --delay --retries "
		"--timeout --joblog --results --tmpdir --colsep --arg-file "
		"--arg-sep --max-args --nice --load --memfree --workdir --wd "
		"--tagstring --basefile --return --transferfile ";
	const char *word, *names = "";
	bool far = false;
	size_t before, i;

	while (*(word = la_launch_word(launch)) == '-') {
		if (!strncmp(word, "-S", 2) || !strncmp(word, "--sshlogin", 10))
			far = true;
		if (la_launch_option(launch, NULL, "--env")) {
			names = launch->word[launch->at - 1].text;
			names = strncmp(names, "--env=", 6) ? names : names + 6;
			continue;
		}
		launch->at += 1 + ((word[1] != '-' && !word[2] &&
				    strchr("jPSCaNnIsEL", word[1])) ||
				   (word[1] == '-' &&
				    strstr(long_valued, word)));
	}
	if (far)
		keep_listed(launch, names);
	for (i = launch->at; i < launch->count; i++)
		if (launch->word[i].text &&
		    !strncmp(launch->word[i].text, ":::", 3))
			launch->count = i;
	before = la_script_count(launch->script);
	la_launch_remote(launch, LA_SCRIPT_BASH);
	for (i = before; la_script_peek(launch->script, i); i++)
		if (la_script_peek(launch->script, i)->value &&
		    strchr(la_script_peek(launch->script, i)->value, '{')) {
			la_script_change(launch->script, i, NULL,
					 LA_SCRIPT_UNKNOWN);
			la_launch_say(launch, i, LA_SCRIPT_NEEDS_RUNNING);
		}
}

/* setx.exe of Windows, from its subsystem for Linux: no program here has it. */
static void run_setx(struct la_launch *launch)
{
	const char *name = la_launch_word(launch);
	size_t at;

	launch->at++;
	at = la_launch_set_name(launch, name, strlen(name), NULL);
	launch->at = launch->count;
	if (at == LA_SCRIPT_WHOLE)
		return;
	la_script_change(launch->script, at, NULL, LA_SCRIPT_LOST);
	la_launch_say(launch, at, LA_SCRIPT_SETX);
}

/* cmd.exe /c COMMAND: programs of Windows have what WSLENV names. */
static void run_cmd(struct la_launch *launch)
{
	while (*la_launch_word(launch) == '/') {
		if (!strcasecmp(la_launch_word(launch), "/c")) {
			launch->at++;
			la_launch_drop_all(launch, LA_SCRIPT_NOT_PASSED);
			la_launch_remote(launch, LA_SCRIPT_CMD_PROMPT);
			return;
		}
		launch->at++;
	}
	launch->at = launch->count;
}

/* nsys profile, ncu: -e NAME=VALUE,... sets in the program. */
static void run_nsys(struct la_launch *launch)
{
	const char *word, *set;

	launch->at += la_launch_is(launch, "profile") ||
		      la_launch_is(launch, "launch");
	while (*(word = la_launch_word(launch)) == '-') {
		set = la_launch_option(launch, "-e", "--env-var");
		if (!set) {
			launch->at += 1 + (word[1] != '-' && !word[2] &&
					   strchr("botswxfcydn", word[1]));
			continue;
		}
		if (strchr(set, ','))
			la_launch_set_name(launch, set, strcspn(set, "="),
					   NULL);
		else
			la_launch_set(launch, set);
	}
}

static void run_launchctl(struct la_launch *launch)
{
	const char *name;

	if (la_launch_is(launch, "setenv")) {
		launch->at++;
		name = la_launch_word(launch);
		note_later(launch, name, strlen(name));
	}
	launch->at = launch->count;
}

/* conda run passes on; conda env config vars set acts at the next activate */
static void run_conda(struct la_launch *launch)
{
	const char *word;

	if (la_launch_is(launch, "run")) {
		launch->at++;
		la_launch_skip_options(launch, "np", " --name --prefix --cwd ");
		return;
	}
	for (; launch->at < launch->count; launch->at++) {
		word = la_launch_word(launch);
		if (la_script_watches(launch->script, word, strcspn(word, "="),
				      false) &&
		    strchr(word, '='))
			note_later(launch, word, strcspn(word, "="));
	}
}

/* Variables of its command line reach what it runs. */
static void run_make(struct la_launch *launch)
{
	const char *word;

	while (launch->at < launch->count) {
		word = la_launch_word(launch);
		launch->at++;
		if (is_assignment(word))
			la_launch_set(launch, word);
	}
}

const struct la_launcher la_launchers_local[] = {
	{ "env", run_env },	    { "sudo", run_sudo },
	{ "doas", run_reset },	    { "pkexec", run_reset },
	{ "su", run_su },	    { "runuser", run_su },
	{ "bash", run_bash },	    { "sh", run_sh },
	{ "dash", run_sh },	    { "zsh", run_zsh },
	{ "fish", run_fish },	    { "python", run_python },
	{ "python3", run_python },  { "nohup", run_plain },
	{ "setsid", run_plain },    { "nice", run_plain },
	{ "ionice", run_plain },    { "time", run_plain },
	{ "stdbuf", run_plain },    { "exec", run_plain },
	{ "command", run_plain },   { "numactl", run_plain },
	{ "xargs", run_plain },	    { "prlimit", run_plain },
	{ "nvprof", run_plain },    { "timeout", run_timeout },
	{ "taskset", run_taskset }, { "chrt", run_taskset },
	{ "systemd-run", run_systemd_run },
	{ "tmux", run_tmux },	    { "screen", run_screen },
	{ "parallel", run_parallel }, { "nsys", run_nsys },
	{ "setx.exe", run_setx },   { "cmd.exe", run_cmd },
	{ "launchctl", run_launchctl },
	{ "conda", run_conda },	    { "mamba", run_conda },
	{ "make", run_make },	    { NULL, NULL },
};
