/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_SPANS_H
#define LA_REPLAY_SPANS_H

#include <stddef.h>
#include <stdint.h>

/* Address ranges that do not overlap, in the order of their addresses. */
struct spans {
	struct span {
		uint64_t addr;
		uint64_t end; /* address behind the last byte */
	} *span; /* owned; room of them */
	size_t count, room;
};

void spans_destroy(struct spans *spans);

/* Add a range.  Returns 0, -EBADMSG if it overlaps another, or -ENOMEM. */
int spans_add(struct spans *spans, uint64_t addr, uint64_t size);

/* Remove the range that starts at an address; there must be one. */
void spans_remove(struct spans *spans, uint64_t addr);

#endif /* LA_REPLAY_SPANS_H */
