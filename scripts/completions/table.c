// SPDX-License-Identifier: Apache-2.0
/*
 * What a program completes, as a table that the awk scripts beside this file
 * make completions of.  Linked in front of the program's archive it stands in
 * for dispatch.o and opt.o: each command is run with --help, and the rows that
 * it would parse are printed.  Fields are separated by tabs:
 *
 *	program  NAME
 *	command  NAME  SUMMARY  OPERANDS
 *	option   COMMAND  NAME  once|again  HELP  VALUES
 *	setting  OPTION  VALUES
 *
 * OPERANDS and VALUES are words to offer and kinds of what is not in a table:
 * @file, @folder, @process, @setting, @key (an option of a setting), @command,
 * @any.  A flag has no VALUES.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/script.h>
#include <liballoc/setting.h>

#include "allocctl/dispatch.h"
#include "allocctl/opt.h"
#include "allocctl/print.h"
#include "allocctl/set.h"
#include "allocctl/verify-run.h"
#include "setting/table.h"
#include "util/card.h"
#include "util/util.h"

/* The command whose rows are printed. */
static const struct cmd *asked;

static void releases(void)
{
	const struct la_release *release;
	size_t i;

	for (i = 0; (release = la_release_at(i)); i++)
		printf(" %s", release->name);
}

static void cards(void)
{
	const struct la_card *card;
	size_t i;

	for (i = 0; (card = la_card_at(i)); i++)
		printf(" %s", card->name);
}

static void presets(void)
{
	const struct la_preset *preset;
	size_t i;

	for (i = 0; (preset = la_preset_at(i)); i++)
		printf(" %s", preset->name);
}

static void kinds(void)
{
	int i;

	for (i = 0; i < LA_SCRIPT_KINDS; i++)
		printf(" %s", la_script_kind_name((enum la_script_kind)i));
}

static void targets(void)
{
	struct la_strbuf names = { 0 };

	set_target_names(&names);
	printf(" %s", la_strbuf_text(&names));
	la_strbuf_release(&names);
}

static void shells(void)
{
	const struct verify_program *program;

	for (program = verify_programs; program->name; program++)
		printf(" %s", program->name);
}

/* What stands for a placeholder, in usage and as the value of an option. */
static const struct {
	const char *placeholder, *kind;
} placeholders[] = {
	{ "FILE", "@file" },	   { "IN", "@file" },
	{ "OUT", "@file" },	   { "PATH", "@file" },
	{ "DIR", "@folder" },	   { "PID", "@process" },
	{ "SETTING", "@setting" }, { "OPTION", "@key" },
	{ "COMMAND", "@command" },
};

/* Values that a placeholder or an option has besides.  The first field is a
 * command, or NULL for all; the second an option, or a placeholder. */
static const struct {
	const char *command, *name, *words;
	void (*print)(void);
} besides[] = {
	{ NULL, "RELEASE", NULL, releases },
	{ NULL, "VERSION", NULL, releases },
	{ "check", "torch", " auto all", NULL },
	{ "env", "torch", " auto", NULL },
	{ "doctor", "torch", " auto", NULL },
	{ "replay", "torch", " auto", NULL },
	{ "replay", "device", " all", NULL },
	{ "replay", "limit", " none auto", NULL },
	{ "tune", "limit", " none auto", NULL },
	{ "triage", "core", " latest", NULL },
	{ "triage", "lang", " en zh", NULL },
	{ "env", "pid", " @process", NULL },
	{ "explain", "gpu", NULL, cards },
	{ NULL, "card", NULL, cards },
	{ NULL, "preset", NULL, presets },
	{ "set", "shell", NULL, targets },
	{ "verify", "shell", NULL, shells },
	{ "verify", "kind", NULL, kinds },
	{ NULL, "variable", " PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF",
	  NULL },
};

static void print_placeholder(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(placeholders); i++)
		if (strlen(placeholders[i].placeholder) == length &&
		    !memcmp(placeholders[i].placeholder, name, length))
			printf(" %s", placeholders[i].kind);
}

static void print_besides(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(besides); i++) {
		if (strcmp(besides[i].name, name) ||
		    (besides[i].command &&
		     strcmp(besides[i].command, asked->name)))
			continue;
		if (besides[i].print)
			besides[i].print();
		else
			printf("%s", besides[i].words);
	}
}

static void print_option(const struct opt *o)
{
	size_t i;

	printf("option\t%s\t%s\t%s\t%s\t", asked->name, o->name,
	       o->kind == OPT_LIST ? "again" : "once", o->help);
	if (o->kind == OPT_CHOICE) {
		for (i = 0; o->choices[i]; i++)
			printf(" %s", o->choices[i]);
	} else if (o->kind != OPT_FLAG) {
		printf("@any");
		print_placeholder(o->arg, strlen(o->arg));
		print_besides(o->arg);
		print_besides(o->name);
	}
	putchar('\n');
}

/* Does an option of that spelling have a value?  -o does. */
static bool has_value(const struct opt *o, const char *name, size_t length)
{
	for (; o->kind != OPT_END; o++)
		if (length == strlen(o->name) + 2 &&
		    !memcmp(name + 2, o->name, length - 2))
			return o->kind != OPT_FLAG;
	return isalpha((unsigned char)name[length - 1]);
}

/*
 * Operands, in a line of usage: names in capitals that are no values of
 * options, and words in small letters behind the command's own name.
 */
static void print_operands(const char *usage, const struct opt *opts)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ-";
	bool is_value = false;
	size_t length;

	for (; *usage; usage += length) {
		usage += strcspn(usage, letters);
		length = strspn(usage, letters);
		if (*usage == '-') {
			is_value = has_value(opts, usage, length);
			continue;
		}
		if (isupper((unsigned char)*usage) && !is_value)
			print_placeholder(usage, length);
		else if (length && islower((unsigned char)*usage) &&
			 (length != strlen(asked->name) ||
			  memcmp(usage, asked->name, length)))
			printf(" %.*s", (int)length, usage);
		is_value = false;
	}
}

int opt_parse(int argc, char **argv, const struct opt_spec *spec)
{
	const struct opt *o;

	(void)argc;
	(void)argv;
	printf("command\t%s\t%s\t", asked->name, asked->summary);
	print_operands(spec->usage, spec->opts);
	putchar('\n');
	for (o = spec->opts; o->kind != OPT_END; o++)
		print_option(o);
	printf("option\t%s\thelp\tonce\toptions and examples\t\n",
	       asked->name);
	return OPT_HELP;
}

/* Commands that never get beyond opt_parse() call these. */
int opt_list_operands(struct opt_list *list, int nr, char **argv)
{
	(void)list;
	(void)nr;
	(void)argv;
	return 0;
}

void opt_list_release(struct opt_list *list)
{
	(void)list;
}

bool opt_size(const char *name, const char *text, uint64_t *out)
{
	(void)name;
	(void)text;
	(void)out;
	return false;
}

static void print_settings(void)
{
	const struct la_setting_option *option;
	enum la_option_kind kind;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++) {
		kind = la_option_find_any(option->name,
					  strlen(option->name))->kind;
		printf("setting\t%s\t%s\n", option->name,
		       kind == LA_OPTION_BOOL ? "True False" :
		       kind == LA_OPTION_BACKEND ? "native cudaMallocAsync" :
						   "");
	}
}

int dispatch(const struct program *program, int argc, char **argv)
{
	static char help[] = "--help";
	const struct cmd *const *c;
	char name[32];
	char *args[] = { name, help, NULL };

	(void)argc;
	(void)argv;
	printf("program\t%s\n", print_program);
	for (c = program->cmds; *c; c++) {
		asked = *c;
		snprintf(name, sizeof(name), "%s", asked->name);
		if (asked->run(2, args) != STATUS_DONE)
			return STATUS_CANNOT_TELL;
	}
	print_settings();
	return print_finish(STATUS_DONE);
}
