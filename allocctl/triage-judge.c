// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: from facts to a verdict, to what would have helped. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "print.h"
#include "triage.h"
#include "util/size.h"

#define EXPANDABLE "expandable_segments:True"

/* Allocators of PyTorch, on which settings and limits bear. */
static bool is_torch(const struct la_facts *facts)
{
	return facts->kind <= LA_OOM_ASYNC || facts->kind == LA_OOM_MAPPING;
}

static void give(struct la_amount *amount, uint64_t bytes)
{
	if (amount->basis != LA_BASIS_NONE || !bytes)
		return;
	*amount = (struct la_amount){
		.low = bytes,
		.high = bytes,
		.basis = LA_BASIS_GIVEN,
	};
}

/* A card that is smaller than what was held on it is another one. */
static int check_card(const struct la_facts *facts, uint64_t card)
{
	const struct la_amount *held = &facts->amount[LA_AMOUNT_RESERVED];
	char given[LA_SIZE_TEXT], least[LA_SIZE_TEXT];

	if (!card || facts->amount[LA_AMOUNT_TOTAL].low != card ||
	    held->low <= card)
		return STATUS_DONE;
	print_error("--card: %s is less than the %s that PyTorch held",
		    la_size_format(given, card),
		    la_size_format(least, held->low));
	return STATUS_USAGE;
}

/* What options say, where the facts do not. */
static int complete(struct la_facts *facts, const struct triage *triage)
{
	const struct triage_known *known = &triage->known;
	int status;

	if (is_torch(facts)) {
		give(&facts->amount[LA_AMOUNT_ALLOWED], known->limit);
		give(&facts->amount[LA_AMOUNT_TOTAL], known->card);
		status = check_card(facts, known->card);
		if (status != STATUS_DONE)
			return status;
	}
	if (known->release && facts->framework &&
	    !strcmp(facts->framework, "pytorch"))
		facts->release[0] = facts->release[1] = known->release;
	if (triage->request->setting && !facts->recorded) {
		free(facts->setting);
		facts->setting = strdup(triage->request->setting);
		if (!facts->setting)
			return print_no_memory();
	}
	la_facts_complete(facts);
	return STATUS_DONE;
}

/* Does a setting do nothing but make segments expandable? */
static bool is_just_expandable(const struct la_setting_values *values,
			       const struct la_setting_context *context)
{
	struct la_setting *plain;
	bool alike;

	if (la_setting_parse_for(&plain, EXPANDABLE, strlen(EXPANDABLE),
				 context, NULL) < 0)
		return false;
	alike = la_setting_alike(values, la_setting_values(plain));
	la_setting_free(plain);
	return alike;
}

/* Fill a row with what facts alone say of a setting; false: no memory. */
static bool answer_row(struct la_trial *row, const struct triage_oom *oom,
		       const char *text)
{
	const struct la_setting_context context = triage_context(&oom->facts);
	struct la_setting *setting;
	struct la_error err;
	int code = la_setting_parse_for(&setting, text, strlen(text), &context,
					&err);

	*row = (struct la_trial){
		.setting = strdup(text),
		.current =
			oom->facts.setting && !strcmp(oom->facts.setting, text),
	};
	if (code == -EINVAL)
		row->objection = strdup(err.text);
	else if (!code && is_just_expandable(la_setting_values(setting),
					     &context))
		row->past = oom->verdict.expandable;
	if (!code)
		la_setting_free(setting);
	if (row->current && is_torch(&oom->facts))
		row->past = LA_PAST_STUCK;
	return row->setting && (code != -EINVAL || row->objection);
}

static bool has_row(const struct triage_oom *oom, const char *setting)
{
	size_t i;

	for (i = 0; i < oom->trial_count; i++)
		if (oom->trial[i].setting &&
		    !strcmp(oom->trial[i].setting, setting))
			return true;
	return false;
}

static bool add_row(struct triage_oom *oom, const char *setting, bool asked)
{
	struct la_trial *row = &oom->trial[oom->trial_count];

	if (has_row(oom, setting))
		return true;
	if (!answer_row(row, oom, setting)) {
		free(row->setting);
		return false;
	}
	row->asked = asked;
	oom->trial_count++;
	return true;
}

/* Without a replay: the setting in force, what was asked for, and what the
 * verdict answers. */
static int make_rows(struct triage_oom *oom,
		     const struct triage_request *request)
{
	bool ok = true;
	size_t i;

	oom->trial = calloc(request->tries.nr + 2, sizeof(*oom->trial));
	if (!oom->trial)
		return print_no_memory();
	if (oom->facts.setting)
		ok = add_row(oom, oom->facts.setting, false);
	for (i = 0; i < request->tries.nr && ok; i++)
		ok = add_row(oom, request->tries.item[i], true);
	ok = ok && add_row(oom, EXPANDABLE, false);
	return ok ? STATUS_DONE : print_no_memory();
}

static int replay(struct triage_oom *oom, const struct triage *triage)
{
	const struct triage_request *request = triage->request;
	const struct la_remedies_options options = {
		.setting = request->tries.item,
		.setting_count = request->tries.nr,
		.whole = triage->program.program,
		.tune = request->tune,
		.jobs = (unsigned int)request->jobs,
		.release = triage->known.release,
	};
	struct la_error err;
	int code;

	if (!oom->source || !oom->source->program)
		return make_rows(oom, request);
	code = la_remedies_replay(&oom->trial, &oom->trial_count,
				  oom->source->program, &oom->facts, &options,
				  &err);
	if (code == -ENOENT)
		return make_rows(oom, request);
	if (code < 0) {
		print_error("cannot replay '%s': %s", oom->source->path,
			    err.text);
		return make_rows(oom, request);
	}
	oom->replayed = true;
	return STATUS_DONE;
}

static int judge(struct triage_oom *oom, const struct triage *triage)
{
	int status = complete(&oom->facts, triage);

	if (status != STATUS_DONE)
		return status;
	la_verdict_reach(&oom->verdict, &oom->facts);
	status = replay(oom, triage);
	if (status != STATUS_DONE)
		return status;
	if (oom->replayed)
		la_verdict_prove(&oom->verdict, &oom->facts, oom->trial,
				 oom->trial_count);
	if (la_advise(&oom->advice, &oom->advice_count, &oom->facts,
		      &oom->verdict, oom->replayed ? oom->trial : NULL,
		      oom->replayed ? oom->trial_count : 0) < 0)
		return print_no_memory();
	return STATUS_DONE;
}

int triage_judge(struct triage *triage)
{
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; i < triage->count && status == STATUS_DONE; i++)
		status = judge(&triage->oom[i], triage);
	return status;
}
