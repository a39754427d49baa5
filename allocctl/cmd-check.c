// SPDX-License-Identifier: Apache-2.0
/* allocctl check: what torch makes of a setting. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assignment.h"
#include "check.h"
#include "cmd.h"
#include "json-lines.h"
#include "opt.h"
#include "platform.h"
#include "print.h"
#include "torch-find.h"

const char *const check_set_at_names[] = { "import", "init", "runtime", NULL };

/* In the order of enum check_format. */
static const char *const formats[] = { "text", "json", "gcc", "sarif", NULL };

/* In the order of enum la_build. */
static const char *const builds[] = { "cuda", "rocm", "cpu", NULL };

/* In the order of enum la_platform. */
static const char *const platforms[] = { "linux", "wsl", "windows", NULL };

/* As given; -1 and NULL: not given. */
struct arguments {
	int set_at, format, build, platform;
	const char *torch, *python, *policy;
	bool json_lines, repair;
};

struct check {
	struct check_options options;
	bool all; /* releases */
	bool repair; /* print what is to be used, and nothing else */
	struct la_policy *policy; /* owned */
	char path[PATH_MAX]; /* of the current folder */
};

static int print_answer(const struct check_answer *answer, struct check *check)
{
	struct check_options *options = &check->options;
	size_t violations = 0;

	if (answer->policy)
		la_policy_violations(answer->policy, &violations);
	switch (options->format) {
	case CHECK_TEXT:
		check_print_text(answer, options);
		break;
	case CHECK_JSON:
		check_print_json(answer, options);
		break;
	case CHECK_GCC:
		check_print_gcc(answer);
		break;
	case CHECK_SARIF:
		check_sarif_add(&options->sarif, answer);
		break;
	}
	return violations || la_setting_check_refusal(answer->check) ?
		       STATUS_FINDINGS :
		       STATUS_DONE;
}

static int check_release(const struct check_source *source, struct check *check)
{
	struct check_options *options = &check->options;
	struct check_answer answer = { .source = source };
	struct la_policy_result *policy = NULL;
	struct la_setting_check *found;
	int code, status;

	code = la_setting_check_new(&found, source->text, source->length,
				    &options->context);
	if (!code && options->policy) {
		options->subject.variable = source->variable;
		code = la_policy_check(&policy, options->policy, source->text,
				       source->length, &options->context,
				       &options->subject);
		if (code < 0)
			la_setting_check_free(found);
	}
	if (code < 0)
		return print_no_memory();
	answer.check = found;
	answer.policy = policy;
	if (source->variable)
		answer.unread = la_setting_variable_unread(source->variable,
							   &options->context);
	status = print_answer(&answer, check);
	la_policy_result_free(policy);
	la_setting_check_free(found);
	return status;
}

/* Why a setting is not the one to use, in one line. */
static int report_violation(const struct check_source *source,
			    const struct check *check, const char *instead)
{
	const struct la_policy_violation *violation;
	struct la_policy_result *result;
	size_t count;

	if (la_policy_check(&result, check->policy, source->text,
			    source->length, &check->options.context,
			    &check->options.subject) < 0)
		return print_no_memory();
	violation = la_policy_violations(result, &count);
	if (instead)
		print_error("'%.*s' becomes '%s': %s", (int)source->length,
			    source->text, instead, violation->text);
	else
		print_error("'%.*s' stays: %s", (int)source->length,
			    source->text, violation->text);
	la_policy_result_free(result);
	return instead ? STATUS_DONE : STATUS_FINDINGS;
}

static int repair(const struct check_source *source, struct check *check)
{
	struct check_options *options = &check->options;
	char *instead = NULL;
	int code = 0, status = STATUS_DONE;

	options->subject.variable = source->variable;
	if (check->policy)
		code = la_policy_repair(&instead, check->policy, source->text,
					source->length, &options->context,
					&options->subject);
	if (code < 0 && code != -ENOENT)
		return print_no_memory();
	if (code)
		status = report_violation(source, check, instead);
	if (instead)
		puts(instead);
	else
		printf("%.*s\n", (int)source->length, source->text);
	free(instead);
	return status;
}

/* A setting, or a line that sets the variable. */
static int check_line(struct check *check, const char *text, size_t length,
		      const char *file, size_t line)
{
	struct assignment assignment = assignment_read(text, length);
	const struct check_source source = {
		.text = text + assignment.start,
		.length = assignment.end - assignment.start,
		.file = file,
		.line = line,
		.column = print_characters(text, assignment.start),
		.variable = *assignment.name ? assignment.name : NULL,
	};

	if (check->repair)
		return repair(&source, check);
	return check->all ? check_all_releases(&source, &check->options) :
			    check_release(&source, check);
}

static int check_json_line(void *arg, const char *text, size_t length)
{
	const struct check_source source = {
		.text = text,
		.length = length,
		.file = "<stdin>",
		.line = 1,
	};

	return check_release(&source, arg);
}

static void separate(const struct check *check, bool *started)
{
	if (*started && check->options.format == CHECK_TEXT && !check->repair)
		putchar('\n');
	*started = true;
}

static int check_stdin(struct check *check, bool *started)
{
	int status, worst = STATUS_DONE;
	size_t capacity = 0, number = 0;
	char *line = NULL;
	ssize_t length;

	while ((length = getline(&line, &capacity, stdin)) >= 0) {
		number++;
		length -= length && line[length - 1] == '\n';
		if (strspn(line, " \t\r") >= (size_t)length)
			continue;
		separate(check, started);
		status = check_line(check, line, (size_t)length, "<stdin>",
				    number);
		worst = status > worst ? status : worst;
	}
	free(line);
	if (!ferror(stdin))
		return worst;
	print_error("cannot read standard input: %s", strerror(errno));
	return STATUS_CANNOT_TELL;
}

static int check_operands(struct check *check, int nr, char **operands)
{
	int i, status, worst = STATUS_DONE;
	bool started = false;

	if (check->options.format == CHECK_SARIF)
		check_sarif_begin(&check->options.sarif);
	for (i = 0; i < nr; i++) {
		if (!strcmp(operands[i], "-")) {
			status = check_stdin(check, &started);
		} else {
			separate(check, &started);
			status = check_line(check, operands[i],
					    strlen(operands[i]), "<argument>",
					    (size_t)i + 1);
		}
		worst = status > worst ? status : worst;
	}
	if (check->options.format == CHECK_SARIF)
		check_sarif_end(&check->options.sarif);
	return worst;
}

static int use_release(struct check *check, const char *text)
{
	struct la_error err;
	int code =
		la_release_parse(&check->options.context.release, text, &err);

	if (code < 0) {
		print_error("--torch: %s", err.text);
		return STATUS_USAGE;
	}
	if (code)
		print_error("torch %s is newer than any that is known: taken "
			    "as the newest of them",
			    text);
	return STATUS_DONE;
}

static int use_found(struct check *check, const struct arguments *arguments)
{
	struct torch_found found;
	int status = torch_find(&found, arguments->python);

	if (status != STATUS_DONE)
		return status;
	check->options.context.release = found.release;
	if (arguments->build < 0)
		check->options.context.build = found.build;
	if (found.newer)
		print_error("torch %s is newer than any that is known: taken "
			    "as the newest of them",
			    found.version);
	if (check->options.format == CHECK_TEXT && !check->repair)
		printf("torch %s, %s build, of %s\n\n", found.version,
		       builds[check->options.context.build], found.path);
	return STATUS_DONE;
}

static int find_release(struct check *check, const struct arguments *arguments)
{
	const struct la_release *release;
	int status = STATUS_DONE;
	size_t i;

	check->options.context.release = LA_RELEASE(2, 11);
	if (arguments->torch && !strcmp(arguments->torch, "all"))
		check->all = true;
	else if (arguments->python ||
		 (arguments->torch && !strcmp(arguments->torch, "auto")))
		status = use_found(check, arguments);
	else if (arguments->torch)
		status = use_release(check, arguments->torch);
	for (i = 0; (release = la_release_at(i)); i++)
		if (release->number == check->options.context.release)
			check->options.release = release->name;
	return status;
}

/* The one that is asked for, or the site's if it has one. */
static int read_policy(struct check *check, const struct arguments *arguments)
{
	const char *path = arguments->policy;
	struct la_policy_subject *subject = &check->options.subject;
	struct la_error err;

	if (!path && !arguments->json_lines && !access(LA_POLICY_PATH, F_OK))
		path = LA_POLICY_PATH;
	if (!path || !strcmp(path, "none") || check->all)
		return STATUS_DONE;
	if (la_policy_read(&check->policy, path, &err) < 0) {
		print_error("cannot read '%s': %s", path, err.text);
		return STATUS_CANNOT_TELL;
	}
	if (!subject->user)
		subject->user = platform_user();
	if (!subject->path && getcwd(check->path, sizeof(check->path)))
		subject->path = check->path;
	check->options.policy = check->policy;
	check->options.policy_path = path;
	return STATUS_DONE;
}

static int refuse_usage(const char *text)
{
	print_error("%s", text);
	return STATUS_USAGE;
}

static int check_arguments(const struct arguments *arguments, int nr)
{
	const char *torch = arguments->torch;

	if (arguments->json_lines == (nr > 0)) {
		print_error("check wants settings or --json-lines, %s",
			    nr ? "not both" : "and got neither");
		return STATUS_USAGE;
	}
	if (arguments->repair &&
	    (arguments->json_lines || arguments->format != CHECK_TEXT ||
	     (torch && !strcmp(torch, "all"))))
		return refuse_usage("--repair prints settings alone, for one "
				    "release");
	if (arguments->python && torch && strcmp(torch, "auto"))
		return refuse_usage("--python goes with --torch auto");
	if (!torch || strcmp(torch, "all"))
		return STATUS_DONE;
	if (arguments->json_lines || arguments->format > CHECK_JSON)
		return refuse_usage("--torch all is told as text or json");
	if (arguments->policy && strcmp(arguments->policy, "none"))
		return refuse_usage("--torch all and --policy exclude each "
				    "other");
	return STATUS_DONE;
}

static int check_with(struct check *check, const struct arguments *arguments,
		      int nr, char **operands)
{
	struct check_options *options = &check->options;
	int status = check_arguments(arguments, nr);

	options->format =
		arguments->json_lines ? CHECK_JSON : arguments->format;
	options->json_lines = arguments->json_lines;
	check->repair = arguments->repair;
	options->context.set_at = arguments->set_at;
	options->context.platform = arguments->platform;
	if (arguments->platform < 0)
		options->context.platform = platform_here();
	if (arguments->build >= 0)
		options->context.build = arguments->build;
	if (status == STATUS_DONE)
		status = find_release(check, arguments);
	if (status == STATUS_DONE)
		status = read_policy(check, arguments);
	if (status == STATUS_DONE && arguments->json_lines)
		status = json_lines_read(stdin, check_json_line, check);
	else if (status == STATUS_DONE)
		status = check_operands(check, nr, operands);
	la_policy_free(check->policy);
	return status;
}

static int check_run(int argc, char **argv)
{
	struct arguments arguments = { .build = -1, .platform = -1 };
	struct check check = { 0 };
	struct la_policy_subject *subject = &check.options.subject;
	const struct opt opts[] = {
		{ OPT_STRING, "torch", &arguments.torch, "RELEASE",
		  "2.11 (default), another, all, or auto: that found here",
		  NULL },
		{ OPT_STRING, "python", &arguments.python, "PATH",
		  "find the torch of this python or environment", NULL },
		{ OPT_CHOICE, "set-at", &arguments.set_at, "WHEN",
		  "import (default), init or runtime: when torch sees it",
		  check_set_at_names },
		{ OPT_CHOICE, "build", &arguments.build, "KIND",
		  "what torch is built for: cuda (default), rocm or cpu",
		  builds },
		{ OPT_CHOICE, "platform", &arguments.platform, "NAME",
		  "linux, wsl or windows (default: this one)", platforms },
		{ OPT_STRING, "policy", &arguments.policy, "FILE",
		  "what the site wants; default " LA_POLICY_PATH, NULL },
		{ OPT_STRING, "user", &subject->user, "NAME",
		  "who it is for, where the policy makes exemptions", NULL },
		{ OPT_STRING, "path", &subject->path, "PATH",
		  "the program that it is for, likewise", NULL },
		{ OPT_FLAG, "repair", &arguments.repair, NULL,
		  "print what to use by the policy, nothing else", NULL },
		{ OPT_CHOICE, "format", &arguments.format, "FORMAT",
		  "text (default), json, gcc or sarif", formats },
		{ OPT_FLAG, "json-lines", &arguments.json_lines, NULL,
		  "read JSON strings, one a line, from standard input", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "check SETTING... | check - | check --json-lines",
		.about =
			"What torch makes of PYTORCH_CUDA_ALLOC_CONF: its values "
			"or its error, what it\nmisreads, and what was meant. "
			"Reads lines for -. Status 1 if one is invalid.",
		.opts = opts,
		.examples =
			"  allocctl check max_split_size_mb:128MB\n"
			"  allocctl check --torch all expandable_segments=True\n"
			"  allocctl check --torch auto "
			"'export PYTORCH_ALLOC_CONF=backend:native'",
	};
	int nr = opt_parse(argc, argv, &spec);

	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	return check_with(&check, &arguments, nr, argv + 1);
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "say what torch makes of a setting",
	.run = check_run,
};
