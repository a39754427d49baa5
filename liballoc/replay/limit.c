// SPDX-License-Identifier: Apache-2.0
/*
 * Which limit was in force when recording: a snapshot does not say.  In this
 * order: the caller, the companion file, the fraction in the setting, the OOM
 * event of a full card, and at last the interval that the events allow.
 */

#include "replay/program.h"

static void set_limit(struct la_program *program, enum la_limit_kind kind,
		      uint64_t bytes, enum la_limit_source source)
{
	struct la_program_info *info = &program->info;

	info->limit.kind = kind;
	info->limit.bytes = kind == LA_LIMIT_NONE ? 0 : bytes;
	info->limit_source = source;
	info->limit_range[0] = info->limit_range[1] = bytes;
	program->cap = kind == LA_LIMIT_CAP ? bytes : UINT64_MAX;
}

static void set_fraction(struct la_program *program, double fraction,
			 enum la_limit_source source)
{
	uint64_t cap = la_heap_cap(fraction, program->info.total,
				   program->info.release);

	set_limit(program, cap == UINT64_MAX ? LA_LIMIT_NONE : LA_LIMIT_CAP,
		  cap, source);
}

/* torch turned the bytes into a fraction of the card. */
static void set_companion(struct la_program *program)
{
	uint64_t cap = program->device->cap, total = program->info.total;

	if (!cap)
		set_limit(program, LA_LIMIT_NONE, UINT64_MAX,
			  LA_LIMIT_FROM_COMPANION);
	else if (total)
		set_fraction(program, (double)cap / (double)total,
			     LA_LIMIT_FROM_COMPANION);
	else
		set_limit(program, LA_LIMIT_CAP, cap, LA_LIMIT_FROM_COMPANION);
}

void limit_before_decode(struct la_program *program,
			 const struct la_program_options *options)
{
	const struct la_setting_values *setting =
		la_setting_values(program->setting);
	struct la_program_info *info = &program->info;

	info->total = options->total ? options->total :
						  program->device->total;
	info->total_by_chains = info->total ? 0 :
					      program_card_by_chains(program);
	program->chain_card = info->total ? info->total :
					    info->total_by_chains;
	if (options->limit)
		set_limit(program, options->limit->kind, options->limit->bytes,
			  LA_LIMIT_FROM_CALLER);
	else if (program->device->cap && program->device->cap != UINT64_MAX)
		set_companion(program);
	else if (setting->per_process_memory_fraction < 1 && info->total)
		set_fraction(program, setting->per_process_memory_fraction,
			     LA_LIMIT_FROM_FRACTION);
	else if (!program->device->cap)
		set_companion(program);
	else
		set_limit(program, LA_LIMIT_NONE, UINT64_MAX,
			  LA_LIMIT_FROM_EVENTS);
}

/* Highest value of the bytes held, from the recorded events alone; damaged
 * ones may give more or take back more than there can be. */
uint64_t limit_recorded_peak(const struct la_program *program)
{
	uint64_t held = 0, peak;
	size_t i;

	for (i = 0; i < program->start_count; i++)
		held += program->start[i].size;
	peak = held;
	for (i = program->info.first_event; i < program->event_count; i++) {
		const struct la_event *event = &program->event[i];
		uint64_t room = UINT64_MAX - held;

		if (event->action == LA_SEGMENT_ALLOC ||
		    event->action == LA_SEGMENT_MAP)
			held += event->size < room ? event->size : room;
		else if (is_given_back(event->action))
			held -= event->size < held ? event->size : held;
		if (held > peak)
			peak = held;
	}
	return peak;
}

void limit_after_decode(struct la_program *program)
{
	struct la_program_info *info = &program->info;

	program->peak_recorded = limit_recorded_peak(program);
	if (info->limit.kind != LA_LIMIT_NONE ||
	    info->limit_source == LA_LIMIT_FROM_CALLER)
		return;
	if (program->full_card != UINT64_MAX) {
		set_limit(program, LA_LIMIT_CARD, program->full_card,
			  LA_LIMIT_FROM_OOM);
		return;
	}
	if (info->limit_source != LA_LIMIT_FROM_EVENTS)
		return;
	/* What a request needs only a part of may go beyond a cap. */
	info->limit_range[0] =
		la_program_setting(program)->expandable_segments ?
			program->granted :
			program->peak_recorded;
	if (program->refused == UINT64_MAX)
		return;
	/* Less was refused than was held before: other processes took it. */
	if (program->refused <= info->limit_range[0])
		return;
	info->limit.kind = LA_LIMIT_CAP;
	info->limit.bytes = program->refused - 1;
	info->limit_range[1] = program->refused - 1;
}
