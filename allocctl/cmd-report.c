// SPDX-License-Identifier: Apache-2.0
/* allocctl report: recordings to look at, in a page. */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/report/asked.h"
#include "allocctl/report/page.h"
#include "allocctl/report/pictures.h"
#include "cmd.h"
#include "output.h"
#include "platform.h"
#include "print.h"

/* The file that OUT would replace, or the first one. */
static const char *find_input(const struct opt_list *files, const char *out)
{
	size_t i = files->nr;

	while (i-- > 1)
		if (platform_is_same(out, files->item[i]))
			break;
	return files->item[i];
}

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
		print_error("cannot write '%s': %s", out, err.text);
	else
		status = output_text(out,
				     find_input(&asked->request->files, out),
				     asked->request->force, &text);
	la_strbuf_release(&text);
	free(title);
	return status;
}

/* In the order of enum format. */
static const char *const formats[] = { "html", "svg", NULL };
enum format { FORMAT_HTML, FORMAT_SVG };

static struct picture_source source_of(const struct asked *asked, size_t number)
{
	return (struct picture_source){
		.view = asked->view_count ? &asked->view[number] : NULL,
		.tune = asked->judged[JUDGED_TUNE],
	};
}

/* PICTURE_COUNT: of none. */
static int no_picture(enum picture picture)
{
	static const char *const lacks[PICTURE_COUNT] = {
		[PICTURE_TIMELINE] = "there is no recording",
		[PICTURE_MAP] = "there is no recording",
		[PICTURE_HOLES] = "there is no recording",
		[PICTURE_SETTINGS] = "no settings were searched",
		[PICTURE_HOLDERS] = "no stacks were recorded",
	};

	if (picture == PICTURE_COUNT)
		print_error("nothing to draw: there is no recording; allocctl "
			    "triage says in words why memory ran out");
	else
		print_error("no picture of %s: %s", picture_names[picture],
			    lacks[picture]);
	return STATUS_CANNOT_TELL;
}

/* Of several views the last one, which is what was asked for beside the
 * recording. */
static int write_svg(const struct asked *asked, const char *out)
{
	enum picture picture = (enum picture)asked->request->plot;
	size_t last = asked->view_count ? asked->view_count - 1 : 0;
	const struct picture_source source = source_of(asked, last);
	struct la_strbuf text = { 0 };
	int code = picture_svg(&text, picture, &source), status;

	if (code < 0 || text.failed)
		status = print_no_memory();
	else if (!code)
		status = no_picture(picture);
	else
		status = output_text(out,
				     find_input(&asked->request->files, out),
				     asked->request->force, &text);
	la_strbuf_release(&text);
	return status;
}

/* Print a picture below the last one; as picture_term(). */
static int print_picture(enum picture picture,
			 const struct picture_source *source, bool is_first)
{
	struct plot_terminal terminal;
	struct la_strbuf text = { 0 };
	int code;

	plot_terminal_init(&terminal);
	code = picture_term(&text, picture, source, &terminal);
	if (text.failed)
		code = -ENOMEM;
	if (code > 0)
		printf("%s%s", is_first ? "" : "\n", la_strbuf_text(&text));
	la_strbuf_release(&text);
	return code;
}

static int print_view(const struct asked *asked, size_t number)
{
	const struct picture_source source = source_of(asked, number);
	int wanted = asked->request->plot, picture, code = 0, drawn = 0;

	for (picture = 0; picture < PICTURE_COUNT && code >= 0; picture++) {
		if (wanted != PICTURE_COUNT && wanted != picture)
			continue;
		code = print_picture((enum picture)picture, &source, !drawn);
		drawn += code > 0;
	}
	if (code < 0)
		return print_no_memory();
	return drawn ? STATUS_DONE : no_picture((enum picture)wanted);
}

/* Each view under its name, if there are several. */
static int print_pictures(const struct asked *asked)
{
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; (i < asked->view_count || !i) && status == STATUS_DONE;
	     i++) {
		if (asked->view_count > 1) {
			printf("%s", i ? "\n" : "");
			print_escaped(asked->view[i].name);
			puts("\n");
		}
		status = print_view(asked, i);
	}
	return status;
}

/* Beside the first file, unless it is said where. */
static char *choose_out(const struct asked_request *request)
{
	const char *file = request->files.item[0];
	char *out;
	int length;

	if (request->out)
		return strdup(request->out);
	length = request->format == FORMAT_SVG ?
			 asprintf(&out, "%s.%s.svg", file,
				  picture_names[request->plot]) :
			 asprintf(&out, "%s.html", file);
	return length < 0 ? NULL : out;
}

static int serve(const struct asked_request *request)
{
	char *out = choose_out(request);
	struct asked asked;
	int status;

	if (!out)
		return print_no_memory();
	status = asked_read(&asked, request);
	if (status == STATUS_DONE)
		status = request->term ? print_pictures(&asked) :
			 request->format == FORMAT_SVG ?
					 write_svg(&asked, out) :
					 write_page(&asked, out);
	asked_release(&asked);
	free(out);
	return status;
}

/* False after a message. */
static bool is_usable(const struct asked_request *request)
{
	const struct opt_list *files = &request->files;
	const char *wrong = NULL;

	if (!files->nr)
		wrong = "report wants a FILE";
	else if (request->term && (request->out || request->force ||
				   request->format != FORMAT_HTML))
		wrong = "--term goes without -o, --force and --format";
	else if (!request->term && request->format == FORMAT_SVG &&
		 request->plot == PICTURE_COUNT)
		wrong = "--format svg wants --plot, as one file is one "
			"picture: timeline, map, holes, settings or holders";
	else if (!request->term && request->format == FORMAT_HTML &&
		 request->plot != PICTURE_COUNT)
		wrong = "--plot goes with --format svg or --term";
	else if (!request->term && !request->out &&
		 !strcmp(files->item[0], "-"))
		wrong = "of standard input: say -o OUT";
	if (wrong)
		print_error("%s", wrong);
	return !wrong;
}

static int check_and_serve(struct asked_request *request, int nr, char **argv)
{
	int status = STATUS_USAGE;

	if (opt_list_operands(&request->files, nr, argv) < 0)
		return print_no_memory();
	if (is_usable(request))
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
		{ OPT_CHOICE, "format", &request->format, "FORMAT",
		  "html (default), or svg: the one picture of --plot",
		  formats },
		{ OPT_CHOICE, "plot", &request->plot, "PLOT",
		  "timeline, map, holes, settings or holders",
		  picture_names },
		{ OPT_FLAG, "term", &request->term, NULL,
		  "draw in the terminal instead: all, or that of --plot",
		  NULL },
		{ OPT_FLAG, "no-tune", &request->no_tune, NULL,
		  "do not search for settings", NULL },
		{ OPT_FLAG, "partial", &request->partial, NULL,
		  "use what a truncated file gives", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "report FILE... [OPTIONS]",
		.about = "Write one page: memory over time, what lies where, "
			 "verdict, settings.\nFILEs are "
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
		.plot = PICTURE_COUNT,
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
