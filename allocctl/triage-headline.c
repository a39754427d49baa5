// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: the one sentence of a letter that matters, and how sure. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "triage-story.h"
#include "util/size.h"

/* "with X the failed request is served, at 10.1 GiB of 10.55 GiB reserved" */
static void say_served(const struct story *line, const struct la_trial *best)
{
	const char *what = triage_trial_text(line->language, best);
	char reserved[LA_SIZE_TEXT], limit[LA_SIZE_TEXT];

	la_size_format(reserved, best->reserved);
	la_size_format(limit, best->reserved + best->headroom);
	if (best->kind == LA_TRIAL_SETTING && !*best->setting)
		what = triage_word(line->language, W_the_default);
	if (best->kind == LA_TRIAL_EMPTIED)
		triage_say(line->out, line->language, W_served_emptied, NULL);
	else if (best->kind == LA_TRIAL_UNCAPPED)
		triage_say(line->out, line->language, W_served_uncapped,
			   reserved, NULL);
	else
		triage_say(line->out, line->language,
			   triage_cap_is_open(&line->oom->facts) ?
				   W_served_open :
				   W_served_setting,
			   what, reserved, limit, NULL);
}

/* A setting that was tried with that answer, or NULL. */
static const struct la_trial *find_setting(const struct triage_oom *oom,
					   enum la_past past)
{
	const struct la_trial *trial = oom->trial;
	size_t i;

	for (i = 0; i < oom->trial_count; i++, trial++)
		if (trial->kind == LA_TRIAL_SETTING && !trial->current &&
		    !trial->objection && trial->past == past)
			return trial;
	return NULL;
}

static bool is_fragmentation(enum la_cause cause)
{
	return cause == LA_CAUSE_FRAGMENTATION ||
	       cause == LA_CAUSE_PAGE_FRAGMENTATION ||
	       cause == LA_CAUSE_CROSS_STREAM;
}

/* Enough was free, and yet no setting gets at it for sure. */
static bool say_packed(const struct story *line)
{
	const struct triage_oom *oom = line->oom;
	const struct la_trial *packed = triage_packed(oom), *maybe;
	char spare[LA_SIZE_TEXT];

	if (!is_fragmentation(oom->verdict.cause) || !packed ||
	    packed->past != LA_PAST_PAST || !packed->known ||
	    find_setting(oom, LA_PAST_PAST))
		return false;
	la_size_format(spare, packed->headroom);
	maybe = find_setting(oom, LA_PAST_DEPENDS);
	triage_say(line->out, line->language,
		   maybe ? W_packed_maybe : W_packed_only, spare,
		   maybe ? triage_trial_text(line->language, maybe) : NULL,
		   NULL);
	return true;
}

/* "train.py:12", of the innermost frame that is not torch's own. */
static bool say_site(struct la_strbuf *out, const struct triage_oom *oom)
{
	const struct la_frame *frame;
	const uint32_t *frames;
	const char *name;
	size_t count, i;

	if (!oom->source || !oom->facts.growth.stack)
		return false;
	count = la_recording_stack(oom->source->recording,
				   oom->facts.growth.stack, &frames);
	for (i = 0; i < count; i++) {
		frame = la_recording_frame(oom->source->recording, frames[i]);
		if (!frame->file || strstr(frame->file, "/torch/") ||
		    !strstr(frame->file, ".py"))
			continue;
		name = strrchr(frame->file, '/');
		la_strbuf_addf(out, "%s:%" PRIu32,
			       name ? name + 1 : frame->file, frame->line);
		return true;
	}
	return false;
}

static bool say_leak(const struct story *line)
{
	const struct la_growth *growth = &line->oom->facts.growth;
	struct la_strbuf site = { 0 };
	char slope[LA_SIZE_TEXT], size[LA_SIZE_TEXT];

	if (line->oom->verdict.cause != LA_CAUSE_LEAK || !growth->grows)
		return false;
	la_size_format(slope, (uint64_t)growth->slope);
	la_size_format(size, growth->size);
	if (!line->strangers && say_site(&site, line->oom))
		triage_say(line->out, line->language, W_leak_site, slope,
			   la_strbuf_text(&site), NULL);
	else
		triage_say(line->out, line->language,
			   growth->size ? W_leak_size : W_leak_plain, slope,
			   size, NULL);
	la_strbuf_release(&site);
	if (growth->steps_left < 1)
		return true;
	snprintf(size, sizeof(size), "%" PRIu64, (uint64_t)growth->steps_left);
	triage_say(line->out, line->language,
		   growth->steps_left < 2 ? W_leak_last : W_leak_left, size,
		   NULL);
	return true;
}

static void say_cause(const struct story *line)
{
	const struct la_verdict *verdict = &line->oom->verdict;
	const struct la_facts *facts = &line->oom->facts;
	enum triage_word word =
		W_cause_cannot_tell + (enum triage_word)verdict->cause;

	/* What others hold is not known then. */
	if (verdict->cause == LA_CAUSE_CAPACITY &&
	    facts->amount[LA_AMOUNT_TOTAL].basis == LA_BASIS_NONE &&
	    facts->amount[LA_AMOUNT_ALLOWED].basis == LA_BASIS_NONE)
		word = W_capacity_left;
	if (verdict->cause == LA_CAUSE_CANNOT_TELL &&
	    verdict->contributing_count == 2)
		triage_say(line->out, line->language, W_either,
			   la_cause_name(verdict->contributing[0]),
			   la_cause_name(verdict->contributing[1]), NULL);
	else if (verdict->cause == LA_CAUSE_COMBINED)
		triage_say(line->out, line->language, W_why_combined,
			   la_cause_name(verdict->pair[0]),
			   la_cause_name(verdict->pair[1]), NULL);
	else
		triage_say(line->out, line->language, word, NULL);
}

static void say_sentence(const struct story *line)
{
	const struct la_trial *best = triage_best(line->oom);

	if (say_packed(line) || say_leak(line))
		return;
	if (line->oom->verdict.grade == LA_GRADE_PROVEN &&
	    !line->oom->facts.views && best && best->known)
		say_served(line, best);
	else
		say_cause(line);
}

void triage_headline(struct la_strbuf *out, const struct triage *triage,
		     const struct triage_oom *oom)
{
	const struct la_verdict *verdict = &oom->verdict;
	struct la_strbuf sentence = { 0 };
	const struct story line = {
		.out = &sentence,
		.language = triage->language,
		.oom = oom,
		.strangers = triage->request->format == TRIAGE_MARKDOWN,
	};
	const char *grade;

	say_sentence(&line);
	grade = triage_word(triage->language,
			    W_grade_unknown + (enum triage_word)verdict->grade);
	if (verdict->grade == LA_GRADE_UNKNOWN)
		triage_say(out, triage->language, W_headline_plain,
			   la_cause_name(verdict->cause),
			   la_strbuf_text(&sentence), NULL);
	else
		triage_say(out, triage->language, W_headline,
			   la_cause_name(verdict->cause), grade,
			   la_strbuf_text(&sentence), NULL);
	out->failed |= sentence.failed;
	la_strbuf_release(&sentence);
}

/* More memory is what it takes: nothing else is there to be left out. */
static bool wants_memory(enum la_cause cause)
{
	return cause == LA_CAUSE_CAPACITY || cause == LA_CAUSE_ABSURD_SIZE ||
	       cause == LA_CAUSE_REQUEST_TOO_LARGE;
}

/* A message of what a recording could prove: it knows no other processes. */
static bool is_provable(const struct triage_oom *oom)
{
	return !oom->facts.recorded && !oom->facts.views &&
	       triage_collect(&oom->facts) &&
	       oom->facts.kind <= LA_OOM_CAP &&
	       oom->verdict.cause != LA_CAUSE_OTHER_PROCESS &&
	       oom->verdict.cause != LA_CAUSE_DRIVER_OVERHEAD &&
	       oom->verdict.cause != LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT &&
	       oom->verdict.cause != LA_CAUSE_COMBINED;
}

/* There are no numbers to it. */
static bool is_said(const struct la_facts *facts)
{
	return facts->kind == LA_OOM_LIBRARY || facts->kind >= LA_OOM_FRAMEWORK;
}

static bool is_told_by_call(const struct la_facts *facts)
{
	return facts->kind == LA_OOM_PINNED || facts->kind == LA_OOM_MAPPING;
}

enum triage_word triage_sure(const struct triage_oom *oom)
{
	const struct la_trial *packed = triage_packed(oom);
	enum la_grade grade = oom->verdict.grade;
	bool stuck = packed && packed->past == LA_PAST_STUCK;
	enum la_cause cause = oom->verdict.cause;

	if (oom->facts.views && grade == LA_GRADE_PROVEN)
		return W_sure_counted;
	if (oom->facts.views && is_told_by_call(&oom->facts))
		return W_sure_call;
	if (wants_memory(cause) && stuck)
		return grade == LA_GRADE_CONSISTENT ? W_sure_stuck_partly :
						      W_sure_stuck;
	if (grade == LA_GRADE_CONSISTENT && is_said(&oom->facts))
		return W_sure_said;
	if (grade == LA_GRADE_CONSISTENT && is_provable(oom))
		return W_sure_message;
	if (grade == LA_GRADE_PROVEN && is_fragmentation(cause) &&
	    !find_setting(oom, LA_PAST_PAST))
		return W_sure_packed;
	return W_means_unknown + (enum triage_word)grade;
}
