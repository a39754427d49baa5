// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/companion.h"
#include "util/error.h"
#include "util/util.h"

/* X.json of X, X.pickle, X.pickle.xz, ...: NULL without memory. */
static char *companion_name(const char *path)
{
	static const char *const packed[] = { ".gz", ".xz", ".zst" };
	const char *slash = strrchr(path, '/');
	size_t base = slash ? (size_t)(slash + 1 - path) : 0;
	size_t length = strlen(path), i;
	char *name = malloc(length + sizeof(".json"));
	char *dot;

	if (!name)
		return NULL;
	memcpy(name, path, length + 1);
	dot = strrchr(name + base, '.');
	for (i = 0; dot && i < ARRAY_SIZE(packed); i++) {
		if (!strcmp(dot, packed[i])) {
			*dot = '\0';
			break;
		}
	}
	dot = strrchr(name + base, '.');
	if (!dot || dot == name + base)
		dot = name + strlen(name);
	memcpy(dot, ".json", sizeof(".json"));
	return name;
}

static int parse(struct la_companion *companion, const char *path,
		 struct la_error *err)
{
	char *name = companion_name(path);
	int ret = 0;

	if (!name)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	if (strcmp(name, path))
		ret = la_companion_parse(companion, name, err);
	free(name);
	return ret == -ENOENT ? 0 : ret;
}

int la_companion_read(struct la_companion *companion, const char *path,
		      unsigned int count, struct la_error *err)
{
	unsigned int i;
	int ret = 0;

	memset(companion, 0, sizeof(*companion));
	companion->devices = calloc(count, sizeof(*companion->devices));
	if (!companion->devices)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	companion->count = count;
	for (i = 0; i < count; i++)
		companion->devices[i].cap = UINT64_MAX;
	if (path)
		ret = parse(companion, path, err);
	if (ret < 0)
		la_companion_release(companion);
	return ret;
}

void la_companion_release(struct la_companion *companion)
{
	unsigned int i;

	for (i = 0; i < companion->count; i++)
		free(companion->devices[i].conf);
	free(companion->devices);
	free(companion->torch);
	memset(companion, 0, sizeof(*companion));
}
