// SPDX-License-Identifier: Apache-2.0
/* The search for the pools of segments that are gone by the end, as far as the
 * reading of a program is concerned: program_seek_pools(). */

#include <errno.h>

#include "replay/owners.h"
#include "replay/program.h"

struct search {
	struct la_program *program; /* borrowed */
	struct la_error *err; /* borrowed */
	uint64_t began_with; /* work that was done before */
	struct labels best; /* owned; none: without labels */
	size_t best_left; /* events that the best reading leaves */
	uint64_t best_adopted; /* ... and takes as recorded */
};

static bool is_better(const struct search *search)
{
	const struct la_program_info *info = &search->program->info;
	size_t left = search->program->event_count - info->understood;

	return left < search->best_left ||
	       (left == search->best_left &&
		info->adopted_count < search->best_adopted);
}

static void note_quality(struct search *search)
{
	const struct la_program *program = search->program;

	search->best_left = program->event_count - program->info.understood;
	search->best_adopted = program->info.adopted_count;
}

static int keep(struct search *search, const struct labels *labels)
{
	note_quality(search);
	return labels_copy(&search->best, labels);
}

static int run(void *data, const struct labels *labels, size_t *reached)
{
	struct search *search = data;
	struct la_program *program = search->program;
	int code;

	if (!program_may_read(program, search->began_with))
		return -ECANCELED;
	code = program_decode(program, labels, NULL, search->err);
	if (code < 0)
		return code;
	*reached = program_reached(program);
	return is_better(search) ? keep(search, labels) : 0;
}

int program_seek_pools(struct la_program *program, struct la_error *err)
{
	struct search search = { .program = program,
				 .err = err,
				 .began_with = program->work };
	int code;

	if (program->start_count || program->event_pool ||
	    program_reached(program) == program->event_count)
		return 0;
	note_quality(&search);
	code = owners_seek(program, run, &search);
	if (!code || code == -ECANCELED || code == -EBADMSG)
		code = program_decode(program,
				      search.best.count ? &search.best : NULL,
				      NULL, err);
	labels_destroy(&search.best);
	return code;
}
