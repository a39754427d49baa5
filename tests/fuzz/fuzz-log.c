// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes are a log.  Facts keep their promises, and do not depend on where
 * a log is cut, nor on how much of no interest came ahead of it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILLER_LINE = 64, FILLER_LINES = 4096, TEXT_MAX = 4096 };

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_facts(const struct la_facts *facts, uint64_t lines)
{
	size_t i;

	must(facts->form && facts->framework && facts->backend);
	must(facts->text && strlen(facts->text) <= TEXT_MAX);
	must(facts->line[0] >= 1 && facts->line[0] <= facts->line[1]);
	must(facts->line[1] <= lines && facts->count >= 1);
	must(facts->release[0] <= facts->release[1]);
	for (i = 0; i < LA_AMOUNT_COUNT; i++) {
		const struct la_amount *amount = &facts->amount[i];

		must(amount->low <= amount->high && amount->line <= lines);
		must(amount->basis == LA_BASIS_NONE || amount->line > 0);
	}
}

static struct la_log *begin(void)
{
	struct la_log *log;

	must(la_log_new(&log) == 0);
	return log;
}

/*
 * Lines of no interest ahead: one, as the first line of a log may be read as
 * one that lacks its beginning, or so many that the log crosses the end of any
 * buffer.
 */
static struct la_log *begin_behind(size_t lines)
{
	struct la_log *log = begin();
	char line[FILLER_LINE];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	while (lines-- > 0)
		must(la_log_feed(log, line, sizeof(line)) == 0);
	return log;
}

static void feed_cut(struct la_log *log, const uint8_t *data, size_t size)
{
	size_t at = 0, seed = size;

	while (at < size) {
		size_t part = 1 + (seed = seed * 1103515245 + data[at]) % 61;

		if (part > size - at)
			part = size - at;
		must(la_log_feed(log, data + at, part) == 0);
		at += part;
	}
}

static int same(const struct la_facts *a, const struct la_facts *b,
		uint64_t shift)
{
	size_t i;

	if (a->kind != b->kind || strcmp(a->form, b->form) != 0 ||
	    strcmp(a->text, b->text) != 0 || a->count != b->count ||
	    a->device != b->device || a->rank != b->rank || a->pid != b->pid ||
	    a->process_count != b->process_count ||
	    a->truncated != b->truncated)
		return 0;
	for (i = 0; i < LA_AMOUNT_COUNT; i++)
		if (a->amount[i].low != b->amount[i].low ||
		    a->amount[i].high != b->amount[i].high)
			return 0;
	return a->line[0] + shift == b->line[0] &&
	       a->line[1] + shift == b->line[1];
}

static void compare(struct la_log *a, struct la_log *b, uint64_t shift)
{
	struct la_facts *one, *other;
	size_t n, m, i;

	one = la_log_facts(a, &n);
	other = la_log_facts(b, &m);
	must(n == m && la_log_lost(a) == la_log_lost(b));
	must(la_log_lines(a) + shift == la_log_lines(b));
	for (i = 0; i < n; i++)
		must(same(&one[i], &other[i], shift));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct la_log *whole = begin(), *cut = begin();
	struct la_log *second = begin_behind(1);
	struct la_log *late = begin_behind(FILLER_LINES - 8);
	struct la_facts *facts;
	size_t count, i;

	must(la_log_feed(whole, data, size) == 0);
	must(la_log_finish(whole) == 0);
	facts = la_log_facts(whole, &count);
	for (i = 0; i < count; i++)
		check_facts(&facts[i], la_log_lines(whole));
	feed_cut(cut, data, size);
	must(la_log_finish(cut) == 0);
	compare(whole, cut, 0);
	must(la_log_feed(second, data, size) == 0);
	must(la_log_finish(second) == 0);
	must(la_log_feed(late, data, size) == 0);
	must(la_log_finish(late) == 0);
	compare(second, late, FILLER_LINES - 8 - 1);
	la_log_free(whole);
	la_log_free(cut);
	la_log_free(second);
	la_log_free(late);
	return 0;
}
