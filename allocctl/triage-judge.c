// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: from facts to a verdict, to what would have helped. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "triage.h"
#include "util/size.h"
#include "util/util.h"

#define EXPANDABLE "expandable_segments:True"

const char *const triage_actions[] = {
	[LA_TRIAL_SETTING] = NULL,
	[LA_TRIAL_PACKED] = "ideal_packing",
	[LA_TRIAL_UNCAPPED] = "no_cap",
	[LA_TRIAL_EMPTIED] = "empty_cache",
};

const enum la_shell triage_shells[] = {
	LA_SHELL_POSIX,
	LA_SHELL_CMD,
	LA_SHELL_POWERSHELL,
};

const char *const triage_shell_names[] = { "bash", "cmd", "powershell", NULL };

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
	report_error("--card: %s is less than the %s that PyTorch held",
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
			return report_no_memory();
	}
	la_facts_complete(facts);
	return STATUS_DONE;
}

/* A release that the facts allow, for what settings mean. */
static unsigned int release_of(const struct la_facts *facts)
{
	unsigned int newest = LA_RELEASE(2, 11);

	if (facts->release[1] && facts->release[1] < newest)
		newest = facts->release[1];
	return facts->release[0] > newest ? facts->release[0] : newest;
}

/* A context that names a release of the table. */
static struct la_setting_context context_of(const struct la_facts *facts)
{
	struct la_setting_context context = { .set_at = LA_SET_AT_IMPORT };
	unsigned int wanted = release_of(facts);
	size_t i;

	for (i = 0; la_release_at(i); i++)
		if (!i || la_release_at(i)->number <= wanted)
			context.release = la_release_at(i)->number;
	if (facts->backend && !strcmp(facts->backend, "hip"))
		context.build = LA_BUILD_ROCM;
	return context;
}

const char *triage_variable(const struct triage_oom *oom)
{
	static const char *const names[] = { "PYTORCH_CUDA_ALLOC_CONF",
					     "PYTORCH_HIP_ALLOC_CONF",
					     "PYTORCH_ALLOC_CONF" };
	struct la_setting_context context = context_of(&oom->facts);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!la_setting_variable_unread(names[i], &context))
			return names[i];
	return names[0];
}

char *triage_line(const struct triage_oom *oom, enum la_shell shell,
		  const char *setting)
{
	char *line;

	if (la_env_assignment(shell, triage_variable(oom), setting, &line,
			      NULL) < 0)
		return NULL;
	return line;
}

/* Does a setting do nothing but make segments expandable? */
static bool is_just_expandable(const struct la_setting_values *values,
			       const struct la_setting_context *context)
{
	struct la_setting_values a = *values, b;
	struct la_setting *plain;
	bool same;

	if (la_setting_parse_for(&plain, EXPANDABLE, strlen(EXPANDABLE),
				 context, NULL) < 0)
		return false;
	b = *la_setting_values(plain);
	same = a.expandable_segments && b.expandable_segments &&
	       a.max_split_size == b.max_split_size &&
	       a.large_segment_size == b.large_segment_size &&
	       a.garbage_collection_threshold ==
		       b.garbage_collection_threshold &&
	       a.per_process_memory_fraction == b.per_process_memory_fraction &&
	       a.expandable_segments_reserve == b.expandable_segments_reserve &&
	       a.cuda_malloc_async == b.cuda_malloc_async &&
	       !memcmp(a.roundup_power2_divisions, b.roundup_power2_divisions,
		       sizeof(a.roundup_power2_divisions));
	la_setting_free(plain);
	return same;
}

static enum la_past past_of(const struct la_verdict *verdict)
{
	static const enum la_past past[] = {
		[LA_OUTCOME_RUNS] = LA_PAST_PAST,
		[LA_OUTCOME_OOM] = LA_PAST_STUCK,
		[LA_OUTCOME_DEPENDS] = LA_PAST_DEPENDS,
	};

	return verdict->expandable_known ? past[verdict->expandable] :
					   LA_PAST_UNKNOWN;
}

/* Fill a row with what facts alone say of a setting; false: no memory. */
static bool answer_row(struct la_trial *row, const struct triage_oom *oom,
		       const char *text)
{
	const struct la_setting_context context = context_of(&oom->facts);
	struct la_setting *setting;
	struct la_error err;
	int code = la_setting_parse_for(&setting, text, strlen(text), &context,
					&err);

	*row = (struct la_trial){
		.setting = strdup(text),
		.current = oom->facts.setting &&
			   !strcmp(oom->facts.setting, text),
	};
	if (code == -EINVAL)
		row->objection = strdup(err.text);
	else if (!code && is_just_expandable(la_setting_values(setting),
					     &context))
		row->past = past_of(&oom->verdict);
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
		return report_no_memory();
	if (oom->facts.setting)
		ok = add_row(oom, oom->facts.setting, false);
	for (i = 0; i < request->tries.nr && ok; i++)
		ok = add_row(oom, request->tries.item[i], true);
	ok = ok && add_row(oom, EXPANDABLE, false);
	return ok ? STATUS_DONE : report_no_memory();
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
		report_error("cannot replay '%s': %s", oom->source->path,
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
		return report_no_memory();
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
	return strcmp(trial->setting, EXPANDABLE) ? 2 : 3;
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
