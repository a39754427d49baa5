// SPDX-License-Identifier: Apache-2.0
/* allocctl metrics: what Prometheus's textfile collector reads. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "metrics.h"
#include "opt.h"
#include "output.h"
#include "print.h"

static int serve(const struct env_query *query, const char *path)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));
	struct la_strbuf text = { 0 };
	int status = metrics ? metrics_gather(metrics, query) :
			       print_no_memory();

	if (status == STATUS_DONE) {
		metrics_text(&text, metrics);
		status = output_text(path, "-", true, &text);
	}
	la_strbuf_release(&text);
	free(metrics);
	return print_finish(status);
}

static int metrics_run(int argc, char **argv)
{
	static const char *const no_files[] = { NULL };
	struct env_query query = {
		.build = -1, .show_origin = true, .files = no_files,
	};
	const char *path = "-";
	const struct opt opts[] = {
		{ OPT_STRING, "python", &query.python, "PATH",
		  "interpreter or environment whose torch it is", NULL },
		{ OPT_STRING, "output", &path, "FILE",
		  "file, replaced at once; -: standard output (default)",
		  NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "metrics [OPTIONS]",
		.about = "Print for Prometheus whether settings are valid: the "
			 "one that is given to new\nprograms, and those of "
			 "processes that have loaded torch.",
		.opts = opts,
		.examples = "  allocctl metrics\n"
			    "  allocctl metrics --output "
			    "/var/lib/prometheus/node-exporter/allocctl.prom",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	if (nr) {
		print_error("metrics takes no arguments");
		return STATUS_USAGE;
	}
	return serve(&query, path);
}

const struct cmd cmd_metrics = {
	.name = "metrics",
	.summary = "print for Prometheus whether settings are valid",
	.run = metrics_run,
};
