// SPDX-License-Identifier: Apache-2.0
/*
 * Python looks through PYTHONPATH, the user's own packages, and those of its
 * environment; torch/version.py there says which torch it is.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "platform.h"
#include "print.h"
#include "torch-find.h"

#define VERSION_FILE "torch/version.py"

/* torch's own has ten lines; of what is longer, the rest is not read. */
enum { LINES_MAX = 1000 };

struct search {
	char prefix[PATH_MAX]; /* of the environment */
	char base[PATH_MAX]; /* of the python that made it; empty: none */
	bool isolated; /* sees no packages but its own */
	struct torch_found *found;
};

/* False if it does not fit. */
static bool join(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool join(char *out, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(out, size, format, args);
	va_end(args);
	return length >= 0 && (size_t)length < size;
}

/* Of the first folder of a list such as PATH. */
static size_t folder_length(const char *list)
{
	const char separator[] = { platform_separator, '\0' };

	return strcspn(list, separator);
}

static bool find_below(struct search *s, const char *prefix)
{
	return platform_package(s->found->path, sizeof(s->found->path), prefix,
				VERSION_FILE);
}

static bool find_of_user(struct search *s)
{
	return !s->isolated &&
	       platform_user_package(s->found->path, sizeof(s->found->path),
				     s->prefix, VERSION_FILE);
}

static bool find_on_pythonpath(struct search *s)
{
	const char *at = getenv("PYTHONPATH");
	struct torch_found *found = s->found;
	size_t n;

	for (; at && *at; at += n + !!at[n]) {
		n = folder_length(at);
		if (n &&
		    join(found->path, sizeof(found->path), "%.*s/" VERSION_FILE,
			 (int)n, at) &&
		    platform_is_there(found->path))
			return true;
	}
	return false;
}

/* The value behind "key = " in a line of pyvenv.cfg, or NULL. */
static char *venv_value(char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n))
		return NULL;
	line += n + strspn(line + n, " ");
	if (*line++ != '=')
		return NULL;
	line += strspn(line, " ");
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

static void read_venv(struct search *s)
{
	char line[PATH_MAX], *value;
	FILE *file;

	if (!join(line, sizeof(line), "%s/pyvenv.cfg", s->prefix))
		return;
	file = platform_open(line);
	if (!file)
		return;
	s->isolated = true;
	while (fgets(line, sizeof(line), file)) {
		value = venv_value(line, "home");
		if (value && join(s->base, sizeof(s->base), "%s", value))
			platform_prefix(s->base);
		value = venv_value(line, "include-system-site-packages");
		if (value && !strcmp(value, "true"))
			s->isolated = false;
	}
	fclose(file);
}

static bool cut_to_prefix(char *python)
{
	return platform_cut(python) && platform_prefix(python);
}

/* As python does: that of the link in an environment, else of its target. */
static bool prefix_of_python(struct search *s, const char *python)
{
	char path[PATH_MAX];

	if (join(s->prefix, sizeof(s->prefix), "%s", python) &&
	    cut_to_prefix(s->prefix) &&
	    join(path, sizeof(path), "%s/pyvenv.cfg", s->prefix) &&
	    platform_is_there(path))
		return true;
	if (platform_resolve(path, python))
		python = path;
	return join(s->prefix, sizeof(s->prefix), "%s", python) &&
	       cut_to_prefix(s->prefix);
}

/* The python that a command would run. */
static bool prefix_on_path(struct search *s)
{
	const char *const *name;
	char python[PATH_MAX];
	const char *at;
	size_t n;

	for (name = platform_pythons; *name; name++)
		for (at = getenv("PATH"); at && *at; at += n + !!at[n]) {
			n = folder_length(at);
			if (n &&
			    join(python, sizeof(python), "%.*s/%s", (int)n, at,
				 *name) &&
			    platform_is_program(python))
				return prefix_of_python(s, python);
		}
	return false;
}

static bool find_prefix(struct search *s, const char *python)
{
	const char *folder = python;

	if (!folder)
		folder = getenv("VIRTUAL_ENV");
	if (!folder || !*folder)
		folder = getenv("CONDA_PREFIX");
	if (!folder || !*folder)
		return prefix_on_path(s);
	if (!platform_is_there(folder))
		return false;
	if (!platform_is_folder(folder))
		return prefix_of_python(s, folder);
	return join(s->prefix, sizeof(s->prefix), "%s", folder);
}

/* Is it a line "name = ..." or "name: type = ..."? */
static bool sets(const char *line, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(line, name, n) && line[n] && strchr(" :=", line[n]);
}

/* What such a line has in quotes; false if it has none. */
static bool python_string(const char *line, const char *name, char *out,
			  size_t size)
{
	const char *sign = sets(line, name) ? strchr(line, '=') : NULL;
	const char *open = sign ? strpbrk(sign, "'\"") : NULL;

	return open && join(out, size, "%.*s", (int)strcspn(open + 1, "'\"\n"),
			    open + 1);
}

/* For a file that names neither cuda nor hip. */
static enum la_build build_of_version(const char *version)
{
	if (strstr(version, "+rocm"))
		return LA_BUILD_ROCM;
	return strstr(version, "+cpu") ? LA_BUILD_CPU : LA_BUILD_CUDA;
}

static void read_lines(struct torch_found *found, FILE *file)
{
	bool named = false, cuda = false, hip = false;
	char line[512], text[64];
	int i;

	for (i = 0; i < LINES_MAX && fgets(line, sizeof(line), file); i++) {
		python_string(line, "__version__", found->version,
			      sizeof(found->version));
		named |= sets(line, "cuda") || sets(line, "hip");
		cuda |= python_string(line, "cuda", text, sizeof(text));
		hip |= python_string(line, "hip", text, sizeof(text));
	}
	found->build = hip   ? LA_BUILD_ROCM :
		       cuda  ? LA_BUILD_CUDA :
		       named ? LA_BUILD_CPU :
			       build_of_version(found->version);
}

static bool refuse(struct torch_found *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Why none was found; false. */
static bool refuse(struct torch_found *found, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(found->why, sizeof(found->why), format, args);
	va_end(args);
	return false;
}

static bool read_version(struct torch_found *found)
{
	FILE *file = platform_open(found->path);
	struct la_error err;
	int code;

	if (!file)
		return refuse(found, "cannot read '%s'", found->path);
	read_lines(found, file);
	fclose(file);
	code = la_release_parse(&found->release, found->version, &err);
	found->newer = code > 0;
	if (code >= 0)
		return true;
	return refuse(found, "%s: %s", found->path, err.text);
}

bool torch_seek(struct torch_found *found, const char *python)
{
	struct search s = { .found = found };

	*found = (struct torch_found){ 0 };
	if (!find_prefix(&s, python))
		return python ? refuse(found,
				       "no python or environment at '%s'",
				       python) :
				refuse(found,
				       "no active environment and no python3 "
				       "on PATH; say --python or --torch "
				       "VERSION");
	read_venv(&s);
	if (find_on_pythonpath(&s) || find_of_user(&s) ||
	    find_below(&s, s.prefix) ||
	    (*s.base && !s.isolated && find_below(&s, s.base)))
		return read_version(found);
	return refuse(found,
		      "no torch in the packages of '%s'; say --python or "
		      "--torch VERSION",
		      s.prefix);
}

bool torch_seek_library(struct torch_found *found, const char *root,
			const char *library)
{
	static const char lib[] = "/lib/";
	const char *slash = strrchr(library, '/');
	size_t n = slash ? (size_t)(slash + 1 - library) : 0;

	*found = (struct torch_found){ 0 };
	if (n < strlen(lib) ||
	    strncmp(library + n - strlen(lib), lib, strlen(lib)) ||
	    !join(found->path, sizeof(found->path), "%s%.*s/version.py", root,
		  (int)(n - strlen(lib)), library))
		return refuse(found, "'%s' is in no package of torch",
			      library);
	return read_version(found);
}

int torch_find(struct torch_found *found, const char *python)
{
	if (torch_seek(found, python))
		return STATUS_DONE;
	print_error("%s", found->why);
	return STATUS_CANNOT_TELL;
}
