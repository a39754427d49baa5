// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

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

/* What programs started from here get is not what getenv() finds. */
static void keep_block(wchar_t *block)
{
	wchar_t *at, *equals;

	for (at = block; *at; at += wcslen(at) + 1) {
		equals = wcschr(at + 1, L'=');
		if (!equals)
			continue;
		*equals = L'\0';
		SetEnvironmentVariableW(at, equals + 1);
		*equals = L'=';
	}
}

/* Likewise what getenv() finds. */
static bool read_environment(void)
{
	wchar_t *block = GetEnvironmentStringsW(), *at;
	bool right = block;
	char *text;

	for (at = block; right && *at; at += wcslen(at) + 1) {
		text = utf8(at);
		/* It copies; those of drives, which begin with =, are not
		 * taken. */
		right = text && (*text == '=' || !_putenv(text));
		free(text);
	}
	if (right)
		keep_block(block);
	FreeEnvironmentStringsW(block);
	return right;
}

bool platform_start(int *argc, char ***argv)
{
	_setmode(STDIN_FILENO, _O_BINARY);
	_setmode(STDOUT_FILENO, _O_BINARY);
	_setmode(STDERR_FILENO, _O_BINARY);
	SetConsoleOutputCP(CP_UTF8);
	return read_arguments(argc, argv) && read_environment();
}

enum la_platform platform_here(void)
{
	return LA_PLATFORM_WINDOWS;
}

bool platform_is_macos(void)
{
	return false;
}

const char *platform_user(void)
{
	return getenv("USERNAME");
}

bool platform_host(char *out, size_t size)
{
	DWORD length = (DWORD)size;

	return GetComputerNameA(out, &length);
}

const char *platform_owner(uint64_t pid)
{
	(void)pid;
	return NULL;
}

unsigned int platform_cores(void)
{
	SYSTEM_INFO info;

	GetSystemInfo(&info);
	return info.dwNumberOfProcessors;
}

unsigned int platform_columns(void)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
		return 0;
	return (unsigned int)(info.srWindow.Right - info.srWindow.Left + 1);
}

/* The C library takes the handler away before it calls it. */
void platform_on_interrupt(void (*handler)(int))
{
	signal(SIGINT, handler);
}

/* INVALID_FILE_ATTRIBUTES if nothing is there. */
static DWORD attributes(const char *path)
{
	wchar_t wide[PATH_MAX];

	return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1,
				   wide, PATH_MAX) ?
		       GetFileAttributesW(wide) :
		       INVALID_FILE_ATTRIBUTES;
}

/* Devices have names that no folder has: NUL, COM1. */
enum platform_kind platform_kind(const char *path)
{
	wchar_t wide[PATH_MAX], full[PATH_MAX];
	DWORD found;

	if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
				PATH_MAX) &&
	    GetFullPathNameW(wide, PATH_MAX, full, NULL) &&
	    !wcsncmp(full, L"\\\\.\\", 4))
		return PLATFORM_OTHER;
	found = attributes(path);
	if (found == INVALID_FILE_ATTRIBUTES)
		return PLATFORM_NOTHING;
	return found & FILE_ATTRIBUTE_DIRECTORY ? PLATFORM_FOLDER :
						  PLATFORM_FILE;
}

bool platform_is_there(const char *path)
{
	return attributes(path) != INVALID_FILE_ATTRIBUTES;
}

bool platform_is_folder(const char *path)
{
	DWORD found = attributes(path);

	return found != INVALID_FILE_ATTRIBUTES &&
	       found & FILE_ATTRIBUTE_DIRECTORY;
}

bool platform_make_folder(const char *path)
{
	wchar_t wide[PATH_MAX];

	if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
				 PATH_MAX)) {
		errno = EILSEQ;
		return false;
	}
	return !_wmkdir(wide);
}

bool platform_is_program(const char *path)
{
	return platform_is_there(path) && !platform_is_folder(path);
}

static struct platform_identity identify_handle(HANDLE handle)
{
	struct platform_identity identity = { 0 };
	BY_HANDLE_FILE_INFORMATION file;

	if (GetFileInformationByHandle(handle, &file)) {
		identity.device = file.dwVolumeSerialNumber;
		identity.number = (uint64_t)file.nFileIndexHigh << 32 |
				  file.nFileIndexLow;
	}
	return identity;
}

struct platform_identity platform_identify(const char *path)
{
	struct platform_identity identity = { 0 };
	wchar_t wide[PATH_MAX];
	HANDLE handle;

	if (!strcmp(path, "-"))
		return identify_handle(GetStdHandle(STD_INPUT_HANDLE));
	if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide,
				 PATH_MAX))
		return identity;
	/* A folder opens with these semantics alone. */
	handle = CreateFileW(wide, 0,
			     FILE_SHARE_READ | FILE_SHARE_WRITE |
				     FILE_SHARE_DELETE,
			     NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS,
			     NULL);
	if (handle == INVALID_HANDLE_VALUE)
		return identity;
	identity = identify_handle(handle);
	CloseHandle(handle);
	return identity;
}

bool platform_is_same(const char *path, const char *other)
{
	struct platform_identity a = platform_identify(path);
	struct platform_identity b = platform_identify(other);

	return a.number && a.number == b.number && a.device == b.device;
}

FILE *platform_open(const char *path)
{
	return fopen(path, "r");
}

/* tmpfile() would want to write at the top of the drive. */
FILE *platform_spool(void)
{
	wchar_t folder[PATH_MAX], path[PATH_MAX];

	if (!GetTempPathW(PATH_MAX, folder) ||
	    !GetTempFileNameW(folder, L"la", 0, path))
		return NULL;
	return _wfopen(path, L"w+bDN");
}

void *platform_map(int fd, size_t *size)
{
	int64_t end = _lseeki64(fd, 0, SEEK_END);
	size_t done = 0;
	char *data;
	int got = 1;

	if (end <= 0 || _lseeki64(fd, 0, SEEK_SET) < 0)
		return NULL;
	*size = (size_t)end;
	data = malloc(*size);
	while (data && got > 0 && done < *size) {
		size_t left = *size - done;

		got = read(fd, data + done,
			   (unsigned int)(left < GIB ? left : GIB));
		if (got > 0)
			done += (size_t)got;
	}
	if (done == *size)
		return data;
	free(data);
	return NULL;
}

void platform_unmap(void *data, size_t size)
{
	(void)size;
	free(data);
}

/* Windows keeps dumps of its own format. */
char *platform_latest_core(const char **store)
{
	*store = "the store of systemd";
	return NULL;
}

bool platform_resolve(char *out, const char *path)
{
	(void)out, (void)path;
	return false;
}

bool platform_self(char *out)
{
	wchar_t wide[PATH_MAX];
	DWORD n = GetModuleFileNameW(NULL, wide, PATH_MAX);

	return n && n < PATH_MAX &&
	       WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, PATH_MAX, NULL,
				   NULL);
}

const char platform_nvml[] = "nvml.dll";

void *platform_library_open(const char *name)
{
	return LoadLibraryA(name);
}

void *platform_library_symbol(void *library, const char *name)
{
	FARPROC symbol = GetProcAddress(library, name);
	void *out;

	memcpy(&out, &symbol, sizeof(out));
	return out;
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
	return length >= 0 && (size_t)length < size &&
	       platform_is_there(out);
}

bool platform_package(char *out, size_t size, const char *prefix,
		      const char *file)
{
	return take(out, size, "%s/Lib/site-packages/%s", prefix, file);
}

/* Of Python39, Python311... the first that has the file. */
bool platform_user_package(char *out, size_t size, const char *prefix,
			   const char *file)
{
	const char *home = getenv("APPDATA");
	unsigned int minor;

	(void)prefix;
	for (minor = 6; home && minor < 100; minor++)
		if (take(out, size, "%s/Python/Python3%u/site-packages/%s",
			 home, minor, file))
			return true;
	return false;
}
