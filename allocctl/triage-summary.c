// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: several OOMs, those of one cause in one line. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "triage-page.h"

enum { PLACES_SHOWN = 4, CAUSE_COLUMNS = 22 };

/* "rank 3, line 120" */
static void say_place(const struct page *page, struct la_strbuf *out,
		      const struct triage_oom *oom)
{
	const struct la_facts *facts = &oom->facts;
	char number[32], line[32];

	la_strbuf_addstr(out, out->length ? ", " : "");
	snprintf(number, sizeof(number), "%" PRId64,
		 facts->rank >= 0 ? facts->rank : facts->device);
	source_count_text(line, facts->line[0]);
	if (facts->rank >= 0 || facts->device >= 0) {
		triage_say(out, page->language,
			   facts->rank >= 0 ? W_rank : W_device, number, NULL);
	} else if (facts->line[0]) {
		triage_say(out, page->language, W_explain_line, line, NULL);
		return;
	}
	la_strbuf_addstr(out, " (");
	if (facts->line[0])
		triage_say(out, page->language, W_explain_line, line, NULL);
	else if (oom->source)
		print_escaped_add(out, oom->source->path,
				  strlen(oom->source->path));
	la_strbuf_addstr(out, ")");
}

/* The first of its cause? */
static bool is_first(const struct triage *triage, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (triage_is_failure(&triage->oom[i]) &&
		    triage->oom[i].verdict.cause ==
			    triage->oom[at].verdict.cause)
			return false;
	return triage_is_failure(&triage->oom[at]);
}

/* All OOMs of one cause in one line. */
static void print_group(struct page *page, size_t at)
{
	const struct triage *triage = page->triage;
	enum la_cause cause = triage->oom[at].verdict.cause;
	struct la_strbuf *text = page_text(page);
	size_t i, count = 0;
	char more[32];
	bool mine = false;

	for (i = at; i < triage->count; i++) {
		if (triage->oom[i].verdict.cause != cause ||
		    !triage_is_failure(&triage->oom[i]))
			continue;
		mine |= &triage->oom[i] == page->oom;
		if (count++ < PLACES_SHOWN)
			say_place(page, text, &triage->oom[i]);
	}
	snprintf(more, sizeof(more), "%zu", count - PLACES_SHOWN);
	if (count > PLACES_SHOWN) {
		la_strbuf_addstr(text, ", ");
		triage_say(text, page->language, W_summary_more, more, NULL);
	}
	printf("%c %-*s %3zu  ", mine ? '*' : ' ', CAUSE_COLUMNS,
	       la_cause_name(cause), count);
	print_wrapped_from(CAUSE_COLUMNS + 8, CAUSE_COLUMNS + 8,
			   la_strbuf_text(text));
}

void triage_print_summary(struct page *page)
{
	const struct triage *triage = page->triage;
	char count[32];
	size_t i;

	source_count_text(count, triage_failures(triage));
	triage_say(page_text(page), page->language, W_summary, count, NULL);
	puts(la_strbuf_text(&page->text));
	for (i = 0; i < triage->count; i++)
		if (is_first(triage, i))
			print_group(page, i);
	if (!triage->request->explain)
		print_wrapped(0, triage_word(page->language, W_summary_about));
	putchar('\n');
}
