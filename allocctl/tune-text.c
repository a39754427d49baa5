// SPDX-License-Identifier: Apache-2.0
/* allocctl tune: the table, the winner, and what to paste. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "tune.h"
#include "util/size.h"

static const char *name_of(const struct la_tuned *tuned)
{
	return *tuned->setting ? tuned->setting : "(default)";
}

/* Does an earlier setting come to the same? */
static bool is_repeated(const struct tune *tune, const struct la_tuned *tuned)
{
	const struct la_tuned *other;

	for (other = tune->tuned; other < tuned; other++)
		if (other->minimum_memory == tuned->minimum_memory &&
		    other->seconds == tuned->seconds)
			return true;
	return false;
}

/* What people look for: the best, the front, and what they know. */
static bool is_shown(const struct tune *tune, const struct la_tuned *tuned)
{
	return tuned == tune->winner || tuned == tune->tuned ||
	       tuned->asked || tuned->recorded || tune_is_popular(tuned) ||
	       (tuned->pareto && !is_repeated(tune, tuned));
}

static int rank(const struct la_tuned *tuned)
{
	if (!tuned->replayed || !tuned->minimum_memory)
		return 3;
	return tuned->outcome == LA_OUTCOME_RUNS    ? 0 :
	       tuned->outcome == LA_OUTCOME_DEPENDS ? 1 :
						      2;
}

/* What fits first, then by memory and time. */
static int compare_rows(const void *a, const void *b)
{
	const struct la_tuned *p = *(const struct la_tuned *const *)a;
	const struct la_tuned *q = *(const struct la_tuned *const *)b;

	if (rank(p) != rank(q))
		return rank(p) - rank(q);
	if (p->minimum_memory != q->minimum_memory)
		return p->minimum_memory < q->minimum_memory ? -1 : 1;
	if (p->seconds != q->seconds)
		return p->seconds < q->seconds ? -1 : 1;
	return p < q ? -1 : p > q;
}

static const char *fits_text(const struct la_tuned *tuned)
{
	static const char *const names[] = {
		[LA_OUTCOME_RUNS] = "yes",
		[LA_OUTCOME_OOM] = "no",
		[LA_OUTCOME_DEPENDS] = "?",
	};

	return names[tuned->outcome];
}

static void print_spread(const char *what, const uint64_t range[2])
{
	char low[LA_SIZE_TEXT], high[LA_SIZE_TEXT];

	la_size_format(low, range[0]);
	la_size_format(high, range[1]);
	if (strcmp(low, high))
		printf("%14s%s %s to %s, by the driver's placement\n", "",
		       what, low, high);
}

/* A column; an interrupted search has no plan. */
static void print_ratio(uint64_t bytes, uint64_t bound)
{
	if (bound)
		printf("%6.3f ", (double)bytes / (double)bound);
	else
		printf("%6s ", "-");
}

/* A row whose minimum was not sought, or that has none. */
static void print_unknown(const struct tune *tune,
			  const struct la_tuned *tuned)
{
	char size[LA_SIZE_TEXT], text[LA_SIZE_TEXT + 16];

	snprintf(text, sizeof(text), ">= %s",
		 la_size_format(size, tuned->minimum_memory_at_least));
	printf("%-4s %-63s ", fits_text(tuned),
	       tuned->cut ? text :
	       la_tuning_is_partial(tune->tuning) ? "not sought" :
						    "no limit suffices");
}

static void print_row(const struct tune *tune, const struct la_tuned *tuned)
{
	char size[LA_SIZE_TEXT];

	printf("%c%c%c ", tuned == tune->winner ? '*' : ' ',
	       tuned->pareto ? '+' : ' ', tuned->objection ? '!' : ' ');
	if (!tuned->replayed) {
		printf("%-4s %-63s ", "-",
		       la_tuning_is_partial(tune->tuning) ?
			       "not replayed" :
			       "not in this version");
	} else if (!tuned->minimum_memory) {
		print_unknown(tune, tuned);
	} else {
		printf("%-4s %10s ", fits_text(tuned),
		       la_size_format(size, tuned->minimum_memory));
		print_ratio(tuned->minimum_memory, tune_peak_live(tune));
		print_ratio(tuned->minimum_memory, tune_plan(tune));
		printf("%10s ", la_size_format(size, tuned->peak_reserved));
		printf("%6" PRIu64 " %6" PRIu64 " %5" PRIu64 " %7.3f ",
		       tuned->operations.mallocs, tuned->operations.frees,
		       tuned->operations.synchronisations, tuned->seconds);
	}
	print_escaped(name_of(tuned));
	putchar('\n');
	print_spread("minimum", tuned->minimum_memory_range);
	print_spread("without limit", tuned->peak_reserved_range);
	if (tuned->objection) {
		printf("%14snot recommended: ", "");
		print_escaped(tuned->objection);
		putchar('\n');
	}
}

static size_t count_measured(const struct tune *tune)
{
	size_t count = 0, i;

	for (i = 0; i < tune->count; i++)
		count += tune->tuned[i].minimum_memory != 0;
	return count;
}

static void print_table(const struct tune *tune)
{
	const struct la_tuned **row = calloc(tune->count, sizeof(*row));
	size_t shown = 0, i;

	if (!row) {
		print_error("out of memory");
		return;
	}
	for (i = 0; i < tune->count; i++)
		if (is_shown(tune, &tune->tuned[i]))
			row[shown++] = &tune->tuned[i];
	qsort(row, shown, sizeof(*row), compare_rows);
	printf("\n    %-4s %10s %6s %6s %10s %6s %6s %5s %7s %s\n", "fits",
	       "needs", "x live", "x plan", "no limit", "malloc", "free",
	       "syncs", "est. s", "setting");
	for (i = 0; i < shown; i++)
		print_row(tune, row[i]);
	puts("*   winner   + none is better in both memory and time   ! not "
	     "recommended\n"
	     "    malloc, free, syncs and the seconds that they take are "
	     "those at the limit;\n"
	     "    seconds are estimates");
	if (*tune->costs_file) {
		fputs("    from ", stdout);
		print_escaped(tune->costs_file);
		putchar('\n');
	}
	printf("    %zu of %zu settings, of which %zu were measured and the "
	       "others cut off as they\n    cannot be better; %zu replays; "
	       "--format json has all\n", shown, tune->count,
	       count_measured(tune), tune->replays);
	free(row);
}

static void print_limit(const struct tune *tune)
{
	char limit[64], size[LA_SIZE_TEXT];

	if (!tune->limit_from) {
		puts("limit       none: the least that suffices is sought; "
		     "operations are those under it");
		return;
	}
	printf("limit       %s (%" PRIu64 " bytes), from %s\n",
	       source_limit_text(limit, &tune->limit), tune->limit.bytes,
	       tune->limit_from);
	if (tune->card)
		printf("            %s less %s of CUDA context, as measured on "
		       "%s\n",
		       tune->card, la_size_format(size, tune->context),
		       *tune->costs.gpu ? tune->costs.gpu : "an H200");
}

static void print_lower_bound(const struct tune *tune)
{
	char size[LA_SIZE_TEXT];

	size_t i;

	for (i = 0; i < tune->source_count; i++)
		if (tune->source[i].info->ends_in_oom)
			printf("lower bound the recording ends in an OOM: that "
			       "request of %s counts,\n            what would "
			       "have followed is not known\n",
			       la_size_format(size, tune->source[i].info
							    ->failed_size));
}

static void print_warnings(const struct tune *tune)
{
	const char *line = la_strbuf_text(&tune->warnings);
	size_t length;

	if (*line)
		putchar('\n');
	for (; *line; line += length + 1) {
		length = strcspn(line, "\n");
		print_paint(PRINT_YELLOW, "warning");
		fputs(": ", stdout);
		print_escaped_bytes(line, length);
		putchar('\n');
	}
}

/* The setting that comes closest, and by how much it fails. */
static void print_no_winner(const struct tune *tune)
{
	const struct la_tuned *least = NULL;
	char a[LA_SIZE_TEXT], b[LA_SIZE_TEXT], limit[64];
	size_t i;

	for (i = 0; i < tune->count; i++)
		if (tune->tuned[i].minimum_memory &&
		    (!least || tune->tuned[i].minimum_memory_range[1] <
				       least->minimum_memory_range[1]))
			least = &tune->tuned[i];
	putchar('\n');
	if (la_tuning_is_partial(tune->tuning)) {
		puts("no winner so far");
		return;
	}
	print_paint(PRINT_RED, "nothing fits");
	if (!least) {
		puts(": no setting runs under any limit");
		return;
	}
	printf(": %s needs least, %s (%" PRIu64 " bytes)", name_of(least),
	       la_size_format(a, least->minimum_memory_range[1]),
	       least->minimum_memory_range[1]);
	if (least->minimum_memory_range[1] > tune->limit.bytes)
		printf(",\n  %s more than the %s",
		       la_size_format(b, least->minimum_memory_range[1] -
						 tune->limit.bytes),
		       source_limit_text(limit, &tune->limit));
	puts("\n  what is left: a smaller batch, fewer live tensors, a larger "
	     "card");
}

static void print_cap(const struct tune *tune)
{
	const struct la_tuned *winner = tune->winner;
	char size[LA_SIZE_TEXT];

	if (!tune->needs_cap)
		return;
	printf("  this takes a cap: without one it reserves up to %s\n",
	       la_size_format(size, winner->peak_reserved_range[1]));
	if (strcmp(la_strbuf_text(&tune->paste), winner->setting))
		return;
	printf("  Python      torch.cuda.set_per_process_memory_fraction("
	       "%" PRIu64 " /\n                  "
	       "torch.cuda.mem_get_info()[1])\n",
	       winner->limit.bytes);
}

static void print_paste(const struct tune *tune)
{
	const struct tune_line *line;
	int i;

	if (!*la_strbuf_text(&tune->paste)) {
		puts("  nothing to set: leave PYTORCH_CUDA_ALLOC_CONF unset");
		return;
	}
	for (i = 0; i < TUNE_SHELL_COUNT; i++) {
		line = &tune->line[i];
		printf("  %-11s ", tune_shells[i].name);
		if (line->text)
			print_escaped(line->text);
		else
			printf("(%s)", line->why.text);
		putchar('\n');
	}
}

/* Why it won, and what is to spare. */
static void print_reason(const struct tune *tune)
{
	const struct la_tuned *winner = tune->winner;
	char size[LA_SIZE_TEXT];

	if (tune->limit.kind == LA_LIMIT_NONE) {
		puts("  needs least (within 0.5 %); of such, the fewest "
		     "options among the fastest");
		puts("  nothing to spare: other runs ask differently, allow "
		     "them a few % more");
		return;
	}
	puts("  of what fits, the fewest options among the fastest (within "
	     "10 % or 0.05 s)");
	if (winner->minimum_memory_range[1] < winner->limit.bytes)
		printf("  %s to spare\n",
		       la_size_format(size,
				      winner->limit.bytes -
					      winner->minimum_memory_range[1]));
}

static void print_winner(const struct tune *tune)
{
	const struct la_tuned *winner = tune->winner;
	char limit[64];

	putchar('\n');
	print_paint(PRINT_GREEN, "winner");
	fputs(": ", stdout);
	print_escaped(name_of(winner));
	printf("\n  replayed under exactly a %s (%" PRIu64 " bytes) in ",
	       source_limit_text(limit, &winner->limit), winner->limit.bytes);
	if (la_tuning_is_partial(tune->tuning))
		puts("one layout, so far: runs");
	else
		printf("all %d layouts: runs\n", LA_LAYOUT_COUNT);
	if (winner->minimum_memory_range[1] > winner->limit.bytes)
		printf("  but it failed under a larger one, below %s\n",
		       la_size_format(limit, winner->minimum_memory_range[1]));
	print_reason(tune);
	if (!tune_is_exact(tune))
		puts("  an estimate: the recording itself is not reproduced "
		     "exactly");
	print_paste(tune);
	print_cap(tune);
}

static void print_bounds(const struct tune *tune)
{
	uint64_t live = tune_peak_live(tune), plan = tune_plan(tune);
	char size[LA_SIZE_TEXT];

	printf("peak live   %s (%" PRIu64 " bytes)\n",
	       la_size_format(size, live), live);
	if (plan)
		printf("plan        %s (%" PRIu64 " bytes): all requests in "
		       "one range, placed by\n            who knows the whole "
		       "program\n", la_size_format(size, plan), plan);
}

/* What the limit means for the program, in a word. */
static void print_answer(const struct tune *tune)
{
	char limit[64];

	if (tune->answer == TUNE_NOT_ASKED)
		return;
	printf("\nanswer      %s: ", source_limit_text(limit, &tune->limit));
	switch (tune->answer) {
	case TUNE_FITS:
		print_paint(PRINT_GREEN, "fits");
		break;
	case TUNE_FITS_AT_A_COST:
		print_paint(PRINT_YELLOW, "fits");
		printf(" at a cost of %.2f s (estimated)", tune->cost);
		break;
	default:
		print_paint(PRINT_RED, "does not fit");
	}
	putchar('\n');
}

static void print_file_row(const struct tune *tune, size_t i)
{
	const struct la_tuned *each = la_tuning_of_program(tune->tuning, i);
	const struct la_tuned *best =
		tune->winner ? &each[tune->winner - tune->tuned] : NULL;
	char size[LA_SIZE_TEXT];

	printf("    %10s ", la_size_format(size,
					   tune->source[i].info->peak_live));
	printf("%10s ", la_size_format(size, each[0].minimum_memory));
	if (best)
		printf("%10s %-4s %7.3f ",
		       la_size_format(size, best->minimum_memory),
		       fits_text(best), best->seconds);
	else
		printf("%10s %-4s %7s ", "-", "no", "-");
	print_escaped(tune->source[i].path);
	putchar('\n');
}

/* One setting for all of them: the worst one decides. */
static void print_files(const struct tune *tune)
{
	size_t i;

	if (tune->source_count == 1)
		return;
	printf("\n    %10s %10s %10s %-4s %7s %s\n", "peak live", "default",
	       "winner", "fits", "est. s", "file");
	for (i = 0; i < tune->source_count; i++)
		print_file_row(tune, i);
	puts("    one setting for all of them; the worst file decides");
}

void tune_print_text(const struct tune *tune)
{
	size_t i;

	for (i = 0; i < tune->source_count; i++)
		source_print(&tune->source[i]);
	print_limit(tune);
	if (tune->policy[0].kind != LA_RELEASE_NONE) {
		fputs("put in      calls of empty_cache() ", stdout);
		release_print(&tune->policy[0], &tune->limit);
		putchar('\n');
	}
	print_bounds(tune);
	print_lower_bound(tune);
	if (la_tuning_is_partial(tune->tuning))
		puts("interrupted what follows is known so far, and not in all "
		     "layouts");
	print_table(tune);
	print_files(tune);
	print_warnings(tune);
	print_answer(tune);
	if (tune->winner)
		print_winner(tune);
	else
		print_no_winner(tune);
	tune_guides_text(tune);
	tune_method_text(tune);
}
