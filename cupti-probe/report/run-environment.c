// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/cmd.h"
#include "allocctl/installed.h"
#include "allocctl/launch.h"
#include "allocctl/platform.h"
#include "allocctl/print.h"
#include "folder.h"
#include "run.h"

static bool find_library(char out[PATH_MAX])
{
	static const char *const place[] = {
		"../lib/libcupti-probe.so",
		MOVED_LIBRARY "/libcupti-probe.so",
		INSTALLED_LIBRARY "/libcupti-probe.so",
		NULL,
	};
	char found[PATH_MAX];

	return launch_find(found, place) && platform_resolve(out, found);
}

/* Behind other libraries: those of profilers want to be first. */
static int set_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");

	if (strpbrk(library, " :")) {
		print_error("cannot preload '%s': a blank or a colon is in "
			    "its path; use --front cupti", library);
		return STATUS_CANNOT_TELL;
	}
	if (before && strstr(before, library))
		return STATUS_DONE;
	return launch_join("LD_PRELOAD", before, ':', library) ?
		       STATUS_DONE :
		       print_no_memory();
}

static int set_injection(const char *library)
{
	static const char name[] = "CUDA_INJECTION64_PATH";
	const char *other = getenv(name);

	if (other && *other && strcmp(other, library) != 0 &&
	    setenv("CUPTI_PROBE_CHAIN", other, 1) < 0)
		return print_no_memory();
	return setenv(name, library, 1) < 0 ? print_no_memory() : STATUS_DONE;
}

/* The program may go elsewhere before it is read. */
static int set_folder(const char *dir)
{
	char path[PATH_MAX];

	if (*dir != '/' && getcwd(path, sizeof(path)) &&
	    strlen(path) + strlen(dir) + 2 <= sizeof(path)) {
		strcat(strcat(path, "/"), dir);
		dir = path;
	}
	return setenv("CUPTI_PROBE_DIR", dir, 1) < 0 ? print_no_memory() :
						       STATUS_DONE;
}

static int set_size(uint64_t size)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, size);
	return setenv("CUPTI_PROBE_SIZE", text, 1) < 0 ? print_no_memory() :
							 STATUS_DONE;
}

/* Snapshots go where recordings do. */
static int set_snapshot_folder(void)
{
	char *path[FOLDER_CANDIDATES];
	size_t count = folder_candidates(path), i;
	bool set = count && path[0] &&
		   setenv("CUPTI_PROBE_SNAPSHOT", path[0], 1) == 0;

	for (i = 0; i < count; i++)
		free(path[i]);
	return set ? STATUS_DONE : print_no_memory();
}

static int set_snapshot(void)
{
	int status = launch_set_shim();

	return status == STATUS_DONE ? set_snapshot_folder() : status;
}

static int set_name(char name[RUN_NAME])
{
	FILE *file = fopen("/proc/sys/kernel/random/uuid", "re");

	if (!file || !fgets(name, RUN_NAME, file))
		snprintf(name, RUN_NAME, "%ld-%ld", (long)getpid(),
			 (long)time(NULL));
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return setenv("CUPTI_PROBE_RUN", name, 1) < 0 ? print_no_memory() :
							STATUS_DONE;
}

int run_environment(const struct run_options *options, char name[RUN_NAME])
{
	char library[PATH_MAX];
	int status = STATUS_CANNOT_TELL;

	if (find_library(library))
		status = options->front == RUN_CUPTI ? set_injection(library) :
						       set_preload(library);
	else
		print_error("cannot find libcupti-probe.so");
	if (status == STATUS_DONE && options->dir)
		status = set_folder(options->dir);
	if (status == STATUS_DONE && options->size)
		status = set_size(options->size);
	if (status == STATUS_DONE && options->snapshot)
		status = set_snapshot();
	return status == STATUS_DONE ? set_name(name) : status;
}
