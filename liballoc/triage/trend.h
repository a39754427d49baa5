/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a series grows: Mann-Kendall's test and Theil-Sen's slope. */
#ifndef LA_TRIAGE_TREND_H
#define LA_TRIAGE_TREND_H

#include <stddef.h>
#include <stdint.h>

/* Probability that a series without a trend rises as much by chance: the
 * normal approximation with its correction for ties and for continuity. */
double trend_p(const uint64_t *value, size_t count);

/* Median of the slopes of all pairs, for each place in the series; 0 for
 * less than two values.  Returns 0 or -ENOMEM. */
int trend_slope(double *slope, const uint64_t *value, size_t count);

#endif /* LA_TRIAGE_TREND_H */
