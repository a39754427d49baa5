// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <windows.h>
#include <shellapi.h>

#include "platform.h"
#include "util/util.h"

const char platform_separator = ';';
const char *const platform_pythons[] = { "python.exe", "python3.exe", NULL };

static char *utf8(const wchar_t *wide)
{
	int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL,
				       NULL);
	char *text = size > 0 ? malloc((size_t)size) : NULL;

	if (text)
		WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL,
				    NULL);
	return text;
}

/* What main() was given has lost what the code page cannot say. */
static bool read_arguments(int *argc, char ***argv)
{
	wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), argc);
	int i;

	*argv = wide ? calloc((size_t)*argc + 1, sizeof(**argv)) : NULL;
	if (!*argv)
		return false;
	for (i = 0; i < *argc; i++) {
		(*argv)[i] = utf8(wide[i]);
		if (!(*argv)[i])
			return false;
	}
	LocalFree(wide);
	return true;
}

bool platform_start(int *argc, char ***argv)
{
	_setmode(STDIN_FILENO, _O_BINARY);
	_setmode(STDOUT_FILENO, _O_BINARY);
	_setmode(STDERR_FILENO, _O_BINARY);
	SetConsoleOutputCP(CP_UTF8);
	return read_arguments(argc, argv);
}

enum la_platform platform_here(void)
{
	return LA_PLATFORM_WINDOWS;
}

const char *platform_user(void)
{
	return getenv("USERNAME");
}

bool platform_cut(char *path)
{
	char *slash = path + strlen(path);

	while (slash > path && *slash != '/' && *slash != '\\')
		slash--;
	if (slash == path)
		return false;
	*slash = '\0';
	return true;
}

/* An environment keeps it in Scripts, an installation at its top. */
bool platform_prefix(char *folder)
{
	static const char scripts[] = "Scripts";
	size_t length = strlen(folder);

	return length < strlen(scripts) ||
	       strcasecmp(folder + length - strlen(scripts), scripts) ||
	       platform_cut(folder);
}

static bool take(char *out, size_t size, const char *format, ...)
	__attribute__((format(gnu_printf, 3, 4)));

/* The path, if it fits and such a file is there. */
static bool take(char *out, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(out, size, format, args);
	va_end(args);
	return length >= 0 && (size_t)length < size && !access(out, F_OK);
}

bool platform_package(char *out, size_t size, const char *prefix,
		      const char *file)
{
	return take(out, size, "%s/Lib/site-packages/%s", prefix, file);
}

/* Python39, Python311: the first of them that has the file. */
bool platform_user_package(char *out, size_t size, const char *prefix,
			   const char *file)
{
	const char *home = getenv("APPDATA");
	WIN32_FIND_DATAA found;
	char pattern[PATH_MAX];
	bool there = false;
	HANDLE list;

	(void)prefix;
	if (!home || snprintf(pattern, sizeof(pattern), "%s/Python/Python3*",
			      home) >= (int)sizeof(pattern))
		return false;
	list = FindFirstFileA(pattern, &found);
	if (list == INVALID_HANDLE_VALUE)
		return false;
	do {
		there = take(out, size, "%s/Python/%s/site-packages/%s", home,
			     found.cFileName, file);
	} while (!there && FindNextFileA(list, &found));
	FindClose(list);
	return there;
}
