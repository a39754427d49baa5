// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "util/distance.h"

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

size_t la_distance(const char *a, size_t a_length, const char *b,
		   size_t b_length)
{
	size_t row[LA_DISTANCE_MAX + 1], i, j;

	if (a_length > LA_DISTANCE_MAX || b_length > LA_DISTANCE_MAX)
		return SIZE_MAX;
	for (j = 0; j <= b_length; j++)
		row[j] = j;
	for (i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= b_length; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = min3(change, row[j] + 1, row[j - 1] + 1);
		}
	}
	return row[b_length] <= (a_length + 2) / 3 ? row[b_length] : SIZE_MAX;
}
