// SPDX-License-Identifier: Apache-2.0
/* Mann-Kendall's test (Kendall, Rank Correlation Methods, 1975) and the slope
 * of Theil and Sen (J. Am. Stat. Assoc. 63, 1968). */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "triage/trend.h"

/* Pairs that rise less those that fall. */
static double rising_pairs(const uint64_t *value, size_t count)
{
	double sum = 0;
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = i + 1; k < count; k++)
			sum += (value[k] > value[i]) - (value[k] < value[i]);
	return sum;
}

static double variance_of(double n)
{
	return n * (n - 1) * (2 * n + 5) / 18;
}

/* The variance of that sum, less what each group of equal values has of its
 * own; a group is counted at its first value. */
static double variance(const uint64_t *value, size_t count)
{
	double sum = variance_of((double)count);
	size_t i, k;

	for (i = 0; i < count; i++) {
		size_t equal = 0;

		for (k = 0; k < i && value[k] != value[i]; k++)
			;
		if (k < i)
			continue;
		for (; k < count; k++)
			equal += value[k] == value[i];
		sum -= variance_of((double)equal);
	}
	return sum;
}

double trend_p(const uint64_t *value, size_t count)
{
	double sum = rising_pairs(value, count);
	double spread = variance(value, count);
	double z;

	if (spread <= 0)
		return 1;
	z = (sum - (sum > 0) + (sum < 0)) / sqrt(spread);
	return erfc(z / sqrt(2)) / 2;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int trend_slope(double *out, const uint64_t *value, size_t count)
{
	size_t pairs = count * (count - (count > 0)) / 2, n = 0, i, k;
	double *slope = malloc((pairs + 1) * sizeof(*slope));

	*out = 0;
	if (!slope)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		for (k = i + 1; k < count; k++)
			slope[n++] = ((double)value[k] - (double)value[i]) /
				     (double)(k - i);
	if (pairs) {
		qsort(slope, pairs, sizeof(*slope), by_value);
		*out = (slope[pairs / 2] + slope[(pairs - 1) / 2]) / 2;
	}
	free(slope);
	return 0;
}
