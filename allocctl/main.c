// SPDX-License-Identifier: Apache-2.0
/* allocctl: find the subcommand and run it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/version.h>

#include "cmd.h"
#include "platform.h"
#include "print-child.h"
#include "report.h"
#include "util/distance.h"

static const struct cmd *const cmds[] = {
#include "commands.inc"
	NULL,
};

static const struct cmd *find(const char *name)
{
	const struct cmd *const *c;

	for (c = cmds; *c; c++)
		if (!strcmp(name, (*c)->name))
			return *c;
	return NULL;
}

static const char *nearest(const char *name)
{
	size_t distance, best = SIZE_MAX;
	const struct cmd *const *c;
	const char *near = NULL;

	for (c = cmds; *c; c++) {
		distance = la_distance(name, strlen(name), (*c)->name,
				       strlen((*c)->name));
		if (distance >= best)
			continue;
		best = distance;
		near = (*c)->name;
	}
	return near;
}

static int unknown(const char *name)
{
	const char *near = nearest(name);

	if (near)
		report_error("unknown command '%s'; did you mean '%s'?", name,
			     near);
	else
		report_error("unknown command '%s'; see allocctl --help", name);
	return STATUS_USAGE;
}

static void usage(FILE *stream)
{
	const struct cmd *const *c;

	fputs("usage: allocctl COMMAND [ARGUMENTS]\n"
	      "\n"
	      "GPU memory of PyTorch programs: what a setting means, and which "
	      "one fits.\n"
	      "\n"
	      "commands:\n",
	      stream);
	for (c = cmds; *c; c++)
		fprintf(stream, "  %-8s %s\n", (*c)->name, (*c)->summary);
	fputs("\n"
	      "  allocctl COMMAND --help   options and examples of a command\n"
	      "  allocctl --version        the version\n"
	      "\n"
	      "exit status: 0 done, 1 findings, 2 wrong usage, 3 cannot tell\n",
	      stream);
}

static int help(int argc, char **argv)
{
	static char option[] = "--help";
	const struct cmd *cmd;
	char *args[3];

	if (argc < 3) {
		usage(stdout);
		return report_finish(STATUS_DONE);
	}
	cmd = find(argv[2]);
	if (!cmd)
		return unknown(argv[2]);
	args[0] = argv[2];
	args[1] = option;
	args[2] = NULL;
	return report_finish(cmd->run(2, args));
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;

	if (!platform_start(&argc, &argv))
		return report_no_memory();
	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("allocctl " LA_VERSION);
		return report_finish(STATUS_DONE);
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h"))
		return help(argc, argv);
	if (!strcmp(argv[1], PRINT_COMMAND))
		return print_child(argc, argv);
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	return report_finish(cmd->run(argc - 1, argv + 1));
}
