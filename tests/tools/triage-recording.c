// SPDX-License-Identifier: Apache-2.0
/*
 * triage-recording FILE [WHOLE|- [SETTING...]]: the facts of a recording as
 * JSON, the rows of its remedies, and the verdict on both.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "util/json.h"

static struct la_json json;

static void die(const char *what, const struct la_error *err)
{
	fprintf(stderr, "triage-recording: %s: %s\n", what, err->text);
	exit(2);
}

static int to_stdout(void *arg, const char *data, size_t length)
{
	(void)arg;
	return fwrite(data, 1, length, stdout) == length ? 0 : -EIO;
}

static void print_amounts(const struct la_facts *facts)
{
	int i;

	la_json_key(&json, "amounts");
	la_json_object_begin(&json);
	for (i = 0; i < LA_AMOUNT_COUNT; i++) {
		if (facts->amount[i].basis == LA_BASIS_NONE)
			continue;
		la_json_key(&json, la_amount_name(i));
		la_json_array_begin(&json);
		la_json_uint(&json, facts->amount[i].low);
		la_json_uint(&json, facts->amount[i].high);
		la_json_uint(&json, facts->amount[i].basis);
		la_json_array_end(&json);
	}
	la_json_object_end(&json);
}

static void print_growth(const struct la_growth *growth)
{
	la_json_key(&json, "growth");
	la_json_object_begin(&json);
	la_json_member_bool(&json, "tested", growth->tested);
	la_json_member_bool(&json, "grows", growth->grows);
	la_json_member_bool(&json, "marked", growth->marked);
	la_json_member_double(&json, "slope", growth->slope);
	la_json_member_double(&json, "p", growth->p);
	la_json_member_uint(&json, "windows", growth->windows);
	la_json_member_uint(&json, "first", growth->first);
	la_json_member_uint(&json, "last", growth->last);
	la_json_member_double(&json, "steps_left", growth->steps_left);
	la_json_member_uint(&json, "stack", growth->stack);
	la_json_member_uint(&json, "size", growth->size);
	la_json_member_uint(&json, "stack_bytes", growth->stack_bytes);
	la_json_object_end(&json);
}

static void print_holders(const struct la_facts *facts)
{
	size_t i;

	la_json_key(&json, "holders");
	la_json_array_begin(&json);
	for (i = 0; i < facts->holder_count; i++) {
		la_json_object_begin(&json);
		la_json_member_uint(&json, "bytes", facts->holder[i].bytes);
		la_json_member_uint(&json, "count", facts->holder[i].count);
		la_json_member_uint(&json, "size", facts->holder[i].size);
		la_json_member_uint(&json, "stack", facts->holder_stack[i]);
		la_json_object_end(&json);
	}
	la_json_array_end(&json);
}

static void print_facts(const struct la_facts *facts)
{
	print_amounts(facts);
	la_json_member_text(&json, "setting", facts->setting);
	la_json_member_uint(&json, "event", facts->event);
	la_json_member_uint(&json, "survived", facts->survived);
	la_json_member_bool(&json, "went_on", facts->went_on);
	la_json_member_bool(&json, "exact", facts->exact);
	la_json_member_bool(&json, "late", facts->late);
	la_json_member_bool(&json, "expandable", facts->expandable);
	la_json_member_bool(&json, "private_request", facts->private_request);
	print_growth(&facts->growth);
	print_holders(facts);
}

static void print_trial(const struct la_trial *trial)
{
	la_json_object_begin(&json);
	la_json_member_uint(&json, "kind", trial->kind);
	la_json_member_text(&json, "setting", trial->setting);
	la_json_member_bool(&json, "current", trial->current);
	la_json_member_bool(&json, "asked", trial->asked);
	la_json_member_text(&json, "objection", trial->objection);
	la_json_member_text(&json, "past", la_past_name(trial->past));
	la_json_member_bool(&json, "worse", trial->worse);
	la_json_member_known_uint(&json, "reserved", trial->known,
				  trial->reserved);
	la_json_member_known_uint(&json, "headroom", trial->known,
				  trial->headroom);
	la_json_member_known_double(&json, "seconds", trial->known,
				    trial->seconds);
	la_json_member_uint(&json, "mallocs", trial->operations.mallocs);
	la_json_member_text(&json, "whole", la_past_name(trial->whole));
	la_json_member_uint(&json, "whole_reserved", trial->whole_reserved);
	la_json_object_end(&json);
}

static void print_verdict(struct la_facts *facts, const struct la_trial *trial,
			  size_t count)
{
	struct la_verdict verdict;

	la_facts_complete(facts);
	la_verdict_reach(&verdict, facts);
	la_verdict_prove(&verdict, facts, trial, count);
	la_json_member_text(&json, "cause", la_cause_name(verdict.cause));
	la_json_member_text(&json, "grade", la_grade_name(verdict.grade));
	la_json_member_text(&json, "label", la_label_name(verdict.label));
}

static void print_trials(const struct la_program *program,
			 struct la_facts *facts,
			 const struct la_remedies_options *options)
{
	struct la_trial *trial;
	struct la_error err;
	size_t count, i;

	if (la_remedies_replay(&trial, &count, program, facts, options, &err) <
	    0)
		die("remedies", &err);
	la_json_key(&json, "trials");
	la_json_array_begin(&json);
	for (i = 0; i < count; i++)
		print_trial(&trial[i]);
	la_json_array_end(&json);
	print_verdict(facts, trial, count);
	la_trials_free(trial, count);
}

static struct la_recording *open_recording(const char *path)
{
	struct la_recording *recording;
	struct la_error err;

	if (la_recording_open(&recording, path, NULL, &err) < 0)
		die(path, &err);
	return recording;
}

static struct la_program *read_program(const struct la_recording *recording)
{
	struct la_program *program = NULL;

	la_program_new(&program, recording,
		       la_recording_main_device(recording), NULL, NULL);
	return program;
}

int main(int argc, char **argv)
{
	struct la_recording *recording = open_recording(argv[1]), *other = NULL;
	struct la_program *program = read_program(recording), *whole = NULL;
	struct la_remedies_options options = { .jobs = 2 };
	struct la_facts facts = { 0 };
	struct la_error err;
	int code;

	if (argc > 2 && strcmp(argv[2], "-") != 0) {
		other = open_recording(argv[2]);
		options.whole = whole = read_program(other);
	}
	if (argc > 3) {
		options.setting = (const char *const *)&argv[3];
		options.setting_count = (size_t)argc - 3;
	}
	code = la_facts_of_recording(&facts, recording,
				     la_recording_main_device(recording),
				     program, &err);
	if (code < 0 && code != -ENOENT)
		die("facts", &err);
	la_json_init(&json, to_stdout, NULL);
	la_json_object_begin(&json);
	la_json_member_bool(&json, "oom", code == 0);
	print_facts(&facts);
	if (code == 0 && program && argc > 2)
		print_trials(program, &facts, &options);
	la_json_object_end(&json);
	putchar('\n');
	la_facts_release(&facts);
	la_program_free(whole);
	la_program_free(program);
	la_recording_free(other);
	la_recording_free(recording);
	return code == 0 ? 0 : 1;
}
