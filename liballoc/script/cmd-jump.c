// SPDX-License-Identifier: Apache-2.0
/* Labels of a batch file, and what holds where a goto leads. */
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

static bool is_name(char byte)
{
	return byte && !cmd_is_delimiter(byte) && !strchr("\r\n:+&|<>()", byte);
}

static void add(struct cmd_run *run, size_t name, size_t line, bool label)
{
	const struct la_script_part *part = run->part;
	size_t end = name;

	while (end < part->length && is_name(part->text[end]))
		end++;
	if (end == name)
		return;
	if (run->jumps == CMD_JUMPS) {
		run->jumps_full = true;
		return;
	}
	run->jump[run->jumps++] = (struct cmd_jump){
		.name = name, .length = end - name, .line = line, .label = label
	};
}

/* goto and call within a line. */
static void find_gotos(struct cmd_run *run, size_t line, size_t end)
{
	const char *text = run->part->text;
	size_t i, name;

	for (i = line; i + 5 < end; i++) {
		if (strncasecmp(text + i, "goto", 4))
			continue;
		name = i + 4;
		while (name < end && (cmd_is_blank(text[name]) ||
				      text[name] == ':'))
			name++;
		add(run, name, line, false);
	}
}

void cmd_find_jumps(struct cmd_run *run)
{
	const struct la_script_part *part = run->part;
	size_t line, end, i;

	for (line = 0; line < part->length; line = end + 1) {
		for (end = line; end < part->length && part->text[end] != '\n';)
			end++;
		for (i = line; i < end && cmd_is_delimiter(part->text[i]);)
			i++;
		if (i < end && part->text[i] == ':')
			add(run, i + 1, line, true);
		else
			find_gotos(run, line, end);
	}
}

static bool is_label(const struct cmd_run *run, const struct cmd_jump *jump,
		     const char *name, size_t length)
{
	return jump->label && jump->length == length &&
	       !strncasecmp(run->part->text + jump->name, name, length);
}

const struct cmd_jump *cmd_label(const struct cmd_run *run, const char *name,
				 size_t length, size_t from)
{
	const struct cmd_jump *first = NULL;
	size_t i;

	for (i = 0; i < run->jumps; i++) {
		if (!is_label(run, &run->jump[i], name, length))
			continue;
		if (run->jump[i].line >= from)
			return &run->jump[i];
		if (!first)
			first = &run->jump[i];
	}
	return first;
}

static const struct cmd_jump *label_on(const struct cmd_run *run, size_t line)
{
	size_t i;

	for (i = 0; i < run->jumps; i++)
		if (run->jump[i].label && run->jump[i].line == line)
			return &run->jump[i];
	return NULL;
}

size_t cmd_loop_end(const struct cmd_run *run, size_t line)
{
	const struct cmd_jump *label = label_on(run, line);
	size_t end = 0, i;

	for (i = 0; label && i < run->jumps; i++)
		if (!run->jump[i].label && run->jump[i].line > line &&
		    is_label(run, label, run->part->text + run->jump[i].name,
			     run->jump[i].length))
			end = run->jump[i].line;
	return label && run->jumps_full ? run->part->length : end;
}
