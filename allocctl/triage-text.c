// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: the letter. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "triage-page.h"
#include "util/size.h"

static enum print_colour colour_of(enum la_grade grade)
{
	return grade >= LA_GRADE_STRONG	    ? PRINT_RED :
	       grade == LA_GRADE_CONSISTENT ? PRINT_YELLOW :
					      PRINT_BOLD;
}

static void print_headline(struct page *page)
{
	struct la_strbuf *text = page_text(page);
	const char *name = la_cause_name(page->oom->verdict.cause);

	triage_headline(text, page->triage, page->oom);
	print_paint(colour_of(page->oom->verdict.grade), name);
	print_wrapped_from(strlen(name), 0,
			   la_strbuf_text(text) + strlen(name));
	putchar('\n');
}

static void separate(const struct page *page, struct la_strbuf *text)
{
	if (text->length)
		la_strbuf_addstr(text,
				 triage_word(page->language, W_separator));
}

static void say_also(const struct page *page, struct la_strbuf *text,
		     enum la_cause cause)
{
	separate(page, text);
	triage_say(text, page->language, W_also_row, la_cause_name(cause),
		   triage_word(page->language,
			       W_cause_cannot_tell + (enum triage_word)cause),
		   NULL);
}

/* The headline has them. */
static bool is_of_pair(const struct la_verdict *verdict, enum la_cause cause)
{
	return verdict->cause == LA_CAUSE_COMBINED &&
	       (cause == verdict->pair[0] || cause == verdict->pair[1]);
}

static void print_why(struct page *page)
{
	const struct la_verdict *verdict = &page->oom->verdict;
	struct la_strbuf *text = page_text(page);
	size_t i;

	triage_why(text, page->triage, page->oom);
	page_end(page, W_label_why);
	if (verdict->grade != LA_GRADE_UNKNOWN)
		page_say(page, W_label_sure, triage_sure(page->oom), NULL);
	text = page_text(page);
	for (i = 0; i < verdict->contributing_count; i++)
		if (!is_of_pair(verdict, verdict->contributing[i]))
			say_also(page, text, verdict->contributing[i]);
	page_end(page, W_label_also);
}

/* Packing is no remedy that could be had. */
static bool gets_past(const struct triage_oom *oom)
{
	size_t i;

	for (i = 0; i < oom->trial_count; i++)
		if (oom->trial[i].past == LA_PAST_PAST &&
		    oom->trial[i].kind != LA_TRIAL_PACKED)
			return true;
	return false;
}

/* F3 to F8 come with a hint, whatever the cause. */
static bool hint_misleads(const struct triage_oom *oom)
{
	const char *form = oom->facts.form, *hint;
	const struct la_advice *advice = oom->advice;
	size_t i;

	if (!form || form[0] != 'F' || form[1] < '3' || form[1] > '8' ||
	    form[2])
		return false;
	hint = form[1] < '5' ? "max_split_size_mb" : "expandable_segments";
	for (i = 0; i < oom->advice_count; i++, advice++)
		if (advice->useless && advice->remedy->setting &&
		    !strncmp(advice->remedy->setting, hint, strlen(hint)))
			return true;
	return false;
}

static void print_notes(struct page *page)
{
	const struct la_facts *facts = &page->oom->facts;
	bool replayed = page->oom->replayed;
	char count[32];

	if (replayed && gets_past(page->oom) && !page->triage->program.program)
		page_say(page, W_label_note, W_note_not_finishing, NULL);
	if (replayed && triage_cap_is_open(facts))
		page_say(page, W_label_note, W_note_cap_open, NULL);
	if (facts->survived)
		page_say(page, W_label_note, W_note_survived,
			 source_count_text(count, facts->survived), NULL);
	if (facts->went_on)
		page_say(page, W_label_note, W_note_went_on, NULL);
	if (facts->late)
		page_say(page, W_label_note, W_note_late, NULL);
	if (facts->views && facts->recorded)
		page_say(page, W_label_note, W_note_probe, NULL);
	if (facts->views == 1u << LA_PROBE_DRIVER)
		page_say(page, W_label_note, W_note_driver_alone, NULL);
	if (facts->truncated)
		page_say(page, W_label_note, W_note_truncated, NULL);
	if (facts->processes_unknown)
		page_say(page, W_label_note, W_note_processes_unknown, NULL);
	if (facts->count > 1)
		page_say(page, W_label_note, W_note_repeated,
			 source_count_text(count, facts->count), NULL);
	if (hint_misleads(page->oom))
		page_say(page, W_label_note, W_note_hint, NULL);
}

/* Of a leak, the headline has said it. */
static void print_growth(struct page *page)
{
	const struct la_growth *growth = &page->oom->facts.growth;
	struct la_strbuf *text = page_text(page);
	char slope[LA_SIZE_TEXT], grown[LA_SIZE_TEXT], steps[32], p[32];
	char left[32];

	if (!growth->tested || !growth->grows ||
	    (page->oom->verdict.cause == LA_CAUSE_LEAK &&
	     !page->triage->request->explain))
		return;
	la_size_format(slope, (uint64_t)growth->slope);
	la_size_format(grown, growth->last - growth->first);
	source_count_text(steps, growth->windows);
	snprintf(p, sizeof(p), "%.2g", growth->p);
	triage_say(text, page->language, W_growth_grows, slope, grown, steps, p,
		   NULL);
	source_count_text(left, (uint64_t)growth->steps_left);
	if (growth->steps_left > 0)
		triage_say(text, page->language, W_growth_left, left, NULL);
	page_end(page, W_label_growth);
}

static void print_check(struct page *page)
{
	const struct la_verification *check;
	struct la_strbuf *text = page_text(page);
	char a[32], b[32], c[32], d[32];

	if (!page->oom->source || !page->oom->source->program)
		return;
	check = &page->oom->source->check;
	if (!check->placements && !check->segment_events)
		return;
	la_strbuf_addstr(text, triage_word(page->language,
					   check->exact ? W_check_exact :
							  W_check_inexact));
	la_strbuf_addstr(text,
			 page->language == LA_LANGUAGE_ENGLISH ? ": " : "：");
	triage_say(text, page->language, W_check_counts,
		   source_count_text(a, check->placements_right),
		   source_count_text(b, check->placements),
		   source_count_text(c, check->segment_events_right),
		   source_count_text(d, check->segment_events), NULL);
	page_end(page, W_label_check);
}

static const char *file_name(const struct page *page, const char *path)
{
	return strcmp(path, "-") ? path :
				   triage_word(page->language, W_stdin_name);
}

static void say_log(const struct page *page, struct la_strbuf *out)
{
	const struct la_facts *facts = &page->oom->facts;
	const char *name = file_name(page, page->oom->log);
	char first[32], last[32];

	source_count_text(first, facts->line[0]);
	source_count_text(last, facts->line[1]);
	triage_say(out, page->language,
		   page->oom->from_core		    ? W_from_core :
		   facts->line[0] == facts->line[1] ? W_from_line :
						      W_from_lines,
		   name, first, last, NULL);
}

static void say_recording(const struct page *page, struct la_strbuf *out)
{
	const struct source *source = page->oom->source;
	char device[32], event[32];

	source_count_text(device, source->device);
	source_count_text(event, page->oom->facts.event);
	triage_say(out, page->language,
		   source->info && source->info->oom_count ? W_from_recording :
							     W_from_state,
		   file_name(page, source->path), device, event, NULL);
}

/* The driver's calls alone. */
static void say_probe(const struct page *page, struct la_strbuf *out)
{
	char device[32];

	snprintf(device, sizeof(device), "%" PRId64, page->oom->facts.device);
	triage_say(out, page->language, W_from_probe,
		   file_name(page, page->oom->probe), device, NULL);
}

static void print_from(struct page *page)
{
	struct la_strbuf *text = page_text(page);

	if (page->oom->probe)
		say_probe(page, text);
	if (page->oom->log)
		say_log(page, text);
	if (page->oom->source)
		separate(page, text);
	if (page->oom->source)
		say_recording(page, text);
	page_end(page, W_label_from);
}

static void print_letter(struct page *page)
{
	print_headline(page);
	print_why(page);
	triage_print_advice(page);
	triage_print_worse(page);
	triage_print_table(page);
	print_growth(page);
	print_notes(page);
	print_check(page);
	print_from(page);
}

/* There are nothing but recordings, snapshots among them, none with a
 * history. */
static bool lacks_history(const struct triage *triage)
{
	bool snapshots = false;
	size_t i;

	for (i = 0; i < triage->calm_count; i++)
		if (triage->calm[i].source->program)
			return false;
	for (i = 0; i < triage->source_count; i++)
		if (!la_recording_is_probe(triage->source[i]->recording))
			snapshots = true;
	return snapshots && !triage->lines;
}

static void print_no_oom(struct page *page)
{
	const struct triage *triage = page->triage;
	size_t i;

	if (triage->count)
		triage_say(page_text(page), page->language, W_no_oom_harmless,
			   NULL);
	else
		page_no_oom(page);
	print_wrapped(0, la_strbuf_text(&page->text));
	for (i = 0; i < triage->count; i++) {
		page->oom = &triage->oom[i];
		print_why(page);
		print_from(page);
	}
	for (i = 0; i < triage->calm_count; i++) {
		page->oom = &triage->calm[i];
		print_growth(page);
		print_from(page);
	}
	if (lacks_history(triage))
		page_say(page, W_label_note, W_note_no_history, NULL);
}

/* A page for each, blank lines between them. */
static void print_all(struct page *page)
{
	const struct triage *triage = page->triage;
	bool first = true;
	size_t i;

	for (i = 0; i < triage->count; i++) {
		if (!triage_is_failure(&triage->oom[i]))
			continue;
		if (!first)
			putchar('\n');
		first = false;
		page->oom = &triage->oom[i];
		print_letter(page);
		triage_print_whole(page);
	}
}

static void print_remarks(struct page *page)
{
	const struct triage *triage = page->triage;
	size_t failures = triage_failures(triage);
	char count[32];

	if (failures && failures < triage->count)
		page_say(page, W_label_note, W_note_harmless,
			 source_count_text(count, triage->count - failures),
			 NULL);
	if (triage->lost)
		page_say(page, W_label_note, W_note_lost,
			 source_count_text(count, triage->lost), NULL);
}

int triage_print_text(const struct triage *triage)
{
	struct page page = { .triage = triage, .language = triage->language };
	size_t failures = triage_failures(triage);

	page.oom = triage_first(triage);
	if (failures > 1)
		triage_print_summary(&page);
	if (!failures)
		print_no_oom(&page);
	else if (triage->request->explain)
		print_all(&page);
	else
		print_letter(&page);
	print_remarks(&page);
	return page_release(&page);
}
