// SPDX-License-Identifier: Apache-2.0
/*
 * Print what the survey of a recording finds, the owners of the first puzzle,
 * and which others are tried, one thing a line.  Spans are named by their
 * events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <liballoc/trace.h>

#include "replay/owners.h"
#include "replay/survey.h"

static const char *const kind_name[] = { "differ", "not_default", "not_private",
					 "same" };

static void print_rule(const char *what, const struct survey *survey,
		       const struct rule *rule)
{
	printf("%s %" PRIu32 " %" PRIu32 " %s\n", what,
	       survey->span[rule->a].event, survey->span[rule->b].event,
	       kind_name[rule->kind]);
}

static void print_pool(const char *what, uint32_t event,
		       const struct la_program *program, uint32_t pool)
{
	printf("%s %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", what, event,
	       program->pool[pool][0], program->pool[pool][1]);
}

static void print_survey(const struct survey *survey,
			 const struct la_program *program)
{
	size_t i;

	for (i = 0; i < survey->span_count; i++) {
		printf("span %" PRIu32 "\n", survey->span[i].event);
		if (survey->span[i].pool != NO_POOL)
			print_pool("known", survey->span[i].event, program,
				   survey->span[i].pool);
	}
	for (i = 0; i < survey->rule_count; i++)
		print_rule("rule", survey, &survey->rule[i]);
	for (i = 0; i < survey->likely_count; i++) {
		char what[32];

		snprintf(what, sizeof(what), "likely %" PRIu32,
			 survey->likely[i].event);
		print_rule(what, survey, &survey->likely[i].rule);
	}
}

static void print_list(const struct survey *survey,
		       const struct index_list *spans)
{
	size_t i;

	printf(" :");
	for (i = 0; i < spans->count; i++)
		printf(" %" PRIu32, survey->span[spans->at[i]].event);
}

static int print_involved(const struct survey *survey,
			  struct la_program *program, size_t event)
{
	struct involved involved;

	if (survey_involved(&involved, program, event) < 0)
		return -1;
	printf("involved %zu ", event);
	if (involved.span == NO_SPAN)
		printf("-");
	else
		printf("%" PRIu32, survey->span[involved.span].event);
	print_list(survey, &involved.given);
	print_list(survey, &involved.left);
	printf("\n");
	involved_destroy(&involved);
	return 0;
}

struct runs {
	const struct la_program *program;
	unsigned int count;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3;
}

static bool is_of_interest(const struct la_event *event)
{
	return event->action == LA_SEGMENT_FREE ||
	       event->action == LA_SEGMENT_UNMAP || event->action == LA_OOM;
}

/* Stands for a reading: how far labels lead is drawn from them, up to where
 * memory goes back, never to the end, so that all changes are tried. */
static int print_run(void *data, const struct labels *labels, size_t *reached)
{
	struct runs *runs = data;
	const struct la_program *program = runs->program;
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < labels->count; i++) {
		const struct label *label = &labels->at[i];

		if (!runs->count)
			print_pool("owner", label->event, program, label->pool);
		hash = mix(hash, label->event);
		hash = mix(hash, program->pool[label->pool][0]);
		hash = mix(hash, program->pool[label->pool][1]);
	}
	*reached = (hash >> 32) % program->event_count;
	while (*reached < program->event_count - 1 &&
	       !is_of_interest(&program->event[*reached]))
		++*reached;
	printf("run %u %016" PRIx64 "\n", runs->count++, hash);
	return 0;
}

static int dump(struct la_program *program, char **event, int count)
{
	struct runs runs = { .program = program };
	struct survey survey;
	int err = survey_read(&survey, program), i;

	if (err < 0) {
		printf("lost\n");
		return 0;
	}
	print_survey(&survey, program);
	for (i = 0; i < count && !err; i++)
		err = print_involved(&survey, program,
				     strtoul(event[i], NULL, 10));
	survey_destroy(&survey);
	return err < 0 ? err : owners_seek(program, print_run, &runs);
}

int main(int argc, char **argv)
{
	struct la_program *program = NULL;
	struct la_recording *recording;
	struct la_error err;
	int code;

	if (argc < 2) {
		fprintf(stderr, "usage: dump-owners FILE [EVENT...]\n");
		return 2;
	}
	if (la_recording_open(&recording, argv[1], NULL, &err) < 0) {
		fprintf(stderr, "dump-owners: cannot read '%s': %s\n", argv[1],
			err.text);
		return EXIT_FAILURE;
	}
	code = la_program_new(&program, recording,
			      la_recording_main_device(recording), NULL, NULL);
	if (!code)
		code = dump(program, argv + 2, argc - 2);
	la_program_free(program);
	la_recording_free(recording);
	return code < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
