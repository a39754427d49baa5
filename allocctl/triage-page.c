// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "print.h"
#include "triage-page.h"

enum { MOST_PARTS = 4 };

struct la_strbuf *page_text(struct page *page)
{
	page->failed |= page->text.failed;
	la_strbuf_release(&page->text);
	page->text = (struct la_strbuf){ 0 };
	return &page->text;
}

void page_cell(const char *text, int columns, bool right)
{
	int pad = columns - (int)print_columns(text, strlen(text));

	if (right && pad > 0)
		printf("%*s", pad, "");
	print_escaped(text);
	if (!right && pad > 0)
		printf("%*s", pad, "");
}

void page_end(struct page *page, enum triage_word label)
{
	const char *name = "";

	if (!page->text.length)
		return;
	if (label != W_COUNT)
		name = triage_word(page->language, label);
	page_cell(page->label == name ? "" : name, PAGE_INDENT, false);
	page->label = name;
	print_wrapped_from(PAGE_INDENT, PAGE_INDENT,
			   la_strbuf_text(&page->text));
}

void page_say(struct page *page, enum triage_word label, enum triage_word word,
	      ...)
{
	const char *part[MOST_PARTS + 1] = { NULL };
	va_list args;
	int i;

	va_start(args, word);
	for (i = 0; i < MOST_PARTS && (part[i] = va_arg(args, const char *));)
		i++;
	va_end(args);
	triage_say(page_text(page), page->language, word, part[0], part[1],
		   part[2], part[3], NULL);
	page_end(page, label);
}

void page_no_oom(struct page *page)
{
	const struct triage *triage = page->triage;
	size_t count = triage_recordings(triage);
	char lines[32], recordings[32];

	source_count_text(lines, triage->lines);
	source_count_text(recordings, count);
	if (count && !triage->lines)
		triage_say(page_text(page), page->language,
			   W_no_oom_recordings, recordings, NULL);
	else
		triage_say(page_text(page), page->language, W_no_oom, lines,
			   recordings, NULL);
}

int page_release(struct page *page)
{
	bool failed = page->failed || page->text.failed;

	la_strbuf_release(&page->text);
	return failed ? print_no_memory() : STATUS_DONE;
}
