/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a request that could not be served. */
#ifndef LA_TORCH_OOM_H
#define LA_TORCH_OOM_H

#include <liballoc/allocator.h>

/* Room for every message. */
#define LA_OOM_TEXT 2048

/* What the allocator does not know of it. */
struct la_oom_place {
	const char *policy; /* its name */
	uint64_t free; /* bytes free on the card; UINT64_MAX: unknown */
};

/*
 * One line: what torch says of such a failure, word for word where it is the
 * same fact, then why it happened and what helps.
 */
void la_oom_text(char text[LA_OOM_TEXT], const struct la_allocator_oom *oom,
		 const struct la_oom_place *place);

#endif /* LA_TORCH_OOM_H */
