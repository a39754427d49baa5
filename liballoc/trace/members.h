/* SPDX-License-Identifier: Apache-2.0 */
/* What allocator_settings holds: scalars, and dicts of scalars. */
#ifndef LA_TRACE_MEMBERS_H
#define LA_TRACE_MEMBERS_H

#include "trace/budget.h"

struct la_member {
	uint64_t u; /* see struct la_value */
	uint32_t group; /* number + 1 of the dict that it is in; 0: none */
	uint32_t key; /* text, number + 1 */
	uint8_t type; /* enum la_value_type */
};

struct la_members {
	struct la_member *members;
	size_t count, room;
	uint32_t *groups; /* by number: its key, text number + 1; 0: none */
	size_t group_count, group_room;
};

/* These return 0, -ENOMEM or -E2BIG. */
int la_members_add(struct la_members *set, struct la_budget *budget,
		   const struct la_member *member);
int la_members_new_group(struct la_members *set, struct la_budget *budget,
			 uint64_t *number);

void la_members_clear(struct la_members *set);
void la_members_release(struct la_members *set);

#endif /* LA_TRACE_MEMBERS_H */
