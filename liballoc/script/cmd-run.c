// SPDX-License-Identifier: Apache-2.0
/* Following commands of cmd. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

/* Commands of cmd that start no program and set nothing. */
static const char *const internal[] = {
	"assoc", "break", "cd",	   "chdir", "cls",   "color", "copy", "date",
	"del",	 "dir",	  "echo",  "erase", "ftype", "md",    "mkdir", "mklink",
	"move",	 "path",  "pause", "popd",  "prompt", "pushd", "rd",   "rem",
	"ren",	 "rename", "rmdir", "time", "title", "type",  "ver",  "verify",
	"vol",	 "shift",
};

/* Is this the command?  Then its arguments start at *at. */
static bool is_command(const struct cmd_text *text, const char *word,
		       size_t *at)
{
	size_t length = strlen(word);

	if (text->length < length || strncasecmp(text->byte, word, length))
		return false;
	if (text->length > length && !cmd_is_delimiter(text->byte[length]) &&
	    (!text->byte[length] ||
	     !strchr("/.:\\+[](\"", text->byte[length])))
		return false;
	*at = length;
	return true;
}

static bool is_internal(const struct cmd_text *text)
{
	size_t i, at;

	for (i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (is_command(text, internal[i], &at))
			return true;
	return false;
}

static struct cmd_environment *remember(struct cmd_run *run)
{
	struct cmd_environment *copy = cmd_environment_copy(run->environment);

	if (!copy)
		run->ret = -ENOMEM;
	return copy;
}

void cmd_run_inner(struct cmd_run *run, const struct cmd_text *text)
{
	struct cmd_environment *before = remember(run);
	bool prompt = run->prompt;
	struct cmd_node *node = NULL;

	if (before && ++run->depth <= LA_SCRIPT_DEPTH)
		node = cmd_parse_text(run, text);
	run->prompt = true;
	if (node)
		cmd_run_node(run, node);
	run->prompt = prompt;
	run->depth--;
	cmd_node_free(node);
	if (before)
		cmd_restore(run, before, LA_SCRIPT_CHILD_ENDS,
			    cmd_text_first(text, 0),
			    cmd_text_last(text, text->length));
}

static void set_local(struct cmd_run *run, const struct cmd_text *text)
{
	struct cmd_local *local = calloc(1, sizeof(*local));
	size_t i;

	if (run->prompt || !local || run->locals == LA_SCRIPT_DEPTH) {
		free(local);
		return;
	}
	local->environment = remember(run);
	local->outer = run->local;
	run->local = local;
	run->locals++;
	for (i = 0; i < text->length; i++) {
		if (!strncasecmp(text->byte + i, "enabledelayed", 13))
			run->environment->delayed = true;
		if (!strncasecmp(text->byte + i, "disabledelayed", 14))
			run->environment->delayed = false;
	}
}

static void end_local(struct cmd_run *run, size_t start, size_t end)
{
	struct cmd_local *local = run->local;

	if (!local || (run->call && run->locals <= run->call->locals))
		return;
	run->local = local->outer;
	run->locals--;
	if (local->environment)
		cmd_restore(run, local->environment, LA_SCRIPT_RESTORED, start,
			    end);
	free(local);
}

/* A goto; :eof goes to the end. */
static enum cmd_flow go(struct cmd_run *run, const struct cmd_text *text,
			size_t at)
{
	const struct cmd_jump *label;
	size_t end;

	while (at < text->length && (cmd_is_delimiter(text->byte[at]) ||
				     text->byte[at] == ':'))
		at++;
	for (end = at; end < text->length &&
		       !cmd_is_delimiter(text->byte[end]) &&
		       text->byte[end] != ':';)
		end++;
	if (end == at + 3 && !strncasecmp(text->byte + at, "eof", 3))
		return CMD_RETURN;
	label = end > at ? cmd_label(run, text->byte + at, end - at,
				     cmd_text_first(text, 0)) :
			   NULL;
	if (!label || run->prompt)
		return run->prompt ? CMD_NEXT : CMD_STOP;
	run->target = label->line;
	return CMD_JUMP;
}

/* Words behind call as %0 to %9; they lie in words, owned by the caller. */
static void fill_arguments(struct cmd_call *call, char *words)
{
	size_t i;

	for (i = 0; i < CMD_ARGUMENTS; i++) {
		bool quoted = false;

		while (*words && cmd_is_delimiter(*words))
			words++;
		call->argument[i] = words;
		while (*words && (quoted || !cmd_is_delimiter(*words)))
			quoted ^= *words++ == '"';
		if (*words)
			*words++ = '\0';
	}
}

static void call_label(struct cmd_run *run, const struct cmd_text *text,
		       size_t at)
{
	struct cmd_call call = { .caller = run->call, .locals = run->locals };
	size_t end = ++at;
	const struct cmd_jump *label;
	char *words;

	while (end < text->length && !cmd_is_delimiter(text->byte[end]))
		end++;
	label = cmd_label(run, text->byte + at, end - at, 0);
	if (!label || run->depth >= LA_SCRIPT_DEPTH)
		return;
	words = cmd_text_known(text) ? strdup(text->byte + at) : NULL;
	if (words)
		fill_arguments(&call, words);
	run->call = &call;
	run->depth++;
	run->ret = cmd_follow(run, label->line);
	run->depth--;
	while (run->locals > call.locals) {
		call.locals = run->locals - 1;
		end_local(run, label->line, label->line);
	}
	run->call = call.caller;
	free(words);
}

/* What call runs is expanded once more. */
static void call(struct cmd_run *run, const struct cmd_node *node,
		 const struct cmd_text *text, size_t at)
{
	struct cmd_text rest = { 0 }, again = { 0 };

	while (at < text->length && cmd_is_delimiter(text->byte[at]))
		at++;
	cmd_text_copy(&rest, text, at, text->length);
	if (rest.length)
		cmd_expand_percent(run, &again, &rest);
	if (again.length && again.byte[0] == ':')
		call_label(run, &again, 0);
	else if (again.length && is_command(&again, "set", &at))
		la_cmd_set(run, node, &again, at);
	else if (again.length && !is_internal(&again))
		cmd_other(run, node, &again);
	cmd_text_free(&rest);
	cmd_text_free(&again);
}

/* start "title" /b prog */
static void start(struct cmd_run *run, const struct cmd_node *node,
		  const struct cmd_text *text, size_t at)
{
	struct cmd_text rest = { 0 };

	while (at < text->length && (cmd_is_delimiter(text->byte[at]) ||
				     text->byte[at] == '/' ||
				     text->byte[at] == '"')) {
		char first = text->byte[at++];

		while (first == '/' && at < text->length &&
		       !cmd_is_delimiter(text->byte[at]))
			at++;
		while (first == '"' && at < text->length &&
		       text->byte[at++] != '"')
			;
	}
	cmd_text_copy(&rest, text, at, text->length);
	if (rest.length)
		cmd_other(run, node, &rest);
	else
		cmd_program(run);
	cmd_text_free(&rest);
}

static enum cmd_flow run_text(struct cmd_run *run, const struct cmd_node *node,
			      const struct cmd_text *text)
{
	size_t at;

	if (is_command(text, "set", &at)) {
		la_cmd_set(run, node, text, at);
	} else if (is_command(text, "setlocal", &at)) {
		set_local(run, text);
	} else if (is_command(text, "endlocal", &at)) {
		end_local(run, node->start, node->end);
	} else if (is_command(text, "goto", &at)) {
		return go(run, text, at);
	} else if (is_command(text, "exit", &at)) {
		for (; at + 1 < text->length; at++)
			if (!strncasecmp(text->byte + at, "/b", 2))
				return run->prompt ? CMD_STOP : CMD_RETURN;
		return CMD_STOP;
	} else if (is_command(text, "setx", &at)) {
		cmd_setx(run, text, at);
	} else if (is_command(text, "call", &at)) {
		call(run, node, text, at);
	} else if (is_command(text, "start", &at)) {
		start(run, node, text, at);
	} else if (text->length && !is_internal(text)) {
		return cmd_other(run, node, text);
	}
	return CMD_NEXT;
}

static enum cmd_flow run_simple(struct cmd_run *run,
				const struct cmd_node *node)
{
	enum cmd_flow flow;
	struct cmd_text text = { 0 };

	cmd_text_copy(&text, &node->text, 0, node->text.length);
	if (text.length)
		cmd_expand_delayed(run, &text);
	flow = text.length ? run_text(run, node, &text) : CMD_NEXT;
	if (text.failed)
		run->ret = -EFBIG;
	cmd_text_free(&text);
	return flow;
}

/* What is to be followed from a line on, if it was not before. */
static void arrive(struct cmd_run *run)
{
	struct cmd_arrival *arrival = malloc(sizeof(*arrival));

	if (!arrival || !run->call) {
		free(arrival);
		return;
	}
	arrival->line = run->target;
	arrival->environment = remember(run);
	arrival->next = run->call->arrival;
	run->call->arrival = arrival;
}

/* Whether it runs, only running could tell. */
static enum cmd_flow run_maybe(struct cmd_run *run, const struct cmd_node *node)
{
	struct cmd_environment *before = remember(run);
	struct cmd_environment *now;
	enum cmd_flow flow;

	if (!before)
		return CMD_STOP;
	flow = cmd_run_node(run, node);
	if (flow == CMD_NEXT) {
		cmd_join(run, before);
		return CMD_NEXT;
	}
	if (flow == CMD_JUMP)
		arrive(run);
	now = run->environment;
	run->environment = before;
	cmd_environment_free(now);
	return CMD_NEXT;
}

static enum cmd_flow run_if(struct cmd_run *run, const struct cmd_node *node)
{
	int result = cmd_test(run, node);
	struct cmd_environment *before, *then;
	enum cmd_flow flow;

	if (result == 1)
		return cmd_run_node(run, node->left);
	if (result == 0)
		return node->right ? cmd_run_node(run, node->right) : CMD_NEXT;
	if (!node->right)
		return run_maybe(run, node->left);
	before = remember(run);
	if (!before)
		return CMD_STOP;
	flow = cmd_run_node(run, node->left);
	if (flow == CMD_JUMP)
		arrive(run);
	then = run->environment;
	run->environment = before;
	if (flow != CMD_NEXT) {
		cmd_environment_free(then);
		return cmd_run_node(run, node->right);
	}
	flow = cmd_run_node(run, node->right);
	if (flow == CMD_JUMP)
		arrive(run);
	if (flow == CMD_NEXT) {
		cmd_join(run, then);
	} else {
		cmd_environment_free(run->environment);
		run->environment = then;
	}
	return CMD_NEXT;
}

/* Put value for %i in all of a command. */
static struct cmd_node *with_letter(const struct cmd_node *node, char letter,
				    const char *value)
{
	struct cmd_node *copy = node ? calloc(1, sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	*copy = *node;
	copy->text = copy->list = (struct cmd_text){ 0 };
	copy->owned = NULL;
	cmd_text_copy(&copy->text, &node->text, 0, node->text.length);
	cmd_text_copy(&copy->list, &node->list, 0, node->list.length);
	cmd_expand_letter(&copy->text, letter, value);
	cmd_expand_letter(&copy->list, letter, value);
	copy->left = with_letter(node->left, letter, value);
	copy->right = with_letter(node->right, letter, value);
	return copy;
}

static void free_tree(struct cmd_node *node)
{
	if (!node)
		return;
	free_tree(node->left);
	free_tree(node->right);
	cmd_node_free(node);
}

static enum cmd_flow run_with(struct cmd_run *run, const struct cmd_node *node,
			      const char *value, bool maybe)
{
	struct cmd_node *body = with_letter(node->left, node->letter, value);
	enum cmd_flow flow = CMD_NEXT;

	if (body && !run->ret)
		flow = maybe ? run_maybe(run, body) : cmd_run_node(run, body);
	free_tree(body);
	return flow;
}

static enum cmd_flow run_for(struct cmd_run *run, const struct cmd_node *node)
{
	const char *word = node->list.byte, *end;
	enum cmd_flow flow = CMD_NEXT;
	char *value;

	if (node->text.length || !cmd_text_known(&node->list) ||
	    (word && strpbrk(word, "*?!"))) {
		cmd_forget(run, node->left ? node->left->start : 0,
			   node->left ? node->left->end : 0);
		return run_with(run, node, NULL, true);
	}
	if (!word)
		return flow;
	while (*word && flow == CMD_NEXT && !run->ret) {
		bool quoted = false;

		while (cmd_is_delimiter(*word))
			word++;
		for (end = word; *end && (quoted || !cmd_is_delimiter(*end));)
			quoted ^= *end++ == '"';
		if (end == word)
			break;
		value = strndup(word, (size_t)(end - word));
		flow = run_with(run, node, value, false);
		free(value);
		word = end;
	}
	return flow;
}

/* Of commands of cmd that cannot fail. */
/* 1: succeeds, 0: fails, -1: only running could tell. */
static int cmd_outcome(const struct cmd_node *node)
{
	size_t at;

	while (node && node->type == CMD_BLOCK && node->left &&
	       node->left->type != CMD_BOTH)
		node = node->left;
	if (!node || node->type != CMD_SIMPLE || node->redirect_end)
		return -1;
	if (is_command(&node->text, "echo", &at) ||
	    is_command(&node->text, "rem", &at) ||
	    is_command(&node->text, "cls", &at) ||
	    is_command(&node->text, "title", &at))
		return 1;
	if (is_command(&node->text, "set", &at))
		return node->text.byte[node->text.length - 1] != '=' &&
				       memchr(node->text.byte, '=',
					      node->text.length) ?
			       1 :
			       -1;
	return -1;
}

static enum cmd_flow run_after(struct cmd_run *run, const struct cmd_node *node)
{
	enum cmd_flow flow = cmd_run_node(run, node->left);
	int outcome = cmd_outcome(node->left);

	if (flow != CMD_NEXT || !node->right)
		return flow;
	if (outcome < 0)
		return run_maybe(run, node->right);
	return (outcome == 1) == (node->type == CMD_AND) ?
		       cmd_run_node(run, node->right) :
		       CMD_NEXT;
}

/* Each side is run by a cmd of its own. */
static void run_apart(struct cmd_run *run, const struct cmd_node *node)
{
	struct cmd_environment *before = remember(run);

	if (!before || !node)
		return cmd_environment_free(before);
	cmd_run_node(run, node);
	cmd_restore(run, before, LA_SCRIPT_CHILD_ENDS, node->start, node->end);
}

enum cmd_flow cmd_run_node(struct cmd_run *run, const struct cmd_node *node)
{
	enum cmd_flow flow = CMD_NEXT;

	if (!node || run->ret || !run->steps)
		return run->ret || !run->steps ? CMD_STOP : CMD_NEXT;
	run->steps--;
	switch (node->type) {
	case CMD_SIMPLE:
		return run_simple(run, node);
	case CMD_BOTH:
		for (; node && node->type == CMD_BOTH && flow == CMD_NEXT;
		     node = node->right)
			flow = cmd_run_node(run, node->left);
		return flow == CMD_NEXT && node ? cmd_run_node(run, node) :
						  flow;
	case CMD_AND:
	case CMD_OR:
		return run_after(run, node);
	case CMD_PIPE:
		run_apart(run, node->left);
		run_apart(run, node->right);
		return CMD_NEXT;
	case CMD_BLOCK:
		return cmd_run_node(run, node->left);
	case CMD_IF:
		return run_if(run, node);
	case CMD_FOR:
		return run_for(run, node);
	}
	return CMD_NEXT;
}

int cmd_end_locals(struct cmd_run *run)
{
	while (run->local)
		end_local(run, run->part->length, run->part->length);
	return run->ret;
}
