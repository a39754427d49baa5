// SPDX-License-Identifier: Apache-2.0
#include "triage/amount.h"
#include "triage/driver.h"
#include "triage/margins.h"

bool la_is_of_driver(const struct la_facts *facts)
{
	return facts->views >> LA_PROBE_DRIVER & 1;
}

bool la_sees_driver_alone(const struct la_facts *facts)
{
	return facts->views == 1u << LA_PROBE_DRIVER;
}

bool la_is_told_by_call(const struct la_facts *facts)
{
	return la_is_of_driver(facts) &&
	       (facts->kind == LA_OOM_PINNED || facts->kind == LA_OOM_MAPPING);
}

static bool is_exact(const struct la_facts *facts, enum la_amount_id id)
{
	const struct la_amount *amount = &facts->amount[id];

	return amount->basis == LA_BASIS_RECORDED &&
	       amount->low == amount->high;
}

static bool is_larger_than_card(const struct la_facts *facts)
{
	return is_exact(facts, LA_AMOUNT_TOTAL) &&
	       la_margin_segment(facts).low >
		       la_margin_of(facts, LA_AMOUNT_TOTAL).high;
}

bool la_is_decided(const struct la_facts *facts, enum la_cause cause)
{
	bool exact = la_is_of_driver(facts) &&
		     is_exact(facts, LA_AMOUNT_FREE) &&
		     is_exact(facts, LA_AMOUNT_SEGMENT);

	switch (cause) {
	case LA_CAUSE_REQUEST_TOO_LARGE:
	case LA_CAUSE_ABSURD_SIZE:
		return la_is_of_driver(facts) && is_larger_than_card(facts);
	case LA_CAUSE_POOL_FRAGMENTATION:
	case LA_CAUSE_OTHER_ALLOCATOR:
		return exact && is_exact(facts, LA_AMOUNT_OTHER_CACHES);
	case LA_CAUSE_OTHER_PROCESS:
		return exact && is_exact(facts, LA_AMOUNT_OTHERS) &&
		       la_card_is_explained(facts);
	case LA_CAUSE_DRIVER_OVERHEAD:
		return exact && is_exact(facts, LA_AMOUNT_CONTEXT) &&
		       is_exact(facts, LA_AMOUNT_OTHER_ALLOCATORS) &&
		       la_card_is_explained(facts);
	default:
		return false;
	}
}
