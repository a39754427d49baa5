// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "setting/release.h"
#include "util/error.h"
#include "util/util.h"

static const struct la_release releases[] = {
	{ LA_RELEASE(1, 9), "1.9" },   { LA_RELEASE(1, 10), "1.10" },
	{ LA_RELEASE(1, 11), "1.11" }, { LA_RELEASE(1, 12), "1.12" },
	{ LA_RELEASE(1, 13), "1.13" }, { LA_RELEASE(2, 0), "2.0" },
	{ LA_RELEASE(2, 1), "2.1" },   { LA_RELEASE(2, 2), "2.2" },
	{ LA_RELEASE(2, 3), "2.3" },   { LA_RELEASE(2, 4), "2.4" },
	{ LA_RELEASE(2, 5), "2.5" },   { LA_RELEASE(2, 6), "2.6" },
	{ LA_RELEASE(2, 7), "2.7" },   { LA_RELEASE(2, 8), "2.8" },
	{ LA_RELEASE(2, 9), "2.9" },   { LA_RELEASE(2, 10), "2.10" },
	{ LA_RELEASE(2, 11), "2.11" }, { LA_RELEASE(2, 12), "2.12" },
	{ LA_RELEASE(2, 13), "2.13" }, { LA_RELEASE(2, 14), "2.14" },
	{ LA_RELEASE(2, 15), "2.15" },
};

#define OLDEST releases[0]
#define NEWEST releases[ARRAY_SIZE(releases) - 1]

/* Major and minor numbers larger than this are no release. */
enum { NUMBER_MAX = 255 };

enum la_generation la_generation_of(unsigned int release)
{
	if (release < LA_RELEASE(2, 0))
		return LA_GENERATION_A;
	if (release < LA_RELEASE(2, 10))
		return LA_GENERATION_B;
	return LA_GENERATION_C;
}

LA_EXPORT const struct la_release *la_release_at(size_t index)
{
	return index < ARRAY_SIZE(releases) ? &releases[index] : NULL;
}

LA_EXPORT const char *la_release_name(unsigned int number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(releases); i++)
		if (releases[i].number == number)
			return releases[i].name;
	return NULL;
}

/* Digits at *text, which moves past them; false if there are none. */
static bool read_number(const char **text, unsigned int *out)
{
	unsigned int number = 0;
	const char *start = *text;

	for (; **text >= '0' && **text <= '9'; ++*text)
		if (number <= NUMBER_MAX)
			number = 10 * number + (**text - '0');
	*out = number;
	return *text != start && number <= NUMBER_MAX;
}

/* MAJOR.MINOR, and whatever a build adds to it. */
static bool read_version(const char *text, unsigned int *release)
{
	unsigned int major, minor;

	if (!read_number(&text, &major) || *text++ != '.' ||
	    !read_number(&text, &minor))
		return false;
	*release = LA_RELEASE(major, minor);
	return !*text || strchr(".+-_abr", *text);
}

LA_EXPORT int la_release_parse(unsigned int *release, const char *text,
			       struct la_error *err)
{
	unsigned int number;

	if (!read_version(text, &number))
		return la_error_set(err, -EINVAL, 0,
				    "'%.64s' is not a release of torch", text);
	if (number > NEWEST.number) {
		*release = NEWEST.number;
		return 1;
	}
	if (number < OLDEST.number)
		return la_error_set(err, -ERANGE, 0,
				    "torch %.64s is older than %s, the first "
				    "release with a setting",
				    text, OLDEST.name);
	if (!la_release_name(number))
		return la_error_set(err, -ERANGE, 0, "there is no torch %.64s",
				    text);
	*release = number;
	return 0;
}
