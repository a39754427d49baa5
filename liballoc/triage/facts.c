// SPDX-License-Identifier: Apache-2.0
/* Facts of an OOM: names, ownership, and joining what two sources tell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/amount.h"
#include "triage/facts.h"
#include "util/error.h"
#include "util/util.h"

static const char *const amount_names[] = {
	[LA_AMOUNT_REQUEST] = "request",
	[LA_AMOUNT_SEGMENT] = "segment",
	[LA_AMOUNT_TOTAL] = "total",
	[LA_AMOUNT_FREE] = "free",
	[LA_AMOUNT_ALLOWED] = "allowed",
	[LA_AMOUNT_RESERVED] = "reserved",
	[LA_AMOUNT_ALLOCATED] = "allocated",
	[LA_AMOUNT_UNALLOCATED] = "unallocated",
	[LA_AMOUNT_PRIVATE] = "private",
	[LA_AMOUNT_PROCESS] = "process",
	[LA_AMOUNT_OTHERS] = "others",
	[LA_AMOUNT_CONTEXT] = "context",
	[LA_AMOUNT_OTHER_ALLOCATORS] = "other_allocators",
	[LA_AMOUNT_OTHER_CACHES] = "other_caches",
	[LA_AMOUNT_LARGEST] = "largest",
	[LA_AMOUNT_OWN_FREE] = "own_free",
	[LA_AMOUNT_STREAM_FREE] = "stream_free",
	[LA_AMOUNT_CLASS_FREE] = "class_free",
	[LA_AMOUNT_PENDING] = "pending",
	[LA_AMOUNT_ROUNDING] = "rounding",
	[LA_AMOUNT_PAGES_FREE] = "pages_free",
	[LA_AMOUNT_LEAK] = "leak",
};

LA_EXPORT const char *la_amount_name(enum la_amount_id id)
{
	return amount_names[id];
}

LA_EXPORT void la_facts_release(struct la_facts *facts)
{
	free(facts->text);
	free(facts->setting);
	free(facts->process);
	free(facts->holder);
	free(facts->holder_stack);
	memset(facts, 0, sizeof(*facts));
}

/* The free bytes of the card are left out: other processes may change them
 * between an event and the message about it. */
static bool is_of_the_moment(enum la_amount_id id)
{
	switch (id) {
	case LA_AMOUNT_SEGMENT:
	case LA_AMOUNT_TOTAL:
	case LA_AMOUNT_ALLOWED:
	case LA_AMOUNT_RESERVED:
	case LA_AMOUNT_ALLOCATED:
	case LA_AMOUNT_UNALLOCATED:
	case LA_AMOUNT_PRIVATE:
		return true;
	default:
		return false;
	}
}

LA_EXPORT bool la_facts_match(const struct la_facts *one,
			      const struct la_facts *other)
{
	bool share = false;
	int id;

	if (one->recorded == other->recorded ||
	    one->kind != other->kind ||
	    !la_same_or_unknown(one->device, other->device))
		return false;
	for (id = 0; id < LA_AMOUNT_COUNT; id++) {
		if (!is_of_the_moment(id) ||
		    !la_facts_know(one, id) || !la_facts_know(other, id))
			continue;
		if (!la_amounts_overlap(&one->amount[id], &other->amount[id]))
			return false;
		if (id == LA_AMOUNT_SEGMENT || id == LA_AMOUNT_ALLOCATED)
			share = true;
	}
	return share;
}

static uint64_t width(const struct la_amount *amount)
{
	return amount->high - amount->low;
}

/* A probe's records are right where a replay of them is not. */
static bool is_better(const struct la_facts *facts,
		      const struct la_facts *other, int id)
{
	const struct la_amount *mine = &facts->amount[id];
	const struct la_amount *theirs = &other->amount[id];

	if (!la_amount_known(theirs))
		return false;
	if (!la_amount_known(mine) || width(theirs) < width(mine))
		return true;
	return facts->recorded && !facts->exact && other->views &&
	       width(theirs) == width(mine);
}

static void merge_amounts(struct la_facts *facts, const struct la_facts *other)
{
	int id;

	for (id = 0; id < LA_AMOUNT_COUNT; id++)
		if (is_better(facts, other, id))
			facts->amount[id] = other->amount[id];
}

void la_facts_fill_place(struct la_facts *facts, const struct la_facts *from)
{
	if (facts->rank < 0)
		facts->rank = from->rank;
	if (facts->pid < 0)
		facts->pid = from->pid;
	if (facts->device < 0)
		facts->device = from->device;
}

void la_facts_bound_release(struct la_facts *facts, unsigned int oldest,
			    unsigned int newest)
{
	if (oldest > facts->release[1] || newest < facts->release[0])
		return;
	if (oldest > facts->release[0])
		facts->release[0] = oldest;
	if (newest < facts->release[1])
		facts->release[1] = newest;
}

static void merge_numbers(struct la_facts *facts, const struct la_facts *other)
{
	if (!facts->form) {
		facts->form = other->form;
		facts->line[0] = other->line[0];
		facts->line[1] = other->line[1];
		facts->truncated = other->truncated;
	}
	if (!facts->framework)
		facts->framework = other->framework;
	if (!facts->backend)
		facts->backend = other->backend;
	if (other->count > facts->count)
		facts->count = other->count;
	la_facts_fill_place(facts, other);
	la_facts_bound_release(facts, other->release[0], other->release[1]);
	facts->processes_unknown |= other->processes_unknown;
	facts->views |= other->views;
	facts->private_request |= other->private_request;
}

/* Of a recording: what it owns goes along in the copy. */
static void merge_recorded(struct la_facts *facts, const struct la_facts *from)
{
	facts->recorded = true;
	facts->event = from->event;
	facts->survived = from->survived;
	facts->went_on = from->went_on;
	facts->exact = from->exact;
	facts->late = from->late;
	facts->expandable = from->expandable;
	facts->private_request = from->private_request;
	facts->growth = from->growth;
	memcpy(facts->age, from->age, sizeof(facts->age));
}

/* A copy of count elements of size bytes; NULL for none, or no memory. */
static void *copied(const void *from, size_t count, size_t size)
{
	void *copy;

	if (!from || !count)
		return NULL;
	copy = malloc(count * size);
	if (copy)
		memcpy(copy, from, count * size);
	return copy;
}

/* What facts lack and other owns, copied. */
struct additions {
	char *text, *setting;
	struct la_process *process;
	struct la_holder *holder;
	uint32_t *holder_stack;
};

static bool additions_make(struct additions *add, const struct la_facts *facts,
			   const struct la_facts *other)
{
	const char *text = facts->text ? NULL : other->text;
	const char *setting = facts->setting ? NULL : other->setting;
	bool wants_process = !facts->process_count && other->process_count;
	bool wants_holder = !facts->holder_count && other->holder_count;

	memset(add, 0, sizeof(*add));
	if (text)
		add->text = strdup(text);
	if (setting)
		add->setting = strdup(setting);
	if (wants_process)
		add->process = copied(other->process, other->process_count,
				      sizeof(*other->process));
	if (wants_holder) {
		add->holder = copied(other->holder, other->holder_count,
				     sizeof(*other->holder));
		add->holder_stack =
			copied(other->holder_stack, other->holder_count,
			       sizeof(*other->holder_stack));
	}
	return (!text || add->text) && (!setting || add->setting) &&
	       (!wants_process || add->process) &&
	       (!wants_holder || (add->holder && add->holder_stack));
}

static void additions_free(struct additions *add)
{
	free(add->text);
	free(add->setting);
	free(add->process);
	free(add->holder);
	free(add->holder_stack);
}

static void additions_give(struct additions *add, struct la_facts *facts,
			   const struct la_facts *other)
{
	if (add->text)
		facts->text = add->text;
	if (add->setting)
		facts->setting = add->setting;
	if (add->process) {
		facts->process = add->process;
		facts->process_count = other->process_count;
	}
	if (add->holder) {
		facts->holder = add->holder;
		facts->holder_stack = add->holder_stack;
		facts->holder_count = other->holder_count;
	}
}

LA_EXPORT int la_facts_merge(struct la_facts *facts,
			     const struct la_facts *other,
			     struct la_error *err)
{
	struct additions add;

	if (!additions_make(&add, facts, other)) {
		additions_free(&add);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	additions_give(&add, facts, other);
	merge_amounts(facts, other);
	merge_numbers(facts, other);
	if (other->recorded && !facts->recorded)
		merge_recorded(facts, other);
	return 0;
}
