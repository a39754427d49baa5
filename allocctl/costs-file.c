// SPDX-License-Identifier: Apache-2.0
/* The costs of device operations that `allocctl calibrate` has measured. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "costs-file.h"
#include "platform.h"
#include "print.h"
#include "util/card.h"
#include "util/util.h"

#define BELOW "liballoc/costs.d"
#define ENDING ".yaml"

static bool fits(int length, size_t size)
{
	return length >= 0 && (size_t)length < size;
}

bool costs_folder(char *out, size_t size, bool system)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (system)
		return fits(snprintf(out, size, "/etc/" BELOW), size);
	if (config && *config == '/')
		return fits(snprintf(out, size, "%s/" BELOW, config), size);
	if (home && *home)
		return fits(snprintf(out, size, "%s/.config/" BELOW, home),
			    size);
	return false;
}

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* "NVIDIA-H200.yaml" */
bool costs_path(char *out, size_t size, const char *folder, const char *gpu)
{
	int start = snprintf(out, size, "%s/", folder);
	char *at;

	if (!fits(start, size) ||
	    !fits(snprintf(out + start, size - (size_t)start, "%s" ENDING, gpu),
		  size - (size_t)start))
		return false;
	for (at = out + start; at[strlen(ENDING)]; at++)
		if (!is_plain(*at))
			*at = '-';
	return true;
}

bool costs_make_folder(const char *folder)
{
	char path[PATH_MAX], *slash;

	if (!fits(snprintf(path, sizeof(path), "%s/", folder), sizeof(path)))
		return false;
	for (slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!platform_is_folder(path) && !platform_make_folder(path)) {
			print_error("cannot make folder '%s': %s", path,
				    strerror(errno));
			return false;
		}
		*slash = '/';
	}
	return true;
}

/* Bytes that the driver and torch tell differ by less. */
static bool is_about(uint64_t a, uint64_t b)
{
	return a && b && (a > b ? a - b : b - a) < MIB;
}

static bool is_of(const struct la_costs *costs, const char *name,
		  uint64_t total)
{
	const struct la_card *wanted = name ? la_card_find(name) : NULL;
	const struct la_card *card = la_card_find(costs->gpu);

	if (name)
		return wanted && card == wanted;
	return is_about(costs->total, total);
}

static bool read_file(struct la_costs *costs, const char *path)
{
	struct la_error err;
	int code = la_costs_read(costs, path, &err);

	if (code < 0)
		print_error("warning: cannot read '%s': %s", path, err.text);
	return !code;
}

static bool is_named_so(const char *file)
{
	size_t length = strlen(file);

	return *file != '.' && length > strlen(ENDING) &&
	       !strcmp(file + length - strlen(ENDING), ENDING);
}

/* The first name in the order of bytes counts, whatever the folder's is. */
static bool find_in(struct la_costs *out, char *path, const char *folder,
		    const char *name, uint64_t total)
{
	DIR *files = opendir(folder);
	const struct dirent *entry;
	char candidate[PATH_MAX];
	struct la_costs costs;
	bool found = false;

	while (files && (entry = readdir(files))) {
		if (!is_named_so(entry->d_name) ||
		    !fits(snprintf(candidate, sizeof(candidate), "%s/%s",
				   folder, entry->d_name),
			  sizeof(candidate)) ||
		    !read_file(&costs, candidate) ||
		    !is_of(&costs, name, total) ||
		    (found && strcmp(candidate, path) > 0))
			continue;
		strcpy(path, candidate);
		*out = costs;
		found = true;
	}
	if (files)
		closedir(files);
	return found;
}

bool costs_find(struct la_costs *out, char *path, const char *name,
		uint64_t total)
{
	char folder[PATH_MAX];

	if (costs_folder(folder, sizeof(folder), false) &&
	    find_in(out, path, folder, name, total))
		return true;
	return costs_folder(folder, sizeof(folder), true) &&
	       find_in(out, path, folder, name, total);
}
