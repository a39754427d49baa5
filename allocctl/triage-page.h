/* SPDX-License-Identifier: Apache-2.0 */
/* Labelled paragraphs of a letter. */
#ifndef ALLOCCTL_TRIAGE_PAGE_H
#define ALLOCCTL_TRIAGE_PAGE_H

#include "triage.h"

/* Columns of labels. */
enum { PAGE_INDENT = 12 };

struct page {
	const struct triage *triage;
	enum la_language language;
	const struct triage_oom *oom; /* that is spoken of */
	struct la_strbuf text; /* owned: of the paragraph at hand */
	const char *label; /* printed last: repeated ones are left out */
	bool failed; /* memory ran out: something is missing */
};

/* A new paragraph, empty. */
struct la_strbuf *page_text(struct page *page);

/* Print it behind a label, W_COUNT: none; nothing if it is empty. */
void page_end(struct page *page, enum triage_word label);

/* A paragraph of one text, as triage_say(). */
void page_say(struct page *page, enum triage_word label, enum triage_word word,
	      ...) __attribute__((sentinel));

/* Put into the paragraph at hand that no OOM was found, and in how much. */
void page_no_oom(struct page *page);

/* Print text and pad it to columns of a terminal. */
void page_cell(const char *text, int columns, bool right);

/* A status. */
int page_release(struct page *page);

/* triage-advice.c: what to do and to gather for page->oom, and what not. */
void triage_print_advice(struct page *page);

/* triage-table.c: rows of page->oom, lines of those that were asked for, and
 * settings that make it worse. */
void triage_print_table(struct page *page);
size_t triage_asked_lines(const struct triage_oom *oom);
void triage_print_worse(struct page *page);

/* triage-summary.c: all OOMs in a few lines. */
void triage_print_summary(struct page *page);

/* triage-explain.c: facts, ledger and margins of page->oom. */
void triage_print_whole(struct page *page);

#endif /* ALLOCCTL_TRIAGE_PAGE_H */
