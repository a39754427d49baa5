// SPDX-License-Identifier: Apache-2.0
/* cupti-probe info: what is recorded here, or in a file. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocctl/opt.h"
#include "allocctl/print.h"
#include "info.h"
#include "keep.h"
#include "letter.h"
#include "letter-file.h"
#include "probe-cmd.h"
#include "util/size.h"

/* A variable that the probe reads. */
struct variable {
	const char *name, *takes, *by_default, *help;
};

static const struct variable variables[] = {
#define PROBE_VARIABLE(id, name, takes, by_default, help) \
	{ name, takes, by_default, help },
#include "cupti-probe/inject/core/variables.inc"
};

/* What is set, or what is taken if nothing is. */
static const char *size_in_force(void)
{
	static const char name[] = "CUPTI_PROBE_SIZE";
	const char *value = getenv(name);
	size_t i = 0;

	if (value && *value)
		return value;
	while (strcmp(variables[i].name, name) != 0)
		i++;
	return variables[i].by_default;
}

static void print_variables(void)
{
	const struct variable *v;
	const char *value;
	size_t i;

	printf("\nvariables:\n");
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		v = &variables[i];
		value = getenv(v->name);
		printf("  %-22s %s; default: ", v->name, v->takes);
		puts(v->by_default);
		print_wrapped(4, v->help);
		if (!value)
			continue;
		fputs("    set to: ", stdout);
		print_escaped(value);
		putchar('\n');
	}
}

static uint64_t used(const struct folder *folder)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < folder->count; i++)
		sum += folder->entry[i].size;
	return sum;
}

static void print_folder(const struct folder *folder)
{
	char size[LA_SIZE_TEXT], most[LA_SIZE_TEXT];

	fputs("folder      ", stdout);
	print_escaped(folder->path);
	puts(folder->fd < 0 ? " (not there yet)" : "");
	printf("recordings  %zu, %s of %s\n", folder->count,
	       la_size_format(size, used(folder)),
	       la_size_format(most, keep_most(folder)));
	fputs("a process   ", stdout);
	print_escaped(size_in_force());
	puts(" at most");
}

static void json_variables(struct la_json *json)
{
	size_t i;

	la_json_key(json, "variables");
	la_json_array_begin(json);
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		la_json_object_begin(json);
		la_json_member_text(json, "name", variables[i].name);
		la_json_member_text(json, "value", getenv(variables[i].name));
		la_json_member_text(json, "takes", variables[i].takes);
		la_json_member_text(json, "default", variables[i].by_default);
		la_json_member_text(json, "help", variables[i].help);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_folder(const struct folder *folder)
{
	struct la_json json;
	uint64_t size = 0;
	bool known = la_size_parse(size_in_force(), &size, NULL) == 0;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "cupti-probe.info/1");
	la_json_member_text(&json, "folder", folder->path);
	la_json_member_bool(&json, "there", folder->fd >= 0);
	la_json_member_uint(&json, "recordings", folder->count);
	la_json_member_uint(&json, "used", used(folder));
	la_json_member_uint(&json, "most", keep_most(folder));
	la_json_member_known_uint(&json, "process_most", known, size);
	json_variables(&json);
	la_json_object_end(&json);
	putchar('\n');
}

static int here(int format)
{
	char *path[FOLDER_CANDIDATES];
	size_t count = folder_candidates(path), i;
	struct folder folder = { .fd = -1 };
	int status = STATUS_DONE;

	if (count && access(path[0], F_OK) == 0)
		status = folder_open(&folder, path[0]);
	else
		folder.path = strdup(count ? path[0] : "none");
	if (status == STATUS_DONE && !folder.path)
		status = print_no_memory();
	if (status == STATUS_DONE && format == PRINT_JSON) {
		json_folder(&folder);
	} else if (status == STATUS_DONE) {
		print_folder(&folder);
		print_variables();
	}
	folder_close(&folder);
	for (i = 0; i < count; i++)
		free(path[i]);
	return status;
}

static int of_file(const char *path, int format)
{
	struct letter_file file = { .path = path };
	struct la_error err = { .text = "" };

	if (la_probe_open(&file.probe, path, &err) < 0) {
		print_error("cannot read '%s': %s", path, err.text);
		return STATUS_CANNOT_TELL;
	}
	ended_of(&file.ended, file.probe);
	if (format == PRINT_JSON)
		info_json(&file);
	else
		info_text(&file);
	la_probe_free(file.probe);
	return STATUS_DONE;
}

static int info_run(int argc, char **argv)
{
	int format = PRINT_TEXT, nr;
	const struct opt opts[] = {
		{ OPT_CHOICE, "format", &format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "info [FILE] [OPTIONS]",
		.about = "Print what a recording is of and what it has; "
			 "without one, where programs record\nto, how much "
			 "that may take, and the variables that the probe "
			 "reads.",
		.opts = opts,
		.examples = "  cupti-probe info\n"
			    "  cupti-probe info node7.4711.*.cpr",
	};

	nr = opt_parse(argc, argv, &spec);
	if (nr == OPT_HELP)
		return STATUS_DONE;
	if (nr > 1)
		print_error("info wants one FILE");
	if (nr < 0 || nr > 1)
		return STATUS_USAGE;
	return nr ? of_file(argv[1], format) : here(format);
}

const struct cmd cmd_info = {
	.name = "info",
	.summary = "print what a recording has, or where they go",
	.run = info_run,
};
