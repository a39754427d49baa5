// SPDX-License-Identifier: Apache-2.0
/* allocctl env: which setting a process really has, and who set it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "env.h"
#include "opt.h"
#include "print.h"

struct options {
	struct env_query query;
	int format;
};

static int refuse_usage(const char *text)
{
	print_error("%s", text);
	return STATUS_USAGE;
}

static int show(const struct options *options)
{
	struct env_view view;
	int status = env_view_open(&view, &options->query);

	if (status == STATUS_DONE) {
		if (options->format == PRINT_JSON)
			env_print_json(&view);
		else
			env_print_text(&view);
		status = env_view_status(&view);
	}
	env_view_close(&view);
	return status;
}

static int run_with(const struct options *options, const uint64_t *pid)
{
	const struct env_query *query = &options->query;

	if (query->core && *pid)
		return refuse_usage("--pid and --core exclude each other");
	if (*pid > INT32_MAX)
		return refuse_usage("--pid: no process has such a number");
	if (query->torch && query->python)
		return refuse_usage("--torch and --python exclude each other");
	return show(options);
}

static int env_run(int argc, char **argv)
{
	struct options options = { .query.build = -1 };
	struct env_query *query = &options.query;
	const struct opt opts[] = {
		{ OPT_NUMBER, "pid", &query->pid, "NUMBER",
		  "the process with that number, as it is now", NULL },
		{ OPT_STRING, "core", &query->core, "FILE",
		  "the process that left this core, or record of one",
		  NULL },
		{ OPT_STRING, "torch", &query->torch, "RELEASE",
		  "who reads the variables (default: the torch found)",
		  NULL },
		{ OPT_STRING, "python", &query->python, "PATH",
		  "interpreter or environment whose torch it is", NULL },
		{ OPT_CHOICE, "build", &query->build, "KIND",
		  "what torch is built for: cuda, rocm or cpu", env_builds },
		{ OPT_FLAG, "show-origin", &query->show_origin, NULL,
		  "who sets each variable: file and line", NULL },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "env [FILE...] [OPTIONS]",
		.about = "Which variables with settings a process has, which "
			 "of them torch obeys, and\nwho set them.  FILEs, such "
			 "as manifests of containers, are searched too.",
		.opts = opts,
		.examples = "  allocctl env --show-origin\n"
			    "  allocctl env --pid 4242\n"
			    "  allocctl env compose.yaml deployment.yaml",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	/* argv ends with NULL, but operands do not. */
	argv[1 + nr] = NULL;
	query->files = (const char *const *)argv + 1;
	return print_finish(run_with(&options, &query->pid));
}

const struct cmd cmd_env = {
	.name = "env",
	.summary = "say which setting a process has and who set it",
	.run = env_run,
};
