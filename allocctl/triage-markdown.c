// SPDX-License-Identifier: Apache-2.0
/* allocctl triage --format markdown: for bug reports, nothing private. */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "triage-page.h"
#include "util/size.h"

/* Of untrusted text, what would end a cell or a line of code is left out. */
static void print_plain(const char *text)
{
	size_t length;

	for (; *text; text += length) {
		length = strcspn(text, "|`<");
		print_escaped_bytes(text, length);
		length += strspn(text + length, "|`<");
	}
}

static void print_verbatim(const char *text)
{
	putchar('`');
	print_plain(*text ? text : " ");
	putchar('`');
}

static void print_head(struct page *page, enum triage_word a,
		       enum triage_word b, enum triage_word c,
		       const char *columns)
{
	printf("\n| %s | %s |", triage_word(page->language, a),
	       triage_word(page->language, b));
	if (c != W_COUNT)
		printf(" %s |", triage_word(page->language, c));
	printf("\n%s\n", columns);
}

static void print_amounts(struct page *page)
{
	const struct la_amount *amount;
	char text[TRIAGE_SIZE];
	bool begun = false;
	int i;

	for (i = 0; i < LA_AMOUNT_COUNT; i++) {
		amount = &page->oom->facts.amount[i];
		if (amount->basis == LA_BASIS_NONE)
			continue;
		if (!begun)
			print_head(page, W_md_amount, W_md_value, W_md_basis,
				   "|---|---:|---|");
		begun = true;
		printf("| %s | %s | %s |\n",
		       triage_word(page->language,
				   W_amount_request + (enum triage_word)i),
		       triage_amount_text(text, page->language, amount),
		       triage_word(page->language,
				   W_basis_none +
					   (enum triage_word)amount->basis));
	}
}

static void print_margins(struct page *page)
{
	const struct la_margin *margin = page->oom->verdict.margin;
	char text[TRIAGE_SIZE];
	bool begun = false;
	int i;

	for (i = 0; i < LA_MARGIN_COUNT; i++) {
		if (!margin[i].known)
			continue;
		if (!begun)
			print_head(page, W_md_margin, W_md_left, W_COUNT,
				   "|---|---:|");
		begun = true;
		printf("| %s | %s |\n",
		       triage_word(page->language,
				   W_margin_as_it_was + (enum triage_word)i),
		       triage_margin_text(text, page->language, &margin[i]));
	}
}

static void print_trials(struct page *page)
{
	const struct la_trial *trial = page->oom->trial;
	char size[LA_SIZE_TEXT];
	size_t i;

	if (!triage_has_answers(page->oom))
		return;
	print_head(page, W_head_setting, W_head_past, W_head_reserved,
		   "|---|---|---:|");
	for (i = 0; i < page->oom->trial_count; i++, trial++) {
		fputs("| ", stdout);
		print_verbatim(triage_trial_text(page->language, trial));
		printf("%s | %s | %s |\n", trial->current ? " \\*" : "",
		       triage_past_text(page->language, trial),
		       trial->known ? la_size_format(size, trial->reserved) :
				      "-");
	}
}

static void print_release(const struct page *page)
{
	const unsigned int *release = page->oom->facts.release;
	bool open = !release[1] || release[1] == UINT_MAX;

	if (!release[0] && open)
		return;
	printf("- %s: ", triage_word(page->language, W_md_release));
	if (release[0])
		printf("%u.%u", release[0] >> 8, release[0] & 0xff);
	if (release[0] != release[1])
		fputs("–", stdout);
	if (!open && release[0] != release[1])
		printf("%u.%u", release[1] >> 8, release[1] & 0xff);
	putchar('\n');
}

static void print_setting(const struct page *page)
{
	const char *setting = page->oom->facts.setting;

	printf("- %s: ", triage_word(page->language, W_md_setting));
	if (setting)
		print_verbatim(setting);
	else
		fputs(triage_word(page->language, W_md_unknown), stdout);
	putchar('\n');
}

static void print_message(struct page *page)
{
	const char *text = page->oom->facts.text;

	if (!text)
		return;
	triage_redact(page_text(page), text);
	fputs("\n> ", stdout);
	print_plain(la_strbuf_text(&page->text));
	putchar('\n');
}

static void print_oom(struct page *page)
{
	struct la_strbuf *text = page_text(page);

	triage_headline(text, page->triage, page->oom);
	printf("### %s\n\n", triage_word(page->language, W_md_title));
	printf("**%s**\n\n", la_strbuf_text(text));
	text = page_text(page);
	triage_why(text, page->triage, page->oom);
	printf("%s %s\n\n", la_strbuf_text(text),
	       triage_word(page->language, triage_sure(page->oom)));
	print_setting(page);
	print_release(page);
	print_message(page);
	print_amounts(page);
	print_margins(page);
	print_trials(page);
	if (page->oom->verdict.cause == LA_CAUSE_CANNOT_TELL &&
	    triage_collect(&page->oom->facts))
		printf("\n%s\n\n    %s\n",
		       triage_word(page->language, W_md_collect),
		       triage_collect(&page->oom->facts));
}

int triage_print_markdown(const struct triage *triage)
{
	struct page page = { .triage = triage, .language = triage->language };
	size_t i;

	for (i = 0; i < triage->count; i++) {
		page.oom = &triage->oom[i];
		if (i)
			putchar('\n');
		print_oom(&page);
	}
	if (!triage->count)
		page_no_oom(&page);
	else
		triage_say(page_text(&page), page.language, W_md_redacted,
			   NULL);
	printf("%s%s\n", triage->count ? "\n" : "", la_strbuf_text(&page.text));
	return page_release(&page);
}
