// SPDX-License-Identifier: Apache-2.0
/* Options and codes, as text. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "explain.h"
#include "print.h"

/* A label and a text beside it, which is left out where it is not known. */
static void field(const char *label, const char *text)
{
	if (!text)
		return;
	printf("  %s\n", label);
	print_wrapped(6, text);
}

/* Beside its label where it fits. */
static void short_field(const char *label, const char *text)
{
	if (strlen(text) <= 64)
		printf("  %-14s%s\n", label, text);
	else
		field(label, text);
}

static void print_history(const struct la_setting_option *option)
{
	printf("  history\n      since torch %s", option->since);
	if (option->until)
		printf(", up to %s", option->until);
	fputs(".\n", stdout);
	if (option->history)
		print_wrapped(6, option->history);
}

static void print_option(const struct la_setting_option *option)
{
	print_paint(PRINT_BOLD, option->name);
	printf(" (%s)\n", option->side == LA_SIDE_HOST ? "pinned host memory" :
							 "GPU memory");
	print_wrapped(2, option->summary);
	short_field("value", option->type);
	short_field("range", option->range);
	short_field("default", option->fallback);
	print_history(option);
	field("with others", option->interactions);
	field("cost", option->cost);
	short_field("known from", option->source);
}

/* Whether a setting of that one option is read by a release. */
static bool exists(const struct la_setting_option *option, unsigned int release)
{
	struct la_setting_context context = { .release = release };
	struct la_setting_check *check;
	char text[128];
	bool named;

	snprintf(text, sizeof(text), "%s:1", option->name);
	if (la_setting_check_new(&check, text, strlen(text), &context) < 0)
		return false;
	named = la_setting_check_option(check, 0) == option;
	la_setting_check_free(check);
	return named;
}

int explain_option(const struct la_setting_option *option, unsigned int release)
{
	int status = STATUS_DONE;

	print_option(option);
	if (release && !exists(option, release)) {
		putchar('\n');
		print_paint(PRINT_RED, "not in that release of torch");
		putchar('\n');
		status = STATUS_FINDINGS;
	}
	return status;
}

void explain_list(unsigned int release)
{
	const struct la_setting_option *option;
	char releases[32];
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++) {
		if (release && !exists(option, release))
			continue;
		snprintf(releases, sizeof(releases), "%s%s%s", option->since,
			 option->until ? "-" : "+",
			 option->until ? option->until : "");
		printf("%-37s %-9s %s\n", option->name, releases, option->type);
	}
}

void explain_all(void)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++) {
		if (i)
			putchar('\n');
		print_option(option);
	}
}

static void print_meaning(int number, const char *kind, const char *meaning,
			  const char *example, const char *instead)
{
	char label[16];

	print_paint(PRINT_BOLD, print_code(label, number));
	printf(" (%s)\n", kind);
	print_wrapped(2, meaning);
	short_field("example", example);
	short_field("instead", instead);
}

void explain_code(const struct la_setting_code_info *code)
{
	static const char *const severities[] = {
		[LA_SEVERITY_NOTE] = "note",
		[LA_SEVERITY_WARNING] = "warning",
		[LA_SEVERITY_HINT] = "hint",
	};

	print_meaning((int)code->code, severities[code->severity],
		      code->meaning, code->example, code->instead);
}

void explain_script_code(const struct la_script_code_info *code)
{
	print_meaning((int)code->code, code->kind, code->meaning, code->example,
		      code->instead);
}
