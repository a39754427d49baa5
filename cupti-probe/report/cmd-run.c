// SPDX-License-Identifier: Apache-2.0
/* cupti-probe run: a program with the probe in it. */

#include "allocctl/launch.h"
#include "allocctl/opt.h"
#include "probe-cmd.h"
#include "run.h"

/* In the order of enum run_front. */
static const char *const fronts[] = { "preload", "cupti", NULL };

static int serve(const struct run_options *options, char **argv)
{
	struct run_kills before;
	char name[RUN_NAME];
	int status = run_environment(options, name), ended;

	if (status != STATUS_DONE)
		return status;
	run_kills_read(&before);
	status = launch_child(argv, &ended);
	if (status != STATUS_DONE)
		return status;
	run_after(name, ended, &before);
	return launch_end_alike(ended);
}

static int run_run(int argc, char **argv)
{
	struct run_options options = { .front = RUN_PRELOAD };
	const struct opt opts[] = {
		{ OPT_CHOICE, "front", &options.front, "FRONT",
		  "preload (default), or cupti: CUDA_INJECTION64_PATH",
		  fronts },
		{ OPT_STRING, "dir", &options.dir, "DIR",
		  "folder to record to (see info)", NULL },
		{ OPT_SIZE, "size", &options.size, "SIZE",
		  "bytes of a process's recording (default 64M)", NULL },
		{ OPT_FLAG, "snapshot", &options.snapshot, NULL,
		  "also dump PyTorch's own snapshot at an OOM", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "run [OPTIONS] [--] COMMAND [ARGUMENTS]",
		.about = "Run a program and record its GPU memory. Its output, "
			 "signals and status stay as\nthey are; a line on "
			 "standard error names the report if memory ran out. "
			 "Status 126\nand 127 if it cannot be run.",
		.opts = opts,
		.examples = "  cupti-probe run -- python train.py\n"
			    "  cupti-probe run --front cupti torchrun "
			    "train.py",
	};
	int own = launch_parse(argc, argv, &spec);

	if (own < 0)
		return own == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	return serve(&options, argv + own);
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a program and record its GPU memory",
	.run = run_run,
};
