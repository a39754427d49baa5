// SPDX-License-Identifier: Apache-2.0
/*
 * Commands that start another program: la_script_launch() takes launcher by
 * launcher off the words, from the tables of launcher-*.c.
 */
#include <errno.h>
#include <string.h>

#include "script/launcher-state.h"
#include "script/written.h"
#include "util/strbuf.h"
#include "util/util.h"

const char *la_launch_word(const struct la_launch *launch)
{
	const char *text = NULL;

	if (launch->at < launch->count)
		text = launch->word[launch->at].text;
	return text ? text : "";
}

bool la_launch_is(const struct la_launch *launch, const char *word)
{
	return !strcmp(la_launch_word(launch), word);
}

static bool is_listed(const char *list, const char *word)
{
	size_t n = strlen(word);
	const char *at = list;

	for (; list && n && (at = strstr(at, word)); at += n)
		if (at > list && at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

void la_launch_skip_options(struct la_launch *launch, const char *valued,
			    const char *long_valued)
{
	const char *word;

	for (; launch->at < launch->count; launch->at++) {
		word = la_launch_word(launch);
		if (!strcmp(word, "--")) {
			launch->at++;
			return;
		}
		if (word[0] != '-' || !word[1])
			return;
		if (word[1] == '-' ? is_listed(long_valued, word) :
				     !word[2] && strchr(valued, word[1]))
			launch->at++;
	}
	launch->at = launch->count;
}

const char *la_launch_option(struct la_launch *launch, const char *brief,
			     const char *full)
{
	const char *word = la_launch_word(launch);
	size_t n = full ? strlen(full) : 0;
	const char *value;

	if ((brief && !strcmp(word, brief)) || (full && !strcmp(word, full))) {
		launch->at++;
		value = la_launch_word(launch);
		launch->at += launch->at < launch->count;
		return value;
	}
	value = NULL;
	if (full && !strncmp(word, full, n) && word[n] == '=')
		value = word + n + 1;
	else if (brief && brief[1] != '-' && !brief[2] &&
		 !strncmp(word, brief, 2))
		value = word + 2;
	launch->at += value != NULL;
	return value;
}

struct la_script_given *la_launch_given(struct la_launch *launch,
					const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < launch->given_count; i++)
		if (strlen(launch->given[i].name) == length &&
		    !memcmp(launch->given[i].name, name, length))
			return &launch->given[i];
	return NULL;
}

const struct la_script_given *la_launch_prefixed(const struct la_launch *launch,
						 const char *prefix,
						 const char *name)
{
	size_t n = strlen(prefix), length = strlen(name), i;
	const char *at;

	for (i = launch->prefixed_count; i--;) {
		at = launch->prefixed[i].name;
		if (!strncmp(at, prefix, n) && !strncmp(at + n, name, length) &&
		    (!at[n + length] || at[n + length] == '='))
			return &launch->prefixed[i];
	}
	return NULL;
}

/* APPTAINERENV_V=x; the words of the command live as long as the launch. */
static void set_prefixed(struct la_launch *launch, const char *name,
			 size_t length, const char *value)
{
	const char *own;
	size_t n = la_script_container_prefix(launch->script, name, length), i;

	for (i = 0; n && (own = la_script_watched(launch->script, i)); i++)
		if (strlen(own) == length - n && !memcmp(own, name + n,
							 length - n) &&
		    launch->prefixed_count < LA_LAUNCH_GIVEN)
			launch->prefixed[launch->prefixed_count++] =
				(struct la_script_given){ name, value,
							  LA_SCRIPT_WHOLE };
}

void la_launch_doubt(struct la_launch *launch, const char *why)
{
	const struct la_script_word *first = &launch->word[launch->self];
	size_t i;

	for (i = 0; i < launch->given_count; i++)
		la_script_say(launch->script, launch->part,
			      launch->given[i].assignment, LA_SCRIPT_OVERRIDDEN,
			      first->start, first->end, "%s", why);
}

const struct la_script_file *la_launch_file(const struct la_launch *launch)
{
	const struct la_script_word *word;
	const struct la_script_file *file = NULL;
	struct la_strbuf path = { 0 };
	const char *text, *end, *equals;

	if (!launch->at || !la_script_files(launch->script)->first)
		return NULL;
	word = &launch->word[launch->at - 1];
	if (word->end > launch->part->length)
		return NULL;
	text = word->text ? word->text : launch->part->text + word->start;
	end = word->text ? text + strlen(text) :
			   launch->part->text + word->end;
	equals = *text == '-' ? memchr(text, '=', end - text) : NULL;
	text = equals ? equals + 1 : text;
	if (la_script_path(text, end - text, &path))
		file = la_script_file(launch->script, path.data);
	la_strbuf_release(&path);
	return file && file->known ? file : NULL;
}

size_t la_launch_set_name(struct la_launch *launch, const char *name,
			  size_t length, const char *value)
{
	const struct la_script_word *word;
	struct la_script_given *given;
	size_t at;

	if (!la_script_watches(launch->script, name, length, false)) {
		set_prefixed(launch, name, length, value);
		return LA_SCRIPT_WHOLE;
	}
	word = &launch->word[launch->at ? launch->at - 1 : 0];
	at = la_script_add(launch->script, launch->part, name, length, value,
			   value ? LA_SCRIPT_ARRIVES : LA_SCRIPT_UNKNOWN,
			   word->start, word->end);
	if (!value)
		la_launch_say(launch, at, LA_SCRIPT_NEEDS_RUNNING);
	given = la_launch_given(launch, name, length);
	if (!given && launch->given_count < LA_LAUNCH_GIVEN)
		given = &launch->given[launch->given_count++];
	if (given)
		*given = (struct la_script_given){
			.name = la_script_peek(launch->script, at) ?
					la_script_peek(launch->script, at)
						->variable :
					"",
			.value = la_script_peek(launch->script, at) ?
					 la_script_peek(launch->script, at)
						 ->value :
					 NULL,
			.assignment = at,
		};
	return at;
}

size_t la_launch_set(struct la_launch *launch, const char *assignment)
{
	const char *equals = strchr(assignment, '=');

	if (!equals)
		return LA_SCRIPT_WHOLE;
	return la_launch_set_name(launch, assignment, equals - assignment,
				  equals + 1);
}

void la_launch_say(struct la_launch *launch, size_t assignment,
		   enum la_script_code code)
{
	const struct la_script_word *first = &launch->word[launch->self];

	la_script_say(launch->script, launch->part, assignment, code,
		      first->start, first->end, NULL);
}

void la_launch_drop(struct la_launch *launch, struct la_script_given *given,
		    enum la_script_code code)
{
	const struct la_script_word *word = &launch->word[launch->self];
	size_t at = given->assignment;

	if (at == LA_SCRIPT_WHOLE)
		at = la_script_add(launch->script, launch->part, given->name,
				   strlen(given->name), NULL, LA_SCRIPT_REMOVED,
				   word->start, word->end);
	else
		la_script_change(launch->script, at, NULL, LA_SCRIPT_LOST);
	la_launch_say(launch, at, code);
	*given = launch->given[--launch->given_count];
}

/* Commands whose environment is of no interest here. */
static bool is_tool(const char *path)
{
	static const char *const tools[] = {
		"apt",	      "apt-get",  "mkdir",  "ls",      "rm",
		"cp",	      "mv",	  "chmod",  "chown",   "cat",
		"tee",	      "echo",	  "kill",   "pkill",   "mount",
		"umount",     "ln",	  "sysctl", "service", "systemctl",
		"yum",	      "dnf",	  "snap",   "dpkg",    "modprobe",
		"nvidia-smi", "ldconfig", "swapon", "swapoff", "fallocate",
		"mkswap",     "sed",	  "touch",  "curl",    "wget",
		"tar",	      "git",	  "pip",    "pip3",    "install",
		"hostname",
	};
	const char *slash = strrchr(path, '/');
	size_t i;

	path = slash ? slash + 1 : path;
	for (i = 0; i < ARRAY_SIZE(tools); i++)
		if (!strcmp(path, tools[i]))
			return true;
	return false;
}

void la_launch_drop_all(struct la_launch *launch, enum la_script_code code)
{
	if (is_tool(la_launch_word(launch)))
		return;
	launch->prefixed_count = 0;
	while (launch->given_count)
		la_launch_drop(launch, &launch->given[0], code);
}

void la_launch_read(struct la_launch *launch, enum la_script_kind kind,
		    const char *text, size_t start)
{
	const struct la_script_part *outer = launch->part;
	const struct la_script_part part = {
		.text = text,
		.length = strlen(text),
		.offset = la_script_offset(outer, start),
		.ends = true,
	};
	struct la_error err;

	if (la_script_nested(launch->script, kind, &part, &err))
		la_launch_say(launch, LA_SCRIPT_WHOLE, LA_SCRIPT_NEEDS_RUNNING);
}

void la_launch_remote(struct la_launch *launch, enum la_script_kind kind)
{
	struct la_strbuf text = { 0 };
	size_t i;

	for (i = launch->at; i < launch->count; i++) {
		if (i > launch->at)
			la_strbuf_addstr(&text, " ");
		if (launch->word[i].text)
			la_strbuf_addstr(&text, launch->word[i].text);
	}
	if (launch->at < launch->count)
		la_launch_read(launch, kind, la_strbuf_text(&text),
			       launch->word[launch->at].start);
	launch->at = launch->count;
	la_strbuf_release(&text);
}

static const struct la_launcher *find_in(const struct la_launcher *table,
					 const char *name)
{
	for (; table->name; table++)
		if (*table->name == *name && !strcmp(table->name, name))
			return table;
	return NULL;
}

static const struct la_launcher *find(const char *path)
{
	const char *slash = strrchr(path, '/');
	const struct la_launcher *launcher;

	path = slash ? slash + 1 : path;
	launcher = find_in(la_launchers_local, path);
	if (!launcher)
		launcher = find_in(la_launchers_cluster, path);
	return launcher ? launcher : find_in(la_launchers_container, path);
}

bool la_script_launch(struct la_script *script,
		      const struct la_script_part *part,
		      const struct la_script_command *command)
{
	struct la_launch launch = { .script = script,
				    .part = part,
				    .word = command->word,
				    .count = command->count };
	const struct la_launcher *launcher;
	size_t i;

	for (i = 0; i < command->given_count && i < LA_LAUNCH_GIVEN; i++)
		launch.given[launch.given_count++] = command->given[i];
	for (i = 0; i < command->prefixed_count && i < LA_LAUNCH_GIVEN; i++)
		launch.prefixed[launch.prefixed_count++] = command->prefixed[i];
	while (launch.at < launch.count) {
		launcher = find(la_launch_word(&launch));
		if (!launcher)
			break;
		launch.self = launch.at++;
		launcher->run(&launch);
	}
	return launch.at > 0;
}
