// SPDX-License-Identifier: Apache-2.0
/* The entries of an environment, and how a block of them is told from what a
 * program wrote over it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "env/internal.h"
#include "util/array.h"
#include "util/util.h"

int la_env_new(struct la_env **out, enum la_platform platform)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->platform = platform;
	return 0;
}

/* Bytes of the name; 0: it has none, as Windows' entries for drives. */
static size_t name_length(const char *entry, size_t length)
{
	const char *sign = memchr(entry, '=', length);

	return sign ? (size_t)(sign - entry) : 0;
}

int la_env_add(struct la_env *env, const char *entry, size_t length)
{
	char *copy;

	if (!name_length(entry, length))
		return 0;
	if (grow_array(&env->entry, &env->room, env->count, sizeof(copy)) < 0)
		return -ENOMEM;
	copy = strndup(entry, length);
	if (!copy)
		return -ENOMEM;
	env->entry[env->count++] = copy;
	return 0;
}

static void forget_entries(struct la_env *env)
{
	while (env->count)
		free(env->entry[--env->count]);
}

int la_env_set_unknown(struct la_env *env, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return -ENOMEM;
	free(env->unknown);
	env->unknown = text;
	forget_entries(env);
	return 0;
}

/* Names of variables hold no blanks and nothing that cannot be seen; titles
 * of processes do. */
static bool is_entry(const char *entry, size_t length)
{
	size_t i, n = name_length(entry, length);

	for (i = 0; i < n; i++)
		if ((unsigned char)entry[i] <= ' ' || entry[i] == 0x7f)
			return false;
	return n > 0;
}

/* A program that shows a title wrote it there, and blanks or zeros after. */
static bool is_overwritten(const char *block, size_t length)
{
	size_t at, n;

	if (length && block[length - 1])
		return true;
	for (at = 0; at < length; at += n + 1) {
		n = strlen(block + at);
		if (!is_entry(block + at, n))
			return true;
	}
	return false;
}

static int fill(struct la_env *env, const char *block, size_t length)
{
	size_t at, n;
	int ret = 0;

	if (env->platform != LA_PLATFORM_WINDOWS &&
	    is_overwritten(block, length))
		return la_env_set_unknown(
			env, "the program wrote over its environment block, "
			     "as those do that change their title");
	for (at = 0; at < length && ret == 0; at += n + 1) {
		n = strnlen(block + at, length - at);
		ret = la_env_add(env, block + at, n);
	}
	return ret;
}

static int finish(struct la_env **out, struct la_env *env, int ret)
{
	if (ret < 0)
		la_env_free(env);
	else
		*out = env;
	return ret;
}

LA_EXPORT int la_env_of_block(struct la_env **out, const char *block,
			      size_t length, enum la_platform platform)
{
	struct la_env *env;
	int ret;

	if (length > LA_ENV_BYTES)
		return -EFBIG;
	ret = la_env_new(&env, platform);
	return ret < 0 ? ret : finish(out, env, fill(env, block, length));
}

LA_EXPORT int la_env_of_entries(struct la_env **out, const char *const *entry,
				size_t count, enum la_platform platform)
{
	struct la_env *env;
	int ret = la_env_new(&env, platform);
	size_t i;

	if (ret < 0)
		return ret;
	for (i = 0; i < count && ret == 0; i++)
		ret = la_env_add(env, entry[i], strlen(entry[i]));
	return finish(out, env, ret);
}

LA_EXPORT void la_env_free(struct la_env *env)
{
	if (!env)
		return;
	forget_entries(env);
	free(env->entry);
	free(env->unknown);
	free(env);
}

LA_EXPORT const char *la_env_unknown(const struct la_env *env)
{
	return env->unknown;
}

LA_EXPORT const char *la_env_entry(const struct la_env *env, size_t index)
{
	return index < env->count ? env->entry[index] : NULL;
}

bool la_env_same_name(const struct la_env *env, const char *a, const char *b,
		      size_t length)
{
	return env->platform == LA_PLATFORM_WINDOWS ?
		       !strncasecmp(a, b, length) :
		       !strncmp(a, b, length);
}

LA_EXPORT const char *la_env_value(const struct la_env *env, const char *name,
				   size_t nth)
{
	size_t i, n = strlen(name);

	for (i = 0; i < env->count; i++) {
		if (!la_env_same_name(env, env->entry[i], name, n) ||
		    env->entry[i][n] != '=')
			continue;
		if (!nth--)
			return env->entry[i] + n + 1;
	}
	return NULL;
}
