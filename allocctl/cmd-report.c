// SPDX-License-Identifier: Apache-2.0
/* allocctl report: recordings to look at, in a page. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/report/asked.h"
#include "allocctl/report/page.h"
#include "cmd.h"
#include "output.h"
#include "report.h"

/* The names of the files, without their folders. */
static char *make_title(const struct opt_list *files)
{
	struct la_strbuf title = { 0 };
	const char *slash;
	size_t i;

	for (i = 0; i < files->nr; i++) {
		slash = strrchr(files->item[i], '/');
		la_strbuf_addf(&title, "%s%s", i ? ", " : "",
			       slash ? slash + 1 : files->item[i]);
	}
	return title.data;
}

static int write_text(const struct asked_request *request, const char *out,
		      const struct la_strbuf *text)
{
	struct output output;
	int status = STATUS_CANNOT_TELL;

	if (output_open(&output, out, request->files.item[0],
			request->force)) {
		if (fwrite(text->data, 1, text->length, output.file) !=
		    text->length)
			report_error("cannot write '%s'", out);
		else if (output_commit(&output))
			status = STATUS_DONE;
	}
	output_close(&output);
	return status;
}

static int write_page(const struct asked *asked, const char *out)
{
	char *title = make_title(&asked->request->files);
	const struct page page = {
		.title = title,
		.view = asked->view,
		.view_count = asked->view_count,
		.triage = asked->judged[JUDGED_TRIAGE],
		.tune = asked->judged[JUDGED_TUNE],
		.is_large = asked->is_large,
	};
	struct la_strbuf text = { 0 };
	struct la_error err = { .text = "out of memory" };
	int status = STATUS_CANNOT_TELL;

	if (!title || page_add(&text, &page, &err) < 0 || text.failed)
		report_error("cannot write '%s': %s", out, err.text);
	else
		status = write_text(asked->request, out, &text);
	la_strbuf_release(&text);
	free(title);
	return status;
}

/* Beside the first file, unless it is said where. */
static char *choose_out(const struct asked_request *request)
{
	char *out;

	if (request->out)
		return strdup(request->out);
	if (asprintf(&out, "%s.html", request->files.item[0]) < 0)
		return NULL;
	return out;
}

static int serve(const struct asked_request *request)
{
	char *out = choose_out(request);
	struct asked asked;
	int status;

	if (!out)
		return report_no_memory();
	status = asked_read(&asked, request);
	if (status == STATUS_DONE)
		status = write_page(&asked, out);
	asked_release(&asked);
	free(out);
	return status;
}

static int check_and_serve(struct asked_request *request, int nr, char **argv)
{
	int i, status = STATUS_USAGE;

	request->files.item = calloc((size_t)nr + 1, sizeof(*argv));
	if (!request->files.item)
		return report_no_memory();
	for (i = 0; i < nr; i++)
		request->files.item[request->files.nr++] = argv[i + 1];
	if (!nr)
		report_error("report wants a FILE");
	else if (!request->out && !strcmp(argv[1], "-"))
		report_error("of standard input: say --output OUT");
	else
		status = serve(request);
	opt_list_release(&request->files);
	return status;
}

static int parse(int argc, char **argv, struct asked_request *request)
{
	const struct opt opts[] = {
		{ OPT_STRING, "output", &request->out, "OUT",
		  "or -o: where to (default: FILE.html); - is stdout", NULL },
		{ OPT_FLAG, "force", &request->force, NULL,
		  "replace OUT if it is there", NULL },
		{ OPT_LIST, "setting", &request->settings, "SETTING",
		  "replay this beside it; may be given again", NULL },
		{ OPT_STRING, "limit", &request->limit, "SIZE",
		  "... under this cap, none, or auto: the recorded", NULL },
		{ OPT_STRING, "card", &request->card, "SIZE",
		  "... on a card of so much, or a GPU's name", NULL },
		{ OPT_STRING, "torch", &request->torch, "VERSION",
		  "... by the rules of this release", NULL },
		{ OPT_NUMBER, "device", &request->device, "N",
		  "device (default: the one with most events)", NULL },
		{ OPT_NUMBER, "at", &request->at, "EVENT",
		  "map before this event (default: the last OOM, or peak)",
		  NULL },
		{ OPT_FLAG, "no-tune", &request->no_tune, NULL,
		  "do not search for settings", NULL },
		{ OPT_FLAG, "partial", &request->partial, NULL,
		  "use what a truncated file gives", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "report FILE... [OPTIONS]",
		.about = "Write one page to look at: memory over time, what "
			 "lies where, verdict and settings.\nFILEs are "
			 "snapshots, logs, or JSON of triage and tune.",
		.opts = opts,
		.examples = "  allocctl report oom.pickle -o report.html\n"
			    "  allocctl report oom.pickle --setting "
			    "expandable_segments:True",
	};

	return opt_parse(argc, argv, &spec);
}

static int report_run(int argc, char **argv)
{
	struct asked_request request = {
		.device = SOURCE_MAIN_DEVICE,
		.at = VIEW_AT_WORST,
	};
	int nr = parse(argc, argv, &request), status = STATUS_USAGE;

	if (nr == OPT_HELP)
		status = STATUS_DONE;
	else if (nr >= 0)
		status = check_and_serve(&request, nr, argv);
	opt_list_release(&request.settings);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "show a recording in a page: time, map, verdict",
	.run = report_run,
};
