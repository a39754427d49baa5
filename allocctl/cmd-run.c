// SPDX-License-Identifier: Apache-2.0
/* allocctl run: a PyTorch program with liballoc's allocator. */
#include <unistd.h>

#include "cmd.h"
#include "launch.h"
#include "opt.h"
#include "print.h"
#include "run.h"

static int serve(const struct run_options *options, char **argv)
{
	char folder[PATH_MAX];
	int status = run_environment(options, folder), ended;

	if (status != STATUS_DONE)
		return status;
	status = launch_child(argv, &ended);
	if (status != STATUS_DONE) {
		rmdir(folder);
		return status;
	}
	run_summary(folder, ended);
	return launch_end_alike(ended);
}

static int run_run(int argc, char **argv)
{
	struct run_options options = { .policy = -1 };
	const struct opt opts[] = {
		{ OPT_CHOICE, "policy", &options.policy, "POLICY",
		  "compact (default) or torch", print_policies },
		{ OPT_SIZE, "limit", &options.limit, "SIZE",
		  "bytes that a GPU may hold", NULL },
		{ OPT_STRING, "record", &options.record, "FILE",
		  "snapshot with history when the program ends", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "run [OPTIONS] [--] COMMAND [ARGUMENTS]",
		.about = "Run a PyTorch program whose GPU memory liballoc "
			 "serves. Its output, signals and\nstatus stay as they "
			 "are; a summary follows on standard error. Status 126 "
			 "and 127\nif it cannot be run.",
		.opts = opts,
		.examples = "  allocctl run -- python train.py\n"
			    "  allocctl run --limit 20GiB --record "
			    "train.pickle python train.py\n"
			    "  allocctl run --policy torch torchrun "
			    "train.py",
	};
	int own = launch_parse(argc, argv, &spec);

	if (own < 0)
		return own == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	return serve(&options, argv + own);
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a PyTorch program with liballoc's allocator",
	.run = run_run,
};
