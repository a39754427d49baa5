// SPDX-License-Identifier: Apache-2.0
/* cupti-probe report: why memory ran out, by what was recorded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocctl/opt.h"
#include "allocctl/platform.h"
#include "allocctl/print.h"
#include "allocctl/safe.h"
#include "folder.h"
#include "letter.h"
#include "probe-cmd.h"
#include "write.h"

/* In the order of enum triage_format. */
static const char *const formats[] = { "text", "json", "markdown", NULL };

/* What was put on the command line. */
struct request {
	char **path; /* owned, each too */
	size_t count;
	bool write, explain;
	int format;
};

/* The newest that nobody has read about, of a folder, of NULL the chosen. */
static int find_unseen(char **out, const char *path)
{
	struct folder folder;
	int status = folder_open(&folder, path), length = -1;
	size_t i = 0;

	while (i < folder.count && !entry_is_unseen(&folder.entry[i]))
		i++;
	if (status == STATUS_DONE && i == folder.count) {
		print_error("no unread OOM in '%s'", folder.path);
		status = STATUS_FINDINGS;
	} else if (status == STATUS_DONE) {
		length = asprintf(out, "%s/%s", folder.path,
				  folder.entry[i].name);
		status = length < 0 ? print_no_memory() : STATUS_DONE;
	}
	folder_close(&folder);
	return status;
}

static int take(struct request *request, const char *operand)
{
	char *path = NULL;
	int status = STATUS_DONE;

	if (!operand || platform_is_folder(operand))
		status = find_unseen(&path, operand);
	else if (!(path = strdup(operand)))
		status = print_no_memory();
	if (status == STATUS_DONE)
		request->path[request->count++] = path;
	return status;
}

/* Those who may write there have read it. */
static void see(const struct letter *letter)
{
	char folder[PATH_MAX];
	const char *name;
	size_t i;
	int fd;

	for (i = 0; i < letter->count; i++) {
		name = safe_split(folder, letter->file[i].path);
		fd = name && access(letter->file[i].path, W_OK) == 0 &&
				     access(folder, W_OK) == 0 ?
			     safe_folder(folder) :
			     -1;
		if (fd < 0)
			continue;
		stamp_see(fd, name,
			  la_probe_header(letter->file[i].probe)->ooms);
		close(fd);
	}
}

static int print_report(const struct request *request)
{
	struct letter letter;
	int status = letter_open(&letter, (const char *const *)request->path,
				 request->count, NULL, request->explain);

	if (status == STATUS_DONE)
		status = letter_print(&letter, request->format);
	if (status == STATUS_DONE) {
		status = triage_status(&letter.triage);
		see(&letter);
	}
	letter_close(&letter);
	return status;
}

static int write_reports(const struct request *request)
{
	struct written written;
	int status = STATUS_DONE, code;
	size_t i;

	for (i = 0; i < request->count; i++) {
		code = write_report(&written, request->path[i], NULL);
		if (code == STATUS_DONE) {
			print_escaped(written.path);
			putchar('\n');
		}
		status = status > code ? status : code;
	}
	return status;
}

static int serve(struct request *request, int nr, char **argv)
{
	int i, status = STATUS_DONE;

	request->path = calloc((size_t)nr + 1, sizeof(*request->path));
	if (!request->path)
		return print_no_memory();
	if (!nr)
		status = take(request, NULL);
	for (i = 0; i < nr && status == STATUS_DONE; i++)
		status = take(request, argv[1 + i]);
	if (status == STATUS_DONE)
		status = request->write ? write_reports(request) :
					  print_report(request);
	while (request->count)
		free(request->path[--request->count]);
	free(request->path);
	return status;
}

static int report_run(int argc, char **argv)
{
	struct request request = { 0 };
	const struct opt opts[] = {
		{ OPT_CHOICE, "format", &request.format, "FORMAT",
		  "text (default), json, or markdown, nothing private",
		  formats },
		{ OPT_FLAG, "explain", &request.explain, NULL,
		  "all facts, the whole ledger, all margins", NULL },
		{ OPT_FLAG, "write", &request.write, NULL,
		  "write NAME.report.txt and .json beside each file", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "report [FILE|DIR]... [OPTIONS]",
		.about = "Say why memory ran out, by recordings; of a folder, "
			 "by the newest of an OOM that\nnobody has read about. "
			 "Status 1 if there was no OOM, 3 if none is "
			 "explained.",
		.opts = opts,
		.examples = "  cupti-probe report\n"
			    "  cupti-probe report node7.4711.*.cpr --explain",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr == OPT_HELP)
		return STATUS_DONE;
	return nr < 0 ? STATUS_USAGE : serve(&request, nr, argv);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "say why memory ran out",
	.run = report_run,
};
