// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: files to facts, each OOM once. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "platform.h"
#include "print.h"
#include "triage.h"
#include "util/array.h"

static bool add(struct triage_oom **list, size_t *room, size_t *count,
		const struct triage_oom *oom)
{
	if (grow_array(list, room, *count, sizeof(**list)) < 0)
		return false;
	(*list)[(*count)++] = *oom;
	return true;
}

bool triage_add_message(struct triage *triage, const struct la_facts *facts,
			const char *log)
{
	const struct triage_oom oom = { .facts = *facts, .log = log };

	return add(&triage->oom, &triage->room, &triage->count, &oom);
}

bool triage_add_recorded(struct triage *triage, const struct la_facts *facts,
			 const struct source *source, bool failed)
{
	const struct triage_oom oom = { .facts = *facts, .source = source };

	return failed ? add(&triage->oom, &triage->room, &triage->count,
			    &oom) :
			add(&triage->calm, &triage->calm_room,
			    &triage->calm_count, &oom);
}

bool triage_add_source(struct triage *triage, struct source *source)
{
	if (grow_array(&triage->source, &triage->source_room,
		       triage->source_count, sizeof(*triage->source)) < 0)
		return false;
	triage->source[triage->source_count++] = source;
	return true;
}

/* The last message that may speak of the OOM of a recording. */
static struct triage_oom *message_of(const struct triage *triage,
				     const struct la_facts *facts)
{
	size_t i = triage->count;

	while (i-- > 0)
		if (triage->oom[i].log && !triage->oom[i].source &&
		    la_facts_match(&triage->oom[i].facts, facts))
			return &triage->oom[i];
	return NULL;
}

/* What both tell stands where the message does. */
static int merge(struct triage_oom *message, struct triage_oom *recorded)
{
	if (la_facts_merge(&message->facts, &recorded->facts, NULL) < 0)
		return print_no_memory();
	message->source = recorded->source;
	return STATUS_DONE;
}

static void drop(struct triage *triage, size_t i)
{
	la_facts_release(&triage->oom[i].facts);
	triage->count--;
	memmove(&triage->oom[i], &triage->oom[i + 1],
		(triage->count - i) * sizeof(*triage->oom));
}

static int merge_recorded(struct triage *triage)
{
	struct triage_oom *message;
	size_t i = triage->count;

	while (i-- > 0) {
		if (triage->oom[i].log)
			continue;
		message = message_of(triage, &triage->oom[i].facts);
		if (!message)
			continue;
		if (merge(message, &triage->oom[i]) != STATUS_DONE)
			return STATUS_CANNOT_TELL;
		drop(triage, i);
	}
	return STATUS_DONE;
}

static int merge_calm(struct triage *triage)
{
	struct triage_oom *message;
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; i < triage->calm_count && status == STATUS_DONE; i++) {
		message = message_of(triage, &triage->calm[i].facts);
		if (message)
			status = merge(message, &triage->calm[i]);
	}
	return status;
}

/* Is the last file one of those before it? */
static bool is_repeated(const struct platform_identity *file, size_t last)
{
	size_t i = 0;

	while (file[i].number != file[last].number ||
	       file[i].device != file[last].device)
		i++;
	return i < last && file[last].number;
}

static int read_files(struct triage *triage)
{
	const struct opt_list *files = &triage->request->files;
	struct platform_identity *seen = calloc(files->nr + 1, sizeof(*seen));
	int status = STATUS_DONE;
	size_t i;

	if (!seen)
		return print_no_memory();
	for (i = 0; i < files->nr && status == STATUS_DONE; i++) {
		seen[i] = platform_identify(files->item[i]);
		if (!is_repeated(seen, i))
			status = triage_read_file(triage, files->item[i]);
	}
	free(seen);
	return status;
}

static int read_latest(struct triage *triage)
{
	const char *store;

	free(triage->core);
	triage->core = platform_latest_core(&store);
	if (triage->core)
		return triage_read_core(triage, triage->core);
	print_error("no core of python in %s", store);
	return STATUS_CANNOT_TELL;
}

static int read_cores(struct triage *triage)
{
	const struct opt_list *cores = &triage->request->cores;
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; i < cores->nr && status == STATUS_DONE; i++)
		status = strcmp(cores->item[i], "latest") ?
				 triage_read_core(triage, cores->item[i]) :
				 read_latest(triage);
	return status;
}

/* The same program without a limit. */
static int read_program(struct triage *triage)
{
	triage->program.path = triage->request->program;
	triage->program.device = triage->request->device;
	if (!triage->program.path)
		return STATUS_DONE;
	return source_open(&triage->program, NULL);
}

/* What logs tell first, by file and line. */
static int order(struct triage *triage)
{
	struct triage_oom *sorted = calloc(triage->count + 1, sizeof(*sorted));
	size_t i, at = 0;

	if (!sorted)
		return print_no_memory();
	for (i = 0; i < triage->count; i++)
		if (triage->oom[i].log)
			sorted[at++] = triage->oom[i];
	for (i = 0; i < triage->count; i++)
		if (!triage->oom[i].log)
			sorted[at++] = triage->oom[i];
	free(triage->oom);
	triage->oom = sorted;
	triage->room = triage->count + 1;
	return STATUS_DONE;
}

int triage_gather(struct triage *triage)
{
	int status = read_files(triage);

	if (status == STATUS_DONE)
		status = read_cores(triage);
	if (status == STATUS_DONE)
		status = read_program(triage);
	if (status == STATUS_DONE)
		status = merge_recorded(triage);
	if (status == STATUS_DONE)
		status = merge_calm(triage);
	if (status == STATUS_DONE)
		status = order(triage);
	return status;
}

/* Devices of one recording stand together. */
size_t triage_recordings(const struct triage *triage)
{
	size_t i, count = triage->probes;

	for (i = 0; i < triage->source_count; i++)
		count += !i || triage->source[i]->recording !=
				       triage->source[i - 1]->recording;
	return count;
}

static void release_ooms(struct triage_oom *oom, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		la_advice_free(oom[i].advice, oom[i].advice_count);
		la_trials_free(oom[i].trial, oom[i].trial_count);
		la_facts_release(&oom[i].facts);
	}
	free(oom);
}

/* A recording goes with the last of its devices. */
static void release_sources(struct triage *triage)
{
	struct la_recording *recording = NULL;
	size_t i;

	for (i = 0; i < triage->source_count; i++) {
		if (triage->source[i]->recording != recording)
			la_recording_free(recording);
		recording = triage->source[i]->recording;
		la_program_free(triage->source[i]->program);
		free(triage->source[i]);
	}
	la_recording_free(recording);
	free(triage->source);
}

void triage_release(struct triage *triage)
{
	release_ooms(triage->oom, triage->count);
	release_ooms(triage->calm, triage->calm_count);
	release_sources(triage);
	source_close(&triage->program);
	free(triage->core);
}
