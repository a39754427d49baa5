// SPDX-License-Identifier: Apache-2.0
/* allocctl verify: does a setting reach a program? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "file.h"
#include "platform.h"
#include "print.h"
#include "util/array.h"
#include "util/utf8.h"
#include "util/util.h"
#include "verify.h"

enum verify_os { OS_LINUX, OS_WINDOWS };

static const char *const systems[] = { "linux", "windows", NULL };

/* Line and column of a byte of the text. */
static void locate(const struct verify *verify, uint64_t offset, size_t *line,
		   size_t *column)
{
	const char *at = verify->text, *end = at + offset, *newline;

	for (*line = 1; (newline = memchr(at, '\n', end - at)); ++*line)
		at = newline + 1;
	*column = print_characters(at, end - at) + 1;
}

void verify_say(struct verify *verify, struct verify_list *list, int code,
		const char *kind, const char *text, uint64_t offset,
		uint64_t length)
{
	struct verify_said *said;

	if (grow_array(&list->said, &list->room, list->count,
		       sizeof(*list->said))) {
		verify->failed = true;
		return;
	}
	said = &list->said[list->count++];
	*said = (struct verify_said){ .code = code,
				      .kind = kind,
				      .text = strdup(text),
				      .offset = offset,
				      .length = length };
	locate(verify, offset, &said->line, &said->column);
	if (!said->text)
		verify->failed = true;
}

struct verify_place *verify_add(struct verify *verify, const char *variable,
				const char *value, enum la_script_fate fate,
				uint64_t offset, uint64_t length)
{
	struct verify_place *place;

	if (grow_array(&verify->place, &verify->room, verify->count,
		       sizeof(*verify->place))) {
		verify->failed = true;
		return NULL;
	}
	place = &verify->place[verify->count++];
	*place = (struct verify_place){ .variable = strdup(variable),
					.value = value ? strdup(value) : NULL,
					.fate = fate,
					.offset = offset,
					.length = length };
	locate(verify, offset, &place->line, &place->column);
	if (!place->variable || (value && !place->value))
		verify->failed = true;
	return place;
}

static void take_said(struct verify *verify, struct verify_list *list,
		      const struct la_script_diagnostic *said, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		verify_say(verify, list, (int)said[i].code, said[i].kind,
			   said[i].text, said[i].offset, said[i].length);
}

static void take_script(struct verify *verify, const struct la_script *script)
{
	const struct la_script_assignment *found;
	const struct la_script_diagnostic *said;
	struct verify_place *place;
	size_t count, i;

	found = la_script_assignments(script, &count);
	for (i = 0; i < count; i++) {
		place = verify_add(verify, found[i].variable, found[i].value,
				   found[i].fate, found[i].offset,
				   found[i].length);
		if (place)
			take_said(verify, &place->list, found[i].diagnostics,
				  found[i].diagnostic_count);
	}
	said = la_script_diagnostics(script, &count);
	take_said(verify, &verify->list, said, count);
}

/* STATUS_DONE, or another status after a message. */
static int read_script(struct verify *verify)
{
	const struct verify_request *request = &verify->request;
	const char *const watched[] = { request->variable, NULL };
	const struct la_script_options options = {
		.kind = verify->kind,
		.platform = verify->context.platform,
		.watched = request->variable ? watched : NULL,
	};
	struct la_script *script;
	struct la_error err;
	int code = la_script_read(&script, verify->text, verify->length,
				  &options, &err);

	if (code == -EBADMSG) {
		verify->unread = true;
		verify_say(verify, &verify->list, LA_SCRIPT_SYNTAX,
			   "wrong_language_or_broken_paste", err.text,
			   err.offset > verify->length ? 0 : err.offset, 0);
		return STATUS_DONE;
	}
	if (code == -ENOMEM)
		return print_no_memory();
	if (code < 0) {
		print_error("cannot read '%s': %s", request->path, err.text);
		return STATUS_CANNOT_TELL;
	}
	take_script(verify, script);
	la_script_free(script);
	return STATUS_DONE;
}

/* Where the kind that was given or found is read, and values are used. */
static void choose_system(struct verify *verify)
{
	int os = verify->request.os;

	if (os < 0 && (verify->kind == LA_SCRIPT_CMD ||
		       verify->kind == LA_SCRIPT_CMD_PROMPT ||
		       verify->kind == LA_SCRIPT_POWERSHELL))
		os = OS_WINDOWS;
	if (os == OS_WINDOWS)
		verify->context.platform = LA_PLATFORM_WINDOWS;
	else if (os == OS_LINUX || platform_here() == LA_PLATFORM_WINDOWS)
		verify->context.platform = LA_PLATFORM_LINUX;
	else
		verify->context.platform = platform_here();
}

static int find_kind(struct verify *verify)
{
	const struct verify_request *request = &verify->request;
	const char *path = strcmp(request->path, "-") ? request->path : NULL;

	if (request->kind) {
		if (!la_script_kind_parse(&verify->kind, request->kind))
			return STATUS_DONE;
		print_error("--kind: no such kind '%s'", request->kind);
		return STATUS_USAGE;
	}
	if (!la_script_kind_guess(&verify->kind, path, verify->text,
				  verify->length))
		return STATUS_DONE;
	if (verify_recognise(verify))
		return STATUS_DONE;
	print_error("cannot tell what '%s' is: use --kind", request->path);
	return STATUS_USAGE;
}

static int verify_script(struct verify *verify)
{
	struct la_error err;
	int status;
	size_t i;

	if (file_read(&verify->text, &verify->length, verify->request.path,
		      &err) < 0) {
		print_error("cannot read '%s': %s", verify->request.path,
			    err.text);
		return STATUS_CANNOT_TELL;
	}
	status = find_kind(verify);
	if (status == STATUS_DONE)
		choose_system(verify);
	if (status == STATUS_DONE && !verify->alone)
		status = read_script(verify);
	if (status == STATUS_DONE && !verify->alone && !verify->count)
		verify_recognise(verify);
	for (i = 0; status == STATUS_DONE && i < verify->count; i++) {
		verify_value(verify, &verify->place[i]);
		verify_cure(verify, &verify->place[i]);
	}
	return status;
}

bool verify_is_late(const struct verify_place *place)
{
	size_t i;

	for (i = 0; i < place->list.count; i++)
		if (place->list.said[i].code == LA_SCRIPT_TOO_LATE)
			return true;
	return false;
}

static int status_of_script(const struct verify *verify)
{
	const struct verify_place *last;

	if (verify->unread)
		return STATUS_CANNOT_TELL;
	if (!verify->count)
		return STATUS_FINDINGS;
	last = &verify->place[verify->count - 1];
	if (last->fate == LA_SCRIPT_UNKNOWN)
		return STATUS_CANNOT_TELL;
	if (last->fate != LA_SCRIPT_ARRIVES || !last->value ||
	    verify_is_late(last))
		return STATUS_FINDINGS;
	if (verify->request.wanted)
		return strcmp(last->value, verify->request.wanted) ?
			       STATUS_FINDINGS :
			       STATUS_DONE;
	return last->refused ? STATUS_FINDINGS : STATUS_DONE;
}

/* Does what was wanted arrive?  A status. */
static int verify_status(const struct verify *verify)
{
	int status = STATUS_DONE;
	size_t i;

	if (verify->request.path)
		status = status_of_script(verify);
	for (i = 0; i < verify->request.shells.nr; i++) {
		if (verify->shell[i].trouble)
			return STATUS_CANNOT_TELL;
		if (!verify->shell[i].arrives && status == STATUS_DONE)
			status = STATUS_FINDINGS;
	}
	return status;
}

static int use_release(struct verify *verify)
{
	const char *torch = verify->request.torch;
	struct la_error err;

	verify->context.release = LA_RELEASE(2, 11);
	if (!torch ||
	    la_release_parse(&verify->context.release, torch, &err) >= 0)
		return STATUS_DONE;
	print_error("--torch: %s", err.text);
	return STATUS_USAGE;
}

static int verify_with(struct verify *verify)
{
	const struct verify_request *request = &verify->request;
	int status = use_release(verify);

	if (status == STATUS_DONE && !request->path && !request->shells.nr) {
		print_error("verify wants --script FILE or --shell NAME");
		return STATUS_USAGE;
	}
	if (status == STATUS_DONE && request->path)
		status = verify_script(verify);
	if (status == STATUS_DONE && request->shells.nr) {
		verify->shell =
			calloc(request->shells.nr, sizeof(*verify->shell));
		if (!verify->shell)
			return print_no_memory();
		verify_shells(verify);
	}
	if (verify->failed)
		return print_no_memory();
	if (status != STATUS_DONE)
		return status;
	if (request->format == PRINT_JSON)
		verify_print_json(verify);
	else
		verify_print_text(verify);
	return verify_status(verify);
}

static void free_list(struct verify_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->said[i].text);
	free(list->said);
}

static void release(struct verify *verify)
{
	size_t i;

	for (i = 0; i < verify->count; i++) {
		free(verify->place[i].variable);
		free(verify->place[i].value);
		free(verify->place[i].cure);
		free_list(&verify->place[i].list);
	}
	for (i = 0; verify->shell && i < verify->request.shells.nr; i++) {
		free(verify->shell[i].version);
		free(verify->shell[i].value);
	}
	free_list(&verify->list);
	free(verify->place);
	free(verify->shell);
	free(verify->text);
	opt_list_release(&verify->request.shells);
}

/* --script without a file says how a shell is started. */
static bool take_script_flag(int *argc, char **argv)
{
	int i, j;

	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--script") ||
		    (i + 1 < *argc && strncmp(argv[i + 1], "--", 2)))
			continue;
		for (j = i; j < *argc; j++)
			argv[j] = argv[j + 1];
		--*argc;
		return true;
	}
	return false;
}

static int check_operands(struct verify *verify, int nr, char **operands,
			  const bool start[])
{
	if (nr > 1) {
		print_error("verify wants one setting, got %d", nr);
		return STATUS_USAGE;
	}
	if (start[VERIFY_LOGIN] + start[VERIFY_INTERACTIVE] +
		    start[VERIFY_NEITHER] >
	    1) {
		print_error("--login, --interactive and --script exclude "
			    "each other");
		return STATUS_USAGE;
	}
	verify->request.wanted = nr ? operands[0] : NULL;
	verify->request.start = start[VERIFY_LOGIN]	  ? VERIFY_LOGIN :
				start[VERIFY_INTERACTIVE] ? VERIFY_INTERACTIVE :
				start[VERIFY_NEITHER] || !nr ? VERIFY_NEITHER :
							       VERIFY_LINE;
	return STATUS_DONE;
}

static int verify_run(int argc, char **argv)
{
	struct verify verify = { .request.os = -1 };
	struct verify_request *request = &verify.request;
	bool start[VERIFY_NEITHER + 1] = { false };
	const struct opt opts[] = {
		{ OPT_STRING, "script", &request->path, "FILE",
		  "say what it gives its programs; -: standard input", NULL },
		{ OPT_STRING, "kind", &request->kind, "KIND",
		  "what the file is: bash, cmd, dockerfile, slurm ...", NULL },
		{ OPT_STRING, "variable", &request->variable, "NAME",
		  "look for this one (default: those of torch)", NULL },
		{ OPT_LIST, "shell", &request->shells, "NAME",
		  "run this shell and its startup files, and ask a child",
		  NULL },
		{ OPT_FLAG, "login", &start[VERIFY_LOGIN], NULL,
		  "with --shell: what the startup files of a login give",
		  NULL },
		{ OPT_FLAG, "interactive", &start[VERIFY_INTERACTIVE], NULL,
		  "with --shell: what those of a terminal give", NULL },
		{ OPT_STRING, "torch", &request->torch, "RELEASE",
		  "the release that reads it (default 2.11)", NULL },
		{ OPT_CHOICE, "os", &request->os, "NAME",
		  "where it runs (default windows for cmd and powershell)",
		  systems },
		{ OPT_CHOICE, "format", &request->format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "verify [SETTING] --script FILE | "
			 "verify [SETTING] --shell NAME",
		.about = "Whether a setting reaches a program: what a script, "
			 "unit, Dockerfile or\nnotebook gives its programs, "
			 "read but not run; or, with --shell, what a real\n"
			 "shell and the user's startup files give.  Status 0: "
			 "it arrives, 1: it does\nnot, 3: cannot tell.",
		.opts = opts,
		.examples =
			"  allocctl verify --script train.sh\n"
			"  allocctl verify --script - --kind powershell\n"
			"  allocctl verify expandable_segments:True --shell "
			"bash --login",
	};
	int nr, status;

	start[VERIFY_NEITHER] = take_script_flag(&argc, argv);
	nr = opt_parse(argc, argv, &spec);
	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	status = check_operands(&verify, nr, argv + 1, start);
	if (status == STATUS_DONE)
		status = verify_with(&verify);
	release(&verify);
	return status;
}

const struct cmd cmd_verify = {
	.name = "verify",
	.summary = "say whether a setting reaches a program",
	.run = verify_run,
};
