// SPDX-License-Identifier: Apache-2.0
/* allocctl run where there is no plug-in for PyTorch. */
#include "cmd.h"
#include "report.h"

static int run_run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	report_error("run is not supported on this system, only on Linux");
	return STATUS_CANNOT_TELL;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a PyTorch program with liballoc's allocator (Linux)",
	.run = run_run,
};
