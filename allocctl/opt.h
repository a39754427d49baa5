/* SPDX-License-Identifier: Apache-2.0 */
/* Long options from a table: --name, --name=value, --name value. */
#ifndef ALLOCCTL_OPT_H
#define ALLOCCTL_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
	OPT_END, /* last row */
	OPT_FLAG, /* bool *: set to true */
	OPT_STRING, /* const char ** */
	OPT_LIST, /* struct opt_list *: every occurrence adds one */
	OPT_NUMBER, /* uint64_t *: a whole number */
	OPT_SIZE, /* uint64_t *: a size, or a GPU's name */
	OPT_CHOICE /* int *: index of the word in choices */
};

/* Strings that belong to argv; zero-initialised: none. */
struct opt_list {
	const char **item;
	size_t nr;
};

/* One row per option; --help prints the rows that parsing reads. */
struct opt {
	enum opt_kind kind;
	const char *name; /* without the dashes */
	void *value;
	const char *arg; /* placeholder in help; NULL for a flag */
	const char *help;
	const char *const *choices; /* OPT_CHOICE: words, NULL at the end */
};

/* What --help prints, and the options that are accepted. */
struct opt_spec {
	const char *usage; /* "check SETTING... [OPTIONS]" */
	const char *about; /* lines without a last newline */
	const struct opt *opts; /* OPT_END at the end */
	const char *examples; /* lines, each starting with two blanks */
};

enum { OPT_HELP = -1, OPT_ERROR = -2 };

/*
 * Options may stand after operands; -- ends them; - is an operand.  Returns
 * the number of operands, which argv[1] and on then hold in their order;
 * OPT_HELP after printing help to stdout; or OPT_ERROR after printing one
 * line to stderr.
 */
int opt_parse(int argc, char **argv, const struct opt_spec *spec);

/* The operands behind the command's name, with room for one more; 0 or
 * -ENOMEM. */
int opt_list_operands(struct opt_list *list, int nr, char **argv);

void opt_list_release(struct opt_list *list);

/*
 * A size, or a GPU's name for its real total; name is the option's, for the
 * message that a false return has printed.
 */
bool opt_size(const char *name, const char *text, uint64_t *out);

#endif /* ALLOCCTL_OPT_H */
