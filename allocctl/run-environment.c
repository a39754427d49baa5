// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocctl/installed.h"
#include "cmd.h"
#include "launch.h"
#include "platform.h"
#include "print.h"
#include "run.h"
#include "util/strbuf.h"

static int set_library(void)
{
	static const char *const place[] = {
		"../lib/liballoc-torch.so",
		MOVED_LIBRARY "/liballoc-torch.so",
		INSTALLED_LIBRARY "/liballoc-torch.so",
		NULL,
	};
	char found[PATH_MAX], path[PATH_MAX];

	if (!launch_find(found, place) || !platform_resolve(path, found)) {
		print_error("cannot find liballoc-torch.so");
		return STATUS_CANNOT_TELL;
	}
	if (setenv("LIBALLOC_TORCH", path, 1) < 0 ||
	    setenv("LIBALLOC_ENABLE", "1", 1) < 0)
		return print_no_memory();
	return STATUS_DONE;
}

static int make_folder(char folder[PATH_MAX])
{
	const char *parent = getenv("TMPDIR");

	if (!parent || !*parent)
		parent = "/tmp";
	snprintf(folder, PATH_MAX, "%s/allocctl-run.XXXXXX", parent);
	if (!strchr(parent, ',') && mkdtemp(folder))
		return STATUS_DONE;
	print_error("cannot make a folder in '%s': %s; set TMPDIR to another",
		    parent,
		    strchr(parent, ',') ? "its name has a comma" :
					  strerror(errno));
	return STATUS_CANNOT_TELL;
}

/* The program may go elsewhere before the file is written. */
static void add_path(struct la_strbuf *text, const char *path)
{
	char here[PATH_MAX];

	la_strbuf_addstr(text, ",record:");
	if (*path != '/' && getcwd(here, sizeof(here)))
		la_strbuf_addf(text, "%s/", here);
	la_strbuf_addstr(text, path);
}

/* On top of what the variable has. */
static int set_options(const struct run_options *options, const char *folder)
{
	const char *before = getenv("LIBALLOC_CONF");
	struct la_strbuf text = { .data = NULL };
	int status = STATUS_DONE;

	la_strbuf_addf(&text, "report:%s", folder);
	if (options->policy >= 0)
		la_strbuf_addf(&text, ",policy:%s",
			       print_policies[options->policy]);
	if (options->limit)
		la_strbuf_addf(&text, ",limit:%" PRIu64, options->limit);
	if (options->record)
		add_path(&text, options->record);
	if (text.failed || !launch_join("LIBALLOC_CONF", before, ',',
					la_strbuf_text(&text)))
		status = print_no_memory();
	la_strbuf_release(&text);
	return status;
}

int run_environment(const struct run_options *options, char folder[PATH_MAX])
{
	int status = STATUS_USAGE;

	if (options->record && strchr(options->record, ','))
		print_error("--record: a comma separates options");
	else
		status = set_library();
	if (status == STATUS_DONE)
		status = launch_set_shim();
	if (status == STATUS_DONE)
		status = make_folder(folder);
	if (status != STATUS_DONE)
		return status;
	status = set_options(options, folder);
	if (status != STATUS_DONE)
		rmdir(folder);
	return status;
}
