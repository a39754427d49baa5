// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "platform.h"
#include "util/util.h"

const char platform_separator = ':';
const char *const platform_pythons[] = { "python3", "python", NULL };

/* Where an environment or a system keeps packages. */
static const char *const layouts[] = {
	"lib/python3*/site-packages",	    "lib64/python3*/site-packages",
	"lib/python3*/dist-packages",	    "lib/python3/dist-packages",
	"local/lib/python3*/dist-packages", "Lib/site-packages",
};

/* What the caller named this program, which may be missing. */
static const char *called;

bool platform_start(int *argc, char ***argv)
{
	called = *argc > 0 ? **argv : "";
	return true;
}

enum la_platform platform_here(void)
{
	FILE *file = fopen("/proc/sys/kernel/osrelease", "re");
	char text[128] = "";

	if (!file)
		return LA_PLATFORM_LINUX;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	return strcasestr(text, "microsoft") ? LA_PLATFORM_WSL :
					       LA_PLATFORM_LINUX;
}

bool platform_is_macos(void)
{
	struct utsname name;

	return uname(&name) >= 0 && !strcmp(name.sysname, "Darwin");
}

const char *platform_user(void)
{
	struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : NULL;
}

bool platform_host(char *out, size_t size)
{
	out[size - 1] = '\0';
	return gethostname(out, size - 1) == 0;
}

const char *platform_owner(uint64_t pid)
{
	struct passwd *user = NULL;
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%" PRIu64, pid);
	if (!stat(path, &st))
		user = getpwuid(st.st_uid);
	return user ? user->pw_name : NULL;
}

unsigned int platform_cores(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 0 ? (unsigned int)cores : 1;
}

unsigned int platform_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

void platform_on_interrupt(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

enum platform_kind platform_kind(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? PLATFORM_NOTHING : PLATFORM_UNKNOWN;
	return S_ISREG(st.st_mode) ? PLATFORM_FILE :
	       S_ISDIR(st.st_mode) ? PLATFORM_FOLDER :
				     PLATFORM_OTHER;
}

bool platform_is_there(const char *path)
{
	return !access(path, F_OK);
}

bool platform_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool platform_make_folder(const char *path)
{
	return !mkdir(path, 0777);
}

bool platform_is_program(const char *path)
{
	return !access(path, X_OK);
}

struct platform_identity platform_identify(const char *path)
{
	struct platform_identity identity = { 0 };
	struct stat file;
	int code = strcmp(path, "-") ? stat(path, &file) :
				       fstat(STDIN_FILENO, &file);

	if (code == 0) {
		identity.device = (uint64_t)file.st_dev;
		identity.number = (uint64_t)file.st_ino;
	}
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
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	file = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!file)
		close(fd);
	return file;
}

FILE *platform_spool(void)
{
	return tmpfile();
}

void *platform_map(int fd, size_t *size)
{
	struct stat file;
	void *data;

	if (fstat(fd, &file) < 0 || !file.st_size)
		return NULL;
	*size = (size_t)file.st_size;
	data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	return data == MAP_FAILED ? NULL : data;
}

void platform_unmap(void *data, size_t size)
{
	munmap(data, size);
}

/* systemd keeps them, if anybody does. */
char *platform_latest_core(const char **store)
{
	static const char pattern[] =
		"/var/lib/systemd/coredump/core.{python,pt_}*";
	const char *newest = NULL;
	struct stat file;
	char *copy = NULL;
	time_t time = 0;
	glob_t found;
	size_t i;

	*store = "/var/lib/systemd/coredump/core.*";
	if (glob(pattern, GLOB_BRACE, NULL, &found))
		return NULL;
	for (i = 0; i < found.gl_pathc; i++) {
		if (stat(found.gl_pathv[i], &file) ||
		    (newest && file.st_mtime < time))
			continue;
		newest = found.gl_pathv[i];
		time = file.st_mtime;
	}
	if (newest)
		copy = strdup(newest);
	globfree(&found);
	return copy;
}

bool platform_resolve(char *out, const char *path)
{
	return realpath(path, out);
}

/* A name without a folder is looked for as a shell does. */
static bool find_called(char *out)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];
	size_t n;

	if (strchr(called, '/'))
		return realpath(called, out);
	for (; *called && at && *at; at += n + !!at[n]) {
		n = strcspn(at, ":");
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)n, at,
			     called) < (int)sizeof(path) &&
		    !access(path, X_OK) && realpath(path, out))
			return true;
	}
	return false;
}

/* A root without /proc, as of chroot, is none without programs. */
bool platform_self(char *out)
{
	return realpath("/proc/self/exe", out) || find_called(out);
}

const char platform_nvml[] = "libnvidia-ml.so.1";

void *platform_library_open(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void *platform_library_symbol(void *library, const char *name)
{
	return dlsym(library, name);
}

bool platform_cut(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

bool platform_prefix(char *folder)
{
	return platform_cut(folder);
}

static bool fits(int length, size_t size)
{
	return length >= 0 && (size_t)length < size;
}

/* Take the first file that fits the pattern. */
static bool take(char *out, size_t size, const char *pattern)
{
	glob_t files = { 0 };
	bool there = !glob(pattern, 0, NULL, &files);

	if (there)
		there = fits(snprintf(out, size, "%s", files.gl_pathv[0]),
			     size);
	globfree(&files);
	return there;
}

bool platform_package(char *out, size_t size, const char *prefix,
		      const char *file)
{
	char pattern[PATH_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (fits(snprintf(pattern, sizeof(pattern), "%s/%s/%s", prefix,
				  layouts[i], file),
			 sizeof(pattern)) &&
		    take(out, size, pattern))
			return true;
	return false;
}

/* Of the versions of python that the prefix has. */
bool platform_user_package(char *out, size_t size, const char *prefix,
			   const char *file)
{
	const char *home = getenv("HOME");
	char path[PATH_MAX];
	glob_t pythons = { 0 };
	bool there = false;
	size_t i;

	if (!home || !fits(snprintf(path, sizeof(path), "%s/lib/python3*",
				    prefix),
			   sizeof(path)))
		return false;
	if (glob(path, 0, NULL, &pythons))
		return false;
	for (i = 0; i < pythons.gl_pathc && !there; i++)
		there = fits(snprintf(path, sizeof(path),
				      "%s/.local/lib/%s/site-packages/%s", home,
				      strrchr(pythons.gl_pathv[i], '/') + 1,
				      file),
			     sizeof(path)) &&
			take(out, size, path);
	globfree(&pythons);
	return there;
}
