// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: what to do, what to gather, and what would not help. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "triage-page.h"
#include "util/util.h"

/* A first screen has 40 lines: rows that were asked for take the place of
 * what would be told unasked. */
enum { ADVICE_SHOWN = 3, ADVICE_OF_PAIR = 2, ADVICE_LINES = 4 };

#define COLLECT                                                               \
	"import os, sys, torch; torch.cuda.memory._record_memory_history(); " \
	"sys.excepthook = lambda *e: "                                        \
	"(torch.cuda.memory._dump_snapshot('oom.pickle'), "                   \
	"os.system('nvidia-smi'), sys.__excepthook__(*e))"
#define COLLECT_HIP                                                           \
	"import os, sys, torch; torch.cuda.memory._record_memory_history(); " \
	"sys.excepthook = lambda *e: "                                        \
	"(torch.cuda.memory._dump_snapshot('oom.pickle'), "                   \
	"os.system('rocm-smi --showmeminfo vram --showpids'), "               \
	"sys.__excepthook__(*e))"
#define COLLECT_HOST                                                       \
	"dmesg -T | grep -iE 'oom|killed process' | tail; free -g; df -h " \
	"/dev/shm; ulimit -l"

static bool is_host(const struct la_facts *facts)
{
	return facts->kind >= LA_OOM_HOST && facts->kind <= LA_OOM_PINNED;
}

const char *triage_collect(const struct la_facts *facts)
{
	const char *backend = facts->backend ? facts->backend : "cuda";

	if (is_host(facts))
		return COLLECT_HOST;
	if (!strcmp(backend, "hip"))
		return COLLECT_HIP;
	return strcmp(backend, "cuda") ? NULL : COLLECT;
}

/* Lines that are pasted are not wrapped. */
static void print_pasted(const char *text)
{
	size_t length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		printf("%*s", PAGE_INDENT + 3, "");
		print_escaped_bytes(text, length);
		putchar('\n');
	}
}

static void print_remedy(struct page *page, const struct la_advice *advice,
			 size_t number)
{
	const struct triage *triage = page->triage;
	struct la_strbuf *text = page_text(page);
	char count[32], factor[32], *line = NULL;

	snprintf(count, sizeof(count), "%zu", number);
	snprintf(factor, sizeof(factor), "%.2f", advice->factor);
	triage_say(text, page->language,
		   advice->factor > 0 ? W_do_factor : W_do_row, count,
		   advice->remedy->text[page->language], factor, NULL);
	page_end(page, number == 1 ? W_label_do : W_COUNT);
	if (advice->setting)
		line = triage_line(page->oom,
				   triage_shells[triage->request->shell],
				   advice->setting);
	if (line)
		print_pasted(line);
	else if (advice->setting)
		print_pasted(advice->setting);
	if (advice->remedy->code)
		print_pasted(advice->remedy->code);
	free(line);
}

/* The line that gathers what is missing does that as well. */
static bool is_collected(const struct triage_oom *oom, const char *code)
{
	static const char *const parts[] = { "_record_memory_history",
					     "nvidia-smi", "rocm-smi" };
	const char *line = triage_collect(&oom->facts);
	size_t i;

	if (oom->verdict.cause != LA_CAUSE_CANNOT_TELL || !line || !code)
		return false;
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(code, parts[i]) && strstr(line, parts[i]))
			return true;
	return false;
}

/* Which of the two of COMBINED it is against; 0 where there are no two. */
static size_t side_of(const struct triage_oom *oom,
		      const struct la_advice *advice)
{
	const struct la_verdict *verdict = &oom->verdict;

	return verdict->cause == LA_CAUSE_COMBINED &&
	       advice->remedy->causes & (uint64_t)1 << verdict->pair[1];
}

/* How many pieces of advice are shown, of each side. */
static size_t most_shown(const struct page *page)
{
	size_t less = (triage_asked_lines(page->oom) + 1) / ADVICE_LINES;

	if (page->triage->request->explain)
		return page->oom->advice_count;
	if (page->oom->verdict.cause == LA_CAUSE_COMBINED)
		return ADVICE_OF_PAIR;
	return less < ADVICE_SHOWN ? ADVICE_SHOWN - less : 1;
}

static void print_remedies(struct page *page)
{
	const struct triage_oom *oom = page->oom;
	size_t most = most_shown(page);
	size_t i, number = 0, shown[2] = { 0 };
	const struct la_advice *advice;

	for (i = 0; i < oom->advice_count; i++) {
		advice = &oom->advice[i];
		if (advice->useless || is_collected(oom, advice->remedy->code))
			continue;
		if (shown[side_of(oom, advice)]++ < most)
			print_remedy(page, advice, ++number);
	}
	if (!number && oom->verdict.cause == LA_CAUSE_CAPACITY)
		page_say(page, W_label_do, W_do_nothing, NULL);
}

/* "max_split_size_mb:128", or what else would not have helped. */
static void say_useless(const struct page *page, struct la_strbuf *out,
			const struct la_advice *advice)
{
	const struct la_trial *trial = advice->trial;
	const char *text = advice->remedy->text[page->language];
	const char *setting = advice->setting;

	if (out->length)
		la_strbuf_addstr(out, "; ");
	if (!setting && advice->remedy->setting) {
		triage_say(out, page->language, W_useless_on,
			   advice->remedy->setting, NULL);
		return;
	}
	if (setting && *setting)
		text = setting;
	else if (trial && trial->kind != LA_TRIAL_SETTING)
		text = triage_trial_text(page->language, trial);
	la_strbuf_addstr(out, text);
}

/* What makes it worse is said elsewhere, and of a cap the table tells. */
static bool is_told(const struct la_advice *advice)
{
	const struct la_trial *trial = advice->trial;

	return trial && (trial->worse || trial->kind == LA_TRIAL_UNCAPPED);
}

static void print_useless(struct page *page)
{
	struct la_strbuf *text = page_text(page);
	const struct la_advice *advice = page->oom->advice;
	size_t i;

	for (i = 0; i < page->oom->advice_count; i++, advice++)
		if (advice->useless && !is_told(advice))
			say_useless(page, text, advice);
	page_end(page, W_label_useless);
}

/* What to gather, in one line to paste. */
static void print_next(struct page *page)
{
	const char *line = triage_collect(&page->oom->facts);

	if (page->oom->verdict.cause != LA_CAUSE_CANNOT_TELL || !line ||
	    page->oom->facts.recorded)
		return;
	page_say(page, W_label_next,
		 is_host(&page->oom->facts) ? W_collect_host : W_collect, NULL);
	printf("%s\n", line);
}

void triage_print_advice(struct page *page)
{
	print_next(page);
	print_remedies(page);
	print_useless(page);
}
