// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/cmd.h"
#include "allocctl/platform.h"
#include "allocctl/print.h"
#include "letter.h"
#include "letter-file.h"

/* Threads that replay; the machine has other work. */
enum { MOST_JOBS = 8 };

static int open_file(struct letter_file *file, const char *path,
		     const struct ended *ended)
{
	struct la_error err = { .text = "" };

	file->path = path;
	if (la_probe_open(&file->probe, path, &err) < 0) {
		print_error("cannot read '%s': %s", path, err.text);
		return STATUS_CANNOT_TELL;
	}
	if (ended)
		file->ended = *ended;
	else
		ended_of(&file->ended, file->probe);
	return STATUS_DONE;
}

/* The kernel killed it: an OOM that is in no recording. */
static int add_killed(struct letter *letter, const struct letter_file *file)
{
	struct la_facts facts = {
		.kind = LA_OOM_KILLED,
		.form = "oom-kill",
		.framework = "host",
		.backend = "cpu",
		.text = strdup(file->ended.evidence),
		.count = 1,
		.device = -1,
		.rank = -1,
		.pid = la_probe_header(file->probe)->pid,
		.release = { 0, UINT_MAX },
	};

	if (facts.text && triage_add_message(&letter->triage, &facts, NULL))
		return STATUS_DONE;
	la_facts_release(&facts);
	return print_no_memory();
}

static const struct triage_oom *chosen(const struct letter *letter)
{
	const struct triage *triage = &letter->triage;
	size_t i;

	for (i = 0; i < triage->count; i++)
		if (triage->oom[i].facts.kind == LA_OOM_KILLED)
			return &triage->oom[i];
	return triage_failures(triage) ? triage_first(triage) : NULL;
}

static uint64_t failed_size(const struct la_facts *facts)
{
	uint64_t segment = facts->amount[LA_AMOUNT_SEGMENT].high;

	return segment ? segment : facts->amount[LA_AMOUNT_REQUEST].high;
}

static void stamp(struct letter *letter)
{
	const struct triage_oom *oom = chosen(letter);
	const struct la_probe_header *header;
	struct stamp *stamp = &letter->stamp;
	size_t i;

	if (!letter->count)
		return;
	header = la_probe_header(letter->file[0].probe);
	*stamp = (struct stamp){
		.there = true,
		.cause = oom ? oom->verdict.cause : LA_CAUSE_CANNOT_TELL,
		.grade = oom ? oom->verdict.grade : LA_GRADE_UNKNOWN,
		.how = letter->file[0].ended.how,
	};
	for (i = 0; i < letter->count; i++)
		stamp->ooms += la_probe_header(letter->file[i].probe)->ooms;
	stamp_sign(stamp, header->exe, oom ? failed_size(&oom->facts) : 0);
}

static int gather(struct letter *letter)
{
	int status = STATUS_DONE;
	size_t i;

	for (i = 0; i < letter->count && status == STATUS_DONE; i++)
		if (letter->file[i].ended.how == ENDED_HOST_MEMORY)
			status = add_killed(letter, &letter->file[i]);
	if (status == STATUS_DONE)
		status = triage_gather(&letter->triage);
	if (status == STATUS_DONE)
		status = triage_judge(&letter->triage);
	return status;
}

int letter_open(struct letter *letter, const char *const *path, size_t count,
		const struct ended *ended, bool explain)
{
	unsigned int cores = platform_cores();
	int status = STATUS_DONE;
	size_t i;

	*letter = (struct letter){
		.request = {
			.files = { calloc(count + 1, sizeof(*path)), 0 },
			.device = SOURCE_MAIN_DEVICE,
			.jobs = cores < MOST_JOBS ? cores : MOST_JOBS,
			.explain = explain,
		},
		.triage = { .request = &letter->request },
		.file = calloc(count + 1, sizeof(*letter->file)),
	};
	if (!letter->request.files.item || !letter->file)
		return print_no_memory();
	for (i = 0; i < count && status == STATUS_DONE; i++) {
		status = open_file(&letter->file[i], path[i], ended);
		letter->request.files.item[letter->request.files.nr++] =
			path[i];
		letter->count += status == STATUS_DONE;
	}
	if (status == STATUS_DONE)
		status = gather(letter);
	stamp(letter);
	return status;
}

static void print_json(const struct letter *letter)
{
	struct la_json json;
	size_t i;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	stamp_json(&json, &letter->stamp);
	la_json_key(&json, "recordings");
	la_json_array_begin(&json);
	for (i = 0; i < letter->count; i++)
		letter_file_json(&json, &letter->file[i]);
	la_json_array_end(&json);
	la_json_key(&json, "triage");
	triage_json(&json, &letter->triage);
	la_json_object_end(&json);
	putchar('\n');
}

int letter_print(struct letter *letter, int format)
{
	int status = STATUS_DONE;
	size_t i;

	letter->request.format = format;
	if (format == TRIAGE_JSON) {
		print_json(letter);
		return STATUS_DONE;
	}
	status = format == TRIAGE_TEXT ? triage_print_text(&letter->triage) :
					 triage_print_markdown(&letter->triage);
	for (i = 0; i < letter->count && status == STATUS_DONE; i++)
		status = format == TRIAGE_TEXT ?
				 letter_file_text(&letter->file[i]) :
				 letter_file_markdown(&letter->file[i]);
	return status;
}

void letter_close(struct letter *letter)
{
	size_t i;

	triage_release(&letter->triage);
	for (i = 0; i < letter->count; i++)
		la_probe_free(letter->file[i].probe);
	free(letter->file);
	opt_list_release(&letter->request.files);
}
