// SPDX-License-Identifier: Apache-2.0
/* allocctl triage --format json. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holders.h"
#include "print.h"
#include "triage.h"
#include "util/json.h"
#include "util/util.h"

/* In the order of enum la_oom_kind. */
static const char *const kinds[] = {
	[LA_OOM_CACHING] = "caching",
	[LA_OOM_CAP] = "cap",
	[LA_OOM_ASYNC] = "async",
	[LA_OOM_MPS] = "mps",
	[LA_OOM_MAPPING] = "mapping",
	[LA_OOM_CALL] = "call",
	[LA_OOM_LIBRARY] = "library",
	[LA_OOM_ABSURD] = "absurd",
	[LA_OOM_ASSERTED] = "asserted",
	[LA_OOM_FRAMEWORK] = "framework",
	[LA_OOM_HARMLESS] = "harmless",
	[LA_OOM_LOOKALIKE] = "lookalike",
	[LA_OOM_HOST] = "host",
	[LA_OOM_KILLED] = "killed",
	[LA_OOM_SHARED] = "shared",
	[LA_OOM_PINNED] = "pinned",
	[LA_OOM_FAULT] = "fault",
};

/* In the order of enum la_basis. */
static const char *const bases[] = {
	[LA_BASIS_NONE] = "none",	  [LA_BASIS_PRINTED] = "printed",
	[LA_BASIS_RECORDED] = "recorded", [LA_BASIS_DERIVED] = "derived",
	[LA_BASIS_GIVEN] = "given",
};

/* What trials that are no settings are called. */
static const char *const actions[] = {
	[LA_TRIAL_PACKED] = "ideal_packing",
	[LA_TRIAL_UNCAPPED] = "no_cap",
	[LA_TRIAL_EMPTIED] = "empty_cache",
	[LA_TRIAL_STEPS] = "empty_cache_each_step",
	[LA_TRIAL_STEPS_ABOVE] = "empty_cache_above_80",
};

const char *triage_action_text(const char *action)
{
	struct la_trial trial = { 0 };
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(actions); kind++) {
		if (!actions[kind] || strcmp(actions[kind], action))
			continue;
		trial.kind = (enum la_trial_kind)kind;
		return triage_trial_text(LA_LANGUAGE_ENGLISH, &trial);
	}
	return action;
}

static void member_int(struct la_json *json, const char *name, bool known,
		       int64_t value)
{
	la_json_key(json, name);
	if (known)
		la_json_int(json, value);
	else
		la_json_null(json);
}

static void json_amount(struct la_json *json, const struct la_amount *amount)
{
	if (amount->basis == LA_BASIS_NONE) {
		la_json_null(json);
		return;
	}
	la_json_object_begin(json);
	la_json_member_uint(json, "low", amount->low);
	la_json_member_uint(json, "high", amount->high);
	la_json_member_text(json, "basis", bases[amount->basis]);
	la_json_member_known_uint(json, "line", amount->line, amount->line);
	la_json_object_end(json);
}

static void json_margin(struct la_json *json, const char *name,
			const struct la_margin *margin)
{
	if (!margin->known) {
		la_json_member_null(json, name);
		return;
	}
	la_json_key(json, name);
	la_json_object_begin(json);
	member_int(json, "low", true, margin->low);
	member_int(json, "high", true, margin->high);
	la_json_object_end(json);
}

static void json_release(struct la_json *json, const char *name,
			 unsigned int release)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.%u", release >> 8, release & 0xff);
	la_json_member_text(json, name,
			    release && release != UINT_MAX ? text : NULL);
}

static void json_growth(struct la_json *json, const struct la_growth *growth)
{
	if (!growth->tested) {
		la_json_member_null(json, "growth");
		return;
	}
	la_json_key(json, "growth");
	la_json_object_begin(json);
	la_json_member_bool(json, "grows", growth->grows);
	la_json_member_double(json, "slope", growth->slope);
	la_json_member_double(json, "p", growth->p);
	la_json_member_uint(json, "windows", growth->windows);
	la_json_member_bool(json, "marked", growth->marked);
	la_json_member_uint(json, "first", growth->first);
	la_json_member_uint(json, "last", growth->last);
	la_json_member_known_double(json, "steps_left", growth->steps_left > 0,
				    growth->steps_left);
	la_json_member_uint(json, "size", growth->size);
	la_json_member_uint(json, "bytes", growth->stack_bytes);
	la_json_object_end(json);
}

static void json_holders(struct la_json *json, const struct triage_oom *oom)
{
	const struct la_facts *facts = &oom->facts;
	size_t i;

	la_json_key(json, "holders");
	la_json_array_begin(json);
	for (i = 0; i < facts->holder_count && oom->source; i++)
		holders_json(json, oom->source->recording, &facts->holder[i],
			     facts->holder_stack[i]);
	la_json_array_end(json);
}

static void json_ages(struct la_json *json, const struct la_facts *facts)
{
	static const char *const names[LA_AGE_COUNT] = {
		"last_hundredth", "last_tenth", "last_half", "first_half",
		"before",
	};
	int i;

	la_json_key(json, "live_by_age");
	if (!facts->recorded) {
		la_json_null(json);
		return;
	}
	la_json_object_begin(json);
	for (i = 0; i < LA_AGE_COUNT; i++)
		la_json_member_uint(json, names[i], facts->age[i]);
	la_json_object_end(json);
}

static void json_processes(struct la_json *json, const struct la_facts *facts)
{
	size_t i;

	la_json_key(json, "processes");
	la_json_array_begin(json);
	for (i = 0; i < facts->process_count; i++) {
		la_json_object_begin(json);
		la_json_member_uint(json, "pid", facts->process[i].pid);
		la_json_key(json, "memory");
		json_amount(json, &facts->process[i].memory);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_views(struct la_json *json, const struct la_facts *facts)
{
	static const char *const names[LA_PROBE_LEVELS] = {
		[LA_PROBE_DRIVER] = "driver",
		[LA_PROBE_ALLOCATOR] = "allocator",
	};
	int i;

	la_json_key(json, "views");
	la_json_array_begin(json);
	for (i = 0; i < LA_PROBE_LEVELS; i++)
		if (facts->views >> i & 1)
			la_json_text(json, names[i]);
	la_json_array_end(json);
}

static void json_message(struct la_json *json, const struct la_facts *facts)
{
	la_json_member_text(json, "kind", kinds[facts->kind]);
	la_json_member_text(json, "form", facts->form);
	la_json_member_text(json, "framework", facts->framework);
	la_json_member_text(json, "backend", facts->backend);
	member_int(json, "device", facts->device >= 0, facts->device);
	member_int(json, "rank", facts->rank >= 0, facts->rank);
	member_int(json, "pid", facts->pid >= 0, facts->pid);
	la_json_key(json, "lines");
	if (facts->line[0]) {
		la_json_array_begin(json);
		la_json_uint(json, facts->line[0]);
		la_json_uint(json, facts->line[1]);
		la_json_array_end(json);
	} else {
		la_json_null(json);
	}
	la_json_member_uint(json, "count", facts->count);
	la_json_member_text(json, "setting", facts->setting);
	la_json_key(json, "release");
	la_json_object_begin(json);
	json_release(json, "oldest", facts->release[0]);
	json_release(json, "newest", facts->release[1]);
	la_json_object_end(json);
	la_json_member_bool(json, "truncated", facts->truncated);
	la_json_member_bool(json, "processes_unknown",
			    facts->processes_unknown);
}

static void json_facts(struct la_json *json, const struct triage_oom *oom)
{
	const struct la_facts *facts = &oom->facts;
	int i;

	la_json_key(json, "facts");
	la_json_object_begin(json);
	json_message(json, facts);
	for (i = 0; i < LA_AMOUNT_COUNT; i++) {
		la_json_key(json, la_amount_name((enum la_amount_id)i));
		json_amount(json, &facts->amount[i]);
	}
	json_processes(json, facts);
	json_views(json, facts);
	la_json_member_bool(json, "recorded", facts->recorded);
	la_json_member_known_uint(json, "event", facts->recorded, facts->event);
	la_json_member_uint(json, "survived", facts->survived);
	la_json_member_bool(json, "went_on", facts->went_on);
	la_json_member_bool(json, "exact", facts->exact);
	la_json_member_bool(json, "late", facts->late);
	la_json_member_bool(json, "expandable", facts->expandable);
	la_json_member_bool(json, "private_request", facts->private_request);
	json_growth(json, &facts->growth);
	json_ages(json, facts);
	json_holders(json, oom);
	la_json_member_text(json, "text", facts->text);
	la_json_object_end(json);
}

static void json_verdict(struct la_json *json, const struct la_verdict *verdict)
{
	size_t i;

	la_json_member_text(json, "verdict", la_cause_name(verdict->cause));
	la_json_key(json, "contributing");
	la_json_array_begin(json);
	for (i = 0; i < verdict->contributing_count; i++)
		la_json_text(json, la_cause_name(verdict->contributing[i]));
	la_json_array_end(json);
	la_json_key(json, "pair");
	if (verdict->cause == LA_CAUSE_COMBINED) {
		la_json_array_begin(json);
		la_json_text(json, la_cause_name(verdict->pair[0]));
		la_json_text(json, la_cause_name(verdict->pair[1]));
		la_json_array_end(json);
	} else {
		la_json_null(json);
	}
	la_json_member_text(json, "label", la_label_name(verdict->label));
	la_json_member_text(json, "grade", la_grade_name(verdict->grade));
}

static void json_numbers(struct la_json *json, const struct triage_oom *oom)
{
	const struct la_verdict *verdict = &oom->verdict;
	int i;

	la_json_key(json, "margins");
	la_json_object_begin(json);
	for (i = 0; i < LA_MARGIN_COUNT; i++)
		json_margin(json, la_margin_name((enum la_margin_id)i),
			    &verdict->margin[i]);
	la_json_object_end(json);
	la_json_key(json, "ledger");
	la_json_object_begin(json);
	for (i = 0; i < LA_LEDGER_COUNT; i++)
		json_margin(json, la_ledger_name((enum la_ledger_id)i),
			    &verdict->ledger[i]);
	la_json_key(json, "total");
	json_amount(json, &oom->facts.amount[LA_AMOUNT_TOTAL]);
	la_json_object_end(json);
}

static void json_trial(struct la_json *json, const struct la_trial *trial)
{
	la_json_object_begin(json);
	if (trial->kind == LA_TRIAL_SETTING)
		la_json_member_text(json, "setting", trial->setting);
	else
		la_json_member_text(json, "action",
				    actions[trial->kind]);
	la_json_member_text(json, "outcome", la_past_name(trial->past));
	la_json_member_known_uint(json, "reserved", trial->known,
				  trial->reserved);
	la_json_member_known_uint(json, "headroom", trial->known,
				  trial->headroom);
	la_json_member_text(json, "whole",
			    trial->whole == LA_PAST_UNKNOWN ?
				    NULL :
				    la_past_name(trial->whole));
	la_json_member_known_uint(json, "whole_reserved",
				  trial->whole != LA_PAST_UNKNOWN,
				  trial->whole_reserved);
	la_json_member_bool(json, "current", trial->current);
	la_json_member_bool(json, "asked", trial->asked);
	la_json_member_bool(json, "tuned", trial->tuned);
	la_json_member_bool(json, "worse", trial->worse);
	if (trial->known)
		source_json_operations(json, "operations", &trial->operations);
	else
		la_json_member_null(json, "operations");
	la_json_member_known_double(json, "seconds", trial->known,
				    trial->seconds);
	la_json_member_text(json, "objection", trial->objection);
	la_json_object_end(json);
}

static void json_lines(struct la_json *json, const struct triage_oom *oom,
		       const char *setting)
{
	char *line;
	size_t i;

	la_json_key(json, "lines");
	if (!setting) {
		la_json_null(json);
		return;
	}
	la_json_object_begin(json);
	for (i = 0; triage_shell_names[i]; i++) {
		line = triage_line(oom, triage_shells[i], setting);
		la_json_member_text(json, triage_shell_names[i], line);
		free(line);
	}
	la_json_object_end(json);
}

static void json_advice(struct la_json *json, const struct triage *triage,
			const struct triage_oom *oom,
			const struct la_advice *advice)
{
	const struct la_remedy *remedy = advice->remedy;

	la_json_object_begin(json);
	la_json_member_text(json, "id", remedy->id);
	la_json_member_text(json, "kind", remedy->kind);
	la_json_member_uint(json, "cost", remedy->cost);
	la_json_member_text(json, "text", remedy->text[triage->language]);
	la_json_member_text(json, "setting", advice->setting);
	json_lines(json, oom, advice->setting);
	la_json_member_text(json, "code", remedy->code);
	la_json_member_known_double(json, "factor", advice->factor > 0,
				    advice->factor);
	la_json_member_text(json, "outcome",
			    advice->trial ? la_past_name(advice->trial->past) :
					    NULL);
	la_json_member_bool(json, "useless", advice->useless);
	la_json_object_end(json);
}

static void json_recording(struct la_json *json, const struct triage_oom *oom)
{
	if (!oom->source || !oom->source->program) {
		la_json_member_null(json, "recording");
		return;
	}
	la_json_key(json, "recording");
	la_json_object_begin(json);
	source_json(oom->source, json);
	la_json_object_end(json);
}

/* What the letter says in words. */
static void json_words(struct la_json *json, const struct triage *triage,
		       const struct triage_oom *oom)
{
	struct la_strbuf headline = { 0 }, why = { 0 };

	triage_headline(&headline, triage, oom);
	triage_why(&why, triage, oom);
	la_json_member_text(json, "headline", la_strbuf_text(&headline));
	la_json_member_text(json, "why", la_strbuf_text(&why));
	la_json_member_text(json, "how_sure",
			    triage_word(triage->language, triage_sure(oom)));
	la_strbuf_release(&headline);
	la_strbuf_release(&why);
}

static void json_oom(struct la_json *json, const struct triage *triage,
		     const struct triage_oom *oom)
{
	size_t i;

	la_json_object_begin(json);
	json_verdict(json, &oom->verdict);
	json_words(json, triage, oom);
	json_numbers(json, oom);
	json_facts(json, oom);
	la_json_key(json, "remedies");
	la_json_array_begin(json);
	for (i = 0; i < oom->trial_count; i++)
		json_trial(json, &oom->trial[i]);
	la_json_array_end(json);
	la_json_key(json, "advice");
	la_json_array_begin(json);
	for (i = 0; i < oom->advice_count; i++)
		json_advice(json, triage, oom, &oom->advice[i]);
	la_json_array_end(json);
	la_json_member_text(json, "collect",
			    oom->verdict.cause == LA_CAUSE_CANNOT_TELL ?
				    triage_collect(&oom->facts) :
				    NULL);
	la_json_member_text(json, oom->from_core ? "core" : "log", oom->log);
	la_json_member_text(json, "probe", oom->probe);
	json_recording(json, oom);
	la_json_object_end(json);
}

void triage_json(struct la_json *json, const struct triage *triage)
{
	size_t i;

	la_json_object_begin(json);
	la_json_member_text(json, "schema", "allocctl.triage/1");
	la_json_key(json, "ooms");
	la_json_array_begin(json);
	for (i = 0; i < triage->count; i++)
		json_oom(json, triage, &triage->oom[i]);
	la_json_array_end(json);
	la_json_member_uint(json, "lines", triage->lines);
	la_json_member_uint(json, "lost", triage->lost);
	la_json_object_end(json);
}

void triage_print_json(const struct triage *triage)
{
	struct la_json json;

	la_json_init(&json, print_json_sink, stdout);
	triage_json(&json, triage);
	putchar('\n');
}
