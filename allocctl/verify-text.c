// SPDX-License-Identifier: Apache-2.0
/* allocctl verify: each place, a caret under what is off, and the cure. */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "verify.h"

/* The line of the text that a byte is in, and a caret under the place. */
static void print_where(const struct verify *verify, uint64_t offset,
			uint64_t length)
{
	const char *at = verify->text + offset, *line = at;
	size_t rest = strcspn(at, "\n");

	while (line > verify->text && line[-1] != '\n')
		line--;
	if (rest && at[rest - 1] == '\r' && length < rest)
		rest--;
	print_caret(line, (size_t)(at - line) + rest, (size_t)(at - line),
		    length < rest ? length : rest);
}

static void print_list(const struct verify *verify,
		       const struct verify_list *list)
{
	const struct verify_said *said;
	size_t i;

	for (i = 0; i < list->count; i++) {
		said = &list->said[i];
		putchar('\n');
		print_paint(PRINT_YELLOW, "warning");
		fputs(": ", stdout);
		print_escaped(said->text);
		printf(" [LA%d]\n", said->code);
		print_where(verify, said->offset, said->length);
	}
}

/* What programs find, in the words of each fate. */
static void print_fate(const struct verify *verify,
		       const struct verify_place *place)
{
	static const struct {
		enum print_colour colour;
		const char *word, *rest;
	} fates[] = {
		[LA_SCRIPT_ARRIVES] = { PRINT_GREEN, "arrives", NULL },
		[LA_SCRIPT_REMOVED] = { PRINT_YELLOW, "removed",
					" is taken from programs" },
		[LA_SCRIPT_LOST] = { PRINT_RED, "lost",
				     " reaches no program from here" },
		[LA_SCRIPT_UNKNOWN] = { PRINT_YELLOW, "unknown",
					": only running it could tell" },
	};

	print_escaped(verify->request.path);
	printf(":%zu:%zu: ", place->line, place->column);
	if (verify_is_late(place))
		print_paint(PRINT_YELLOW, "too late");
	else
		print_paint(fates[place->fate].colour,
			    fates[place->fate].word);
	printf(": %s", place->variable);
	if (!place->value) {
		puts(fates[place->fate].rest ? fates[place->fate].rest : "");
		return;
	}
	putchar('=');
	print_escaped(place->value);
	putchar('\n');
}

static void print_cure(const char *cure)
{
	size_t n;

	putchar('\n');
	print_paint(PRINT_BOLD, "write instead");
	putchar('\n');
	for (; *cure; cure += n + (cure[n] == '\n')) {
		n = strcspn(cure, "\n");
		fputs("    ", stdout);
		print_escaped_bytes(cure, n);
		putchar('\n');
	}
}

static void print_script(const struct verify *verify)
{
	const struct verify_place *last = NULL;
	size_t i;

	for (i = 0; i < verify->count; i++) {
		last = &verify->place[i];
		if (i)
			putchar('\n');
		print_fate(verify, last);
		print_list(verify, &last->list);
		if (last->cure)
			print_cure(last->cure);
	}
	if (!last && !verify->unread)
		printf("nothing here sets %s\n",
		       verify->request.variable ? verify->request.variable :
						  "what torch reads");
	print_list(verify, &verify->list);
	if (!last || !verify->request.wanted)
		return;
	if (last->value && strcmp(last->value, verify->request.wanted))
		printf("\nprograms started at the end see another value than "
		       "'%s'\n",
		       verify->request.wanted);
}

static void print_shell(const struct verify *verify,
			const struct verify_shell *shell)
{
	printf("%s%s%s: ", shell->name, shell->version ? " " : "",
	       shell->version ? shell->version : "");
	if (shell->trouble) {
		print_paint(PRINT_YELLOW, "unknown");
		printf(": %s\n", shell->trouble);
		return;
	}
	if (shell->arrives)
		print_paint(PRINT_GREEN, "arrives");
	else
		print_paint(PRINT_RED, "does not arrive");
	if (shell->value) {
		printf(": %s=", verify->request.variable ?
					verify->request.variable :
					"PYTORCH_CUDA_ALLOC_CONF");
		print_escaped(shell->value);
		putchar('\n');
	} else {
		puts(": its programs have no such variable");
	}
}

void verify_print_text(const struct verify *verify)
{
	static const char *const ran[] = {
		[VERIFY_LINE] = "with the line that allocctl set prints",
		[VERIFY_LOGIN] = "with the startup files of a login",
		[VERIFY_INTERACTIVE] = "with the startup files of a terminal",
		[VERIFY_NEITHER] = "as for a script",
	};
	size_t i;

	if (verify->request.path)
		print_script(verify);
	if (verify->request.path && verify->request.shells.nr)
		putchar('\n');
	if (verify->request.shells.nr)
		printf("shells were run %s:\n", ran[verify->request.start]);
	for (i = 0; i < verify->request.shells.nr; i++)
		print_shell(verify, &verify->shell[i]);
}
