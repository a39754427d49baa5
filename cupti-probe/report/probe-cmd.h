/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of cupti-probe; each cmd-<name>.c exports one of these. */
#ifndef REPORT_PROBE_CMD_H
#define REPORT_PROBE_CMD_H

#include "allocctl/cmd.h"

extern const struct cmd cmd_info;
extern const struct cmd cmd_list;
extern const struct cmd cmd_metrics;
extern const struct cmd cmd_prune;
extern const struct cmd cmd_report;
extern const struct cmd cmd_run;
extern const struct cmd cmd_stat;

#endif /* REPORT_PROBE_CMD_H */
