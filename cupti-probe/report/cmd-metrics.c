// SPDX-License-Identifier: Apache-2.0
/* cupti-probe metrics: what Prometheus's textfile collector reads. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocctl/opt.h"
#include "allocctl/print.h"
#include "metrics.h"
#include "probe-cmd.h"
#include "safe.h"

static int cannot_write(const char *path)
{
	print_error("cannot write '%s': %s", path, strerror(errno));
	return STATUS_CANNOT_TELL;
}

static bool write_all(int fd, const struct la_strbuf *text)
{
	size_t done = 0;
	ssize_t got;

	while (done < text->length) {
		got = write(fd, text->data + done, text->length - done);
		if (got < 0 && errno != EINTR)
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* The collector is another user. */
static int write_file(const char *path, const struct la_strbuf *text)
{
	char folder[PATH_MAX];
	const char *name = safe_split(folder, path);
	int fd = name ? safe_folder(folder) : -EISDIR, status = STATUS_DONE;
	struct safe safe;

	if (!name) {
		errno = EISDIR;
		return cannot_write(path);
	}
	if (fd < 0)
		return STATUS_CANNOT_TELL;
	if (!safe_open(&safe, fd, name)) {
		status = cannot_write(path);
	} else if (!write_all(safe.fd, text)) {
		status = cannot_write(path);
		safe_cancel(&safe);
	} else if (!safe_commit(&safe, 0644)) {
		status = cannot_write(path);
	}
	close(fd);
	return status;
}

static int print(const char *output, const struct la_strbuf *text)
{
	if (text->failed)
		return print_no_memory();
	if (output && strcmp(output, "-"))
		return write_file(output, text);
	fputs(la_strbuf_text(text), stdout);
	return STATUS_DONE;
}

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
		status = print(output, &text);
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
	const char *output = NULL;
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
