/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of addresses that come and go.  All addresses at which one may begin
 * are known from the start, so that none costs more than a few words of bits,
 * whatever the order of what happens.
 */
#ifndef LA_TRACE_LIVE_H
#define LA_TRACE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LA_NOT_LIVE SIZE_MAX

/* Words of 64 bits, of as many as 2^(6 * levels) places. */
enum { LA_LIVE_LEVELS = 7 };

/* Indexed by place: the number of the address among all, in order. */
struct la_live {
	uint64_t *addr; /* owned; ascending */
	uint64_t *size; /* owned; bytes of the range that is live */
	uint32_t *tag; /* owned; what the caller says of it */
	size_t count;
	/* Owned.  bits[0]: which are live; bits[n]: which words of
	 * bits[n - 1] are not 0 */
	uint64_t *bits[LA_LIVE_LEVELS];
};

/* Addresses in any order, any number of times; they are sorted: 0 or -ENOMEM,
 * and then la_live_release() has been called. */
int la_live_init(struct la_live *live, uint64_t *addr, size_t count);
void la_live_release(struct la_live *live);

/* The place of an address, or LA_NOT_LIVE if it is none of those known. */
size_t la_live_place(const struct la_live *live, uint64_t addr);

void la_live_add(struct la_live *live, size_t place, uint64_t size,
		 uint32_t tag);
void la_live_remove(struct la_live *live, size_t place);

static inline bool la_live_has(const struct la_live *live, size_t place)
{
	return live->bits[0][place / 64] >> place % 64 & 1;
}

/* The first live range that begins at an address or behind it. */
size_t la_live_from(const struct la_live *live, uint64_t addr);

/* The live range that begins last of those that begin at an address or ahead
 * of it, if the address lies in it. */
size_t la_live_around(const struct la_live *live, uint64_t addr);

#endif /* LA_TRACE_LIVE_H */
