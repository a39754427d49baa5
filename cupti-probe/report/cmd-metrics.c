// SPDX-License-Identifier: Apache-2.0
/* cupti-probe metrics: what Prometheus's textfile collector reads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "allocctl/opt.h"
#include "allocctl/output.h"
#include "allocctl/print.h"
#include "metrics.h"
#include "probe-cmd.h"

static int serve(const char *path, const char *output)
{
	struct la_strbuf text = { 0 };
	struct metrics *metrics = NULL;
	struct folder folder;
	int status = folder_open(&folder, path);

	if (status == STATUS_DONE) {
		metrics = calloc(1, sizeof(*metrics));
		status = metrics ? STATUS_DONE : print_no_memory();
	}
	if (status == STATUS_DONE) {
		metrics_gather(metrics, &folder);
		metrics_text(&text, metrics);
		umask(022); /* the collector is another user */
		status = output_text(output, "-", true, &text);
	}
	free(metrics);
	la_strbuf_release(&text);
	folder_close(&folder);
	return status;
}

/* -o is what such programs have. */
static void lengthen(int argc, char **argv)
{
	static char output[] = "--output";
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "-o"))
			argv[i] = output;
}

static int metrics_run(int argc, char **argv)
{
	const char *output = "-";
	const struct opt opts[] = {
		{ OPT_STRING, "output", &output, "FILE",
		  "file, replaced at once; -: standard output (default)",
		  NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "metrics [DIR] [-o FILE]",
		.about = "Print numbers of all recordings of a folder, by "
			 "device, for Prometheus: what\nprocesses that run "
			 "hold, and what was counted.",
		.opts = opts,
		.examples =
			"  cupti-probe metrics\n"
			"  cupti-probe metrics -o "
			"/var/lib/node_exporter/cupti_probe.prom",
	};
	int nr;

	lengthen(argc, argv);
	nr = opt_parse(argc, argv, &spec);
	if (nr == OPT_HELP)
		return STATUS_DONE;
	if (nr > 1)
		print_error("metrics wants one DIR");
	return nr < 0 || nr > 1 ? STATUS_USAGE :
				  serve(nr ? argv[1] : NULL, output);
}

const struct cmd cmd_metrics = {
	.name = "metrics",
	.summary = "print numbers for Prometheus",
	.run = metrics_run,
};
