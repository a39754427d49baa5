/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_SPANS_H
#define LA_REPLAY_SPANS_H

#include <stddef.h>
#include <stdint.h>

/* A segment, or the reservation of an expandable one. */
struct span {
	uint64_t addr;
	uint64_t end; /* address behind the last byte */
	uint32_t pool; /* to which it belongs */
	uint32_t made; /* event that brought it; SPAN_BEFORE: it was there */
};

#define SPAN_BEFORE UINT32_MAX

/* Spans that do not overlap, in the order of their addresses. */
struct spans {
	struct span *span; /* owned; room of them */
	size_t count, room;
};

void spans_destroy(struct spans *spans);

/* Add a span.  Returns 0, -EBADMSG if it overlaps another, or -ENOMEM. */
int spans_add(struct spans *spans, const struct span *span);

/* Remove the span that starts at an address; there must be one. */
void spans_remove(struct spans *spans, uint64_t addr);

/* The span that holds an address, or NULL. */
/* Index of the first span that ends behind an address, or their number. */
size_t spans_from(const struct spans *spans, uint64_t addr);

const struct span *spans_find(const struct spans *spans, uint64_t addr);

#endif /* LA_REPLAY_SPANS_H */
