/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people write them and as torch prints them. */
#ifndef LA_UTIL_SIZE_H
#define LA_UTIL_SIZE_H

#include <stdint.h>

#include "util/error.h"

/* Room for any size that la_size_format() prints, terminator included. */
#define LA_SIZE_TEXT 32

/*
 * A number, decimals allowed, and a unit, blanks allowed between and around:
 *
 *	none, B, byte, bytes		1
 *	K M G T, Ki Mi Gi Ti, KiB ...	powers of 1024
 *	kB MB GB TB			powers of 1000
 *
 * Case does not matter: KB is 1000 like MB and GB, k is 1024 like K.  What is
 * left of a byte after a decimal number is rounded to the nearest byte.
 * 0, or -EINVAL, or -ERANGE for what does not fit 64 bits.
 */
int la_size_parse(const char *text, uint64_t *out, struct la_error *err);

/* As torch prints sizes: "512 bytes", "1.00 MiB", "79.25 GiB". */
const char *la_size_format(char text[LA_SIZE_TEXT], uint64_t bytes);

#endif /* LA_UTIL_SIZE_H */
