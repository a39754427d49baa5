// SPDX-License-Identifier: Apache-2.0
/* Files that a text writes. */
#include <stdlib.h>
#include <string.h>

#include "script/written.h"

enum { MOST_FILES = 256 };

/* A word's bytes without its quotes; false: something in it is expanded
 * behind the first slash, or in a way that is more than a name. */
static bool unquote(const char *word, size_t length, struct la_strbuf *path)
{
	char quote = 0;
	bool start = true;
	size_t i;

	for (i = 0; i < length; i++) {
		if (quote ? word[i] == quote :
			    word[i] == '"' || word[i] == '\'') {
			quote = quote ? 0 : word[i];
			continue;
		}
		start = start && word[i] != '/';
		if (strchr("`*?[(\\;&|<> ", word[i]) && word[i])
			return false;
		if (word[i] == '$' && (!start || quote == '\''))
			return false;
		if (strchr("{}", word[i]) && word[i] && start)
			continue;
		la_strbuf_add(path, word + i, 1);
	}
	return !quote && path->length;
}

bool la_script_path(const char *word, size_t length, struct la_strbuf *path)
{
	struct la_strbuf plain = { 0 };
	const char *text;
	bool is_path = unquote(word, length, &plain);

	text = la_strbuf_text(&plain);
	if (!strncmp(text, "$HOME/", 6)) {
		la_strbuf_addstr(path, "~");
		text += 5;
	}
	while (!strncmp(text, "./", 2))
		text += 2;
	la_strbuf_addstr(path, text);
	la_strbuf_release(&plain);
	return is_path && path->length && !path->failed;
}

struct la_script_file *la_script_file(struct la_script *script,
				      const char *path)
{
	struct la_script_file *file = la_script_files(script)->first;

	while (file && strcmp(file->path, path))
		file = file->next;
	return file;
}

static struct la_script_file *create(struct la_script_files *files,
				     const char *path)
{
	struct la_script_file **last = &files->first, *file;
	size_t count = 0;

	for (; *last; last = &(*last)->next)
		count++;
	if (count == MOST_FILES)
		return NULL;
	file = calloc(1, sizeof(*file) + strlen(path) + 1);
	if (!file)
		return NULL;
	strcpy(file->path, path);
	file->known = true;
	*last = file;
	return file;
}

struct la_script_file *la_script_file_open(struct la_script *script,
					   const char *path, bool add)
{
	struct la_script_file *file = la_script_file(script, path);

	if (file && add)
		return file;
	if (file) {
		la_strbuf_release(&file->text);
		file->text = (struct la_strbuf){ 0 };
		file->known = true;
		file->doubtful = false;
	} else {
		file = create(la_script_files(script), path);
	}
	if (file)
		file->added = add;
	return file;
}

void la_script_files_leave(struct la_script *script)
{
	struct la_script_file *file = la_script_files(script)->first;

	for (; file; file = file->next)
		if (!strchr("/~$", file->path[0]))
			file->known = false;
}

void la_script_files_release(struct la_script_files *files)
{
	struct la_script_file *file;

	while ((file = files->first)) {
		files->first = file->next;
		la_strbuf_release(&file->text);
		free(file);
	}
}
