// SPDX-License-Identifier: Apache-2.0
/* allocctl run where there is no plug-in for PyTorch: its help, and why. */
#include <string.h>

#include "cmd.h"
#include "opt.h"
#include "print.h"

static int run_run(int argc, char **argv)
{
	static const struct opt opts[] = { { .kind = OPT_END } };
	static const struct opt_spec spec = {
		.usage = "run COMMAND [ARGUMENTS]",
		.about = "Run a PyTorch program whose GPU memory liballoc "
			 "serves: on Linux only. What it\nwould need can be "
			 "told here.",
		.opts = opts,
		.examples = "  allocctl replay --policy compact run.pickle",
	};

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return opt_parse(2, argv, &spec) == OPT_HELP ? STATUS_DONE :
							      STATUS_USAGE;
	print_error("run is not supported on this system, only on Linux");
	return STATUS_CANNOT_TELL;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a PyTorch program with liballoc's allocator (Linux)",
	.run = run_run,
};
