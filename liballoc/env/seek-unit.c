// SPDX-License-Identifier: Apache-2.0
/* The unit of a service, its drop-ins and its files of variables. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "env/file.h"
#include "env/seek.h"
#include "util/array.h"
#include "util/util.h"

/* Of what lies in more than one, the first counts. */
static const char *const system_folders[] = {
	"/etc/systemd/system", "/run/systemd/system",
	"/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
	"/lib/systemd/system", NULL
};

static const char *const user_folders[] = {
	"~/.config/systemd/user", "/etc/systemd/user", "/run/systemd/user",
	"~/.local/share/systemd/user", "/usr/local/lib/systemd/user",
	"/usr/lib/systemd/user", NULL
};

struct unit {
	const struct la_env_seeker *s;
	const char *const *folders;
	const char *name; /* "x@1.service" */
	struct la_env_place place;
	/* EnvironmentFile= of all fragments, owned, in their order. */
	char **file;
	size_t file_count, file_room;
};

/* Note each EnvironmentFile= of a fragment; an empty one forgets them. */
static void note_line(struct unit *unit, const char *line, size_t length)
{
	static const char key[] = "EnvironmentFile";
	const char *end = line + length;

	if (length < strlen(key) || strncmp(line, key, strlen(key)))
		return;
	line += strlen(key);
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if (line == end || *line++ != '=')
		return;
	while (line < end && strchr(" \t-\"", *line))
		line++;
	while (end > line && strchr(" \t\r\"", end[-1]))
		end--;
	if (line == end) {
		while (unit->file_count)
			free(unit->file[--unit->file_count]);
		return;
	}
	if (grow_array(&unit->file, &unit->file_room, unit->file_count,
		       sizeof(*unit->file)) == 0) {
		unit->file[unit->file_count] = strndup(line,
						       (size_t)(end - line));
		unit->file_count += unit->file[unit->file_count] != NULL;
	}
}

static bool read_fragment(struct unit *unit, const char *path)
{
	const char *root = unit->s->search->root, *line;
	struct la_strbuf text = { 0 };
	size_t n;

	if (!la_env_find_in(unit->s->finder, path, &unit->place))
		return false;
	if (la_env_file_read(root, path, &text) == 0)
		for (line = la_strbuf_text(&text); *line;
		     line += n + !!line[n]) {
			n = strcspn(line, "\n");
			note_line(unit, line, n);
		}
	la_strbuf_release(&text);
	return true;
}

/* "x@.service" of "x@1.service"; false: no instance. */
static bool template_of(const char *name, struct la_strbuf *out)
{
	const char *at = strchr(name, '@'), *dot = strrchr(name, '.');

	if (!at || !dot || dot < at)
		return false;
	la_strbuf_add(out, name, (size_t)(at + 1 - name));
	la_strbuf_addstr(out, dot);
	return true;
}

/* A path of the folder, with a name and what follows it. */
static bool path_in(const struct unit *unit, const char *folder,
		    const char *name, const char *tail, struct la_strbuf *out)
{
	if (!la_env_seek_path(unit->s, folder, out))
		return false;
	la_strbuf_addf(out, "/%s%s", name, tail);
	return !out->failed;
}

static bool read_unit(struct unit *unit, const char *name)
{
	const char *const *folder;
	bool there = false;

	for (folder = unit->folders; *folder && !there; folder++) {
		struct la_strbuf path = { 0 };

		if (path_in(unit, *folder, name, "", &path))
			there = read_fragment(unit, path.data);
		la_strbuf_release(&path);
	}
	return there;
}

static int compare_names(const void *a, const void *b)
{
	const char *l = strrchr(*(char *const *)a, '/');
	const char *r = strrchr(*(char *const *)b, '/');

	return strcmp(l ? l : "", r ? r : "");
}

/* Drop-ins act in the order of their names, wherever they lie. */
static void read_drop_ins(struct unit *unit, const char *name)
{
	const char *root = unit->s->search->root ? unit->s->search->root : "";
	const char *const *folder;
	glob_t files = { 0 };
	size_t i, skip = strlen(root);
	int flags = 0;

	for (folder = unit->folders; *folder; folder++) {
		struct la_strbuf path = { 0 };

		la_strbuf_addstr(&path, root);
		if (path_in(unit, *folder, name, ".d/*.conf", &path) &&
		    !glob(path.data, flags, NULL, &files))
			flags = GLOB_APPEND;
		la_strbuf_release(&path);
	}
	if (files.gl_pathc)
		qsort(files.gl_pathv, files.gl_pathc, sizeof(*files.gl_pathv),
		      compare_names);
	for (i = 0; i < files.gl_pathc; i++)
		read_fragment(unit, files.gl_pathv[i] + skip);
	globfree(&files);
}

/* They beat Environment= wherever they stand. */
static void read_files(struct unit *unit)
{
	struct la_env_place place = unit->place;
	size_t i;

	place.kind = LA_SCRIPT_SYSTEMD_ENV;
	for (i = 0; i < unit->file_count; i++) {
		if (*unit->file[i] == '/')
			la_env_seek_files(unit->s, unit->file[i], &place);
		free(unit->file[i]);
	}
	free(unit->file);
}

void la_env_seek_unit(const struct la_env_seeker *s)
{
	const struct la_env_process *process = s->search->process;
	struct la_strbuf name = { 0 };
	struct unit unit = {
		.s = s,
		.place = { .kind = LA_SCRIPT_SYSTEMD,
			   .scope = LA_ENV_SERVICE,
			   .part = LA_ENV_TAKES_PART },
	};

	if (!process || !process->info.unit)
		return;
	unit.name = process->info.unit;
	unit.place.reader = unit.name;
	unit.folders = process->info.user_unit ? user_folders : system_folders;
	if (!read_unit(&unit, unit.name) && template_of(unit.name, &name) &&
	    !name.failed)
		read_unit(&unit, name.data);
	if (name.data && !name.failed)
		read_drop_ins(&unit, name.data);
	read_drop_ins(&unit, unit.name);
	read_files(&unit);
	la_strbuf_release(&name);
}
