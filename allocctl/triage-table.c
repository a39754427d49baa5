// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: which settings get past the failed request. */

#include <stdio.h>
#include <string.h>

#include "print.h"
#include "triage-page.h"
#include "util/size.h"

/* Settings of which the letter tells unasked, with the one in force. */
enum { ROWS_SHOWN = 3, ROWS_LEAST = 1 };

/* Columns of the table of rows. */
enum { NAME_COLUMNS = 38, PAST_COLUMNS = 16, SIZE_COLUMNS = 10 };

const char *triage_trial_text(enum la_language language,
			      const struct la_trial *trial)
{
	static const enum triage_word words[] = {
		[LA_TRIAL_PACKED] = W_trial_packed,
		[LA_TRIAL_UNCAPPED] = W_trial_uncapped,
		[LA_TRIAL_EMPTIED] = W_trial_emptied,
		[LA_TRIAL_STEPS] = W_trial_steps,
		[LA_TRIAL_STEPS_ABOVE] = W_trial_steps_above,
	};

	if (trial->kind != LA_TRIAL_SETTING)
		return triage_word(language, words[trial->kind]);
	return *trial->setting ? trial->setting :
				 triage_word(language, W_trial_default);
}

const char *triage_past_text(enum la_language language,
			     const struct la_trial *trial)
{
	enum triage_word word = W_past_unknown + (enum triage_word)trial->past;

	if (trial->worse)
		word = W_past_worse;
	else if (trial->past == LA_PAST_PAST && trial->whole == LA_PAST_PAST)
		word = W_past_finishes;
	else if (trial->past == LA_PAST_PAST && trial->whole == LA_PAST_STUCK)
		word = W_past_not_finishes;
	return triage_word(language, word);
}

static void print_row(struct page *page, const struct la_trial *trial)
{
	const char *name = triage_trial_text(page->language, trial);
	char reserved[LA_SIZE_TEXT] = "-", headroom[LA_SIZE_TEXT] = "-";

	if (trial->known) {
		la_size_format(reserved, trial->reserved);
		la_size_format(headroom, trial->headroom);
	}
	fputs(trial->current ? "* " : "  ", stdout);
	page_cell(name, NAME_COLUMNS, false);
	if (print_columns(name, strlen(name)) > NAME_COLUMNS)
		printf("\n%*s", NAME_COLUMNS + 2, "");
	putchar(' ');
	page_cell(triage_past_text(page->language, trial), PAST_COLUMNS, false);
	page_cell(reserved, SIZE_COLUMNS, true);
	putchar(' ');
	page_cell(headroom, SIZE_COLUMNS, true);
	putchar('\n');
	if (!trial->objection)
		return;
	printf("%*s", 6, "");
	print_wrapped_from(6, 6, trial->objection);
}

static void print_head(struct page *page)
{
	putchar('\n');
	printf("  ");
	page_cell(triage_word(page->language, W_head_setting), NAME_COLUMNS,
		  false);
	putchar(' ');
	page_cell(triage_word(page->language, W_head_past), PAST_COLUMNS,
		  false);
	page_cell(triage_word(page->language, W_head_reserved), SIZE_COLUMNS,
		  true);
	putchar(' ');
	page_cell(triage_word(page->language, W_head_headroom), SIZE_COLUMNS,
		  true);
	putchar('\n');
}

/* What the letter is about: what is in force, was asked for, or helps. */
static bool is_shown(const struct la_trial *trial)
{
	return trial->current || trial->asked || trial->tuned ||
	       trial->kind == LA_TRIAL_PACKED ||
	       trial->kind == LA_TRIAL_UNCAPPED ||
	       trial->kind == LA_TRIAL_EMPTIED ||
	       trial->past != LA_PAST_STUCK ||
	       (trial->setting &&
		!strcmp(trial->setting, "expandable_segments:True"));
}

size_t triage_asked_lines(const struct triage_oom *oom)
{
	const struct la_trial *trial = oom->trial;
	size_t i, lines = 0;

	for (i = 0; i < oom->trial_count; i++, trial++)
		if (trial->asked)
			lines += 1 + (trial->objection != NULL) +
				 (strlen(trial->setting) > NAME_COLUMNS);
	return lines;
}

void triage_print_table(struct page *page)
{
	const struct triage_oom *oom = page->oom;
	bool all = page->triage->request->explain;
	size_t i, shown = 0, left = 0;
	bool depends = false;
	size_t most = triage_asked_lines(oom) > 1 ? ROWS_LEAST : ROWS_SHOWN;
	const struct la_trial *trial;
	char count[32];

	if (!oom->replayed && !triage_was_asked(oom))
		return;
	print_head(page);
	for (i = 0; i < oom->trial_count; i++) {
		trial = &oom->trial[i];
		if (all || trial->asked || trial->tuned ||
		    trial->kind != LA_TRIAL_SETTING ||
		    (is_shown(trial) && shown++ < most)) {
			print_row(page, trial);
			depends |= trial->past == LA_PAST_DEPENDS;
		} else {
			left++;
		}
	}
	snprintf(count, sizeof(count), "%zu", left);
	triage_say(page_text(page), page->language, W_more_rows, count, NULL);
	if (left)
		print_wrapped(2, la_strbuf_text(&page->text));
	if (depends)
		print_wrapped(2, triage_word(page->language, W_depends_on));
	putchar('\n');
}

/* Settings that run out earlier than the one in force; the table has more. */
void triage_print_worse(struct page *page)
{
	const struct triage_oom *oom = page->oom;
	struct la_strbuf names = { 0 };
	size_t i;

	for (i = 0; i < oom->trial_count; i++) {
		if (!oom->trial[i].worse || !oom->trial[i].setting ||
		    is_shown(&oom->trial[i]))
			continue;
		la_strbuf_addstr(&names, names.length ? ", " : "");
		la_strbuf_addstr(&names, triage_trial_text(page->language,
							   &oom->trial[i]));
	}
	if (names.length)
		page_say(page, W_label_worse, W_worse_rows,
			 la_strbuf_text(&names), NULL);
	la_strbuf_release(&names);
}
