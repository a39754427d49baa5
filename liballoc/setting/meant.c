// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "setting/meant.h"
#include "util/utf8.h"
#include "util/util.h"

/* Words longer than any option are none. */
enum { WORD_MAX = 64 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool is_name(char c)
{
	return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Whether a part of a name, up to its next _, is one of name's parts too. */
static bool has_part(const char *name, const char *part, size_t length)
{
	size_t n;

	for (;; name += n + 1) {
		n = strcspn(name, "_");
		if (n == length && !memcmp(name, part, n))
			return true;
		if (!name[n])
			return false;
	}
}

/* Parts that a name has beyond those of word; SIZE_MAX if one is missing. */
static size_t parts_beyond(const char *name, const char *word)
{
	size_t n, parts = 1, found = 0;
	const char *c;

	for (c = name; *c; c++)
		parts += *c == '_';
	for (;; word += n + 1) {
		n = strcspn(word, "_");
		if (!has_part(name, word, n))
			return SIZE_MAX;
		found++;
		if (!word[n])
			return found > 1 && found <= parts ? parts - found :
							     SIZE_MAX;
	}
}

static const struct la_option *option_of_parts(unsigned int release,
					       const char *word)
{
	const struct la_option *option, *best = NULL;
	const struct la_setting_option *about;
	size_t beyond, least = SIZE_MAX, i;

	for (i = 0; (about = la_setting_option_at(i)); i++) {
		option = la_option_find(release, about->name,
					strlen(about->name));
		beyond = option ? parts_beyond(about->name, word) : SIZE_MAX;
		if (beyond >= least)
			continue;
		least = beyond;
		best = option;
	}
	return best;
}

const struct la_option *la_meant_option(unsigned int release, const char *word,
					size_t length)
{
	const struct la_option *option;
	char name[WORD_MAX + 1];
	size_t i;

	while (length && !is_name(*word)) {
		word++;
		length--;
	}
	while (length && !is_name(word[length - 1]))
		length--;
	if (!length || length > WORD_MAX)
		return NULL;
	for (i = 0; i < length; i++)
		name[i] = word[i] == '-' ? '_' : lower(word[i]);
	name[length] = '\0';
	option = la_option_find(release, name, length);
	if (!option && la_option_find_any(name, length))
		return NULL;
	if (!option)
		option = la_option_nearest(release, name, length);
	return option ? option : option_of_parts(release, name);
}

const char *la_meant_bool(const char *word)
{
	static const char *const names[][2] = {
		{ "true", "True" }, { "1", "True" },	  { "on", "True" },
		{ "yes", "True" },  { "false", "False" }, { "0", "False" },
		{ "off", "False" }, { "no", "False" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(word, names[i][0]))
			return names[i][1];
	return NULL;
}

const char *la_meant_backend(enum la_build build, const char *word,
			     size_t length)
{
	static const char *const names[] = { "native", "cudaMallocAsync",
					     "hipMallocAsync" };
	size_t i, n = ARRAY_SIZE(names) - (build != LA_BUILD_ROCM);

	while (length && !is_name(*word)) {
		word++;
		length--;
	}
	while (length && !is_name(word[length - 1]))
		length--;
	for (i = 0; i < n; i++)
		if (strlen(names[i]) == length &&
		    !strncasecmp(names[i], word, length))
			return names[i];
	return NULL;
}

static uint32_t code_point(const char *text, size_t size)
{
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t value = (unsigned char)text[0] & mask[size];
	size_t i;

	for (i = 1; i < size; i++)
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	return value;
}

char la_meant_char(const char *text, size_t length, size_t *size)
{
	static const struct {
		uint32_t first, last;
		char ascii;
	} ranges[] = {
		{ 0xa0, 0xa0, ' ' },	 { 0xab, 0xab, '"' },
		{ 0xad, 0xad, ' ' },	 { 0xbb, 0xbb, '"' },
		{ 0x2000, 0x200f, ' ' }, { 0x2010, 0x2015, '-' },
		{ 0x2018, 0x201f, '"' }, { 0x2028, 0x202f, ' ' },
		{ 0x2039, 0x203a, '"' }, { 0x205f, 0x2064, ' ' },
		{ 0x2212, 0x2212, '-' }, { 0x2236, 0x2236, ':' },
		{ 0x3000, 0x3000, ' ' }, { 0x3001, 0x3001, ',' },
		{ 0xfeff, 0xfeff, ' ' },
	};
	uint32_t point;
	size_t i;

	*size = la_utf8_char(text, length);
	if (*size < 2) {
		*size = 1;
		return 0;
	}
	point = code_point(text, *size);
	if (point >= 0xff01 && point <= 0xff5e)
		return (char)(point - 0xff01 + '!');
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return ranges[i].ascii;
	return 0;
}
