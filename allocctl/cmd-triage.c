// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: why memory ran out, and what would have helped. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "platform.h"
#include "print.h"
#include "setting.h"
#include "triage.h"

enum { MOST_JOBS = 1024 };

/* In the order of enum triage_format. */
static const char *const formats[] = { "text", "json", "markdown", NULL };

static int read_release(struct triage *triage)
{
	const char *torch = triage->request->torch;
	struct la_error err;
	int code;

	if (!torch)
		return STATUS_DONE;
	code = la_release_parse(&triage->known.release, torch, &err);
	if (code < 0)
		print_error("--torch: %s", err.text);
	if (code > 0)
		print_error("warning: torch %s is not known yet; as the "
			    "newest that is", torch);
	return code < 0 ? STATUS_USAGE : STATUS_DONE;
}

static int read_setting(const struct triage *triage)
{
	unsigned int release = triage->known.release;
	struct la_setting *setting;

	if (!triage->request->setting)
		return STATUS_DONE;
	if (setting_read(&setting, triage->request->setting,
			 release ? release : LA_RELEASE(2, 11)) != STATUS_DONE)
		return STATUS_USAGE;
	la_setting_free(setting);
	return STATUS_DONE;
}

static int read_sizes(struct triage *triage)
{
	const struct triage_request *request = triage->request;

	if (request->limit &&
	    !opt_size("limit", request->limit, &triage->known.limit))
		return STATUS_USAGE;
	if (request->card &&
	    !opt_size("card", request->card, &triage->known.card))
		return STATUS_USAGE;
	return STATUS_DONE;
}

static int read_language(struct triage *triage)
{
	int language = triage_language(triage->request->lang);

	if (language < 0) {
		print_error("--lang wants en or zh, not '%s'",
			    triage->request->lang);
		return STATUS_USAGE;
	}
	triage->language = (enum la_language)language;
	return STATUS_DONE;
}

static int read_options(struct triage *triage)
{
	int status = read_language(triage);

	if (status == STATUS_DONE)
		status = read_release(triage);
	if (status == STATUS_DONE)
		status = read_setting(triage);
	if (status == STATUS_DONE)
		status = read_sizes(triage);
	return status;
}

static int print(const struct triage *triage)
{
	switch (triage->request->format) {
	case TRIAGE_TEXT:
		return triage_print_text(triage);
	case TRIAGE_JSON:
		triage_print_json(triage);
		return STATUS_DONE;
	default:
		return triage_print_markdown(triage);
	}
}

static int serve(const struct triage_request *request)
{
	struct triage triage = { .request = request };
	int status = read_options(&triage), printed;

	if (status == STATUS_DONE)
		status = triage_gather(&triage);
	if (status == STATUS_DONE)
		status = triage_judge(&triage);
	if (status == STATUS_DONE) {
		printed = print(&triage);
		status = printed == STATUS_DONE ? triage_status(&triage) :
						  printed;
	} else if (status == STATUS_CANNOT_TELL &&
		   request->format == TRIAGE_JSON) {
		puts("null");
	}
	triage_release(&triage);
	return status;
}

static int check_and_serve(struct triage_request *request, int nr, char **argv)
{
	static const char *const standard_input = "-";
	bool piped = !nr && !request->cores.nr && !isatty(STDIN_FILENO);
	int status = STATUS_USAGE;

	if (opt_list_operands(&request->files, nr, argv) < 0)
		return print_no_memory();
	if (piped)
		request->files.item[request->files.nr++] = standard_input;
	if (!request->jobs || request->jobs > MOST_JOBS)
		print_error("--jobs wants 1 to %d", MOST_JOBS);
	else if (!request->files.nr && !request->cores.nr)
		print_error("triage wants a FILE, or a log on standard input");
	else
		status = serve(request);
	opt_list_release(&request->files);
	return status;
}

static int parse(int argc, char **argv, struct triage_request *request)
{
	const struct opt opts[] = {
		{ OPT_STRING, "limit", &request->limit, "SIZE",
		  "the cap in bytes, where messages and recordings lack it",
		  NULL },
		{ OPT_STRING, "card", &request->card, "SIZE",
		  "bytes of the card, or a GPU's name, likewise", NULL },
		{ OPT_STRING, "setting", &request->setting, "SETTING",
		  "that was in force when it failed", NULL },
		{ OPT_STRING, "torch", &request->torch, "RELEASE",
		  "that failed (default: what the files tell)", NULL },
		{ OPT_NUMBER, "device", &request->device, "N",
		  "of recordings (default: all)", NULL },
		{ OPT_LIST, "try", &request->tries, "SETTING",
		  "would this have helped? may be given again", NULL },
		{ OPT_FLAG, "tune", &request->tune, NULL,
		  "search for a setting that helps, too", NULL },
		{ OPT_STRING, "program", &request->program, "FILE",
		  "recording of the same program without a limit", NULL },
		{ OPT_LIST, "core", &request->cores, "FILE",
		  "core file, or latest: of systemd's store", NULL },
		{ OPT_FLAG, "partial", &request->partial, NULL,
		  "use what a truncated recording gives", NULL },
		{ OPT_NUMBER, "jobs", &request->jobs, "N",
		  "threads (default: all cores)", NULL },
		{ OPT_FLAG, "explain", &request->explain, NULL,
		  "all facts, the whole ledger, all margins", NULL },
		{ OPT_CHOICE, "format", &request->format, "FORMAT",
		  "text (default), json, or markdown, nothing private",
		  formats },
		{ OPT_CHOICE, "shell", &request->shell, "SHELL",
		  "to write lines for: bash (default), cmd or powershell",
		  triage_shell_names },
		{ OPT_STRING, "lang", &request->lang, "LANGUAGE",
		  "en or zh (default: of the environment)", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "triage [FILE...|-] [OPTIONS]",
		.about = "Say why memory ran out, how sure that is, and what "
			 "would have helped, of logs,\nsnapshots and cores. "
			 "Status 1 if there was no OOM, 3 if none is "
			 "explained.",
		.opts = opts,
		.examples = "  allocctl triage train.log oom.pickle --try "
			    "max_split_size_mb:128",
	};

	return opt_parse(argc, argv, &spec);
}

static int triage_run(int argc, char **argv)
{
	unsigned int cores = platform_cores();
	struct triage_request request = {
		.device = SOURCE_MAIN_DEVICE,
		.jobs = cores < MOST_JOBS ? cores : MOST_JOBS,
	};
	int nr = parse(argc, argv, &request), status = STATUS_USAGE;

	if (nr == OPT_HELP)
		status = STATUS_DONE;
	else if (nr >= 0)
		status = check_and_serve(&request, nr, argv);
	opt_list_release(&request.tries);
	opt_list_release(&request.cores);
	return status;
}

const struct cmd cmd_triage = {
	.name = "triage",
	.summary = "say why memory ran out, and what would have helped",
	.run = triage_run,
};
