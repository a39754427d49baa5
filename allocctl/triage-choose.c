// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: which OOM and which trial to speak of. */

#include <string.h>

#include "cmd.h"
#include "triage.h"

bool triage_is_failure(const struct triage_oom *oom)
{
	return oom->facts.kind != LA_OOM_HARMLESS;
}

size_t triage_failures(const struct triage *triage)
{
	size_t i, count = 0;

	for (i = 0; i < triage->count; i++)
		count += triage_is_failure(&triage->oom[i]);
	return count;
}

bool triage_was_asked(const struct triage_oom *oom)
{
	size_t i;

	for (i = 0; i < oom->trial_count; i++)
		if (oom->trial[i].asked)
			return true;
	return false;
}

bool triage_has_answers(const struct triage_oom *oom)
{
	size_t i;

	for (i = 0; i < oom->trial_count; i++)
		if (oom->trial[i].past != LA_PAST_UNKNOWN)
			return true;
	return triage_was_asked(oom);
}

/* What is surest is told first; of equals the earliest. */
static int weight(const struct triage_oom *oom)
{
	return 2 * (int)oom->verdict.grade + oom->replayed -
	       10 * !triage_is_failure(oom);
}

const struct triage_oom *triage_first(const struct triage *triage)
{
	const struct triage_oom *first = NULL;
	size_t i;

	for (i = 0; i < triage->count; i++)
		if (!first || weight(&triage->oom[i]) > weight(first))
			first = &triage->oom[i];
	return first;
}

/* The setting that is advised first, if replay bears it out. */
static const struct la_trial *advised(const struct triage_oom *oom)
{
	const struct la_trial *trial;
	size_t i;

	for (i = 0; i < oom->advice_count; i++) {
		trial = oom->advice[i].trial;
		if (!oom->advice[i].useless && trial && trial->setting &&
		    trial->past == LA_PAST_PAST && !trial->current)
			return trial;
	}
	return NULL;
}

/* A setting is easier to change than a cap or a program. */
static int ease(const struct la_trial *trial)
{
	if (trial->past != LA_PAST_PAST || trial->current || trial->objection ||
	    trial->kind == LA_TRIAL_PACKED)
		return 0;
	if (trial->kind != LA_TRIAL_SETTING)
		return 1;
	return strcmp(trial->setting, "expandable_segments:True") ? 2 : 3;
}

const struct la_trial *triage_best(const struct triage_oom *oom)
{
	const struct la_trial *best = advised(oom);
	size_t i;

	if (!oom->replayed || best)
		return best;
	for (i = 0; i < oom->trial_count; i++)
		if (ease(&oom->trial[i]) > (best ? ease(best) : 0))
			best = &oom->trial[i];
	return best;
}

const struct la_trial *triage_packed(const struct triage_oom *oom)
{
	size_t i;

	for (i = 0; i < oom->trial_count; i++)
		if (oom->trial[i].kind == LA_TRIAL_PACKED)
			return &oom->trial[i];
	return NULL;
}

int triage_status(const struct triage *triage)
{
	int status = STATUS_FINDINGS;
	size_t i;

	for (i = 0; i < triage->count; i++) {
		if (!triage_is_failure(&triage->oom[i]))
			continue;
		if (triage->oom[i].verdict.cause != LA_CAUSE_CANNOT_TELL)
			return STATUS_DONE;
		status = STATUS_CANNOT_TELL;
	}
	return status;
}
