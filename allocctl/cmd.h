/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands; each cmd-<name>.c exports one of these and nothing else. */
#ifndef ALLOCCTL_CMD_H
#define ALLOCCTL_CMD_H

struct cmd {
	const char *name;
	const char *summary; /* one line for the list of commands */
	/* argv[0]: the command's name; returns a status */
	int (*run)(int argc, char **argv);
};

extern const struct cmd cmd_calibrate;
extern const struct cmd cmd_check;
extern const struct cmd cmd_convert;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_env;
extern const struct cmd cmd_explain;
extern const struct cmd cmd_fleet;
extern const struct cmd cmd_metrics;
extern const struct cmd cmd_replay;
extern const struct cmd cmd_report;
extern const struct cmd cmd_run;
extern const struct cmd cmd_triage;
extern const struct cmd cmd_set;
extern const struct cmd cmd_tune;
extern const struct cmd cmd_verify;

enum status {
	STATUS_DONE = 0,
	STATUS_FINDINGS = 1, /* invalid, out of memory, a mismatch */
	STATUS_USAGE = 2,
	STATUS_CANNOT_TELL = 3
};

#endif /* ALLOCCTL_CMD_H */
