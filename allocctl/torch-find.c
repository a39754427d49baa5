// SPDX-License-Identifier: Apache-2.0
/*
 * Python looks through PYTHONPATH, the user's own packages, and those of its
 * environment; torch/version.py there says which torch it is.
 */
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "report.h"
#include "torch-find.h"
#include "util/util.h"

#define VERSION_FILE "torch/version.py"

/* Where an environment, a system or a user keeps packages. */
static const char *const layouts[] = {
	"lib/python3*/site-packages",	    "lib64/python3*/site-packages",
	"lib/python3*/dist-packages",	    "lib/python3/dist-packages",
	"local/lib/python3*/dist-packages", "Lib/site-packages",
};

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

/* Take the first file that fits the pattern. */
static bool take(struct search *s, const char *pattern)
{
	struct torch_found *found = s->found;
	glob_t files = { 0 };
	bool there = !glob(pattern, 0, NULL, &files);

	if (there)
		there = join(found->path, sizeof(found->path), "%s",
			     files.gl_pathv[0]);
	globfree(&files);
	return there;
}

static bool find_below(struct search *s, const char *prefix)
{
	char pattern[PATH_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (join(pattern, sizeof(pattern), "%s/%s/" VERSION_FILE,
			 prefix, layouts[i]) &&
		    take(s, pattern))
			return true;
	return false;
}

static bool find_on_pythonpath(struct search *s)
{
	const char *at = getenv("PYTHONPATH");
	char path[PATH_MAX];
	size_t n;

	for (; at && *at; at += n + (at[n] == ':')) {
		n = strcspn(at, ":");
		if (n &&
		    join(path, sizeof(path), "%.*s/" VERSION_FILE, (int)n,
			 at) &&
		    take(s, path))
			return true;
	}
	return false;
}

/* The user's own packages for a version of python that the prefix has. */
static bool find_of_user(struct search *s)
{
	const char *home = getenv("HOME");
	char path[PATH_MAX];
	glob_t pythons = { 0 };
	bool there = false;
	size_t i;

	if (!home || s->isolated ||
	    !join(path, sizeof(path), "%s/lib/python3*", s->prefix))
		return false;
	if (glob(path, 0, NULL, &pythons))
		return false;
	for (i = 0; i < pythons.gl_pathc && !there; i++)
		there = join(path, sizeof(path),
			     "%s/.local/lib/%s/site-packages/" VERSION_FILE,
			     home, strrchr(pythons.gl_pathv[i], '/') + 1) &&
			take(s, path);
	globfree(&pythons);
	return there;
}

/* Cut the last component off; false if there is none. */
static bool cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
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
	file = fopen(line, "re");
	if (!file)
		return;
	s->isolated = true;
	while (fgets(line, sizeof(line), file)) {
		value = venv_value(line, "home");
		if (value && join(s->base, sizeof(s->base), "%s", value))
			cut_last(s->base);
		value = venv_value(line, "include-system-site-packages");
		if (value && !strcmp(value, "true"))
			s->isolated = false;
	}
	fclose(file);
}

/* The python that a command would run. */
static bool prefix_on_path(char *prefix, size_t size)
{
	static const char *const names[] = { "python3", "python" };
	const char *at;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		for (at = getenv("PATH"); at && *at; at += n + (at[n] == ':')) {
			n = strcspn(at, ":");
			if (n &&
			    join(prefix, size, "%.*s/%s", (int)n, at,
				 names[i]) &&
			    !access(prefix, X_OK))
				return cut_last(prefix) && cut_last(prefix);
		}
	return false;
}

static bool find_prefix(struct search *s, const char *python)
{
	const char *folder = python;
	struct stat st;

	if (!folder)
		folder = getenv("VIRTUAL_ENV");
	if (!folder || !*folder)
		folder = getenv("CONDA_PREFIX");
	if (!folder || !*folder)
		return prefix_on_path(s->prefix, sizeof(s->prefix));
	if (!join(s->prefix, sizeof(s->prefix), "%s", folder))
		return false;
	if (!stat(folder, &st) && S_ISDIR(st.st_mode))
		return true;
	return !access(folder, F_OK) && cut_last(s->prefix) &&
	       cut_last(s->prefix);
}

/* What stands in quotes behind "name =" or "name: type =", or false. */
static bool python_string(const char *line, const char *name, char *out,
			  size_t size)
{
	size_t n = strlen(name);
	const char *sign, *open;

	if (strncmp(line, name, n) || !strchr(" :=", line[n]))
		return false;
	sign = strchr(line + n, '=');
	open = sign ? strpbrk(sign, "'\"") : NULL;
	return open && join(out, size, "%.*s", (int)strcspn(open + 1, "'\"\n"),
			    open + 1);
}

static int read_version(struct torch_found *found)
{
	bool cuda = false, hip = false;
	struct la_error err;
	char line[512], text[64];
	FILE *file = fopen(found->path, "re");
	int code;

	while (file && fgets(line, sizeof(line), file)) {
		python_string(line, "__version__", found->version,
			      sizeof(found->version));
		cuda |= python_string(line, "cuda", text, sizeof(text));
		hip |= python_string(line, "hip", text, sizeof(text));
	}
	if (file)
		fclose(file);
	found->build = hip  ? LA_BUILD_ROCM :
		       cuda ? LA_BUILD_CUDA :
			      LA_BUILD_CPU;
	code = la_release_parse(&found->release, found->version, &err);
	found->newer = code > 0;
	if (code >= 0)
		return STATUS_DONE;
	report_error("'%s' of %s: %s", found->version, found->path, err.text);
	return STATUS_CANNOT_TELL;
}

int torch_find(struct torch_found *found, const char *python)
{
	struct search s = { .found = found };

	*found = (struct torch_found){ 0 };
	if (!find_prefix(&s, python)) {
		if (python)
			report_error("no python or environment at '%s'",
				     python);
		else
			report_error("no active environment and no python3 on "
				     "PATH; say --python or --torch VERSION");
		return STATUS_CANNOT_TELL;
	}
	read_venv(&s);
	if (find_on_pythonpath(&s) || find_of_user(&s) ||
	    find_below(&s, s.prefix) ||
	    (*s.base && !s.isolated && find_below(&s, s.base)))
		return read_version(found);
	report_error("no torch in the packages of '%s'; say --python or "
		     "--torch VERSION",
		     s.prefix);
	return STATUS_CANNOT_TELL;
}
