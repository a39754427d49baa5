// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt.h"
#include "print.h"
#include "util/card.h"
#include "util/distance.h"
#include "util/size.h"
#include "util/strbuf.h"

static void print_help(const struct opt_spec *spec)
{
	const struct opt *o;
	char left[40];

	printf("usage: %s %s\n\n%s\n\noptions:\n", print_program,
	       spec->usage, spec->about);
	for (o = spec->opts; o->kind != OPT_END; o++) {
		snprintf(left, sizeof(left), "--%s%s%s", o->name,
			 o->arg ? " " : "", o->arg ? o->arg : "");
		printf("  %-22s %s\n", left, o->help);
	}
	printf("\nexamples:\n%s\n", spec->examples);
}

static const struct opt *find(const struct opt *opts, const char *name,
			      size_t length)
{
	const struct opt *o;

	for (o = opts; o->kind != OPT_END; o++)
		if (strlen(o->name) == length &&
		    !memcmp(o->name, name, length))
			return o;
	return NULL;
}

static void unknown(const struct opt *opts, const char *name, size_t length)
{
	size_t distance, best = SIZE_MAX;
	const char *near = NULL;
	const struct opt *o;

	for (o = opts; o->kind != OPT_END; o++) {
		distance = la_distance(name, length, o->name, strlen(o->name));
		if (distance >= best)
			continue;
		best = distance;
		near = o->name;
	}
	if (near)
		print_error("unknown option '--%.*s'; did you mean '--%s'?",
			    (int)length, name, near);
	else
		print_error("unknown option '--%.*s'", (int)length, name);
}

static bool store_number(const struct opt *o, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9') {
		print_error("--%s wants a whole number, not '%s'", o->name,
			    text);
		return false;
	}
	*(uint64_t *)o->value = value;
	return true;
}

static void unknown_choice(const struct opt *o, const char *text)
{
	struct la_strbuf words = { 0 };
	int i;

	for (i = 0; o->choices[i]; i++)
		la_strbuf_addf(&words, "%s%s",
			       !i ? "" : o->choices[i + 1] ? ", " : " or ",
			       o->choices[i]);
	print_error("--%s does not know '%s': it takes %s", o->name, text,
		    la_strbuf_text(&words));
	la_strbuf_release(&words);
}

static bool store_choice(const struct opt *o, const char *text)
{
	int i;

	for (i = 0; o->choices[i]; i++) {
		if (strcmp(o->choices[i], text))
			continue;
		*(int *)o->value = i;
		return true;
	}
	unknown_choice(o, text);
	return false;
}

static bool store_list(const struct opt *o, const char *text)
{
	struct opt_list *list = o->value;
	const char **item;

	item = reallocarray(list->item, list->nr + 1, sizeof(*item));
	if (!item) {
		print_error("out of memory");
		return false;
	}
	list->item = item;
	list->item[list->nr++] = text;
	return true;
}

static bool store(const struct opt *o, const char *text)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		return true;
	case OPT_STRING:
		*(const char **)o->value = text;
		return true;
	case OPT_LIST:
		return store_list(o, text);
	case OPT_NUMBER:
		return store_number(o, text);
	case OPT_SIZE:
		return opt_size(o->name, text, o->value);
	case OPT_CHOICE:
		return store_choice(o, text);
	case OPT_END:
		break;
	}
	return false;
}

/* Take the option at argv[*i], and its value if that is the next word. */
static bool take_option(int argc, char **argv, int *i, const struct opt *opts)
{
	const char *name = argv[*i] + 2;
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	const struct opt *o = find(opts, name, length);

	if (!o) {
		unknown(opts, name, length);
		return false;
	}
	if (o->kind == OPT_FLAG && value) {
		print_error("option '--%s' takes no value", o->name);
		return false;
	}
	if (o->kind != OPT_FLAG && !value) {
		if (*i + 1 >= argc) {
			print_error("no value after '--%s'", o->name);
			return false;
		}
		value = argv[++*i];
	}
	return store(o, value);
}

/* What -o stands for. */
static char output_option[] = "--output";

int opt_parse(int argc, char **argv, const struct opt_spec *spec)
{
	int i, nr = 0;

	for (i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !strcmp(argv[i], "-")) {
			argv[1 + nr++] = argv[i];
			continue;
		}
		if (!strcmp(argv[i], "--"))
			break;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			print_help(spec);
			return OPT_HELP;
		}
		if (!strcmp(argv[i], "-o") && find(spec->opts, "output", 6))
			argv[i] = output_option;
		if (argv[i][1] != '-') {
			print_error("unknown option '%s'", argv[i]);
			return OPT_ERROR;
		}
		if (!take_option(argc, argv, &i, spec->opts))
			return OPT_ERROR;
	}
	for (i++; i < argc; i++)
		argv[1 + nr++] = argv[i];
	return nr;
}

int opt_list_operands(struct opt_list *list, int nr, char **argv)
{
	int i;

	list->item = calloc((size_t)nr + 1, sizeof(*list->item));
	if (!list->item)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		list->item[i] = argv[i + 1];
	list->nr = (size_t)nr;
	return 0;
}

void opt_list_release(struct opt_list *list)
{
	free(list->item);
	*list = (struct opt_list){ 0 };
}

/* Neither a number nor a card that is known. */
static void unknown_card(const char *name, const char *text)
{
	struct la_strbuf known = { 0 };
	const struct la_card *card;
	size_t i;

	for (i = 0; (card = la_card_at(i)); i++)
		la_strbuf_addf(&known, "%s%s", i ? ", " : "", card->name);
	print_error("--%s: '%s' is neither a size nor a GPU that is known: "
		    "%s", name, text, la_strbuf_text(&known));
	la_strbuf_release(&known);
}

bool opt_size(const char *name, const char *text, uint64_t *out)
{
	const struct la_card *card = la_card_find(text);
	struct la_error err;

	if (card) {
		*out = card->total;
		return true;
	}
	if (!la_size_parse(text, out, &err))
		return true;
	if (isalpha((unsigned char)*text))
		unknown_card(name, text);
	else
		print_error("--%s: %s", name, err.text);
	return false;
}
