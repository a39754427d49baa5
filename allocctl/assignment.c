// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "assignment.h"
#include "util/util.h"

/* Bytes that a word of a shell and the blanks after it take, or 0. */
static size_t word(const char *line, size_t length, const char *text)
{
	size_t n = strlen(text);

	if (length <= n || strncasecmp(line, text, n) || line[n] != ' ')
		return 0;
	while (n < length && line[n] == ' ')
		n++;
	return n;
}

static size_t skip_command(const char *line, size_t length)
{
	static const char *const words[] = { "export",	"set", "setenv",
					     "declare", "env", "-x",
					     "-gx",	"-e" };
	size_t i, n, at = 0;

	while (at < length && strchr(" \t", line[at]))
		at++;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		n = word(line + at, length - at, words[i]);
		at += n;
	}
	return at;
}

/* A name that somebody took for one of them, with the sign behind it. */
static size_t nearly_name_length(const char *line, size_t length)
{
	char name[ASSIGNMENT_NAME_MAX + 1] = "";
	size_t n = 0;

	while (n < length &&
	       (line[n] == '_' || isupper((unsigned char)line[n])))
		n++;
	if (n == length || line[n] != '=' || n > ASSIGNMENT_NAME_MAX)
		return 0;
	memcpy(name, line, n);
	return strstr(name, "ALLOC_CONF") ? n : 0;
}

static size_t name_length(const char *line, size_t length)
{
	static const char *const names[] = { "PYTORCH_CUDA_ALLOC_CONF",
					     "PYTORCH_HIP_ALLOC_CONF",
					     "PYTORCH_ALLOC_CONF" };
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		n = strlen(names[i]);
		if (length > n && !memcmp(line, names[i], n) &&
		    (line[n] == '=' || line[n] == ' '))
			return n;
	}
	return nearly_name_length(line, length);
}

static void strip_quotes(const char *line, struct assignment *found, char open)
{
	char first = found->start < found->end ? line[found->start] : '\0';

	if (open && found->end > found->start && line[found->end - 1] == open) {
		found->end--;
		return;
	}
	if ((first != '"' && first != '\'') || found->end - found->start < 2 ||
	    line[found->end - 1] != first)
		return;
	found->start++;
	found->end--;
}

struct assignment assignment_read(const char *line, size_t length)
{
	struct assignment found = { .end = length };
	size_t at = skip_command(line, length), n;
	char open = '\0';

	if (at < length && (line[at] == '"' || line[at] == '\''))
		open = line[at++];
	n = name_length(line + at, length - at);
	if (!n)
		return found;
	memcpy(found.name, line + at, n);
	found.start = at + n + 1;
	strip_quotes(line, &found, open);
	return found;
}
