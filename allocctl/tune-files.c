// SPDX-License-Identifier: Apache-2.0
/* The recordings of allocctl tune, and what is worst over them. */

#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "print.h"
#include "tune.h"

static int open_one(struct tune *tune, const char *path)
{
	struct source *source = &tune->source[tune->source_count];
	int status;

	*source = (struct source){
		.path = path,
		.device = tune->request->device,
		.partial = tune->request->partial,
	};
	tune->source_count++;
	status = source_open(source, NULL);
	if (status == STATUS_DONE)
		status = source_check_program(source);
	tune->program[tune->source_count - 1] = source->program;
	return status;
}

int tune_files_open(struct tune *tune)
{
	const struct opt_list *files = &tune->request->files;
	int status = STATUS_DONE;
	size_t i;

	tune->source = calloc(files->nr, sizeof(*tune->source));
	tune->program = calloc(files->nr, sizeof(*tune->program));
	tune->plan = calloc(files->nr, sizeof(*tune->plan));
	tune->policy = calloc(files->nr, sizeof(*tune->policy));
	tune->steps = calloc(files->nr, sizeof(*tune->steps));
	if (!tune->source || !tune->program || !tune->plan || !tune->policy ||
	    !tune->steps)
		return print_no_memory();
	for (i = 0; i < files->nr && status == STATUS_DONE; i++)
		status = open_one(tune, files->item[i]);
	return status;
}

int tune_files_find_steps(struct tune *tune)
{
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; i < tune->source_count && status == STATUS_DONE; i++) {
		status = release_read(&tune->request->empty_cache,
				      &tune->policy[i]);
		if (status == STATUS_DONE &&
		    tune->policy[i].kind != LA_RELEASE_NONE)
			status = release_find_steps(&tune->source[i],
						    &tune->limit,
						    &tune->policy[i],
						    &tune->steps[i]);
	}
	return status;
}

int tune_files_plan(struct tune *tune)
{
	size_t i;
	int code;

	for (i = 0; i < tune->source_count; i++) {
		code = la_program_plan(tune->program[i], &tune->plan[i], NULL);
		if (code < 0 && code != -E2BIG)
			return print_no_memory();
	}
	return STATUS_DONE;
}

void tune_files_close(struct tune *tune)
{
	while (tune->source_count) {
		tune->source_count--;
		la_steps_release(&tune->steps[tune->source_count]);
		source_close(&tune->source[tune->source_count]);
	}
	free(tune->steps);
	free(tune->policy);
	free(tune->plan);
	free(tune->program);
	free(tune->source);
}

uint64_t tune_peak_live(const struct tune *tune)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < tune->source_count; i++)
		if (tune->source[i].info->peak_live > most)
			most = tune->source[i].info->peak_live;
	return most;
}

uint64_t tune_plan(const struct tune *tune)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < tune->source_count; i++) {
		if (!tune->plan[i])
			return 0;
		if (tune->plan[i] > most)
			most = tune->plan[i];
	}
	return most;
}

bool tune_ends_in_oom(const struct tune *tune)
{
	size_t i;

	for (i = 0; i < tune->source_count; i++)
		if (tune->source[i].info->ends_in_oom)
			return true;
	return false;
}

bool tune_is_exact(const struct tune *tune)
{
	size_t i;

	for (i = 0; i < tune->source_count; i++)
		if (!tune->source[i].check.exact)
			return false;
	return true;
}
