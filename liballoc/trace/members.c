// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "trace/members.h"

int la_members_add(struct la_members *set, struct la_budget *budget,
		   const struct la_member *member)
{
	int err = 0;

	if (set->count == set->room)
		err = la_budget_grow(budget, &set->members, &set->room,
				     set->count + 1, sizeof(*set->members));
	if (err == 0)
		set->members[set->count++] = *member;
	return err;
}

int la_members_new_group(struct la_members *set, struct la_budget *budget,
			 uint64_t *number)
{
	int err = 0;

	if (set->group_count >= UINT32_MAX - 1)
		return -E2BIG;
	if (set->group_count == set->group_room)
		err = la_budget_grow(budget, &set->groups, &set->group_room,
				     set->group_count + 1,
				     sizeof(*set->groups));
	if (err < 0)
		return err;
	set->groups[set->group_count] = 0;
	*number = set->group_count++;
	return 0;
}

void la_members_clear(struct la_members *set)
{
	set->count = 0;
	set->group_count = 0;
}

void la_members_release(struct la_members *set)
{
	free(set->members);
	free(set->groups);
}
