// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>

#include "setting/number.h"

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
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value;
	char *end;
	int err;

	if (!c)
		return -ENOMEM;
	errno = 0;
	value = strtod_l(text, &end, c);
	err = errno;
	freelocale(c);
	if (end == text)
		return -EINVAL;
	*out = value;
	*used = end - text;
	return err == ERANGE ? -ERANGE : 0;
}
