// SPDX-License-Identifier: Apache-2.0
/* allocctl set --apply and --undo: the file of a target, edited. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "platform.h"
#include "report.h"
#include "set.h"
#include "util/util.h"

/* What stands for a path's first part, where a variable says otherwise. */
static const struct {
	const char *start, *variable;
} homes[] = {
	{ "~/.config", "XDG_CONFIG_HOME" },
	{ "~/.z", "ZDOTDIR" },
	{ "~", "HOME" },
};

static bool expand(char *path, const char *name)
{
	const char *home, *rest;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(homes); i++) {
		home = getenv(homes[i].variable);
		if (strncmp(name, homes[i].start, strlen(homes[i].start)) ||
		    !home || *home != '/')
			continue;
		rest = name + strlen(homes[i].start);
		if (!strcmp(homes[i].variable, "ZDOTDIR"))
			rest -= strlen("/.z");
		return snprintf(path, PATH_MAX, "%s%s", home, rest) < PATH_MAX;
	}
	return *name == '/' && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
}

bool set_path(char *path, const struct set_request *request,
	      const struct set_target *target)
{
	const char *name =
		request->persist == SET_SYSTEM ? target->system : target->user;

	if (request->path)
		return snprintf(path, PATH_MAX, "%s", request->path) < PATH_MAX;
	if (!name || !expand(path, name))
		return false;
	/* Where there is no ~/.tcshrc the other is read, and only then. */
	if (!strcmp(name, "~/.tcshrc") && !platform_is_there(path))
		return expand(path, "~/.cshrc");
	return true;
}

/* The parent may be a shell; SHELL is that of the user's logins. */
const char *set_calling_shell(void)
{
	char path[64], *newline;
	static char name[32];
	const char *shell;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)getppid());
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file)) {
		newline = strchr(name, '\n');
		if (newline)
			*newline = '\0';
	}
	if (file)
		fclose(file);
	if (set_target_find(name))
		return name;
	shell = getenv("SHELL");
	shell = shell && strrchr(shell, '/') ? strrchr(shell, '/') + 1 : shell;
	return shell && set_target_find(shell) ? shell : "bash";
}

/* The last place of the text that sets the variable: does it give the value
 * that is ours?  0 or a line of the text that says something else. */
static size_t line_that_wins(const struct set_request *request,
			     const struct set_target *target,
			     const struct set_edit *edit)
{
	const char *const watched[] = { request->variable, NULL };
	const struct la_script_options options = { .kind = target->kind,
						   .watched = watched };
	const struct la_script_assignment *found;
	struct la_script *script;
	size_t count, line = 0;

	if (la_script_read(&script, la_strbuf_text(&edit->text),
			   edit->text.length, &options, NULL) < 0)
		return 0;
	found = la_script_assignments(script, &count);
	if (count && found[count - 1].line > edit->last_line &&
	    !(found[count - 1].value &&
	      !strcmp(found[count - 1].value, request->setting)))
		line = found[count - 1].line;
	la_script_free(script);
	return line;
}

static int write_edit(const struct set_request *request,
		      const struct set_file *file, const struct set_edit *edit)
{
	int status = STATUS_DONE;

	if (edit->text.length == file->length && file->exists &&
	    !memcmp(la_strbuf_text(&edit->text), file->text, file->length)) {
		printf("%s: nothing to change\n", file->path);
		return STATUS_DONE;
	}
	if (edit->empty)
		status = set_file_remove(file);
	else if (request->undo || edit->had_block)
		status = set_file_replace(file, la_strbuf_text(&edit->text),
					  edit->text.length);
	else {
		status = set_file_backup(file);
		if (status == STATUS_DONE)
			status = set_file_replace(file,
						  la_strbuf_text(&edit->text),
						  edit->text.length);
	}
	if (status != STATUS_DONE)
		return status;
	if (request->undo) {
		set_file_drop_backup(file, la_strbuf_text(&edit->text),
				     edit->text.length);
		printf("%s: as it was\n", file->path);
		return STATUS_DONE;
	}
	printf("%s:%zu: sets %s\n", file->path, edit->line, request->variable);
	if (file->exists && !edit->had_block)
		printf("as it was: %s.allocctl-backup\n", file->path);
	return STATUS_DONE;
}

static int edit_file(const struct set_request *request,
		     const struct set_target *target, const char *lines,
		     const struct set_file *file)
{
	const struct set_block block = { target, request->variable, lines };
	struct set_edit edit = { 0 };
	int status = STATUS_DONE, code;
	size_t other = 0;

	code = set_block_edit(&edit, &block, file->text, file->length,
			      !file->exists);
	if (code == -EBADMSG) {
		report_error("'%s' is not changed: the marks of allocctl set "
			     "in it do not match",
			     file->path);
		status = STATUS_CANNOT_TELL;
	} else if (code < 0) {
		status = report_no_memory();
	} else if (lines) {
		other = line_that_wins(request, target, &edit);
	}
	if (other && !request->force) {
		report_error("'%s' is not changed: a later line would win, the "
			     "one that would be line %zu (--force sets it all "
			     "the same)",
			     file->path, other);
		status = STATUS_FINDINGS;
	}
	if (status == STATUS_DONE)
		status = write_edit(request, file, &edit);
	la_strbuf_release(&edit.text);
	return status;
}

int set_apply(const struct set_request *request,
	      const struct set_target *target, const char *lines)
{
	struct set_file file;
	char path[PATH_MAX];
	int status;

	if (!target->comment) {
		report_error("files for %s are not edited: put the line in",
			     target->name);
		return STATUS_FINDINGS;
	}
	if (!set_path(path, request, target)) {
		report_error("%s has no file for that: name one with --file",
			     target->name);
		return STATUS_USAGE;
	}
	status = set_file_open(&file, path, request->force);
	if (status == STATUS_DONE)
		status = edit_file(request, target, lines, &file);
	set_file_close(&file);
	return status;
}
