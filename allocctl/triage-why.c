// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: the sentences of a letter. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "triage.h"
#include "util/size.h"

#define COLLECT                                                               \
	"import sys, torch; torch.cuda.memory._record_memory_history(); "     \
	"sys.excepthook = lambda *e: "                                        \
	"(torch.cuda.memory._dump_snapshot('oom.pickle'), sys.__excepthook__" \
	"(*e))"
#define COLLECT_HOST                                                   \
	"dmesg -T | grep -iE 'oom|killed process' | tail; free -g; df -h " \
	"/dev/shm; ulimit -l"

const char *triage_collect(const struct la_facts *facts)
{
	return facts->kind >= LA_OOM_HOST && facts->kind <= LA_OOM_PINNED ?
		       COLLECT_HOST :
		       COLLECT;
}

const char *triage_trial_text(enum la_language language,
			      const struct la_trial *trial)
{
	static const enum triage_word words[] = {
		[LA_TRIAL_PACKED] = W_trial_packed,
		[LA_TRIAL_UNCAPPED] = W_trial_uncapped,
		[LA_TRIAL_EMPTIED] = W_trial_emptied,
	};

	if (trial->kind != LA_TRIAL_SETTING)
		return triage_word(language, words[trial->kind]);
	return *trial->setting ? trial->setting :
				 triage_word(language, W_trial_default);
}

const char *triage_past_text(enum la_language language,
			     const struct la_trial *trial)
{
	enum triage_word word = W_past_unknown + (enum triage_word)trial->past;

	if (trial->worse)
		word = W_past_worse;
	else if (trial->past == LA_PAST_PAST && trial->whole == LA_PAST_PAST)
		word = W_past_finishes;
	else if (trial->past == LA_PAST_PAST && trial->whole == LA_PAST_STUCK)
		word = W_past_not_finishes;
	return triage_word(language, word);
}

/* "with X the failed request is served, at 10.1 GiB of 10.55 GiB reserved" */
static void say_served(struct la_strbuf *out, enum la_language language,
		       const struct la_trial *best)
{
	const char *what = triage_trial_text(language, best);
	char reserved[LA_SIZE_TEXT], limit[LA_SIZE_TEXT];

	la_size_format(reserved, best->reserved);
	la_size_format(limit, best->reserved + best->headroom);
	if (best->kind == LA_TRIAL_EMPTIED)
		triage_say(out, language, W_served_emptied, NULL);
	else if (best->kind == LA_TRIAL_UNCAPPED)
		triage_say(out, language, W_served_uncapped, reserved, NULL);
	else
		triage_say(out, language, W_served_setting, what, reserved,
			   limit, NULL);
}

void triage_headline(struct la_strbuf *out, const struct triage *triage,
		     const struct triage_oom *oom)
{
	const struct la_verdict *verdict = &oom->verdict;
	const struct la_trial *best = triage_best(oom);
	enum la_language language = triage->language;
	struct la_strbuf sentence = { 0 };
	const char *grade;

	if (verdict->grade == LA_GRADE_PROVEN && best && best->known)
		say_served(&sentence, language, best);
	else
		triage_say(&sentence, language,
			   W_cause_cannot_tell +
				   (enum triage_word)verdict->cause,
			   NULL);
	grade = triage_word(language, W_grade_unknown +
					      (enum triage_word)verdict->grade);
	if (verdict->grade == LA_GRADE_UNKNOWN)
		triage_say(out, language, W_headline_plain,
			   la_cause_name(verdict->cause),
			   la_strbuf_text(&sentence), NULL);
	else
		triage_say(out, language, W_headline,
			   la_cause_name(verdict->cause), grade,
			   la_strbuf_text(&sentence), NULL);
	la_strbuf_release(&sentence);
}

/* What sentences are put together of. */
struct story {
	struct la_strbuf *out;
	enum la_language language;
	const struct triage_oom *oom;
};

static bool is_known(const struct story *story, enum la_amount_id id)
{
	return story->oom->facts.amount[id].basis != LA_BASIS_NONE;
}

static const char *amount(const struct story *story, enum la_amount_id id,
			  char text[TRIAGE_SIZE])
{
	return triage_amount_text(text, story->language,
				  &story->oom->facts.amount[id]);
}

static void blank(struct story *story)
{
	if (story->out->length && story->language == LA_LANGUAGE_ENGLISH)
		la_strbuf_addstr(story->out, " ");
}

/* A sentence about one amount, if that is known. */
static void say_of(struct story *story, enum triage_word word,
		   enum la_amount_id id)
{
	char text[TRIAGE_SIZE];

	if (!is_known(story, id))
		return;
	blank(story);
	triage_say(story->out, story->language, word, amount(story, id, text),
		   NULL);
}

static void say_plain(struct story *story, enum triage_word word)
{
	blank(story);
	triage_say(story->out, story->language, word, NULL);
}

/* A margin as what was missing; where that is not sure, maybe nothing. */
static struct la_margin missing_of(const struct la_margin *margin)
{
	return (struct la_margin){
		.known = margin->known,
		.low = margin->high < 0 ? -margin->high : 0,
		.high = margin->low < 0 ? -margin->low : 0,
	};
}

/* free' = what was missing + what was asked for */
static void left_text(const struct story *story, char text[TRIAGE_SIZE])
{
	const struct la_margin *margin =
		&story->oom->verdict.margin[LA_MARGIN_AS_IT_WAS];
	const struct la_amount *asked =
		&story->oom->facts.amount[LA_AMOUNT_SEGMENT];
	struct la_margin left = { .known = true };
	int64_t middle = (int64_t)(asked->low + (asked->high - asked->low) / 2);

	left.low = left.high =
		margin->low + (margin->high - margin->low) / 2 + middle;
	if (left.low < 0)
		left.low = left.high = 0;
	triage_margin_text(text, story->language, &left);
}

/* What was asked for, and how much of it was missing. */
static void say_shortfall(struct story *story)
{
	const struct la_margin *margin =
		&story->oom->verdict.margin[LA_MARGIN_AS_IT_WAS];
	struct la_margin missing = missing_of(margin);
	char asked[TRIAGE_SIZE], left[TRIAGE_SIZE], gap[TRIAGE_SIZE];
	char cap[TRIAGE_SIZE];

	if (!is_known(story, LA_AMOUNT_SEGMENT)) {
		say_of(story, W_why_asked, LA_AMOUNT_REQUEST);
		return;
	}
	if (!margin->known) {
		say_of(story, W_why_asked, LA_AMOUNT_SEGMENT);
		return;
	}
	amount(story, LA_AMOUNT_SEGMENT, asked);
	left_text(story, left);
	triage_margin_text(gap, story->language, &missing);
	amount(story, LA_AMOUNT_ALLOWED, cap);
	if (margin->low >= 0)
		triage_say(story->out, story->language, W_why_enough, asked,
			   left, NULL);
	else
		triage_say(story->out, story->language,
			   is_known(story, LA_AMOUNT_ALLOWED) ?
				   W_why_left_capped :
				   W_why_left,
			   asked, left, gap, cap, NULL);
}

static void say_fragmentation(struct story *story)
{
	const struct la_margin *margin =
		&story->oom->verdict.margin[LA_MARGIN_CONTIGUOUS];
	char held[TRIAGE_SIZE], spare[TRIAGE_SIZE];

	if (!is_known(story, LA_AMOUNT_UNALLOCATED) || !margin->known)
		return;
	blank(story);
	triage_say(story->out, story->language, W_why_fragmentation,
		   amount(story, LA_AMOUNT_UNALLOCATED, held),
		   triage_margin_text(spare, story->language, margin), NULL);
}

static void say_others(struct story *story)
{
	bool named = is_known(story, LA_AMOUNT_OTHERS) &&
		     story->oom->facts.amount[LA_AMOUNT_OTHERS].high;
	const struct la_margin *rest =
		&story->oom->verdict.ledger[LA_LEDGER_UNEXPLAINED];
	char total[TRIAGE_SIZE], held[TRIAGE_SIZE];

	if (!named && !rest->known)
		return;
	amount(story, LA_AMOUNT_TOTAL, total);
	if (named)
		amount(story, LA_AMOUNT_OTHERS, held);
	else
		triage_margin_text(held, story->language, rest);
	blank(story);
	triage_say(story->out, story->language,
		   named ? W_why_other_process : W_why_other_process_rest, held,
		   total, NULL);
}

static void say_leak(struct story *story)
{
	const struct la_growth *growth = &story->oom->facts.growth;
	char slope[LA_SIZE_TEXT], grown[LA_SIZE_TEXT];

	la_size_format(slope, (uint64_t)growth->slope);
	la_size_format(grown, growth->last - growth->first);
	blank(story);
	triage_say(story->out, story->language, W_why_leak, slope, grown, NULL);
}

static void say_capacity(struct story *story)
{
	struct la_margin missing =
		missing_of(&story->oom->verdict.margin[LA_MARGIN_ALL]);
	char held[TRIAGE_SIZE], gap[TRIAGE_SIZE];

	if (!is_known(story, LA_AMOUNT_ALLOCATED))
		return;
	blank(story);
	if (missing.known && missing.low > 0)
		triage_say(story->out, story->language, W_why_capacity,
			   amount(story, LA_AMOUNT_ALLOCATED, held),
			   triage_margin_text(gap, story->language, &missing),
			   NULL);
	else
		say_of(story, W_why_capacity_plain, LA_AMOUNT_ALLOCATED);
}

static void say_host(struct story *story)
{
	switch (story->oom->facts.kind) {
	case LA_OOM_KILLED:
		say_plain(story, W_why_host_killed);
		break;
	case LA_OOM_SHARED:
		say_plain(story, W_why_host_shared);
		break;
	default:
		say_plain(story, W_why_host_call);
	}
}

static void say_foreign(struct story *story)
{
	const struct la_facts *facts = &story->oom->facts;
	const char *who = facts->framework ? facts->framework : facts->form;

	if (facts->kind == LA_OOM_FAULT) {
		say_plain(story, W_why_fault);
		return;
	}
	if (!who)
		return;
	blank(story);
	triage_say(story->out, story->language,
		   facts->kind == LA_OOM_HARMLESS ? W_why_harmless :
						    W_why_not_this_allocator,
		   who, NULL);
}

static void say_pair(struct story *story)
{
	const struct la_verdict *verdict = &story->oom->verdict;

	blank(story);
	triage_say(story->out, story->language, W_why_combined,
		   la_cause_name(verdict->pair[0]),
		   la_cause_name(verdict->pair[1]), NULL);
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
	[LA_CAUSE_CROSS_STREAM] = { W_why_cross_stream, LA_AMOUNT_STREAM_FREE },
	[LA_CAUSE_GRAPH_POOL_HOLD] = { W_why_graph_pool_hold,
				       LA_AMOUNT_PRIVATE },
	[LA_CAUSE_ROUNDING] = { W_why_rounding, LA_AMOUNT_ROUNDING },
	[LA_CAUSE_FRACTION_CAP] = { W_why_fraction_cap, LA_AMOUNT_FREE },
	[LA_CAUSE_CUSTOM_LIMIT] = { W_why_fraction_cap, LA_AMOUNT_FREE },
	[LA_CAUSE_REQUEST_TOO_LARGE] = { W_why_request_too_large,
					 LA_AMOUNT_TOTAL },
	[LA_CAUSE_OTHER_ALLOCATOR] = { W_why_other_allocator,
				       LA_AMOUNT_OTHER_ALLOCATORS },
	[LA_CAUSE_DRIVER_OVERHEAD] = { W_why_driver_overhead,
				       LA_AMOUNT_CONTEXT },
};

static void say_cause(struct story *story, enum la_cause cause)
{
	if (about[cause].word) {
		say_of(story, about[cause].word, about[cause].amount);
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
		say_plain(story, W_why_absurd_size);
		break;
	case LA_CAUSE_HOST_MEMORY:
		say_host(story);
		break;
	case LA_CAUSE_NOT_THIS_ALLOCATOR:
		say_foreign(story);
		break;
	case LA_CAUSE_COMBINED:
		say_pair(story);
		break;
	case LA_CAUSE_CANNOT_TELL:
		say_plain(story, W_why_cannot_tell);
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
	};

	say_shortfall(&story);
	say_cause(&story, oom->verdict.cause);
}
