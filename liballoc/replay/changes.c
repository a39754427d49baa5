// SPDX-License-Identifier: Apache-2.0
/*
 * Settings that were made while the program ran.  The events do not tell of
 * them; the snapshot has the one that was made last.  Its moment lies behind
 * the last event that only the old setting explains, and before the first that
 * only the new one does: program_seek_change().
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/program.h"

/* The values that a string leaves when it is given to the setter. */
static int parse_change(struct la_setting **out, const char *text,
			unsigned int release,
			const struct la_setting_values *previous)
{
	const struct la_setting_context context = {
		.release = release,
		.set_at = LA_SET_AT_RUNTIME,
		.previous = previous,
	};
	int err = la_setting_parse_for(out, text, strlen(text), &context,
				       NULL);

	return err == -EINVAL ? la_setting_parse_for(out, "", 0, &context,
						     NULL) :
				err;
}

int program_add_change(struct la_program *program, size_t event,
		       const char *text)
{
	size_t count = program->change_count;
	const struct la_setting *before =
		count ? program->change[count - 1].setting : program->setting;
	struct change *change = realloc(program->change,
					(count + 1) * sizeof(*change));
	int err;

	if (!change)
		return -ENOMEM;
	program->change = change;
	change[count].event = event;
	err = parse_change(&change[count].setting, text, program->info.release,
			   la_setting_values(before));
	program->change_count += !err;
	return err;
}

void program_forget_changes(struct la_program *program)
{
	while (program->change_count)
		la_setting_free(program->change[--program->change_count]
					.setting);
	free(program->change);
	program->change = NULL;
}

/* The search for one change. */
struct search {
	struct la_program *program;
	uint64_t began_with; /* work that was done before */
	size_t failed; /* event that the old setting does not explain */
	struct la_error *err;
};

/* Read with the change before an event.  Returns 1 if all is explained. */
static int try_moment(struct search *search, size_t event)
{
	struct la_program *program = search->program;
	int code;

	program->change[0].event = event;
	if (!program_may_read(program, search->began_with))
		return 0;
	code = program_decode(program, NULL, NULL, search->err);
	if (code < 0)
		return code;
	return program_reached(program) == program->event_count;
}

/* Any moment that explains all, between the first event and the one that the
 * old setting does not explain: what stops before that was changed too early.
 * Returns 1 if there is one. */
static int find_moment(struct search *search, size_t *moment)
{
	size_t low = search->program->info.first_event, high = search->failed;
	int got;

	*moment = high;
	got = try_moment(search, high);
	while (!got && low < high) {
		*moment = low + (high - low) / 2;
		got = try_moment(search, *moment);
		if (!got && program_reached(search->program) < search->failed)
			low = *moment + 1;
		else if (!got)
			high = *moment;
	}
	return got;
}

/* Move `fits` towards `fails` as far as all is explained. */
static int widen(struct search *search, size_t *fits, size_t fails)
{
	while (*fits > fails + 1 || fails > *fits + 1) {
		size_t middle = *fits / 2 + fails / 2 + (*fits & fails & 1);
		int got = try_moment(search, middle);

		if (got < 0)
			return got;
		if (got)
			*fits = middle;
		else
			fails = middle;
	}
	return 0;
}

static int find_interval(struct search *search, size_t moment)
{
	struct la_program_info *info = &search->program->info;
	size_t first = moment, last = moment;
	int code = 0;

	if (try_moment(search, info->first_event) == 1)
		first = info->first_event;
	else
		code = widen(search, &first, info->first_event);
	if (!code)
		code = widen(search, &last, search->failed + 1);
	info->changed_at[0] = first;
	info->changed_at[1] = last;
	search->began_with = search->program->work;
	return code < 0 ? code : try_moment(search, last);
}

/* Under the setting that is set now, which fails at an event: does a change to
 * the last one help?  Returns 1 if it does. */
static int seek_from_here(struct la_program *program, const char *last,
			  struct la_error *err)
{
	struct search search = { .program = program,
				 .began_with = program->work,
				 .failed = program_reached(program),
				 .err = err };
	size_t moment = 0;
	int got = program_add_change(program, 0, last);

	if (!got)
		got = find_moment(&search, &moment);
	if (got <= 0) {
		program_forget_changes(program);
		return got;
	}
	got = find_interval(&search, moment);
	program->info.changed_to = last;
	return got;
}

/* The same, from another first setting on. */
static int seek_from(struct la_program *program, const char *first,
		     const char *last, struct la_error *err)
{
	struct la_setting *setting = program->setting;
	int got = program_parse(&program->setting, first,
				program->info.release, NULL);

	if (got < 0)
		return got == -EINVAL ? 0 : got;
	got = program_decode(program, NULL, NULL, err);
	if (!got)
		got = seek_from_here(program, last, err);
	if (got <= 0) {
		la_setting_free(program->setting);
		program->setting = setting;
		return got;
	}
	la_setting_free(setting);
	program->info.setting = la_setting_text(program->setting);
	return got;
}

/* No companion tells the first setting: what is told is the last one. */
static int seek_from_usual(struct la_program *program, const char *last,
			   struct la_error *err)
{
	static const char *const usual[] = { "", "expandable_segments:True" };
	size_t i;
	int got = 0;

	for (i = 0; i < ARRAY_SIZE(usual) && !got; i++)
		got = seek_from(program, usual[i], last, err);
	return got;
}

int program_seek_change(struct la_program *program, struct la_error *err)
{
	const char *last = program->device->setting_at_end;
	int got;

	if (!last || program->change_count ||
	    program_reached(program) == program->event_count)
		return 0;
	if (strcmp(last, la_setting_text(program->setting)))
		got = seek_from_here(program, last, err);
	else if (program->device->setting == last)
		got = seek_from_usual(program, last, err);
	else
		return 0;
	if (got)
		return got < 0 ? got : 0;
	return program_decode(program, NULL, NULL, err);
}
