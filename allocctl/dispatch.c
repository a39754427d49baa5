// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/version.h>

#include "dispatch.h"
#include "print.h"
#include "util/distance.h"

static const struct cmd *find(const struct program *program, const char *name)
{
	const struct cmd *const *c;

	for (c = program->cmds; *c; c++)
		if (!strcmp(name, (*c)->name))
			return *c;
	return NULL;
}

static const char *nearest(const struct program *program, const char *name)
{
	size_t distance, best = SIZE_MAX;
	const struct cmd *const *c;
	const char *near = NULL;

	for (c = program->cmds; *c; c++) {
		distance = la_distance(name, strlen(name), (*c)->name,
				       strlen((*c)->name));
		if (distance >= best)
			continue;
		best = distance;
		near = (*c)->name;
	}
	return near;
}

static int unknown(const struct program *program, const char *name)
{
	const char *near = nearest(program, name);

	if (near)
		print_error("unknown command '%s'; did you mean '%s'?", name,
			    near);
	else
		print_error("unknown command '%s'; see %s --help", name,
			    print_program);
	return STATUS_USAGE;
}

static void usage(FILE *stream, const struct program *program)
{
	const struct cmd *const *c;

	fprintf(stream,
		"usage: %s COMMAND [ARGUMENTS]\n"
		"%s\n"
		"\n",
		print_program, program->about);
	for (c = program->cmds; *c; c++)
		fprintf(stream, "  %-9s  %s\n", (*c)->name, (*c)->summary);
	fprintf(stream,
		"\n"
		"  %s COMMAND --help   options and examples of a command\n"
		"  %s --version        the version\n"
		"exit status: 0 done, 1 findings, 2 wrong usage, 3 cannot tell\n",
		print_program, print_program);
}

static int help(const struct program *program, int argc, char **argv)
{
	static char option[] = "--help";
	const struct cmd *cmd;
	char *args[3];

	if (argc < 3) {
		usage(stdout, program);
		return print_finish(STATUS_DONE);
	}
	cmd = find(program, argv[2]);
	if (!cmd)
		return unknown(program, argv[2]);
	args[0] = argv[2];
	args[1] = option;
	args[2] = NULL;
	return print_finish(cmd->run(2, args));
}

int dispatch(const struct program *program, int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc < 2) {
		usage(stderr, program);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("%s " LA_VERSION "\n", print_program);
		return print_finish(STATUS_DONE);
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h"))
		return help(program, argc, argv);
	cmd = find(program, argv[1]);
	if (!cmd)
		return unknown(program, argv[1]);
	return print_finish(cmd->run(argc - 1, argv + 1));
}
