// SPDX-License-Identifier: Apache-2.0
/* allocctl: its commands. */
#include <stddef.h>
#include <string.h>

#include "dispatch.h"
#include "platform.h"
#include "print-child.h"
#include "print.h"

#define COMMAND(name) extern const struct cmd cmd_##name;
#include "commands.inc"
#undef COMMAND

static const struct cmd *const cmds[] = {
#define COMMAND(name) &cmd_##name,
#include "commands.inc"
	NULL,
};

const char print_program[] = "allocctl";

int main(int argc, char **argv)
{
	static const struct program program = {
		.about = "GPU memory of PyTorch programs: what a setting "
			 "means, and which one fits.",
		.cmds = cmds,
	};

	if (!platform_start(&argc, &argv))
		return print_no_memory();
	if (argc > 1 && !strcmp(argv[1], PRINT_COMMAND))
		return print_child(argc, argv);
	return dispatch(&program, argc, argv);
}
