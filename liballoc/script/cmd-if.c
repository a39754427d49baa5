// SPDX-License-Identifier: Apache-2.0
/* The condition of if. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

static bool is_number(const char *text)
{
	text += *text == '-';
	return *text && !text[strspn(text, "0123456789")] && strlen(text) < 9 &&
	       (*text != '0' || !text[1]);
}

static int compare(const struct cmd_node *node, const char *a, const char *b)
{
	static const char *const words[] = { "equ", "neq", "lss",
					     "leq", "gtr", "geq" };
	bool equal = !strcmp(node->operator, "==");
	int order = node->fold ? strcasecmp(a, b) : strcmp(a, b);
	bool result[6];
	size_t i;

	if (!equal && is_number(a) && is_number(b))
		order = atoi(a) < atoi(b) ? -1 : atoi(a) > atoi(b);
	else if (!equal && strcmp(node->operator, "equ") &&
		 strcmp(node->operator, "neq"))
		return -1;
	if (equal)
		return order == 0;
	result[0] = order == 0;
	result[1] = order != 0;
	result[2] = order < 0;
	result[3] = order <= 0;
	result[4] = order > 0;
	result[5] = order >= 0;
	for (i = 0; i < 6; i++)
		if (!strcasecmp(node->operator, words[i]))
			return result[i];
	return -1;
}

static int is_defined(struct cmd_run *run, const struct cmd_text *name)
{
	bool known;
	const char *value =
		cmd_value(run, name->byte, name->length, &known);

	return known ? value != NULL : -1;
}

int cmd_test(struct cmd_run *run, const struct cmd_node *node)
{
	struct cmd_text a = { 0 }, b = { 0 };
	int result = -1;

	cmd_text_copy(&a, &node->text, 0, node->text.length);
	cmd_text_copy(&b, &node->list, 0, node->list.length);
	cmd_expand_delayed(run, &a);
	cmd_expand_delayed(run, &b);
	if (node->test != CMD_TEST_RUN && a.length && cmd_text_known(&a) &&
	    cmd_text_known(&b)) {
		if (node->test == CMD_TEST_DEFINED)
			result = is_defined(run, &a);
		else if (b.length)
			result = compare(node, a.byte, b.byte);
	}
	cmd_text_free(&a);
	cmd_text_free(&b);
	return result < 0 ? result : result != node->not;
}
