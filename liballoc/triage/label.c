// SPDX-License-Identifier: Apache-2.0
/* The coarse class of an OOM: one rule on the numbers as they were printed. */
#include <string.h>

#include "triage/amount.h"
#include "triage/driver.h"
#include "triage/label.h"
#include "triage/margins.h"
#include "triage/situation.h"
#include "util/util.h"

static const char *const label_names[] = {
	[LA_LABEL_UNKNOWN] = "unknown",
	[LA_LABEL_NOT_PYTORCH] = "not_pytorch",
	[LA_LABEL_FRACTION_CAP] = "fraction_cap",
	[LA_LABEL_DRIVER_OR_CONTEXT] = "driver_or_context",
	[LA_LABEL_FRAGMENTATION] = "fragmentation",
	[LA_LABEL_OTHER_PROCESS] = "other_process",
	[LA_LABEL_LEAK] = "leak",
	[LA_LABEL_CAPACITY] = "capacity",
};

LA_EXPORT const char *la_label_name(enum la_label label)
{
	return label_names[label];
}

/* The numbers of a message, or what lies between their bounds; below 0: not
 * known. */
struct numbers {
	int64_t request, total, free, allowed, reserved, allocated, cached;
	int64_t others, process;
};

static int64_t number(const struct la_facts *facts, enum la_amount_id id)
{
	struct la_margin margin = la_margin_of(facts, id);

	return margin.known ? la_margin_middle(&margin) : -1;
}

static void read_numbers(struct numbers *n, const struct la_facts *facts)
{
	struct la_margin request = la_margin_segment(facts);
	struct la_margin others = la_margin_of(facts, LA_AMOUNT_OTHERS);

	n->request = request.known ? la_margin_middle(&request) : -1;
	n->total = number(facts, LA_AMOUNT_TOTAL);
	n->free = number(facts, LA_AMOUNT_FREE);
	n->allowed = number(facts, LA_AMOUNT_ALLOWED);
	n->reserved = number(facts, LA_AMOUNT_RESERVED);
	n->allocated = number(facts, LA_AMOUNT_ALLOCATED);
	n->cached = number(facts, LA_AMOUNT_UNALLOCATED);
	n->process = number(facts, LA_AMOUNT_PROCESS);
	n->others = others.known ? others.low : 0;
	if (n->request < 0 && n->free == 0)
		n->request = 1;
}

/* The cap refused: more than it allows, or there was enough on the card. */
static bool is_capped(const struct numbers *n)
{
	int64_t held = n->reserved >= 0 ? n->reserved : n->allocated;

	return n->allowed >= 0 &&
	       ((held >= 0 && held + n->request > n->allowed) ||
		n->free >= n->request);
}

/* Bytes of the card that nobody named holds. */
static int64_t unexplained(const struct numbers *n)
{
	int64_t held = n->process > n->reserved ? n->process : n->reserved;

	if (held < 0)
		held = n->allowed;
	if (n->total < 0 || n->free < 0 || held < 0)
		return 0;
	return n->total - n->free - held - n->others;
}

static bool others_hold_it(const struct numbers *n)
{
	int64_t missing = n->request - n->free, rest = unexplained(n);

	return n->others >= missing ||
	       (rest >= n->total / 4 && rest >= missing);
}

/* Whatever refused: the message ends ahead of the words on a cap. */
static bool ends_early(const struct la_facts *facts, const struct numbers *n)
{
	return facts->truncated && n->allowed < 0 && n->reserved < 0;
}

/* Free by so little that others may have taken it meanwhile. */
static bool is_close(const struct numbers *n)
{
	int64_t little = n->total / 200;

	if (little < (int64_t)(32 * MIB))
		little = 32 * MIB;
	return n->free < n->request + little &&
	       unexplained(n) >= n->total / 4;
}

static bool is_fragmented(const struct numbers *n)
{
	int64_t much = n->total / 20, room = n->free;

	if (n->cached < 0)
		return false;
	if (n->total < 0 || much > (int64_t)(2 * GIB))
		much = 2 * GIB;
	if (n->allowed >= 0 && n->allowed - n->reserved < room)
		room = n->allowed - n->reserved;
	return n->request <= room + n->cached && n->cached >= much;
}

static enum la_label by_numbers(const struct la_facts *facts)
{
	struct numbers n;

	read_numbers(&n, facts);
	if (n.request < 0)
		return LA_LABEL_UNKNOWN;
	if (is_capped(&n))
		return LA_LABEL_FRACTION_CAP;
	if (n.free < 0)
		return n.total > 0 && n.allocated > n.total / 10 * 9 ?
			       LA_LABEL_CAPACITY :
			       LA_LABEL_UNKNOWN;
	if (n.free >= n.request)
		return is_close(&n) || ends_early(facts, &n) ?
			       LA_LABEL_UNKNOWN :
			       LA_LABEL_DRIVER_OR_CONTEXT;
	if (is_fragmented(&n))
		return LA_LABEL_FRAGMENTATION;
	if (others_hold_it(&n))
		return LA_LABEL_OTHER_PROCESS;
	if (facts->growth.grows)
		return LA_LABEL_LEAK;
	return LA_LABEL_CAPACITY;
}

/* Apple's GPUs share the host's memory: what others hold counts. */
static enum la_label of_mps(const struct la_facts *facts)
{
	int64_t reserved = number(facts, LA_AMOUNT_RESERVED);
	int64_t others = number(facts, LA_AMOUNT_OTHER_ALLOCATORS);

	if (reserved < 0)
		return LA_LABEL_UNKNOWN;
	return others > reserved ? LA_LABEL_DRIVER_OR_CONTEXT :
				    LA_LABEL_CAPACITY;
}

static bool is_pytorch(const struct la_facts *facts)
{
	return !facts->framework || !strcmp(facts->framework, "pytorch") ||
	       !strcmp(facts->framework, "nccl");
}

static enum la_label of_torch(const struct la_facts *facts)
{
	if (la_is_at_start(facts))
		return LA_LABEL_OTHER_PROCESS;
	if (la_is_block_limit(facts))
		return LA_LABEL_DRIVER_OR_CONTEXT;
	if (facts->kind == LA_OOM_CALL && la_is_of_driver(facts))
		return by_numbers(facts);
	switch (facts->kind) {
	case LA_OOM_CACHING:
	case LA_OOM_ASYNC:
		return la_is_absurd(facts) ? LA_LABEL_UNKNOWN :
					     by_numbers(facts);
	case LA_OOM_CAP:
		return LA_LABEL_FRACTION_CAP;
	case LA_OOM_MPS:
		return of_mps(facts);
	case LA_OOM_HOST:
		return LA_LABEL_CAPACITY;
	case LA_OOM_PINNED:
		return LA_LABEL_DRIVER_OR_CONTEXT;
	case LA_OOM_LIBRARY:
		return la_is_nccl(facts) ? LA_LABEL_DRIVER_OR_CONTEXT :
					   LA_LABEL_UNKNOWN;
	case LA_OOM_FRAMEWORK:
	case LA_OOM_HARMLESS:
	case LA_OOM_LOOKALIKE:
	case LA_OOM_KILLED:
	case LA_OOM_SHARED:
	case LA_OOM_FAULT:
		return LA_LABEL_NOT_PYTORCH;
	default:
		return LA_LABEL_UNKNOWN;
	}
}

enum la_label la_label_of(const struct la_facts *facts)
{
	return is_pytorch(facts) ? of_torch(facts) : LA_LABEL_NOT_PYTORCH;
}
