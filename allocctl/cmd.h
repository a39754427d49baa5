/* SPDX-License-Identifier: Apache-2.0 */
/* A subcommand: each cmd-<name>.c exports one, cmd_<name>, and nothing else. */
#ifndef ALLOCCTL_CMD_H
#define ALLOCCTL_CMD_H

struct cmd {
	const char *name;
	const char *summary; /* one line for the list of commands */
	/* argv[0]: the command's name; returns a status */
	int (*run)(int argc, char **argv);
};

enum status {
	STATUS_DONE = 0,
	STATUS_FINDINGS = 1, /* invalid, out of memory, a mismatch */
	STATUS_USAGE = 2,
	STATUS_CANNOT_TELL = 3
};

#endif /* ALLOCCTL_CMD_H */
