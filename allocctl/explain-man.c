// SPDX-License-Identifier: Apache-2.0
/* The page allocctl-settings(7), from the table of options. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "explain.h"

/*
 * Lines of a few words each, and a new one for each sentence; none begins with
 * what mdoc takes for a macro.
 */
static void print_words(const char *text)
{
	bool ended = false;
	size_t width = 0, n;

	for (; *text; text += n) {
		text += strspn(text, " ");
		n = strcspn(text, " ");
		if (width && (ended || width + 1 + n > 72)) {
			putchar('\n');
			width = 0;
		} else if (width) {
			putchar(' ');
			width++;
		}
		if (!width && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		fwrite(text, 1, n, stdout);
		width += n;
		ended = n && text[n - 1] == '.';
	}
	putchar('\n');
}

static void print_part(const char *label, const char *text)
{
	if (!text)
		return;
	printf(".Pp\n%s:\n", label);
	print_words(text);
}

static void print_option(const struct la_setting_option *option)
{
	printf(".It Cm %s\n", option->name);
	print_words(option->summary);
	printf(".Pp\n%s, default %s;\n", option->type, option->fallback);
	print_words(option->range);
	printf(".Pp\nSince torch %s", option->since);
	if (option->until)
		printf(", up to %s", option->until);
	fputs(".\n", stdout);
	if (option->history)
		print_words(option->history);
	print_part("With others", option->interactions);
	print_part("Cost", option->cost);
}

static void print_side(enum la_setting_side side)
{
	const struct la_setting_option *option;
	size_t i;

	puts(".Bl -tag -width Ds");
	for (i = 0; (option = la_setting_option_at(i)); i++)
		if (option->side == side)
			print_option(option);
	puts(".El");
}

void explain_man(void)
{
	puts(".\\\" SPDX-License-Identifier: Apache-2.0\n"
	     ".\\\" Written by: allocctl explain --all --format man\n"
	     ".Dd November 29, 2026\n"
	     ".Dt ALLOCCTL-SETTINGS 7\n"
	     ".Os\n"
	     ".Sh NAME\n"
	     ".Nm allocctl-settings\n"
	     ".Nd options of PYTORCH_CUDA_ALLOC_CONF\n"
	     ".Sh DESCRIPTION\n"
	     "A setting is a list of options, each with a colon and its value, "
	     "and a comma\nbetween two of them.\n"
	     "It is read from\n"
	     ".Ev PYTORCH_CUDA_ALLOC_CONF ;\n"
	     "from torch 2.10 on also from\n"
	     ".Ev PYTORCH_ALLOC_CONF\n"
	     "where that is not set, and by ROCm builds from\n"
	     ".Ev PYTORCH_HIP_ALLOC_CONF .\n"
	     ".Sh GPU MEMORY");
	print_side(LA_SIDE_DEVICE);
	puts(".Sh PINNED HOST MEMORY");
	print_side(LA_SIDE_HOST);
	puts(".Sh SEE ALSO\n"
	     ".Xr allocctl-check 1 ,\n"
	     ".Xr allocctl-explain 1 ,\n"
	     ".Xr allocctl-policy 5");
}
