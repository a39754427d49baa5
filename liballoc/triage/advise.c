// SPDX-License-Identifier: Apache-2.0
/* Which remedies suit one OOM, and which would not have helped. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/in-force.h"
#include "triage/remedy-table.h"
#include "util/array.h"
#include "util/util.h"

enum { COST_LITTLE = 2 }; /* a line or a command; see conf/remedies.yaml */

struct adviser {
	const struct la_facts *facts;
	const struct la_verdict *verdict;
	const struct la_trial *trial;
	size_t trials;
	struct la_in_force force;
	uint64_t causes; /* bit n: enum la_cause n is to be ended */
	uint64_t contributing; /* likewise; what costs little is worth it */
	double factor; /* for a batch; 0: none */
	struct la_advice *advice; /* owned */
	size_t count, room;
};

static uint64_t bit(unsigned int n)
{
	return (uint64_t)1 << n;
}

static void find_causes(struct adviser *a)
{
	const struct la_verdict *verdict = a->verdict;
	size_t i;

	a->causes = bit(verdict->cause);
	if (verdict->cause == LA_CAUSE_COMBINED)
		a->causes |= bit(verdict->pair[0]) | bit(verdict->pair[1]);
	for (i = 0; i < verdict->contributing_count; i++)
		a->contributing |= bit(verdict->contributing[i]);
}

/*
 * What is missing even with free bytes in one piece, as a share of what is
 * allocated: a batch that much smaller would have fitted if all of it scaled
 * with the batch, so that this is the largest factor worth trying.
 */
static double batch_factor(const struct adviser *a)
{
	const struct la_amount *allocated =
		&a->facts->amount[LA_AMOUNT_ALLOCATED];
	const struct la_margin *margin =
		&a->verdict->margin[LA_MARGIN_CONTIGUOUS];
	double factor;
	int twentieths;

	if (!margin->known)
		margin = &a->verdict->margin[LA_MARGIN_AS_IT_WAS];
	if (!margin->known || margin->low >= 0 || !allocated->low)
		return 0;
	factor = 1 + (double)margin->low / (double)allocated->low;
	twentieths = factor > 0 ? (int)(factor * 20 + 1e-9) : 0;
	return twentieths / 20.0;
}

static bool applies(const struct adviser *a, const struct la_remedy_rule *rule)
{
	const struct la_facts *facts = a->facts;
	/* Recordings do not tell. */
	const char *framework = facts->framework ? facts->framework : "pytorch";
	const char *backend = facts->backend ? facts->backend : "cuda";

	if (facts->kind == LA_OOM_HARMLESS)
		return false;
	return la_remedy_word(rule->frameworks, framework) &&
	       la_remedy_word(rule->forms, facts->form ? facts->form : "") &&
	       (!rule->truncated || facts->truncated) &&
	       la_remedy_word(rule->backends, backend) &&
	       (!rule->kinds || rule->kinds & bit(facts->kind)) &&
	       (!rule->since || !facts->release[1] ||
		facts->release[1] >= rule->since) &&
	       (!rule->until || facts->release[0] <= rule->until) &&
	       (!rule->unless || !la_in_force_names(&a->force, rule->unless));
}

/* The row of the remedy table that judges a remedy, or NULL: the one that its
 * rule names, else that of its setting. */
static const struct la_trial *find_trial(const struct adviser *a,
					 const struct la_remedy_rule *rule,
					 const char *setting)
{
	const struct la_trial *trial;
	bool is_it;

	for (trial = a->trial; trial < a->trial + a->trials; trial++) {
		if (rule->trials)
			is_it = trial->kind != LA_TRIAL_SETTING &&
				rule->trials & bit(trial->kind);
		else
			is_it = trial->kind == LA_TRIAL_SETTING && setting &&
				la_in_force_same(&a->force, setting,
						 trial->setting);
		if (is_it && trial->past != LA_PAST_UNKNOWN)
			return trial;
	}
	return NULL;
}

/* Does the message itself recommend it?  Its form tells, as the text of facts
 * may end before. */
static bool is_hinted(const struct adviser *a, const struct la_remedy *remedy)
{
	static const struct {
		const char *forms, *option;
	} hints[] = {
		{ "F3 F4", "max_split_size_mb" },
		{ "F5 F6 F7", "expandable_segments" },
	};
	size_t i;

	if (!a->facts->form || !remedy->setting)
		return false;
	for (i = 0; i < ARRAY_SIZE(hints); i++)
		if (la_remedy_word(hints[i].forms, a->facts->form))
			return !strncmp(remedy->setting, hints[i].option,
					strlen(hints[i].option)) &&
			       !strstr(remedy->setting, ":False");
	return false;
}

static bool is_expandable(const struct la_remedy *remedy)
{
	return remedy->setting &&
	       !strcmp(remedy->setting, "expandable_segments:True");
}

/* The facts alone say that a setting against fragmentation cannot help. */
static bool facts_refute(const struct adviser *a,
			 const struct la_remedy *remedy)
{
	const struct la_verdict *verdict = a->verdict;
	const struct la_margin *margin = &verdict->margin[LA_MARGIN_CONTIGUOUS];

	if (is_expandable(remedy) && verdict->expandable != LA_PAST_UNKNOWN)
		return verdict->expandable == LA_PAST_STUCK;
	return remedy->causes & bit(LA_CAUSE_FRAGMENTATION) &&
	       remedy->setting && margin->known && margin->high < 0;
}

/* Against the cause itself, or enough by the numbers. */
static bool is_cure(const struct adviser *a, const struct la_remedy *remedy)
{
	return remedy->causes & a->causes ||
	       (is_expandable(remedy) &&
		a->verdict->expandable == LA_PAST_PAST);
}

static bool facts_favour(const struct adviser *a,
			 const struct la_remedy *remedy)
{
	return is_cure(a, remedy) || (remedy->cost <= COST_LITTLE &&
				      remedy->causes & a->contributing);
}

/* People try it whatever the cause, so that it is worth saying that it does
 * not help: what is against fragmentation, and what is against nothing. */
static bool is_folklore(const struct la_remedy *remedy)
{
	return !remedy->causes ||
	       remedy->causes & (bit(LA_CAUSE_FRAGMENTATION) |
				 bit(LA_CAUSE_FRACTION_CAP));
}

/* It is against nothing in particular, and another setting leaves more. */
static bool is_outdone(const struct adviser *a, const struct la_remedy *remedy,
		       const struct la_trial *own)
{
	const struct la_trial *trial;

	if (remedy->causes || own->kind != LA_TRIAL_SETTING)
		return false;
	for (trial = a->trial; trial < a->trial + a->trials; trial++)
		if (trial->kind == LA_TRIAL_SETTING && !trial->objection &&
		    trial->past == LA_PAST_PAST &&
		    trial->headroom > own->headroom)
			return true;
	return false;
}

enum choice { CHOICE_NONE, CHOICE_ADVISE, CHOICE_USELESS };

static enum choice choose(const struct adviser *a,
			  const struct la_remedy *remedy,
			  const struct la_trial *trial)
{
	if (trial && trial->objection)
		return CHOICE_NONE;
	if (trial && (trial->past == LA_PAST_STUCK || trial->worse))
		return is_folklore(remedy) ? CHOICE_USELESS : CHOICE_NONE;
	if (trial && trial->past == LA_PAST_PAST)
		return is_outdone(a, remedy, trial) ? CHOICE_NONE :
						      CHOICE_ADVISE;
	if (facts_favour(a, remedy))
		return CHOICE_ADVISE;
	return !trial && is_hinted(a, remedy) && facts_refute(a, remedy) ?
		       CHOICE_USELESS :
		       CHOICE_NONE;
}

/* Takes over the setting, which is freed on failure. */
static int add(struct adviser *a, const struct la_remedy *remedy,
	       const struct la_remedy_rule *rule, char *setting,
	       const struct la_trial *trial, bool useless)
{
	if (grow_array(&a->advice, &a->room, a->count, sizeof(*a->advice)) <
	    0) {
		free(setting);
		return -ENOMEM;
	}
	a->advice[a->count++] = (struct la_advice){
		.remedy = remedy,
		.setting = setting,
		.trial = trial,
		.useless = useless,
		.factor = rule->batch && !useless ? a->factor : 0,
	};
	return 0;
}

/* It is on, and the message recommends it all the same. */
static int add_on(struct adviser *a, const struct la_remedy *remedy,
		  const struct la_remedy_rule *rule)
{
	return is_hinted(a, remedy) ? add(a, remedy, rule, NULL, NULL, true) :
				      0;
}

/* Beside what is in force it was not replayed; what replay says of it in that
 * one's place decides, and if it gets past the request, that is the setting. */
static const struct la_trial *alone(const struct adviser *a,
				    const struct la_remedy *remedy,
				    const struct la_remedy_rule *rule,
				    char **setting)
{
	const struct la_trial *trial = NULL;
	char *text;

	if (remedy->setting)
		trial = find_trial(a, rule, remedy->setting);
	if (!trial || trial->past == LA_PAST_DEPENDS)
		return NULL;
	text = strdup(remedy->setting);
	if (!text)
		return NULL;
	free(*setting);
	*setting = text;
	return trial;
}

static int consider(struct adviser *a, const struct la_remedy *remedy,
		    const struct la_remedy_rule *rule)
{
	const struct la_trial *trial;
	enum choice choice;
	char *setting = NULL;
	bool on;
	int ret;

	if (remedy->setting || rule->removes) {
		ret = la_in_force_apply(&setting, &on, &a->force, remedy, rule);
		if (ret < 0)
			return ret;
		if (ret == 0)
			return on ? add_on(a, remedy, rule) : 0;
	}
	trial = find_trial(a, rule, setting);
	if (!trial && setting)
		trial = alone(a, remedy, rule, &setting);
	choice = choose(a, remedy, trial);
	if (choice != CHOICE_NONE)
		return add(a, remedy, rule, setting, trial,
			   choice == CHOICE_USELESS);
	free(setting);
	return 0;
}

static bool is_advised(const struct adviser *a, const struct la_trial *trial)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if (a->advice[i].trial == trial)
			return true;
	return false;
}

/* A setting that is in the remedy table alone: the tuned one before others,
 * else the one that leaves most. */
static const struct la_trial *best_trial(const struct adviser *a)
{
	const struct la_trial *trial, *best = NULL;

	for (trial = a->trial; trial < a->trial + a->trials; trial++) {
		if (trial->kind != LA_TRIAL_SETTING || trial->current ||
		    trial->objection || trial->worse ||
		    trial->past != LA_PAST_PAST || is_advised(a, trial))
			continue;
		if (!best || (trial->tuned && !best->tuned) ||
		    (trial->tuned == best->tuned &&
		     trial->headroom > best->headroom))
			best = trial;
	}
	return best;
}

/* It is needed if no plain remedy gets past, or if the search found it. */
static int add_replayed(struct adviser *a, const struct la_remedy *remedy,
			const struct la_remedy_rule *rule)
{
	const struct la_trial *best = best_trial(a);
	char *setting;
	size_t i;

	for (i = 0; i < a->count && best && !best->tuned; i++)
		if (a->advice[i].setting && a->advice[i].trial &&
		    !a->advice[i].useless)
			return 0;
	if (!best)
		return 0;
	setting = strdup(best->setting);
	return setting ? add(a, remedy, rule, setting, best, false) : -ENOMEM;
}

static int consider_all(struct adviser *a)
{
	const struct la_remedy_rule *rule;
	const struct la_remedy *remedy;
	size_t count, i;
	int ret;

	remedy = la_remedies(&count);
	for (i = 0; i < count; i++, remedy++) {
		rule = la_remedy_rule(i);
		if (!applies(a, rule))
			continue;
		if (rule->trials & bit(LA_TRIAL_SETTING))
			ret = add_replayed(a, remedy, rule);
		else
			ret = consider(a, remedy, rule);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* It is about what merely contributed. */
static bool is_aside(const struct adviser *a, const struct la_remedy *remedy)
{
	return !is_cure(a, remedy) && remedy->causes & a->contributing;
}

/* What replay shows to help, then what tells more where nothing is known, then
 * what should help, then what would not have; what is aside after the rest.
 * Getting past one request does not help against a leak. */
static int rank(const struct adviser *a, const struct la_advice *advice)
{
	const struct la_remedy *remedy = advice->remedy;

	if (advice->useless)
		return 5;
	if (a->verdict->cause == LA_CAUSE_LEAK)
		return remedy->causes & bit(LA_CAUSE_LEAK) ? 3 : 4;
	if (advice->trial && advice->trial->past == LA_PAST_PAST)
		return is_aside(a, remedy) ? 1 : 0;
	if (a->verdict->cause == LA_CAUSE_CANNOT_TELL &&
	    remedy->causes & bit(LA_CAUSE_CANNOT_TELL))
		return 2;
	return is_aside(a, remedy) ? 4 : 3;
}

/* Remedies are in the order of what they cost, and few: by insertion. */
static void sort(struct adviser *a)
{
	size_t i, k;

	for (i = 1; i < a->count; i++) {
		struct la_advice moved = a->advice[i];

		for (k = i; k && rank(a, &a->advice[k - 1]) > rank(a, &moved);
		     k--)
			a->advice[k] = a->advice[k - 1];
		a->advice[k] = moved;
	}
}

LA_EXPORT int la_advise(struct la_advice **out, size_t *count,
			const struct la_facts *facts,
			const struct la_verdict *verdict,
			const struct la_trial *trial, size_t trials)
{
	struct adviser a = {
		.facts = facts,
		.verdict = verdict,
		.trial = trial,
		.trials = trials,
	};
	int ret;

	find_causes(&a);
	ret = la_in_force_read(&a.force, facts);
	a.factor = batch_factor(&a);
	if (ret == 0)
		ret = consider_all(&a);
	if (ret < 0) {
		la_advice_free(a.advice, a.count);
		return ret;
	}
	sort(&a);
	*out = a.advice;
	*count = a.count;
	return 0;
}

LA_EXPORT void la_advice_free(struct la_advice *advice, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(advice[i].setting);
	free(advice);
}
