// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/cmd.h"
#include "allocctl/file.h"
#include "allocctl/platform.h"
#include "allocctl/print.h"
#include "allocctl/replay.h"
#include "allocctl/tune.h"
#include "asked.h"

enum {
	HEAD = 256, /* bytes that tell whether a file is our JSON */
	MOST_VIEWS = 4
};

/* Did triage or tune write it? */
static bool is_json(const char *path)
{
	char head[HEAD + 1] = "";
	FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
	size_t size = file ? fread(head, 1, HEAD, file) : 0;

	if (file)
		fclose(file);
	head[size] = '\0';
	return head[strspn(head, " \t\r\n")] == '{' &&
	       (strstr(head, "\"allocctl.triage/") ||
		strstr(head, "\"allocctl.tune/"));
}

static int take_judged(struct asked *asked, struct judged *judged,
		       const char *path)
{
	enum judged_kind kind = judged_kind(judged);

	if (kind != JUDGED_KINDS && !asked->judged[kind]) {
		asked->judged[kind] = judged;
		return STATUS_DONE;
	}
	judged_free(judged);
	print_error(kind == JUDGED_KINDS ?
			    "cannot read '%s': its schema is not known" :
			    "'%s' is the second of its kind: a page has one",
		    path);
	return STATUS_USAGE;
}

static int read_json(struct asked *asked, const char *path)
{
	struct la_error err;
	struct judged *judged;
	size_t size;
	char *text;

	if (file_read(&text, &size, path, &err) < 0) {
		print_error("cannot read '%s': %s", path, err.text);
		return STATUS_CANNOT_TELL;
	}
	judged = judged_read(text, size, path);
	free(text);
	return judged ? take_judged(asked, judged, path) : STATUS_CANNOT_TELL;
}

/* JSON is read at once; the rest is triage's. */
static int sort_files(struct asked *asked)
{
	const struct opt_list *files = &asked->request->files;
	struct opt_list *rest = &asked->triage_request.files;
	int status = STATUS_DONE;
	size_t i;

	rest->item = calloc(files->nr + 1, sizeof(*rest->item));
	if (!rest->item)
		return print_no_memory();
	for (i = 0; i < files->nr && status == STATUS_DONE; i++) {
		if (is_json(files->item[i]))
			status = read_json(asked, files->item[i]);
		else
			rest->item[rest->nr++] = files->item[i];
	}
	return status;
}

static int keep_judged(struct asked *asked, enum judged_kind kind,
		       const struct la_strbuf *text)
{
	if (text->failed)
		return print_no_memory();
	asked->judged[kind] = judged_read(text->data, text->length, NULL);
	return asked->judged[kind] ? STATUS_DONE : STATUS_CANNOT_TELL;
}

/* What triage says, unless a file does. */
static int judge(struct asked *asked)
{
	struct la_strbuf text = { 0 };
	struct la_json json;
	int status = triage_judge(&asked->triage);

	if (status != STATUS_DONE || asked->judged[JUDGED_TRIAGE] ||
	    !judged_is_built())
		return status;
	la_json_init(&json, la_json_to_strbuf, &text);
	triage_json(&json, &asked->triage);
	status = keep_judged(asked, JUDGED_TRIAGE, &text);
	la_strbuf_release(&text);
	return status;
}

static int read_files(struct asked *asked)
{
	const struct asked_request *request = asked->request;
	unsigned int cores = platform_cores();
	int status;

	asked->triage_request.device = request->device;
	asked->triage_request.partial = request->partial;
	asked->triage_request.jobs = cores;
	asked->triage.request = &asked->triage_request;
	asked->triage.language = LA_LANGUAGE_ENGLISH;
	status = sort_files(asked);
	if (status != STATUS_DONE || !asked->triage_request.files.nr)
		return status;
	status = triage_gather(&asked->triage);
	return status == STATUS_DONE ? judge(asked) : status;
}

/* Events that no rule explains can be shown all the same. */
static void open_program(struct source *source)
{
	if (source->program || !source_has_history(source) ||
	    la_program_new(&source->program, source->recording,
			   (unsigned int)source->device, NULL, NULL) < 0)
		return;
	source->info = la_program_info(source->program);
}

/* The device of a recording that is shown? */
static bool is_shown(const struct asked *asked, const struct source *source)
{
	return asked->request->device != SOURCE_MAIN_DEVICE ||
	       source->device == la_recording_main_device(source->recording);
}

static int add_view(struct asked *asked, const struct view_request *request)
{
	int status;

	if (asked->view_count == MOST_VIEWS) {
		print_error("a page shows at most %d recordings and settings",
			    MOST_VIEWS);
		return STATUS_USAGE;
	}
	status = view_open(&asked->view[asked->view_count], request);
	if (status == STATUS_DONE)
		asked->view_count++;
	else
		view_close(&asked->view[asked->view_count]);
	return status;
}

static int add_recorded(struct asked *asked)
{
	struct view_request request = { .at = asked->request->at };
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; i < asked->triage.source_count && status == STATUS_DONE;
	     i++) {
		struct source *source = asked->triage.source[i];

		if (!is_shown(asked, source))
			continue;
		open_program(source);
		request.source = source;
		status = add_view(asked, &request);
	}
	return status;
}

/* A log may tell of no failure; what JSON tells is shown whatever it is. */
static int check_found(const struct asked *asked)
{
	if (asked->view_count || asked->triage.count ||
	    asked->triage_request.files.nr < asked->request->files.nr)
		return STATUS_DONE;
	print_error("nothing to show: there is neither a recording nor a "
		    "message of memory that ran out");
	return STATUS_CANNOT_TELL;
}

/* What --limit, --card and --torch say, as for allocctl replay. */
static int read_question(const struct asked *asked, struct question *question)
{
	const struct replay_options options = {
		.limit = asked->request->limit,
		.card = asked->request->card,
		.torch = asked->request->torch,
		.release.every = RELEASE_NOT_EVERY,
	};
	struct replay_known known = { 0 };
	int status = replay_read_options(&options, &known, question);

	replay_known_release(&known);
	return status;
}

static int add_replays(struct asked *asked, const struct question *question)
{
	const struct opt_list *settings = &asked->request->settings;
	struct view_request request = {
		.source = asked->view[0].request.source,
		.limit = question->limit_given ? &question->limit : NULL,
		.torch = question->torch,
		.at = VIEW_AT_WORST,
		.replay = true,
	};
	int status = source_check_program(request.source);
	size_t i;

	if (status == STATUS_DONE && !settings->nr)
		return add_view(asked, &request);
	for (i = 0; i < settings->nr && status == STATUS_DONE; i++) {
		request.setting = settings->item[i];
		status = add_view(asked, &request);
	}
	return status;
}

static int compare(struct asked *asked)
{
	struct question question = { 0 };
	int status = read_question(asked, &question);

	if (status != STATUS_DONE ||
	    !(asked->request->settings.nr || question.limit_given ||
	      question.torch))
		return status;
	if (asked->view_count == 1 && asked->view[0].request.source->program)
		return add_replays(asked, &question);
	print_error("--setting, --limit, --card and --torch want one "
		    "recording with a history");
	return STATUS_USAGE;
}

/* Search for settings, and keep what the report of tune says. */
static int search(struct asked *asked, const struct source *source)
{
	const struct tune_request request = {
		.files = { .item = (const char *[]){ source->path }, .nr = 1 },
		.settings = asked->request->settings,
		.card = asked->request->card,
		.limit = asked->request->limit,
		.torch = asked->request->torch,
		.device = source->device,
		.partial = asked->request->partial,
		.empty_cache.every = RELEASE_NOT_EVERY,
	};
	const struct tune_work work = { 0 };
	struct tune tune = { .request = &request };
	struct la_strbuf text = { 0 };
	struct la_json json;
	int status = tune_find(&tune, &work);

	if (status == STATUS_DONE) {
		la_json_init(&json, la_json_to_strbuf, &text);
		tune_json(&json, &tune);
		status = keep_judged(asked, JUDGED_TUNE, &text);
	}
	la_strbuf_release(&text);
	tune_release(&tune);
	return status;
}

/* Where there is one program to search for, and not for too long. */
static int tune(struct asked *asked)
{
	const struct source *source;

	if (asked->request->no_tune || asked->judged[JUDGED_TUNE] ||
	    !judged_is_built() || !asked->view_count)
		return STATUS_DONE;
	source = asked->view[0].request.source;
	if (asked->triage_request.files.nr != 1 || !source->program ||
	    !strcmp(source->path, "-") || !source_is_understood(source) ||
	    !source_has_requests(source))
		return STATUS_DONE;
	asked->is_large = source->info->event_count > ASKED_TUNE_EVENTS;
	return asked->is_large ? STATUS_DONE : search(asked, source);
}

int asked_read(struct asked *asked, const struct asked_request *request)
{
	int status;

	*asked = (struct asked){
		.request = request,
		.view = calloc(MOST_VIEWS, sizeof(*asked->view)),
	};
	if (!asked->view)
		return print_no_memory();
	status = read_files(asked);
	if (status == STATUS_DONE)
		status = add_recorded(asked);
	if (status == STATUS_DONE)
		status = check_found(asked);
	if (status == STATUS_DONE)
		status = compare(asked);
	return status == STATUS_DONE ? tune(asked) : status;
}

void asked_release(struct asked *asked)
{
	int kind;

	while (asked->view_count)
		view_close(&asked->view[--asked->view_count]);
	free(asked->view);
	for (kind = 0; kind < JUDGED_KINDS; kind++)
		judged_free(asked->judged[kind]);
	triage_release(&asked->triage);
	opt_list_release(&asked->triage_request.files);
}
