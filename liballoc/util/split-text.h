/* SPDX-License-Identifier: Apache-2.0 */
/* A split of a block, as guides on fragmentation print it. */
#ifndef LA_UTIL_SPLIT_TEXT_H
#define LA_UTIL_SPLIT_TEXT_H

#include <stdint.h>

/* Room for every text. */
#define LA_SPLIT_TEXT 256

/* One line, with its newline; returns its length.  Sizes in bytes. */
int la_split_text(char text[LA_SPLIT_TEXT], uint64_t addr, uint64_t size,
		  uint64_t whole);

#endif /* LA_UTIL_SPLIT_TEXT_H */
