// SPDX-License-Identifier: Apache-2.0
/* A batch file, or lines typed at the prompt of cmd.exe. */
#include <stdlib.h>
#include <string.h>

#include "script/cmd.h"
#include "util/error.h"

/* Join what gotos bring to this line; reached: from the line before, too. */
static bool land(struct cmd_run *run, struct cmd_call *call, size_t line,
		 bool reached)
{
	struct cmd_arrival **link = &call->arrival, *a;

	while ((a = *link)) {
		if (a->line != line) {
			link = &a->next;
			continue;
		}
		*link = a->next;
		if (reached && a->environment) {
			cmd_join(run, a->environment);
		} else if (a->environment) {
			cmd_environment_free(run->environment);
			run->environment = a->environment;
		}
		reached = true;
		free(a);
	}
	return reached;
}

/* The first line that a goto leads to, from at on; SIZE_MAX: none. */
static size_t next_arrival(const struct cmd_call *call, size_t at)
{
	const struct cmd_arrival *a;
	size_t line = SIZE_MAX;

	for (a = call->arrival; a; a = a->next)
		if (a->line >= at && a->line < line)
			line = a->line;
	return line;
}

static void free_arrivals(struct cmd_call *call)
{
	struct cmd_arrival *a;

	while ((a = call->arrival)) {
		call->arrival = a->next;
		cmd_environment_free(a->environment);
		free(a);
	}
}

/* The line at *at; where to go on, in *at. */
static bool follow_line(struct cmd_run *run, size_t *at)
{
	size_t line = *at, loop = cmd_loop_end(run, line);
	struct cmd_node *node;
	enum cmd_flow flow = CMD_NEXT;
	bool wrong;

	if (loop > line)
		cmd_forget(run, line, loop);
	node = cmd_parse(run, at, &wrong);
	if (wrong && !run->ret)
		flow = cmd_refuse(run, line, *at - 1);
	else if (node)
		flow = cmd_run_node(run, node);
	cmd_node_free(node);
	if (flow == CMD_JUMP && run->target > line)
		*at = run->target;
	return flow == CMD_NEXT || (flow == CMD_JUMP && run->target > line);
}

int cmd_follow(struct cmd_run *run, size_t at)
{
	struct cmd_call *call = run->call;
	bool reached = true;

	while (!run->ret && at < run->part->length) {
		reached = land(run, call, at, reached);
		if (reached)
			reached = follow_line(run, &at);
		if (reached)
			continue;
		at = next_arrival(call, at);
	}
	free_arrivals(call);
	return run->ret;
}

/* cmd reads a mark as the first letters of the first command. */
static size_t skip_mark(struct cmd_run *run)
{
	const struct la_script_part *part = run->part;
	const char *end;

	if (part->length < 3 || memcmp(part->text, "\xef\xbb\xbf", 3))
		return 0;
	end = memchr(part->text, '\n', part->length);
	la_script_say(run->script, part, LA_SCRIPT_WHOLE,
		      LA_SCRIPT_BYTE_ORDER_MARK, 0, 3, NULL);
	return end ? (size_t)(end - part->text) + 1 : part->length;
}

int la_script_read_cmd(struct la_script *script,
		       const struct la_script_part *part, struct la_error *err)
{
	struct cmd_run *run = calloc(1, sizeof(*run));
	struct cmd_call top = { 0 };
	int ret = -ENOMEM;

	if (!run)
		return la_error_set(err, ret, part->offset, "out of memory");
	run->environment = calloc(1, sizeof(*run->environment));
	run->script = script;
	run->part = part;
	run->err = err;
	run->steps = CMD_STEPS;
	run->call = &top;
	run->prompt = la_script_kind_now(script) == LA_SCRIPT_CMD_PROMPT;
	if (run->environment) {
		cmd_find_jumps(run);
		cmd_follow(run, skip_mark(run));
		cmd_end_locals(run);
		if (part->ends)
			cmd_settle(run, LA_SCRIPT_CHILD_ENDS);
		ret = run->ret;
	}
	if (!run->steps)
		la_script_say(script, part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_NEEDS_RUNNING, 0, 0,
			      "too many commands to follow them all");
	cmd_environment_free(run->environment);
	free(run);
	if (ret == -ENOMEM || ret == -EFBIG)
		la_error_set(err, ret, part->offset,
			     ret == -EFBIG ? "nested too deep, or too long" :
					     "out of memory");
	return ret;
}
