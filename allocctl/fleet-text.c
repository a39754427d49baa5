// SPDX-License-Identifier: Apache-2.0
/* allocctl fleet: the table of who says what. */
#include <stdio.h>
#include <string.h>

#include "fleet.h"
#include "print.h"

enum {
	PIECES = 24, /* of a list of names */
	VALUES = 10, /* of a fact that differs everywhere */
	INDENT = 22, /* of values */
};

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* Text of others in lines of 80 columns. */
static void print_value(const char *value)
{
	struct la_strbuf text = { 0 };

	print_escaped_add(&text, value, strlen(value));
	print_wrapped_from(INDENT, INDENT, la_strbuf_text(&text));
	la_strbuf_release(&text);
}

static void print_names(const char *const *name, size_t count)
{
	struct la_strbuf list = { 0 };
	size_t left = hostlist_fold(&list, name, count, PIECES);

	print_escaped(la_strbuf_text(&list));
	if (left)
		printf(" and %zu more", left);
	putchar('\n');
	la_strbuf_release(&list);
}

static void print_head(const char *name, size_t count)
{
	printf("%-9s %5zu node%-1s ", name, count, plural(count));
}

/* Where all say the same, nobody is named. */
static void print_groups(const char *name, const struct fleet_groups *groups,
			 bool named)
{
	const struct fleet_group *group;
	size_t i;

	for (i = 0; i < groups->count && i < VALUES; i++) {
		group = &groups->group[i];
		print_head(i ? "" : name, group->count);
		print_value(group->value);
		if (!named && groups->count == 1)
			continue;
		printf("%*s", INDENT, "");
		print_names(group->node, group->count);
	}
	if (groups->count > VALUES)
		printf("%*sand %zu more\n", INDENT, "", groups->count - VALUES);
}

static void print_list(const char *name, const struct hostlist *list)
{
	if (!list->count)
		return;
	print_head(name, list->count);
	print_names((const char *const *)list->name, list->count);
}

/* What the table shows, in a line. */
static void print_summary(const struct fleet *fleet)
{
	const char *sep = "; they differ in ";
	size_t i, errors = 0;

	printf("%zu node%s answered", fleet->answered, plural(fleet->answered));
	for (i = 0; i < FLEET_FACTS; i++) {
		if (fleet->fact[i].count < 2)
			continue;
		printf("%s%s", sep, fleet_fact_names[i]);
		sep = ", ";
	}
	if (fleet->answered && *sep == ';')
		fputs(fleet->answered > 1 ? ", all the same" : "", stdout);
	if (fleet->missing.count)
		printf("; %zu missing", fleet->missing.count);
	for (i = 0; i < fleet->errors.count; i++)
		errors += fleet->errors.group[i].count;
	if (errors)
		printf("; %zu with an error", errors);
	putchar('\n');
}

void fleet_print_text(const struct fleet *fleet)
{
	size_t i;

	print_summary(fleet);
	if (fleet->count || fleet->missing.count)
		putchar('\n');
	for (i = 0; i < FLEET_FACTS; i++)
		print_groups(fleet_fact_names[i], &fleet->fact[i], false);
	print_list("two ways", &fleet->conflicting);
	print_list("missing", &fleet->missing);
	print_groups("error", &fleet->errors, true);
	if (fleet->other_lines) {
		printf("\n%zu other line%s, the first: ", fleet->other_lines,
		       plural(fleet->other_lines));
		print_escaped(fleet->other_line ? fleet->other_line : "");
		putchar('\n');
	}
	if (fleet->launcher_status) {
		putchar('\n');
		print_escaped(fleet->launcher);
		printf(" ended with status %d\n", fleet->launcher_status);
	}
}
