/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as the C++ library's stoi, stoull and stod read them: a prefix is
 * enough, negative integers wrap, and only what has no prefix at all or does
 * not fit is refused.
 */
#ifndef LA_SETTING_NUMBER_H
#define LA_SETTING_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * All read the terminated text and set used to the bytes that they took.
 * 0, -EINVAL (no number) or -ERANGE; la_stod() also -ENOMEM.
 */
int la_stoull(const char *text, uint64_t *out, size_t *used);

/* stoul where long has 32 bits. */
int la_stoul32(const char *text, uint64_t *out, size_t *used);

/* A number of 32 bits with a sign, widened as torch widens it. */
int la_stoi(const char *text, uint64_t *out, size_t *used);

/*
 * Decimal point whatever the process's locale; hex, inf and nan as strtod.
 * out and used are also set where -ERANGE is returned.
 */
int la_stod(const char *text, double *out, size_t *used);

#endif /* LA_SETTING_NUMBER_H */
