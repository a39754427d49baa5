/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_RULES_H
#define LA_HEAP_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/setting.h>

/* The release whose behaviour is meant where none is named. */
#define RULES_RELEASE LA_RELEASE(2, 11)

/* What differs between releases of torch in the policy. */
enum heap_rule {
	RULE_UNIT_DIVISION, /* a division of 1 leaves sizes unrounded */
	RULE_BYPASS, /* roundup_bypass_threshold_mb */
	RULE_CHAINS, /* expandable_segments */
	RULE_CHAINS_FAIL, /* the targeted release fails where it meets one */
	RULE_SLACK_OPTION, /* max_non_split_rounding_mb; else 20 MiB */
	RULE_LARGE_OPTION, /* large_segment_size_mb; else 20 MiB */
	RULE_REJECTION, /* throw_on_cudamalloc_oom */
	RULE_TRUNCATED_CAP, /* bytes of a memory fraction */
	RULE_FULL_CAP, /* a fraction of 1 is a cap, too */
	RULE_BY_BLOCK, /* equal blocks: the one made first comes first */
	RULE_BY_SEGMENT, /* ... that of the older segment, then by address */
	RULE_MEMPOOLS_FLUSH, /* requests in use_mem_pool() may flush */
	RULE_COUNT /* number of rules, not a rule */
};

/* Rules in force: bit r stands for enum heap_rule r. */
typedef unsigned int heap_rules;

static inline bool rules_have(heap_rules set, enum heap_rule rule)
{
	return set >> rule & 1;
}

/* The rules of a release; 0: RULES_RELEASE. */
heap_rules rules_of(unsigned int release);

/* Number of parts of a slot that leaves sizes as they are. */
#define RULES_UNROUNDED UINT64_MAX

/* Take from a setting what a release does not have, and make a division of 1
 * what it means to it: 0 or RULES_UNROUNDED. */
void rules_fit(heap_rules set, struct la_setting_values *setting);

/* Which rules can make a difference under a setting. */
heap_rules rules_that_matter(const struct la_setting_values *setting);

#endif /* LA_HEAP_RULES_H */
