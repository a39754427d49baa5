// SPDX-License-Identifier: Apache-2.0
/* Text for strangers: no paths, hosts, users, processes, keys. */

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

/* torch.cuda.OutOfMemoryError: */
static bool is_exception(const char *text, size_t length)
{
	static const char name[] = "Error:";
	size_t n = strlen(name);

	return length > n && !strncmp(text + length - n, name, n);
}

/* user@host, 10.0.0.1, node.example.org, host:123:456 */
static bool is_host(const char *text, size_t length)
{
	size_t i, digits = 0, dots = 0, colons = 0, others = 0;

	if (memchr(text, '@', length))
		return true;
	if (is_exception(text, length))
		return false;
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

static bool begins_with(const char *text, size_t length, const char *what)
{
	size_t n = strlen(what);

	return length >= n && !strncasecmp(text, what, n);
}

/* Part of a word: a key or token, by its beginning or as it looks. */
static bool is_secret_part(const char *text, size_t length)
{
	static const char *const beginnings[] = {
		"hf_",	"sk-",	 "ghp_",   "gho_", "github_pat_",
		"AKIA", "xoxb-", "glpat-", "eyJ",  "wandb_v",
	};
	size_t i, digits = 0, letters = 0;

	for (i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (length > 8 && begins_with(text, length, beginnings[i]))
			return true;
	for (i = 0; i < length; i++) {
		digits += isdigit((unsigned char)text[i]) != 0;
		letters += isalpha((unsigned char)text[i]) != 0;
	}
	return length >= 16 && digits >= 4 && letters > 0;
}

static size_t part_length(const char *text, size_t length)
{
	size_t i = 0;

	while (i < length &&
	       (isalnum((unsigned char)text[i]) || text[i] == '-' ||
		text[i] == '_'))
		i++;
	return i;
}

static bool has_secret(const char *text, size_t length)
{
	size_t part;

	for (; length; text += part + 1, length -= part + 1) {
		part = part_length(text, length);
		if (is_secret_part(text, part))
			return true;
		if (part == length)
			break;
	}
	return false;
}

/* Bytes of a name such as "--api-key" at the start of a word, or 0. */
static size_t secret_name(const char *text, size_t length)
{
	static const char *const ends[] = { "key", "token", "secret",
					    "password", "passwd" };
	size_t part = part_length(text, length), i, n;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		n = strlen(ends[i]);
		if (part >= n && !strncasecmp(text + part - n, ends[i], n))
			return part;
	}
	return 0;
}

/* The documentation that messages point to is nobody's own. */
static bool is_public(const char *address, size_t length)
{
	static const char *const sites[] = {
		"https://pytorch.org/",
		"https://docs.pytorch.org/",
		"https://www.tensorflow.org/",
		"https://docs.nvidia.com/",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sites); i++)
		if (begins_with(address, length, sites[i]))
			return true;
	return false;
}

/* What a word becomes, or NULL if it may stay. */
static const char *instead(const char *text, size_t length)
{
	if (memmem(text, length, "://", 3))
		return is_public(text, length) ? NULL : "[address]";
	if (is_path(text) || memchr(text, '\\', length) ||
	    (length > 8 && memchr(text, '/', length)))
		return "[path]";
	if (has_secret(text, length))
		return "[secret]";
	return is_host(text, length) ? "[host]" : NULL;
}

/* "--token x", "token=x", "token: x": bytes up to x, or 0. */
static size_t ahead_of_secret(const char *text, size_t length)
{
	size_t name = secret_name(text, length);

	if (!name || (name != length && !strchr("=:", text[name])))
		return 0;
	if (name == length && strncmp(text, "--", 2))
		return 0;
	if (name < length)
		name++;
	while (name >= length && text[name] == ' ')
		name++;
	return word_length(text + name) ? name : 0;
}

/* A shell's "123 Killed python train.py": what ran is the user's. */
static bool is_shell_kill(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	size_t blanks = strspn(text + digits, " ");

	return digits && blanks &&
	       !strncmp(text + digits + blanks, "Killed ", strlen("Killed "));
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

	if (is_shell_kill(text)) {
		la_strbuf_addstr(out, "[number] Killed [command]");
		return strlen(text);
	}
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
	skip = ahead_of_secret(text, length);
	if (skip) {
		la_strbuf_add(out, text, skip);
		la_strbuf_addstr(out, "[secret]");
		return skip + word_length(text + skip);
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
