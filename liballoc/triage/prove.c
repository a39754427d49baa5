// SPDX-License-Identifier: Apache-2.0
/* What replay says of a verdict. */
#include "triage/amount.h"
#include "triage/driver.h"
#include "triage/margins.h"
#include "util/util.h"

static const struct la_trial *find(const struct la_trial *trial, size_t count,
				   enum la_trial_kind kind)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (trial[i].kind == kind)
			return &trial[i];
	return NULL;
}

static bool is(const struct la_trial *trial, enum la_past past)
{
	return trial && trial->past == past;
}

/* The setting in force fails in the replay too. */
static bool is_reproduced(const struct la_trial *trial, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (trial[i].kind == LA_TRIAL_SETTING && trial[i].current)
			return trial[i].past == LA_PAST_STUCK;
	return false;
}

static bool any_setting_passes(const struct la_trial *trial, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (trial[i].kind == LA_TRIAL_SETTING && !trial[i].objection &&
		    !trial[i].current && trial[i].past == LA_PAST_PAST)
			return true;
	return false;
}

/*
 * Numbers say that no packing serves the request, and yet a setting does:
 * then its blocks are smaller, so that what rounding takes was the cause.
 */
static void refine(struct la_verdict *verdict, const struct la_trial *trial,
		   size_t count)
{
	size_t i, kept = 0;

	if ((verdict->cause != LA_CAUSE_CAPACITY &&
	     verdict->cause != LA_CAUSE_FRACTION_CAP) ||
	    !la_margin_fails(&verdict->margin[LA_MARGIN_CONTIGUOUS]) ||
	    !any_setting_passes(trial, count))
		return;
	for (i = 0; i < verdict->contributing_count; i++)
		if (verdict->contributing[i] != LA_CAUSE_ROUNDING)
			verdict->contributing[kept++] =
				verdict->contributing[i];
	if (verdict->cause == LA_CAUSE_FRACTION_CAP)
		verdict->contributing[kept++] = LA_CAUSE_FRACTION_CAP;
	verdict->contributing_count = kept;
	verdict->cause = LA_CAUSE_ROUNDING;
}

/* Neither a setting nor ideal packing helps. */
static bool is_stuck_for_good(const struct la_trial *trial, size_t count)
{
	return is(find(trial, count, LA_TRIAL_PACKED), LA_PAST_STUCK) &&
	       !any_setting_passes(trial, count);
}

/* Replay without what the cause names ends the failure, or for a lack of
 * memory does not. */
static bool is_proven(const struct la_verdict *verdict,
		      const struct la_facts *facts,
		      const struct la_trial *trial, size_t count)
{
	switch (verdict->cause) {
	case LA_CAUSE_FRAGMENTATION:
	case LA_CAUSE_PAGE_FRAGMENTATION:
	case LA_CAUSE_CROSS_STREAM:
		return is(find(trial, count, LA_TRIAL_PACKED), LA_PAST_PAST);
	case LA_CAUSE_ROUNDING:
		return any_setting_passes(trial, count);
	case LA_CAUSE_FRACTION_CAP:
		return is(find(trial, count, LA_TRIAL_UNCAPPED), LA_PAST_PAST);
	case LA_CAUSE_CAPACITY:
		return is_stuck_for_good(trial, count) &&
		       (verdict->margin[LA_MARGIN_UNCAPPED].known ||
			la_card_is_explained(facts));
	case LA_CAUSE_REQUEST_TOO_LARGE:
	case LA_CAUSE_ABSURD_SIZE:
		return is_stuck_for_good(trial, count);
	default:
		return false;
	}
}

/* A program that catches an OOM changes course; a probe tells neither what was
 * asked for, but for rounding, nor of streams. */
static bool is_whole_truth(const struct la_facts *facts)
{
	return !facts->survived && !facts->went_on && !facts->views;
}

LA_EXPORT void la_verdict_prove(struct la_verdict *verdict,
				const struct la_facts *facts,
				const struct la_trial *trial, size_t count)
{
	enum la_grade grade = is_whole_truth(facts) ? LA_GRADE_PROVEN :
						      LA_GRADE_STRONG;

	if (!facts->recorded || facts->late || !is_reproduced(trial, count))
		return;
	refine(verdict, trial, count);
	if (facts->exact && is_proven(verdict, facts, trial, count) &&
	    !la_is_decided(facts, verdict->cause))
		verdict->grade = grade;
}
