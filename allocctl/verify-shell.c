// SPDX-License-Identifier: Apache-2.0
/*
 * allocctl verify --shell: a real shell with the user's startup files, and in
 * it this program, which prints what it got.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"
#include "verify-run.h"
#include "verify.h"

static const struct verify_program *find_program(const char *name)
{
	const struct verify_program *program;

	for (program = verify_programs; program->name; program++)
		if (!strcmp(program->name, name))
			return program;
	return NULL;
}

static const char *variable_of(const struct verify *verify)
{
	return verify->request.variable ? verify->request.variable :
					  "PYTORCH_CUDA_ALLOC_CONF";
}

/* Nobody else prints this. */
static void make_mark(char *mark)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(mark, PRINT_MARK_BYTES, "allocctl-%lx-%lx-%lx",
		 (unsigned long)getpid(), (unsigned long)now.tv_sec,
		 (unsigned long)now.tv_nsec);
}

/* The command that the shell gets; NULL after trouble was told. */
static char *make_command(const struct verify *verify,
			  const struct verify_program *program,
			  const char *mark, const char **trouble)
{
	struct la_strbuf command = { 0 };
	char self[PATH_MAX], *line;

	if (!platform_self(self)) {
		*trouble = "cannot find the path of allocctl";
		return NULL;
	}
	if (strpbrk(self, program->never)) {
		*trouble = "the path of allocctl cannot be quoted";
		return NULL;
	}
	if (verify->request.start == VERIFY_LINE) {
		if (la_script_write(program->kind, variable_of(verify),
				    verify->request.wanted, &line, NULL) < 0) {
			*trouble = "no line of this shell sets that value";
			return NULL;
		}
		la_strbuf_addf(&command, "%s%s", line, program->then);
		free(line);
	}
	la_strbuf_addf(&command, "%s%c%s%c " PRINT_COMMAND " %s %s %s",
		       program->call, program->quote, self, program->quote,
		       mark, variable_of(verify), program->version);
	if (command.failed)
		*trouble = "out of memory";
	return command.data;
}

const char *verify_answer(struct verify_run *run)
{
	const struct la_strbuf *output = &run->output;
	const char *text = la_strbuf_text(output), *at = text + run->looked;
	const char *end = text + output->length;
	size_t n = strlen(run->mark);

	while ((at = memmem(at, (size_t)(end - at), run->mark, n))) {
		if (at > text && at[-1] == '\n' && at[n] == ' ' &&
		    (at[n + 1] == '+' || at[n + 1] == '-') &&
		    strchr(at + n, '\n'))
			return at + n + 1;
		at += n;
	}
	at = memrchr(text, '\n', output->length);
	run->looked = at ? (size_t)(at - text) : 0;
	return NULL;
}

static int hex(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* "-" or "+HEX", then a blank and the version. */
static void take_answer(struct verify_shell *found, const char *at)
{
	size_t n;

	if (*at++ == '+') {
		n = strcspn(at, " \n") / 2;
		found->value = calloc(1, n + 1);
		for (size_t i = 0; found->value && i < n; i++)
			found->value[i] = (char)(hex(at[2 * i]) << 4 |
						 hex(at[2 * i + 1]));
	}
	at = strchr(at, ' ');
	n = at ? strcspn(at + 1, "\n") : 0;
	found->version = n ? strndup(at + 1, n) : NULL;
}

static void verify_shell(const struct verify *verify,
			 struct verify_shell *found)
{
	const char *wanted = verify->request.wanted;
	struct verify_run run = { .program = find_program(found->name),
				  .start = verify->request.start };

	if (!run.program) {
		found->trouble = "it cannot be run here";
		return;
	}
	make_mark(run.mark);
	run.command = make_command(verify, run.program, run.mark,
				   &found->trouble);
	if (!run.command)
		return;
	found->trouble = verify_run(&run);
	if (!found->trouble)
		take_answer(found, verify_answer(&run));
	found->arrives = !found->trouble && found->value &&
			 (!wanted || !strcmp(found->value, wanted));
	la_strbuf_release(&run.output);
	free(run.command);
}

void verify_shells(struct verify *verify)
{
	size_t i;

	for (i = 0; i < verify->request.shells.nr; i++) {
		verify->shell[i].name = verify->request.shells.item[i];
		verify_shell(verify, &verify->shell[i]);
	}
}
