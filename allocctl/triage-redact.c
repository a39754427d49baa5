// SPDX-License-Identifier: Apache-2.0
/* Text for strangers: no paths, hosts, users, processes. */

#include <ctype.h>
#include <string.h>

#include "triage.h"
#include "util/util.h"

/* Words after which a number is a process or a user. */
static const char *const numbered[] = { "process ", "pid ",  "pid=", "pid:",
					"uid=",	    "uid:",  "uid ", "gid=",
					"pid: ",    "uid: ", "StepId=",
					"job " };
/* Words after which a word is a name. */
static const char *const named[] = { "user=", "user ",	  "host=", "host ",
				     "node=", "node ",	  "hostname ",
				     "pod ",  "hostname=" };

/* The word after which programs of Slurm name the host that they speak of. */
#define SPEAKER "error: "

static bool is_word(char c)
{
	return c && !strchr(" \t\n'\"`()[]{}<>,;", c);
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (is_word(text[length]))
		length++;
	return length;
}

/* Bytes of what is listed and stands at text, or 0. */
static size_t listed(const char *text, const char *const *list, size_t nr)
{
	size_t i, length;

	for (i = 0; i < nr; i++) {
		length = strlen(list[i]);
		if (!strncasecmp(text, list[i], length))
			return length;
	}
	return 0;
}

/* A word that begins with a path, of any system. */
static bool is_path(const char *text)
{
	if (*text == '/' || !strncmp(text, "~/", 2) ||
	    !strncmp(text, "./", 2) || !strncmp(text, "../", 3))
		return true;
	return isalpha((unsigned char)text[0]) && text[1] == ':' &&
	       (text[2] == '\\' || text[2] == '/') && text[3] != '/';
}

/* user@host, 10.0.0.1, node.example.org, host:123:456 */
static bool is_host(const char *text, size_t length)
{
	size_t i, digits = 0, dots = 0, colons = 0, others = 0;

	if (memchr(text, '@', length))
		return true;
	for (i = 0; i < length; i++) {
		digits += isdigit((unsigned char)text[i]) != 0;
		dots += text[i] == '.';
		colons += text[i] == ':';
		others += !isalnum((unsigned char)text[i]) &&
			  !strchr(".:-_", text[i]);
	}
	if (others || (dots < 2 && colons < 2))
		return false;
	return digits + dots + colons == length ? dots == 3 : true;
}

static bool is_address(const char *text, size_t length)
{
	return length > 8 && memmem(text, length, "://", 3);
}

/* What a word becomes, or NULL if it may stay. */
static const char *instead(const char *text, size_t length)
{
	if (is_address(text, length))
		return NULL;
	if (is_path(text) || memchr(text, '\\', length) ||
	    (memchr(text, '/', length) && memmem(text, length, "=/", 2)))
		return "[path]";
	return is_host(text, length) ? "[host]" : NULL;
}

/* "error: node17: task 3: Out Of Memory" */
static bool names_host(const char *text)
{
	size_t length;

	if (strncmp(text, SPEAKER, strlen(SPEAKER)))
		return false;
	length = word_length(text + strlen(SPEAKER));
	return length > 1 && text[strlen(SPEAKER) + length - 1] == ':';
}

/* Take one word, and what a word such as "Process" says of the next. */
static size_t redact_word(struct la_strbuf *out, const char *text)
{
	size_t skip = listed(text, numbered, ARRAY_SIZE(numbered)), digits;
	size_t length = word_length(text);
	const char *replaced;

	digits = skip ? strspn(text + skip, "0123456789") : 0;
	if (digits) {
		la_strbuf_add(out, text, skip);
		la_strbuf_addstr(out, "[number]");
		return skip + digits;
	}
	skip = listed(text, named, ARRAY_SIZE(named));
	if (skip && word_length(text + skip)) {
		la_strbuf_add(out, text, skip);
		la_strbuf_addstr(out, "[name]");
		return skip + word_length(text + skip);
	}
	if (names_host(text)) {
		la_strbuf_addstr(out, SPEAKER "[host]:");
		return strlen(SPEAKER) + word_length(text + strlen(SPEAKER));
	}
	replaced = instead(text, length);
	if (replaced)
		la_strbuf_addstr(out, replaced);
	else
		la_strbuf_add(out, text, length);
	return length;
}

void triage_redact(struct la_strbuf *out, const char *text)
{
	size_t length;

	for (; *text; text += length) {
		length = is_word(*text) ? redact_word(out, text) : 1;
		if (!is_word(*text))
			la_strbuf_add(out, text, 1);
	}
}
