/* SPDX-License-Identifier: Apache-2.0 */
/* The first argument of a program is the name of a command. */
#ifndef ALLOCCTL_DISPATCH_H
#define ALLOCCTL_DISPATCH_H

#include "cmd.h"

/* A program; its name is print_program. */
struct program {
	const char *about; /* one line for --help */
	const struct cmd *const *cmds; /* NULL at the end */
};

/* Run the command that argv[1] names, or help.  Returns the exit status. */
int dispatch(const struct program *program, int argc, char **argv);

#endif /* ALLOCCTL_DISPATCH_H */
