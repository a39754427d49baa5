// SPDX-License-Identifier: Apache-2.0
/* Keeps each message of a log once, and joins what belongs to one OOM. */
#include "triage/found.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/amount.h"
#include "triage/facts.h"
#include "util/utf8.h"

int la_found_init(struct la_found *found)
{
	*found = (struct la_found){ 0 };
	found->facts = calloc(LA_LOG_MAX, sizeof(*found->facts));
	return found->facts ? 0 : -ENOMEM;
}

void la_found_release(struct la_found *found)
{
	size_t i;

	for (i = 0; i < found->count; i++)
		la_facts_release(&found->facts[i]);
	free(found->facts);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_form(const struct la_facts *facts, const char *form)
{
	return strcmp(facts->form, form) == 0;
}

/* They may be of one process and device. */
static bool same_place(const struct la_facts *a, const struct la_facts *b)
{
	return same_text(a->framework, b->framework) &&
	       same_text(a->backend, b->backend) &&
	       la_same_or_unknown(a->rank, b->rank) &&
	       la_same_or_unknown(a->pid, b->pid) &&
	       la_same_or_unknown(a->device, b->device);
}

/* How the amounts of two messages relate. */
struct relation {
	size_t shared; /* that both know, all of them equal */
	bool first_alone; /* the first knows some that the second does not */
	bool second_alone; /* the other way round */
};

static bool relate(struct relation *r, const struct la_facts *a,
		   const struct la_facts *b)
{
	size_t id;

	*r = (struct relation){ 0 };
	for (id = 0; id < LA_AMOUNT_COUNT; id++) {
		const struct la_amount *x = &a->amount[id];
		const struct la_amount *y = &b->amount[id];
		bool first = la_amount_known(x), second = la_amount_known(y);

		if (first && second) {
			if (x->low != y->low || x->high != y->high)
				return false;
			r->shared++;
		}
		r->first_alone |= first && !second;
		r->second_alone |= second && !first;
	}
	return true;
}

/* Of one message printed twice, either may be cut short. */
static bool is_again(const struct la_facts *old, const struct la_facts *new)
{
	struct relation r;

	if (!same_place(old, new) || !relate(&r, old, new))
		return false;
	if (!same_text(old->form, new->form) &&
	    (old->kind != new->kind || !(old->truncated || new->truncated)))
		return false;
	if (old->kind != new->kind)
		return false;
	if ((r.first_alone && !new->truncated) ||
	    (r.second_alone && !old->truncated))
		return false;
	return r.shared > 0 || (!r.first_alone && !r.second_alone);
}

static void fill_amounts(struct la_facts *facts, const struct la_facts *from)
{
	size_t id;

	for (id = 0; id < LA_AMOUNT_COUNT; id++)
		if (!la_facts_know(facts, id))
			facts->amount[id] = from->amount[id];
}

static void swap_contents(struct la_facts *a, struct la_facts *b)
{
	struct la_facts other = *a;

	*a = *b;
	*b = other;
}

/* The whole message stays, with the place and count of both. */
static void join(struct la_facts *old, struct la_facts *new, bool again,
		 bool better)
{
	uint64_t count = old->count + again;
	uint64_t line[2] = { old->line[0], old->line[1] };

	if (better || (old->truncated && !new->truncated))
		swap_contents(old, new);
	old->count = count;
	old->line[0] = line[0];
	old->line[1] = line[1];
	fill_amounts(old, new);
	la_facts_fill_place(old, new);
	la_facts_bound_release(old, new->release[0], new->release[1]);
	old->processes_unknown |= new->processes_unknown;
}

static void drop(struct la_found *found, size_t i)
{
	la_facts_release(&found->facts[i]);
	found->count--;
	memmove(&found->facts[i], &found->facts[i + 1],
		(found->count - i) * sizeof(*found->facts));
	memmove(&found->hinted[i], &found->hinted[i + 1],
		(found->count - i) * sizeof(*found->hinted));
}

static bool may_be_same(const struct la_facts *a, const struct la_facts *b,
			enum la_amount_id id)
{
	return la_facts_know(a, id) && la_facts_know(b, id) &&
	       la_amounts_overlap(&a->amount[id], &b->amount[id]);
}

/* The free bytes are not taken: caches were emptied between the two. */
static void take_warning(struct la_found *found, struct la_facts *facts)
{
	static const enum la_amount_id exact[] = { LA_AMOUNT_SEGMENT,
						   LA_AMOUNT_TOTAL };
	size_t i, k;

	for (i = found->count; i-- > 0;) {
		struct la_facts *old = &found->facts[i];

		if (!is_form(old, "log-2.13") || !same_place(old, facts))
			continue;
		for (k = 0; k < 2 && may_be_same(old, facts, exact[k]); k++)
			;
		if (k < 2)
			continue;
		for (k = 0; k < 2; k++)
			facts->amount[exact[k]] = old->amount[exact[k]];
		la_facts_bound_release(facts, old->release[0],
				       old->release[1]);
		drop(found, i);
	}
}

static bool is_tensorflow(const struct la_facts *facts)
{
	return is_form(facts, "tf-bfc") || is_form(facts, "tf-dump");
}

/* An allocator's failure, its state and the op that failed are one OOM. */
static bool completes(const struct la_facts *old, const struct la_facts *new)
{
	struct relation r;
	bool dump = is_form(old, "tf-dump") || is_form(new, "tf-dump");

	if (!is_tensorflow(old) || !is_tensorflow(new) || !same_place(old, new))
		return false;
	if (!relate(&r, old, new))
		return false;
	return dump || !r.second_alone;
}

static void complete(struct la_facts *old, struct la_facts *new)
{
	if (is_form(old, "tf-dump") && !is_form(new, "tf-dump"))
		swap_contents(old, new);
	if (new->line[0] < old->line[0])
		old->line[0] = new->line[0];
	fill_amounts(old, new);
	la_facts_fill_place(old, new);
}

static bool is_hint(const struct la_message *message)
{
	return message->quoted || (message->started->flags & LA_BEGIN_DETAIL);
}

static bool join_known(struct la_found *found, struct la_facts *facts,
		       bool hint)
{
	size_t i;

	for (i = found->count; i-- > 0;) {
		struct la_facts *old = &found->facts[i];

		if (is_again(old, facts)) {
			join(old, facts, !hint && !found->hinted[i],
			     !hint && found->hinted[i]);
			found->hinted[i] &= hint;
			return true;
		}
		if (completes(old, facts)) {
			complete(old, facts);
			return true;
		}
	}
	return false;
}

/* The message with one blank for white characters; NULL: no memory. */
static char *one_line(const struct la_message *m)
{
	const char *data = m->text->data + m->start;
	size_t length = m->end - m->start, i, n = 0;
	char *text;

	length = la_utf8_prefix(data, length, LA_MESSAGE_TEXT);
	text = malloc(length + 1);
	if (!text)
		return NULL;
	for (i = 0; i < length; i++) {
		if (!la_is_white(data[i]))
			text[n++] = data[i];
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	if (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	return text;
}

static int own(struct la_facts *facts, const struct la_message *m)
{
	size_t size = m->process_count * sizeof(*facts->process);

	*facts = m->facts;
	facts->text = one_line(m);
	if (!facts->text)
		return -ENOMEM;
	if (!size)
		return 0;
	facts->process = malloc(size);
	if (!facts->process) {
		free(facts->text);
		return -ENOMEM;
	}
	memcpy(facts->process, m->process, size);
	facts->process_count = m->process_count;
	return 0;
}

int la_found_add(struct la_found *found, const struct la_message *message)
{
	struct la_facts facts;
	int err;

	err = own(&facts, message);
	if (err < 0)
		return err;
	if (facts.kind == LA_OOM_CACHING)
		take_warning(found, &facts);
	if (!join_known(found, &facts, is_hint(message))) {
		if (found->count < LA_LOG_MAX) {
			found->hinted[found->count] = is_hint(message);
			found->facts[found->count++] = facts;
			return 0;
		}
		found->lost++;
	}
	la_facts_release(&facts);
	return 0;
}

void la_found_sort(struct la_found *found)
{
	size_t i, k;

	for (i = 1; i < found->count; i++) {
		struct la_facts facts = found->facts[i];

		for (k = i;
		     k > 0 && found->facts[k - 1].line[0] > facts.line[0]; k--)
			found->facts[k] = found->facts[k - 1];
		found->facts[k] = facts;
	}
}
