// SPDX-License-Identifier: Apache-2.0
/* allocctl set --apply and --undo: the file of a target, edited. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "platform.h"
#include "print.h"
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

static bool gives(const struct la_script_assignment *found, const char *setting)
{
	return found->value && !strcmp(found->value, setting);
}

/* Whether a reader of the text gets the value from the lines that are ours;
 * a status, after a message. */
static int judge_places(const struct set_request *request,
			const struct set_file *file,
			const struct set_edit *edit,
			const struct la_script *script)
{
	const struct la_script_assignment *found, *ours = NULL;
	const char *why = "it would be no line of its own there";
	size_t count, i;

	found = la_script_assignments(script, &count);
	for (i = 0; i < count; i++)
		if (found[i].line >= edit->line &&
		    found[i].line <= edit->last_line)
			ours = &found[i];
	if (count && found[count - 1].line > edit->last_line &&
	    !gives(&found[count - 1], request->setting)) {
		print_error("'%s' is not changed: a later line would win, the "
			    "one that would be line %zu (--force sets it all "
			    "the same)",
			    file->path, found[count - 1].line);
		return STATUS_FINDINGS;
	}
	if (ours && (ours->fate == LA_SCRIPT_UNKNOWN ||
		     gives(ours, request->setting)))
		return STATUS_DONE;
	if (ours && ours->diagnostic_count)
		why = ours->diagnostics[0].text;
	print_error("'%s' is not changed: the line would not act: %s "
		    "(--force puts it in all the same)",
		    file->path, why);
	return STATUS_FINDINGS;
}

static int judge_edit(const struct set_request *request,
		      const struct set_target *target,
		      const struct set_file *file, const struct set_edit *edit)
{
	const char *const watched[] = { request->variable, NULL };
	const struct la_script_options options = { .kind = target->kind,
						   .watched = watched };
	struct la_script *script;
	int status;

	if (la_script_read(&script, la_strbuf_text(&edit->text),
			   edit->text.length, &options, NULL) < 0)
		return STATUS_DONE;
	status = judge_places(request, file, edit, script);
	la_script_free(script);
	return status;
}

/* Are the bytes these lines, but for carriage returns at their ends? */
static bool are_lines(const char *text, size_t length, const char *lines)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] == '\r' && i + 1 < length && text[i + 1] == '\n')
			continue;
		if (*lines ? text[i] != *lines : text[i] != '\n')
			return false;
		lines += *lines != '\0';
	}
	return !*lines;
}

/* Is what is between the marks what we wrote, for whatever value? */
static bool is_ours(const struct set_request *request,
		    const struct set_target *target, const char *text,
		    size_t length)
{
	const char *const watched[] = { request->variable, NULL };
	const struct la_script_options options = { .kind = target->kind,
						   .watched = watched };
	const struct la_script_assignment *found;
	size_t count, head = target->header ? strlen(target->header) : 0;
	struct la_script *script;
	char *line = NULL;
	bool ours = false;

	if (length > head && head && !memcmp(text, target->header, head))
		head += strspn(text + head, "\r\n");
	else if (head)
		return false;
	if (la_script_read(&script, text, length, &options, NULL) < 0)
		return false;
	found = la_script_assignments(script, &count);
	if (count == 1 && found->value &&
	    !la_script_write(target->kind, request->variable, found->value,
			     &line, NULL))
		ours = are_lines(text + head, length - head, line);
	free(line);
	la_script_free(script);
	return ours;
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
		if (status != STATUS_DONE)
			set_file_drop_backup(file, file->text, file->length);
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

/* What is wrong with the edit of a file; a status, after a message. */
static int check_edit(const struct set_request *request,
		      const struct set_target *target, const char *lines,
		      const struct set_file *file, const struct set_edit *edit)
{
	if (request->force)
		return STATUS_DONE;
	if (edit->had_block &&
	    !is_ours(request, target, file->text + edit->old_lines,
		     edit->old_length)) {
		print_error("'%s' is not changed: what is between the marks "
			    "of allocctl set was edited (--force drops it)",
			    file->path);
		return STATUS_CANNOT_TELL;
	}
	return lines ? judge_edit(request, target, file, edit) : STATUS_DONE;
}

static int edit_file(const struct set_request *request,
		     const struct set_target *target, const char *lines,
		     const struct set_file *file)
{
	const struct set_block block = { target, request->variable, lines };
	struct set_edit edit = { 0 };
	int status = STATUS_CANNOT_TELL, code;

	code = set_block_edit(&edit, &block, file->text, file->length,
			      !file->exists);
	if (code == -EBADMSG)
		print_error("'%s' is not changed: the marks of allocctl set "
			    "in it do not match",
			    file->path);
	else if (code == -EINVAL)
		print_error("'%s' is not changed: the setting holds marks of "
			    "allocctl set",
			    file->path);
	else if (code < 0)
		status = print_no_memory();
	else
		status = check_edit(request, target, lines, file, &edit);
	if (status == STATUS_DONE)
		status = write_edit(request, file, &edit);
	la_strbuf_release(&edit.text);
	return status;
}

/* Files of a home that is none, or another user's, are not made. */
static int check_home(const struct set_request *request,
		      const struct set_target *target)
{
	const char *home = getenv("HOME");
	struct stat st;

	if (request->path || request->persist == SET_SYSTEM || !target->user ||
	    *target->user != '~')
		return STATUS_DONE;
	if (!home || *home != '/' || stat(home, &st) || !S_ISDIR(st.st_mode)) {
		print_error("HOME, '%s', is not a folder: name the file with "
			    "--file",
			    home ? home : "");
		return STATUS_CANNOT_TELL;
	}
	if (st.st_uid != geteuid() && !request->force) {
		print_error("HOME, '%s', belongs to another user (number "
			    "%ld): run this as that user (--force edits it "
			    "all the same)",
			    home, (long)st.st_uid);
		return STATUS_CANNOT_TELL;
	}
	return STATUS_DONE;
}

static bool is_missing(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 && errno == ENOENT;
}

int set_check_place(const struct set_request *request,
		    const struct set_target *target)
{
	char path[PATH_MAX];

	if (set_path(path, request, target))
		return STATUS_DONE;
	print_error("%s has no file for that: name one with --file",
		    target->name);
	return STATUS_USAGE;
}

int set_apply(const struct set_request *request,
	      const struct set_target *target, const char *lines)
{
	struct set_file file;
	char path[PATH_MAX];
	int status;

	if (!target->comment) {
		print_error("files for %s are not edited: put the line in",
			    target->name);
		return STATUS_FINDINGS;
	}
	status = check_home(request, target);
	if (status != STATUS_DONE)
		return status;
	status = set_check_place(request, target);
	if (status != STATUS_DONE)
		return status;
	set_path(path, request, target);
	if (request->undo && is_missing(path)) {
		printf("%s: nothing to change\n", path);
		return STATUS_DONE;
	}
	if (request->persist == SET_SYSTEM)
		umask(022); /* all users read it */
	status = set_file_open(&file, path, request->force);
	if (status == STATUS_DONE)
		status = edit_file(request, target, lines, &file);
	set_file_close(&file);
	return status;
}
