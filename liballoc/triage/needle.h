/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fast search for the words that some line of every message has.  Most
 * bytes of a log are never looked at.
 */
#ifndef LA_TRIAGE_NEEDLE_H
#define LA_TRIAGE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LA_NEEDLE_LEAST = 6, /* bytes of the shortest */
	LA_NEEDLE_MOST = 40 /* bytes that a match may need to look at */
};

struct la_needles {
	/* By a hash of three bytes: bit k is set if some needle has them
	 * behind its first k bytes */
	uint8_t block[1 << 15];
	/* By first byte, folded: index of a needle + 1, 0: none */
	uint8_t first[256];
	uint8_t next[256]; /* the same first byte; as above */
};

void la_needles_init(struct la_needles *needles);

/*
 * Offset of the first needle that begins at from or later, or length.  Where
 * the text goes on beyond length, needles in the last LA_NEEDLE_MOST bytes
 * may be missed, or found though the text that follows says otherwise.
 */
size_t la_needles_find(const struct la_needles *needles, const char *text,
		       size_t from, size_t length);

#endif /* LA_TRIAGE_NEEDLE_H */
