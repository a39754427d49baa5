// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: the sentences of a letter. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "triage-story.h"
#include "util/size.h"
#include "util/util.h"

static void say_fragmentation(struct story *story)
{
	const struct la_margin *margin =
		&story->oom->verdict.margin[LA_MARGIN_CONTIGUOUS];
	char held[TRIAGE_SIZE], spare[TRIAGE_SIZE];

	if (!story_knows(story, LA_AMOUNT_UNALLOCATED) || !margin->known)
		return;
	story_go_on(story);
	triage_say(story->out, story->language, W_why_fragmentation,
		   story_amount(story, LA_AMOUNT_UNALLOCATED, held),
		   triage_margin_text(spare, story->language, margin), NULL);
}

enum { PROCESSES_SHOWN = 4 };

/* The process that holds most of those that hold less than the last; the list
 * of a message is short. */
static const struct la_process *next_process(const struct la_facts *facts,
					     const struct la_process *last)
{
	const struct la_process *p, *next = NULL;

	for (p = facts->process; p < facts->process + facts->process_count;
	     p++) {
		if (last && (p->memory.low > last->memory.low ||
			     (p->memory.low == last->memory.low && p <= last)))
			continue;
		if (!next || p->memory.low > next->memory.low)
			next = p;
	}
	return next;
}

/* " (process 4711: 3.82 GiB, ...)", the largest first. */
static void say_processes(struct story *story)
{
	const struct la_process *p = NULL;
	char held[TRIAGE_SIZE], pid[32];
	int i;

	for (i = 0; i < PROCESSES_SHOWN; i++) {
		p = next_process(&story->oom->facts, p);
		if (!p)
			break;
		snprintf(pid, sizeof(pid), "%" PRIu64, p->pid);
		triage_say(
			story->out, story->language,
			i ? W_why_process_next : W_why_process, pid,
			triage_amount_text(held, story->language, &p->memory),
			NULL);
	}
}

static void say_others(struct story *story)
{
	bool named = story_knows(story, LA_AMOUNT_OTHERS) &&
		     story->oom->facts.amount[LA_AMOUNT_OTHERS].high;
	const struct la_margin *rest =
		&story->oom->verdict.ledger[LA_LEDGER_UNEXPLAINED];
	char total[TRIAGE_SIZE], held[TRIAGE_SIZE];

	if (!named && !rest->known) {
		story_say(story, W_why_other_process_first);
		return;
	}
	story_amount(story, LA_AMOUNT_TOTAL, total);
	if (named)
		story_amount(story, LA_AMOUNT_OTHERS, held);
	else
		triage_margin_text(held, story->language, rest);
	story_go_on(story);
	triage_say(story->out, story->language,
		   named ? W_why_other_process : W_why_other_process_rest, held,
		   total, NULL);
	if (named && !story->strangers)
		say_processes(story);
	triage_say(story->out, story->language, W_full_stop, NULL);
}

static void say_leak(struct story *story)
{
	const struct la_growth *growth = &story->oom->facts.growth;
	char steps[32], grown[LA_SIZE_TEXT];

	snprintf(steps, sizeof(steps), "%zu", growth->windows);
	la_size_format(grown, growth->last - growth->first);
	story_go_on(story);
	triage_say(story->out, story->language, W_why_leak, grown, steps, NULL);
}

/* What lies unused would do for this request, but for little more. */
static bool say_thin(struct story *story, const char *held)
{
	const struct la_trial *packed = triage_packed(story->oom);
	char unused[TRIAGE_SIZE], spare[LA_SIZE_TEXT];

	if (packed && packed->past == LA_PAST_PAST && packed->known) {
		triage_say(story->out, story->language, W_why_capacity_packed,
			   held, la_size_format(spare, packed->headroom), NULL);
		return true;
	}
	if (!story->oom->verdict.margin[LA_MARGIN_CONTIGUOUS].known ||
	    story->oom->verdict.margin[LA_MARGIN_CONTIGUOUS].low < 0 ||
	    !story_knows(story, LA_AMOUNT_UNALLOCATED))
		return false;
	triage_say(story->out, story->language, W_why_capacity_thin, held,
		   story_amount(story, LA_AMOUNT_UNALLOCATED, unused), NULL);
	return true;
}

/* A recording does not tell who else is on the card. */
static void say_unseen(struct story *story)
{
	const struct la_amount *held =
		&story->oom->facts.amount[LA_AMOUNT_RESERVED];
	const struct la_amount *left =
		&story->oom->facts.amount[LA_AMOUNT_FREE];
	char sum[LA_SIZE_TEXT];

	if (story_knows(story, LA_AMOUNT_TOTAL) ||
	    story_knows(story, LA_AMOUNT_ALLOWED) ||
	    !story_knows(story, LA_AMOUNT_RESERVED) ||
	    !story_knows(story, LA_AMOUNT_FREE))
		return;
	story_go_on(story);
	triage_say(story->out, story->language, W_why_unseen,
		   la_size_format(sum, held->low + left->low), NULL);
}

static void say_capacity(struct story *story)
{
	struct la_margin missing =
		story_missing(&story->oom->verdict.margin[LA_MARGIN_ALL]);
	char held[TRIAGE_SIZE], gap[TRIAGE_SIZE];

	if (!story_knows(story, LA_AMOUNT_ALLOCATED))
		return;
	story_go_on(story);
	story_amount(story, LA_AMOUNT_ALLOCATED, held);
	if (missing.known && missing.low > 0)
		triage_say(story->out, story->language, W_why_capacity, held,
			   triage_margin_text(gap, story->language, &missing),
			   NULL);
	else if (!say_thin(story, held))
		triage_say(story->out, story->language, W_why_capacity_plain,
			   held, NULL);
	say_unseen(story);
}

static void say_host(struct story *story)
{
	switch (story->oom->facts.kind) {
	case LA_OOM_KILLED:
		story_say(story, W_why_host_killed);
		break;
	case LA_OOM_SHARED:
		story_say(story, W_why_host_shared);
		break;
	default:
		story_say(story, W_why_host_call);
	}
}

static void say_foreign(struct story *story)
{
	const struct la_facts *facts = &story->oom->facts;
	const char *who = facts->framework ? facts->framework : facts->form;

	if (facts->kind == LA_OOM_FAULT) {
		story_say(story, W_why_fault);
		return;
	}
	if (!who)
		return;
	story_go_on(story);
	triage_say(story->out, story->language,
		   facts->kind == LA_OOM_HARMLESS ? W_why_harmless :
						    W_why_not_this_allocator,
		   who, NULL);
}

static void say_cross_stream(struct story *story)
{
	const struct la_amount *amount = story->oom->facts.amount;

	if (story_knows(story, LA_AMOUNT_LARGEST) &&
	    amount[LA_AMOUNT_LARGEST].low >= amount[LA_AMOUNT_REQUEST].high)
		story_say_of(story, W_why_pending, LA_AMOUNT_LARGEST);
	else
		story_say_of(story, W_why_cross_stream, LA_AMOUNT_STREAM_FREE);
}

static void say_overhead(struct story *story)
{
	if (story_knows(story, LA_AMOUNT_CONTEXT))
		story_say_of(story, W_why_driver_overhead, LA_AMOUNT_CONTEXT);
	else if (story->oom->facts.kind == LA_OOM_LIBRARY)
		story_say(story, W_why_library);
}

static void say_cause(struct story *story, enum la_cause cause);

/* COMBINED: what each of the two holds; the headline names them. */
static void say_parts(struct story *story)
{
	const struct la_verdict *verdict = &story->oom->verdict;
	char held[TRIAGE_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verdict->pair); i++) {
		if (verdict->pair[i] != LA_CAUSE_FRAGMENTATION) {
			say_cause(story, verdict->pair[i]);
			continue;
		}
		story_go_on(story);
		triage_say(story->out, story->language, W_why_held_unused,
			   story_amount(story, LA_AMOUNT_UNALLOCATED, held),
			   NULL);
	}
}

/* A cause whose sentence is about one amount. */
struct about {
	enum triage_word word;
	enum la_amount_id amount;
};

static const struct about about[LA_CAUSE_COUNT] = {
	[LA_CAUSE_PAGE_FRAGMENTATION] = { W_why_page_fragmentation,
					  LA_AMOUNT_UNALLOCATED },
	[LA_CAUSE_POOL_FRAGMENTATION] = { W_why_pool_fragmentation,
					  LA_AMOUNT_UNALLOCATED },
	[LA_CAUSE_GRAPH_POOL_HOLD] = { W_why_graph_pool_hold,
				       LA_AMOUNT_PRIVATE },
	[LA_CAUSE_ROUNDING] = { W_why_rounding, LA_AMOUNT_ROUNDING },
	[LA_CAUSE_FRACTION_CAP] = { W_why_fraction_cap, LA_AMOUNT_FREE },
	[LA_CAUSE_CUSTOM_LIMIT] = { W_why_fraction_cap, LA_AMOUNT_FREE },
	[LA_CAUSE_REQUEST_TOO_LARGE] = { W_why_request_too_large,
					 LA_AMOUNT_TOTAL },
	[LA_CAUSE_OTHER_ALLOCATOR] = { W_why_other_allocator,
				       LA_AMOUNT_OTHER_ALLOCATORS },
};

/* A probe tells of a pool by itself. */
static enum la_amount_id amount_about(const struct story *story,
				      enum la_cause cause)
{
	return cause == LA_CAUSE_POOL_FRAGMENTATION &&
			       story_knows(story, LA_AMOUNT_OTHER_CACHES) ?
		       LA_AMOUNT_OTHER_CACHES :
		       about[cause].amount;
}

static void say_cause(struct story *story, enum la_cause cause)
{
	if (about[cause].word) {
		story_say_of(story, about[cause].word,
			     amount_about(story, cause));
		return;
	}
	switch (cause) {
	case LA_CAUSE_FRAGMENTATION:
		say_fragmentation(story);
		break;
	case LA_CAUSE_OTHER_PROCESS:
		say_others(story);
		break;
	case LA_CAUSE_LEAK:
		say_leak(story);
		break;
	case LA_CAUSE_CAPACITY:
		say_capacity(story);
		break;
	case LA_CAUSE_ABSURD_SIZE:
		story_say(story, W_why_absurd_size);
		break;
	case LA_CAUSE_HOST_MEMORY:
		say_host(story);
		break;
	case LA_CAUSE_NOT_THIS_ALLOCATOR:
		say_foreign(story);
		break;
	case LA_CAUSE_CROSS_STREAM:
		say_cross_stream(story);
		break;
	case LA_CAUSE_DRIVER_OVERHEAD:
		say_overhead(story);
		break;
	case LA_CAUSE_COMBINED:
		say_parts(story);
		break;
	case LA_CAUSE_CANNOT_TELL:
		story_say(story, story->oom->verdict.contributing_count > 1 ?
					 W_why_undecided :
					 W_why_cannot_tell);
		break;
	default:
		break;
	}
}

void triage_why(struct la_strbuf *out, const struct triage *triage,
		const struct triage_oom *oom)
{
	struct story story = {
		.out = out,
		.language = triage->language,
		.oom = oom,
		.strangers = triage->request->format == TRIAGE_MARKDOWN,
	};

	story_shortfall(&story);
	say_cause(&story, oom->verdict.cause);
}
