// SPDX-License-Identifier: Apache-2.0
/* The companion's JSON, through jansson. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/companion.h"
#include "util/error.h"

enum { MOST_JSON = 16 << 20 }; /* bytes */

struct reader {
	struct la_companion *companion;
	const char *name; /* of the file */
	struct la_error *err;
};

static int fail(const struct reader *r, const char *key, const char *problem)
{
	return la_error_set(r->err, -EBADMSG, LA_NO_OFFSET,
			    "companion '%s': '%s' %s", r->name, key, problem);
}

/* Bytes, perhaps written as 1e9; *bytes is kept where nothing is said. */
static int get_bytes(const struct reader *r, const char *key,
		     const json_t *value, uint64_t *bytes)
{
	double real;

	if (json_is_null(value))
		return 0;
	if (!json_is_number(value))
		return fail(r, key, "is not a number of bytes");
	real = json_number_value(value);
	if (real < 0)
		return fail(r, key, "is negative");
	if (real > 0x1p62)
		return fail(r, key, "is out of range");
	if (json_is_integer(value))
		*bytes = (uint64_t)json_integer_value(value);
	else if (real == (double)(uint64_t)real)
		*bytes = (uint64_t)real;
	else
		return fail(r, key, "is not a whole number of bytes");
	return 0;
}

static int get_text(const struct reader *r, const char *key,
		    const json_t *value, char **text)
{
	char *copy;

	if (json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return fail(r, key, "is not a string");
	copy = strdup(json_string_value(value));
	if (!copy)
		return la_error_set(r->err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	free(*text);
	*text = copy;
	return 0;
}

/* The value for one device of a list, else the value itself, or NULL. */
static const json_t *of_device(const json_t *root, const char *key,
			       unsigned int device)
{
	const json_t *value = json_object_get(root, key);

	return json_is_array(value) ? json_array_get(value, device) : value;
}

static int get_device(const struct reader *r, const json_t *root,
		      unsigned int number)
{
	struct la_companion_device *device = &r->companion->devices[number];
	const json_t *value;
	int err = 0;

	value = of_device(root, "conf", number);
	if (value)
		err = get_text(r, "conf", value, &device->conf);
	value = of_device(root, "cap", number);
	if (err == 0 && value)
		err = get_bytes(r, "cap", value, &device->cap);
	value = of_device(root, "total", number);
	if (err == 0 && value)
		err = get_bytes(r, "total", value, &device->total);
	return err;
}

static int get_all(const struct reader *r, const json_t *root)
{
	const json_t *torch = json_object_get(root, "torch");
	const json_t *gpu = json_object_get(root, "gpu");
	unsigned int i;
	int err = 0;

	if (!json_is_object(root))
		return la_error_set(r->err, -EBADMSG, LA_NO_OFFSET,
				    "companion '%s' is not an object", r->name);
	for (i = 0; i < r->companion->count && err == 0; i++)
		err = get_device(r, root, i);
	if (err == 0 && torch)
		err = get_text(r, "torch", torch, &r->companion->torch);
	if (err == 0 && gpu && !json_is_string(gpu) && !json_is_null(gpu) &&
	    !json_is_array(gpu))
		err = fail(r, "gpu", "is not a string");
	return err;
}

static size_t load(void *buffer, size_t size, void *data)
{
	return fread(buffer, 1, size, data);
}

static int parse_file(const struct reader *r, FILE *file)
{
	json_error_t problem;
	json_t *root;
	int err;

	if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > MOST_JSON)
		return la_error_set(r->err, -E2BIG, LA_NO_OFFSET,
				    "companion '%s' is larger than 16 MiB",
				    r->name);
	rewind(file);
	root = json_load_callback(load, file, 0, &problem);
	if (!root && !*problem.text)
		return la_error_set(r->err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	if (!root)
		return la_error_set(r->err, -EBADMSG, LA_NO_OFFSET,
				    "companion '%s': line %d: %s", r->name,
				    problem.line, problem.text);
	err = get_all(r, root);
	json_decref(root);
	return err;
}

/* A regular file; a pipe of that name would be waited for.  NULL: errno. */
static FILE *open_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return NULL;
	}
	file = fdopen(fd, "rb");
	if (!file)
		close(fd);
	return file;
}

int la_companion_parse(struct la_companion *companion, const char *name,
		       struct la_error *err)
{
	struct reader r = { companion, name, err };
	FILE *file = open_file(name);
	int ret = -errno;

	if (!file)
		return ret == -ENOENT ? ret :
					la_error_set(err, ret, LA_NO_OFFSET,
						     "companion '%s': %s", name,
						     ret == -EINVAL ?
							     "not a file" :
							     strerror(-ret));
	ret = parse_file(&r, file);
	fclose(file);
	if (ret == 0)
		companion->state = LA_COMPANION_READ;
	return ret;
}
