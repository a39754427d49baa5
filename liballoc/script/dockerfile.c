// SPDX-License-Identifier: Apache-2.0
/* A Dockerfile, stage by stage; or a piece of a docker run line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/dockerfile.h"
#include "util/array.h"
#include "util/error.h"
#include "util/util.h"

static void release_stage(struct la_docker_stage *stage)
{
	la_script_vars_release(&stage->vars);
	la_script_vars_release(&stage->env);
	la_script_vars_release(&stage->args);
	la_strbuf_release(&stage->name);
	la_strbuf_release(&stage->entrypoint.text);
	la_strbuf_release(&stage->command.text);
}

static void copy_vars(struct la_script_vars *to,
		      const struct la_script_vars *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		la_script_vars_set(to, from->var[i].name,
				   strlen(from->var[i].name),
				   from->var[i].value);
}

static void copy_command(struct la_docker_command *to,
			 const struct la_docker_command *from)
{
	to->at = from->at;
	to->plain = from->plain;
	la_strbuf_addstr(&to->text, la_strbuf_text(&from->text));
}

/* A stage that starts as another one ended: ARG does not carry over. */
static void inherit(struct la_docker_stage *stage,
		    const struct la_docker_stage *base)
{
	size_t i;

	for (i = 0; i < base->env.count; i++) {
		const char *name = base->env.var[i].name;
		const struct la_script_var *var =
			la_script_vars_find(&base->vars, name, strlen(name));

		la_script_vars_set(&stage->vars, name, strlen(name),
				   var ? var->value : NULL);
	}
	copy_vars(&stage->env, &base->env);
	copy_command(&stage->entrypoint, &base->entrypoint);
	copy_command(&stage->command, &base->command);
	stage->shell = base->shell;
	stage->scratch = base->scratch;
}

static int find_stage(const struct la_docker *docker, const char *name,
		      size_t length)
{
	const char *known;
	int i;

	for (i = docker->stages - 1; i >= 0; i--) {
		known = la_strbuf_text(&docker->stage[i].name);
		if (length && strlen(known) == length &&
		    !strncasecmp(known, name, length))
			return i;
	}
	return -1;
}

/* The stage that instructions belong to from here on; NULL: no memory. */
static struct la_docker_stage *add_stage(struct la_docker *docker)
{
	struct la_docker_stage *stage;

	if (docker->stages == LA_DOCKER_STAGES) {
		la_script_stop(docker->script);
		release_stage(&docker->stage[--docker->stages]);
	}
	stage = &docker->stage[docker->stages++];
	*stage = (struct la_docker_stage){ .base = -1,
					   .shell = LA_SCRIPT_SH };
	return stage;
}

/* FROM [--platform=...] image [AS name] */
static void begin_stage(struct la_docker *docker, const char *text)
{
	struct la_docker_stage *stage;
	const char *image, *end;
	size_t length;
	int base;

	while (!strncmp(text, "--", 2)) {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	image = text;
	length = strcspn(text, " \t");
	base = find_stage(docker, image, length);
	stage = add_stage(docker);
	if (base >= docker->stages - 1)
		base = -1;
	stage->base = base;
	stage->scratch = length == 7 && !strncmp(image, "scratch", 7);
	if (base >= 0)
		inherit(stage, &docker->stage[base]);
	end = text + length + strspn(text + length, " \t");
	if (!strncasecmp(end, "AS", 2) && strchr(" \t", end[2])) {
		end += 2 + strspn(end + 2, " \t");
		la_strbuf_add(&stage->name, end, strcspn(end, " \t"));
	}
}

/* Places noted since belong to the current stage. */
static void place_in_stage(struct la_docker *docker)
{
	size_t count = la_script_places(docker->script) - docker->before;

	for (; docker->placed < count; docker->placed++) {
		if (grow_array(&docker->place, &docker->place_room,
			       docker->placed, sizeof(*docker->place))) {
			docker->failed = true;
			return;
		}
		docker->place[docker->placed] = docker->stages - 1;
	}
}

/* What stages give from which the last one is not made. */
static void leave_stages(struct la_docker *docker)
{
	const struct la_script_assignment *a;
	int last = docker->stages - 1, stage;
	size_t i, start;

	for (i = 0; i < docker->placed; i++) {
		for (stage = last; stage > docker->place[i];)
			stage = docker->stage[stage].base;
		a = la_script_peek(docker->script, docker->before + i);
		if (stage == docker->place[i] || a->fate == LA_SCRIPT_LOST)
			continue;
		start = a->offset - docker->part->offset;
		la_script_change(docker->script, docker->before + i, NULL,
				 LA_SCRIPT_LOST);
		la_script_say(docker->script, docker->part, docker->before + i,
			      LA_SCRIPT_NO_ASSIGNMENT, start,
			      start + a->length,
			      "the last stage is not made from this one, so "
			      "its ENV is left behind");
	}
}

static int other_line(struct la_docker *docker,
		      const struct la_docker_line *line, const char *word)
{
	static const char *const harmless[] = {
		"ADD",	  "COPY",	"EXPOSE",     "HEALTHCHECK", "LABEL",
		"USER",	  "MAINTAINER", "STOPSIGNAL", "VOLUME",	     "WORKDIR",
	};
	size_t i, length = strcspn(word, " \t");

	for (i = 0; i < ARRAY_SIZE(harmless); i++)
		if (strlen(harmless[i]) == length &&
		    !strncasecmp(harmless[i], word, length))
			return 0;
	if (length == 7 && !strncasecmp(word, "ONBUILD", 7))
		la_script_lose_mention(docker->script, docker->part,
				       LA_SCRIPT_NO_ASSIGNMENT, line->at,
				       "ONBUILD acts in images that are built "
				       "from this one alone");
	else
		la_script_lose_mention(docker->script, docker->part,
				       LA_SCRIPT_OTHER_LANGUAGE, line->at,
				       "docker has no such instruction and "
				       "refuses the file; use ENV");
	return 0;
}

static bool is(const char *word, const char *keyword)
{
	size_t length = strlen(keyword);

	return !strncasecmp(word, keyword, length) && word[length] &&
	       strchr(" \t", word[length]);
}

static int read_instruction(struct la_docker *docker,
			    const struct la_docker_line *line)
{
	const char *text = la_strbuf_text(&line->text);
	size_t at = strcspn(text, " \t");
	struct la_docker_stage *stage;

	at += strspn(text + at, " \t");
	if (is(text, "FROM")) {
		begin_stage(docker, text + at);
		return 0;
	}
	if (is(text, "ARG")) {
		la_docker_arg(docker, line, at);
		return 0;
	}
	if (!docker->stages)
		add_stage(docker);
	stage = &docker->stage[docker->stages - 1];
	if (is(text, "ENV"))
		la_docker_env(docker, line, at);
	else if (is(text, "RUN"))
		return la_docker_run(docker, line, at);
	else if (is(text, "CMD"))
		la_docker_keep(&stage->command, line, at);
	else if (is(text, "ENTRYPOINT"))
		la_docker_keep(&stage->entrypoint, line, at);
	else if (is(text, "SHELL"))
		la_docker_shell(docker, line, at);
	else
		return other_line(docker, line, text);
	return 0;
}

/* # escape=` among the comments at the start. */
static void read_directives(struct la_docker *docker)
{
	const char *text = docker->part->text;
	const char *end = text + docker->part->length, *at = text;
	const char *newline, *equals;
	size_t n;

	docker->escape = '\\';
	docker->at = la_script_mark(text, docker->part->length);
	for (at += docker->at; at < end && *at == '#'; at = newline + 1) {
		newline = memchr(at, '\n', end - at);
		newline = newline ? newline : end;
		for (at++; at < newline && strchr(" \t", *at) && *at; at++)
			;
		n = la_script_name(at, newline - at);
		equals = memchr(at, '=', newline - at);
		if (!n || !equals)
			return;
		if (n == 6 && !strncasecmp(at, "escape", 6)) {
			at = equals;
			for (at++; at < newline && strchr(" \t", *at) && *at;)
				at++;
			if (at < newline && *at == '`')
				docker->escape = '`';
		}
	}
}

static int read_stages(struct la_docker *docker)
{
	struct la_docker_line line = { 0 };
	int ret = 0;

	docker->before = la_script_places(docker->script);
	while (!ret && la_docker_next(docker, &line)) {
		ret = read_instruction(docker, &line);
		place_in_stage(docker);
	}
	la_strbuf_release(&line.text);
	if (!ret && docker->stages)
		ret = la_docker_start(docker,
				      &docker->stage[docker->stages - 1]);
	place_in_stage(docker);
	if (!docker->failed)
		leave_stages(docker);
	return ret;
}

static int read_file(struct la_docker *docker)
{
	int ret;

	docker->stage = calloc(LA_DOCKER_STAGES, sizeof(*docker->stage));
	if (!docker->stage)
		return -ENOMEM;
	read_directives(docker);
	ret = read_stages(docker);
	while (docker->stages)
		release_stage(&docker->stage[--docker->stages]);
	if (docker->failed || docker->globals.failed)
		ret = ret ? ret : -ENOMEM;
	la_script_vars_release(&docker->globals);
	free(docker->stage);
	free(docker->place);
	return ret;
}

/* Arguments of docker run, cut out of a shell's line: it is made whole. */
static int read_arguments(struct la_script *script,
			  const struct la_script_part *part, size_t start,
			  struct la_error *err)
{
	static const char before[] = "docker run ", after[] = " image";
	struct la_script_part inner = *part;
	struct la_strbuf text = { 0 };
	size_t end = part->length;
	int ret;

	while (end > start && strchr(" \t\r\n\\", part->text[end - 1]))
		end--;
	la_strbuf_addstr(&text, before);
	la_strbuf_add(&text, part->text + start, end - start);
	la_strbuf_addstr(&text, after);
	inner.text = la_strbuf_text(&text);
	inner.length = text.length;
	inner.piece_count = 0;
	/* Bytes of what is put before count from in front of the text. */
	inner.offset += part->exact ? start - strlen(before) : 0;
	ret = text.failed ? -ENOMEM :
			    la_script_nested(script, LA_SCRIPT_BASH, &inner,
					     err);
	la_strbuf_release(&text);
	return ret;
}

int la_script_read_dockerfile(struct la_script *script,
			      const struct la_script_part *part,
			      struct la_error *err)
{
	struct la_docker docker = { .script = script, .part = part,
				    .err = err };
	static const char *const tools[] = { "docker ", "podman ", "sudo ",
					     "nvidia-docker ", "nerdctl " };
	size_t start, i;
	int ret;

	if (la_script_is_utf16(script, part))
		return 0;
	for (start = 0; start < part->length &&
			strchr(" \t\r\n", part->text[start]) &&
			part->text[start];)
		start++;
	if (start < part->length && part->text[start] == '-')
		return read_arguments(script, part, start, err);
	for (i = 0; i < ARRAY_SIZE(tools); i++)
		if (part->length - start > strlen(tools[i]) &&
		    !memcmp(part->text + start, tools[i], strlen(tools[i])))
			return la_script_nested(script, LA_SCRIPT_BASH, part,
						err);
	ret = read_file(&docker);
	return ret == -ENOMEM ? la_error_set(err, ret, LA_NO_OFFSET,
					     "out of memory") :
				ret;
}
