// SPDX-License-Identifier: Apache-2.0
/* Which release of torch goes by which rule. */

#include <limits.h>
#include <math.h>

#include <liballoc/heap.h>

#include "heap/rules.h"
#include "util/util.h"

#define FIXED_LARGE (20 * MIB) /* segments, and slack, without an option */

/* First and last release of each rule; all were seen in the allocators of the
 * releases' wheels, which tests/wheels/heap.sh asks. */
static const struct {
	unsigned int first, last;
} in_force[RULE_COUNT] = {
	/* 2.4 asks for more than one division, those before for one */
	[RULE_UNIT_DIVISION] = { LA_RELEASE(1, 12), LA_RELEASE(2, 3) },
	[RULE_BYPASS] = { LA_RELEASE(1, 13), LA_RELEASE(1, 13) },
	[RULE_CHAINS] = { LA_RELEASE(2, 1), UINT_MAX },
	/* an assertion of theirs that ends the request: issue 123548 */
	[RULE_CHAINS_FAIL] = { LA_RELEASE(2, 1), LA_RELEASE(2, 4) },
	[RULE_SLACK_OPTION] = { LA_RELEASE(2, 6), UINT_MAX },
	[RULE_LARGE_OPTION] = { LA_RELEASE(2, 11), UINT_MAX },
	[RULE_REJECTION] = { LA_RELEASE(2, 12), UINT_MAX },
	[RULE_TRUNCATED_CAP] = { 0, LA_RELEASE(2, 12) },
	[RULE_FULL_CAP] = { 0, LA_RELEASE(2, 9) },
	/* pull request 178362, which 183591 replaced */
	[RULE_BY_BLOCK] = { LA_RELEASE(2, 12), LA_RELEASE(2, 12) },
	[RULE_BY_SEGMENT] = { LA_RELEASE(2, 13), UINT_MAX },
	[RULE_MEMPOOLS_FLUSH] = { LA_RELEASE(2, 13), UINT_MAX },
};

heap_rules rules_of(unsigned int release)
{
	heap_rules set = 0;
	int i;

	if (!release)
		release = RULES_RELEASE;
	for (i = 0; i < RULE_COUNT; i++)
		if (in_force[i].first <= release && release <= in_force[i].last)
			set |= 1u << i;
	return set;
}

void rules_fit(heap_rules set, struct la_setting_values *setting)
{
	uint64_t *parts = setting->roundup_power2_divisions;
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		if (parts[i] == 1)
			parts[i] = rules_have(set, RULE_UNIT_DIVISION) ?
					   RULES_UNROUNDED :
					   0;
	if (!rules_have(set, RULE_BYPASS))
		setting->roundup_bypass_threshold = UINT64_MAX;
	if (!rules_have(set, RULE_CHAINS))
		setting->expandable_segments = false;
	if (!rules_have(set, RULE_LARGE_OPTION))
		setting->large_segment_size = FIXED_LARGE;
	if (!rules_have(set, RULE_SLACK_OPTION))
		setting->max_non_split_rounding = FIXED_LARGE;
	if (!rules_have(set, RULE_REJECTION))
		setting->throw_on_cudamalloc_oom = false;
}

LA_EXPORT uint64_t la_heap_cap(double fraction, uint64_t total,
			       unsigned int release)
{
	double bytes = fraction * (double)total;
	heap_rules set = rules_of(release);

	if (fraction >= 1 && !rules_have(set, RULE_FULL_CAP))
		return UINT64_MAX;
	return (uint64_t)(rules_have(set, RULE_TRUNCATED_CAP) ? bytes :
								round(bytes));
}

LA_EXPORT double la_heap_fraction(uint64_t cap, uint64_t total)
{
	return ceil((double)cap / (double)total * 1e9) / 1e9;
}

static bool has_unit_division(const struct la_setting_values *setting)
{
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		if (setting->roundup_power2_divisions[i] == 1)
			return true;
	return false;
}

heap_rules rules_that_matter(const struct la_setting_values *setting)
{
	bool split = setting->max_split_size != UINT64_MAX;
	bool chains = setting->expandable_segments;
	const bool matters[RULE_COUNT] = {
		[RULE_UNIT_DIVISION] = has_unit_division(setting),
		[RULE_BYPASS] = setting->roundup_bypass_threshold != UINT64_MAX,
		[RULE_CHAINS] = chains,
		[RULE_CHAINS_FAIL] = chains && split,
		[RULE_SLACK_OPTION] =
			split && setting->max_non_split_rounding != FIXED_LARGE,
		[RULE_LARGE_OPTION] =
			setting->large_segment_size != FIXED_LARGE,
		[RULE_REJECTION] = setting->throw_on_cudamalloc_oom,
		[RULE_TRUNCATED_CAP] = true,
		[RULE_FULL_CAP] = setting->garbage_collection_threshold > 0,
		[RULE_BY_BLOCK] = true,
		[RULE_BY_SEGMENT] = true,
		[RULE_MEMPOOLS_FLUSH] = true,
	};
	heap_rules set = 0;
	int i;

	for (i = 0; i < RULE_COUNT; i++)
		set |= (heap_rules)matters[i] << i;
	return set;
}
