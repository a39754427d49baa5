// SPDX-License-Identifier: Apache-2.0
/* allocctl set: the line that sets it, and that line in its place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "file.h"
#include "opt.h"
#include "print.h"
#include "set.h"
#include "util/util.h"

static const char default_variable[] = "PYTORCH_CUDA_ALLOC_CONF";

/* In the order of enum set_persist. */
static const char *const persists[] = { "session", "user", "system", NULL };

/* What torch does with a value that it refuses is no use to anybody. */
static int check_setting(const struct set_request *request)
{
	static const char *const of_torch[] = { "PYTORCH_CUDA_ALLOC_CONF",
						"PYTORCH_HIP_ALLOC_CONF",
						"PYTORCH_ALLOC_CONF" };
	struct la_setting_context context = { .release = LA_RELEASE(2, 11) };
	struct la_setting_check *check;
	const struct la_setting_refusal *refusal;
	const char *correction, *unread;
	struct la_error err;
	int status = STATUS_DONE;
	size_t i;

	if (request->torch &&
	    la_release_parse(&context.release, request->torch, &err) < 0) {
		print_error("--torch: %s", err.text);
		return STATUS_USAGE;
	}
	for (i = 0; i < ARRAY_SIZE(of_torch); i++)
		if (!strcmp(request->variable, of_torch[i]))
			break;
	if (i == ARRAY_SIZE(of_torch) || request->force)
		return STATUS_DONE;
	context.build = i == 1 ? LA_BUILD_ROCM : LA_BUILD_CUDA;
	unread = la_setting_variable_unread(request->variable, &context);
	if (unread) {
		print_error("%s: %s (--force sets it)", request->variable,
			    unread);
		return STATUS_FINDINGS;
	}
	if (la_setting_check_new(&check, request->setting,
				 strlen(request->setting), &context) < 0)
		return print_no_memory();
	refusal = la_setting_check_refusal(check);
	correction = la_setting_check_correction(check);
	if (refusal && correction && *correction)
		print_error("torch refuses it: %s; did you mean '%s'? "
			    "(--force sets it)",
			    refusal->text, correction);
	else if (refusal)
		print_error("torch refuses it: %s (--force sets it)",
			    refusal->text);
	if (refusal)
		status = STATUS_FINDINGS;
	la_setting_check_free(check);
	return status;
}

/* By --shell, by the file, or by who called. */
static const struct set_target *find_target(const struct set_request *request)
{
	const struct set_target *target;
	struct la_strbuf names = { 0 };
	enum la_script_kind kind;
	struct la_error err;
	char *text = NULL;
	size_t length = 0;

	if (!request->shell && request->path) {
		file_read(&text, &length, request->path, &err);
		target = NULL;
		if (!la_script_kind_guess(&kind, request->path,
					  text ? text : "", length))
			target = set_target_of_kind(kind);
		free(text);
		if (!target)
			print_error("cannot tell what '%s' is: use --shell",
				    request->path);
		return target;
	}
	target = set_target_find(request->shell ? request->shell :
						  set_calling_shell());
	if (target)
		return target;
	set_target_names(&names);
	print_error("--shell: no '%s'; there are %s", request->shell,
		    la_strbuf_text(&names));
	la_strbuf_release(&names);
	return NULL;
}

/* The line, to be freed; NULL after a message. */
static char *make_line(const struct set_request *request,
		       const struct set_target *target)
{
	char *line, *whole;
	struct la_error err;

	if (la_script_write(target->kind, request->variable, request->setting,
			    &line, &err) < 0) {
		print_error("%s", err.text);
		return NULL;
	}
	if (!target->before)
		return line;
	whole = set_target_wrap(target, line);
	free(line);
	if (!whole)
		print_no_memory();
	return whole;
}

/* As a word of a shell. */
static void print_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+:@";
	char *line;

	if (*text && !text[strspn(text, plain)]) {
		fputs(text, stdout);
	} else if (!la_script_write(LA_SCRIPT_BASH, "x", text, &line, NULL)) {
		fputs(line + strlen("export x="), stdout);
		free(line);
	}
}

/* Where it is not the one that is meant without it. */
static void print_variable(const struct set_request *request)
{
	if (strcmp(request->variable, default_variable))
		printf(" --variable %s", request->variable);
}

static void print_notes(const struct set_request *request,
			const struct set_target *target)
{
	char path[PATH_MAX];

	printf("restart:  %s\n", target->restart);
	if (target->check) {
		fputs("check:    allocctl verify ", stdout);
		print_word(request->setting);
		print_variable(request);
		printf(" %s\n", target->check);
	}
	if (request->apply && set_path(path, request, target)) {
		printf("undo:     allocctl set --undo --shell %s",
		       target->name);
		print_variable(request);
		fputs(" --file ", stdout);
		print_word(path);
		putchar('\n');
	}
	/* That backend has no snapshot. */
	puts(strstr(request->setting, "cudaMallocAsync") ?
		     "in torch: torch.cuda.get_allocator_backend()" :
		     "in torch: torch.cuda.memory._snapshot()"
		     "[\"allocator_settings\"]");
}

static void print_line(const struct set_request *request,
		       const struct set_target *target, const char *line)
{
	char path[PATH_MAX];

	puts(line);
	printf("\nwhere:    %s\n", target->where);
	if (request->persist != SET_SESSION && set_path(path, request, target))
		printf("file:     %s (--apply puts it in)\n", path);
	print_notes(request, target);
}

static int check_arguments(const struct set_request *request, int nr)
{
	if (nr != !request->undo) {
		print_error(request->undo ? "--undo takes no setting" :
					    "set wants one setting");
		return STATUS_USAGE;
	}
	if (request->undo && request->apply) {
		print_error("--apply and --undo exclude each other");
		return STATUS_USAGE;
	}
	if (request->persist == SET_SESSION && request->apply) {
		print_error("the session is the shell's own: run the line "
			    "that is printed without --apply");
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

static int set_with(struct set_request *request, int nr)
{
	const struct set_target *target;
	int status;
	char *line;

	if (request->persist < 0)
		request->persist = request->apply || request->undo ?
					   SET_USER :
					   SET_SESSION;
	if (!request->variable)
		request->variable = default_variable;
	status = check_arguments(request, nr);
	if (status != STATUS_DONE)
		return status;
	target = find_target(request);
	if (!target)
		return STATUS_USAGE;
	if (request->undo)
		return set_apply(request, target, NULL);
	status = check_setting(request);
	if (status != STATUS_DONE)
		return status;
	if (request->persist != SET_SESSION && !request->apply)
		status = set_check_place(request, target);
	if (status != STATUS_DONE)
		return status;
	line = make_line(request, target);
	if (!line)
		return STATUS_FINDINGS;
	if (request->apply) {
		status = set_apply(request, target, line);
		if (status == STATUS_DONE)
			print_notes(request, target);
	} else {
		print_line(request, target, line);
	}
	free(line);
	return status;
}

static int set_run(int argc, char **argv)
{
	struct set_request request = { .persist = -1 };
	const struct opt opts[] = {
		{ OPT_STRING, "shell", &request.shell, "NAME",
		  "who reads the line (default: the shell that calls)", NULL },
		{ OPT_STRING, "variable", &request.variable, "NAME",
		  "the variable (default PYTORCH_CUDA_ALLOC_CONF)", NULL },
		{ OPT_CHOICE, "persist", &request.persist, "HOW",
		  "for this session, user or system", persists },
		{ OPT_STRING, "file", &request.path, "PATH",
		  "the file, in place of the one that --persist finds", NULL },
		{ OPT_FLAG, "apply", &request.apply, NULL,
		  "put the line there, which --undo takes out again", NULL },
		{ OPT_FLAG, "undo", &request.undo, NULL,
		  "take it out: every other byte stays", NULL },
		{ OPT_STRING, "torch", &request.torch, "RELEASE",
		  "the release that reads it (default 2.11)", NULL },
		{ OPT_FLAG, "force", &request.force, NULL,
		  "also what torch refuses, or a later line undoes", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "set SETTING [--apply] | set --undo",
		.about = "The line that gives programs a setting, for a shell, "
			 "Dockerfile, unit, batch\nscript ..., what to restart "
			 "and how to check. With --apply it is put where it\n"
			 "belongs. A setting that torch refuses is refused.",
		.opts = opts,
		.examples =
			"  allocctl set expandable_segments:True\n"
			"  allocctl set max_split_size_mb:256 --shell slurm\n"
			"  allocctl set backend:native --shell bash --persist "
			"user --apply",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	request.setting = argv[1];
	return set_with(&request, nr);
}

const struct cmd cmd_set = {
	.name = "set",
	.summary = "write a setting where it belongs",
	.run = set_run,
};
