// SPDX-License-Identifier: Apache-2.0
/* allocctl triage --explain: everything behind a letter. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "triage-page.h"
#include "util/size.h"

enum { NAME_COLUMNS = 30, VALUE_COLUMNS = 26 };

static void print_title(const struct page *page, enum triage_word title)
{
	putchar('\n');
	print_paint(PRINT_BOLD, triage_word(page->language, title));
	putchar('\n');
}

/* "  name      value  remark" */
static void print_row(const char *name, const char *value, const char *remark)
{
	fputs("  ", stdout);
	page_cell(name, NAME_COLUMNS, false);
	putchar(' ');
	page_cell(value, VALUE_COLUMNS, true);
	if (*remark)
		printf("  %s", remark);
	putchar('\n');
}

static void print_ledger(const struct page *page)
{
	const struct triage_oom *oom = page->oom;
	char text[TRIAGE_SIZE];
	int i;

	print_title(page, W_explain_ledger);
	for (i = 0; i < LA_LEDGER_COUNT; i++) {
		triage_margin_text(text, page->language,
				   &oom->verdict.ledger[i]);
		print_row(triage_word(page->language,
				      W_ledger_requested + (enum triage_word)i),
			  text, "");
	}
	triage_amount_text(text, page->language,
			   &oom->facts.amount[LA_AMOUNT_TOTAL]);
	print_row(triage_word(page->language, W_explain_sum), text, "");
}

static void print_margins(const struct page *page)
{
	char text[TRIAGE_SIZE];
	int i;

	print_title(page, W_explain_margins);
	printf("  %s\n", triage_word(page->language, W_explain_margin_hint));
	for (i = 0; i < LA_MARGIN_COUNT; i++) {
		triage_margin_text(text, page->language,
				   &page->oom->verdict.margin[i]);
		print_row(triage_word(page->language,
				      W_margin_as_it_was + (enum triage_word)i),
			  text, "");
	}
}

/* How an amount was learnt, and of which line. */
static void say_basis(const struct page *page, struct la_strbuf *out,
		      const struct la_amount *amount)
{
	const char *basis = triage_word(page->language,
					W_basis_none + (enum triage_word)
						       amount->basis);
	char line[32];

	if (amount->line)
		triage_say(out, page->language, W_explain_basis, basis,
			   source_count_text(line, amount->line), NULL);
	else
		la_strbuf_addstr(out, basis);
}

static void print_amounts(struct page *page)
{
	const struct la_amount *amount;
	struct la_strbuf *basis;
	char text[TRIAGE_SIZE];
	int i;

	print_title(page, W_explain_facts);
	for (i = 0; i < LA_AMOUNT_COUNT; i++) {
		amount = &page->oom->facts.amount[i];
		if (amount->basis == LA_BASIS_NONE)
			continue;
		basis = page_text(page);
		say_basis(page, basis, amount);
		print_row(triage_word(page->language,
				      W_amount_request + (enum triage_word)i),
			  triage_amount_text(text, page->language, amount),
			  la_strbuf_text(basis));
	}
}

static void print_processes(struct page *page)
{
	const struct la_facts *facts = &page->oom->facts;
	char text[TRIAGE_SIZE], pid[32];
	struct la_strbuf *name;
	size_t i;

	if (facts->process_count)
		print_title(page, W_explain_processes);
	for (i = 0; i < facts->process_count; i++) {
		snprintf(pid, sizeof(pid), "%" PRIu64, facts->process[i].pid);
		name = page_text(page);
		triage_say(name, page->language, W_explain_process, pid, NULL);
		print_row(la_strbuf_text(name),
			  triage_amount_text(text, page->language,
					     &facts->process[i].memory),
			  "");
	}
}

static void print_stack(const struct page *page, uint32_t stack)
{
	const struct la_recording *recording = page->oom->source->recording;
	const struct la_frame *frame;
	const uint32_t *frames;
	size_t count = la_recording_stack(recording, stack, &frames), i;

	for (i = 0; i < count; i++) {
		frame = la_recording_frame(recording, frames[i]);
		fputs("      ", stdout);
		if (frame->function)
			print_escaped(frame->function);
		if (frame->file) {
			fputs(", ", stdout);
			print_escaped(frame->file);
			printf(":%" PRIu32, frame->line);
		}
		putchar('\n');
	}
}

static void print_ages(const struct page *page)
{
	static const enum triage_word names[LA_AGE_COUNT] = {
		W_explain_age_hundredth, W_explain_age_tenth,
		W_explain_age_half, W_explain_age_older,
		W_explain_age_before,
	};
	const struct la_facts *facts = &page->oom->facts;
	char text[LA_SIZE_TEXT];
	int i;

	if (!facts->recorded)
		return;
	print_title(page, W_explain_ages);
	for (i = 0; i < LA_AGE_COUNT; i++)
		print_row(triage_word(page->language, names[i]),
			  la_size_format(text, facts->age[i]), "");
}

static void print_holders(struct page *page)
{
	const struct la_facts *facts = &page->oom->facts;
	char bytes[LA_SIZE_TEXT], size[LA_SIZE_TEXT], count[32];
	struct la_strbuf *text;
	size_t i;

	if (!facts->holder_count || !page->oom->source)
		return;
	print_title(page, W_explain_holders);
	for (i = 0; i < facts->holder_count; i++) {
		text = page_text(page);
		triage_say(text, page->language, W_explain_holder,
			   la_size_format(bytes, facts->holder[i].bytes),
			   source_count_text(count, facts->holder[i].count),
			   la_size_format(size, facts->holder[i].size), NULL);
		printf("  %s\n", la_strbuf_text(text));
		print_stack(page, facts->holder_stack[i]);
	}
}

/* What each answer costs, up to the request that failed. */
static void print_cost(struct page *page, const struct la_trial *trial)
{
	const struct la_device_operations *done = &trial->operations;
	const char *name = triage_trial_text(page->language, trial);
	char taken[32], given[32], waits[32], seconds[32];
	struct la_strbuf *text = page_text(page);

	source_count_text(taken, done->mallocs + done->maps);
	source_count_text(given, done->frees + done->unmaps);
	source_count_text(waits, done->synchronisations);
	snprintf(seconds, sizeof(seconds), "%.3f", trial->seconds);
	triage_say(text, page->language, W_explain_cost, taken, given, waits,
		   seconds, NULL);
	fputs("  ", stdout);
	print_escaped(name);
	fputs("\n      ", stdout);
	print_wrapped_from(6, 6, la_strbuf_text(text));
}

static void print_costs(struct page *page)
{
	const struct triage_oom *oom = page->oom;
	size_t i;

	if (!oom->replayed)
		return;
	print_title(page, W_explain_costs);
	for (i = 0; i < oom->trial_count; i++)
		if (oom->trial[i].known)
			print_cost(page, &oom->trial[i]);
}

static void print_steady(struct page *page)
{
	const struct la_growth *growth = &page->oom->facts.growth;
	struct la_strbuf *text = page_text(page);
	char steps[32], p[32];

	if (!growth->tested || growth->grows)
		return;
	print_title(page, W_label_growth);
	source_count_text(steps, growth->windows);
	snprintf(p, sizeof(p), "%.2g", growth->p);
	triage_say(text, page->language, W_growth_steady, steps, p, NULL);
	print_wrapped(2, la_strbuf_text(text));
}

static void print_message(const struct page *page)
{
	const char *text = page->oom->facts.text;
	struct la_strbuf escaped = { 0 };

	if (!text)
		return;
	print_title(page, W_explain_message);
	print_escaped_add(&escaped, text, strlen(text));
	print_wrapped(2, la_strbuf_text(&escaped));
	la_strbuf_release(&escaped);
}

void triage_print_whole(struct page *page)
{
	print_ledger(page);
	print_margins(page);
	print_amounts(page);
	print_processes(page);
	print_ages(page);
	print_holders(page);
	print_costs(page);
	print_steady(page);
	print_message(page);
}
