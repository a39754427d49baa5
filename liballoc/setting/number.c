// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "setting/number.h"
#include "util/c-locale.h"

_Static_assert(sizeof(unsigned long long) == sizeof(uint64_t),
	       "torch stores what strtoull returns");

int la_stoull(const char *text, uint64_t *out, size_t *used)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text)
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	*out = value;
	*used = end - text;
	return 0;
}

int la_stoul32(const char *text, uint64_t *out, size_t *used)
{
	bool negative = text[strspn(text, " \t\n\v\f\r")] == '-';
	uint64_t value;
	int err = la_stoull(text, &value, used);

	if (err < 0)
		return err;
	if ((negative ? -value : value) > UINT32_MAX)
		return -ERANGE;
	*out = (uint32_t)value;
	return 0;
}

int la_stoi(const char *text, uint64_t *out, size_t *used)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text)
		return -EINVAL;
	if (errno == ERANGE || value < INT_MIN || value > INT_MAX)
		return -ERANGE;
	*out = (uint64_t)value;
	*used = end - text;
	return 0;
}

int la_stod(const char *text, double *out, size_t *used)
{
	struct la_c_locale c;
	double value;
	char *end;

	if (!la_c_locale_enter(&c))
		return -ENOMEM;
	errno = 0;
	value = strtod(text, &end);
	la_c_locale_leave(&c);
	if (end == text)
		return -EINVAL;
	*out = value;
	*used = end - text;
	return errno == ERANGE ? -ERANGE : 0;
}
