// SPDX-License-Identifier: Apache-2.0
/*
 * Print the facts of a log on standard input, one JSON object a line.  With a
 * number, the log is fed in pieces of so many bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <liballoc/triage.h>

#include "util/json.h"

static void add_amount(struct la_json *json, const struct la_amount *amount)
{
	la_json_array_begin(json);
	la_json_uint(json, amount->low);
	la_json_uint(json, amount->high);
	la_json_uint(json, amount->line);
	la_json_array_end(json);
}

static void add_amounts(struct la_json *json, const struct la_facts *facts)
{
	size_t i;

	la_json_key(json, "amount");
	la_json_object_begin(json);
	for (i = 0; i < LA_AMOUNT_COUNT; i++) {
		if (facts->amount[i].basis == LA_BASIS_NONE)
			continue;
		la_json_key(json, la_amount_name((enum la_amount_id)i));
		add_amount(json, &facts->amount[i]);
	}
	la_json_object_end(json);
	la_json_key(json, "process");
	la_json_object_begin(json);
	for (i = 0; i < facts->process_count; i++) {
		char pid[24];

		snprintf(pid, sizeof(pid), "%" PRIu64, facts->process[i].pid);
		la_json_key(json, pid);
		add_amount(json, &facts->process[i].memory);
	}
	la_json_object_end(json);
}

static void add_int(struct la_json *json, const char *name, int64_t value)
{
	la_json_key(json, name);
	la_json_int(json, value);
}

static void print(const struct la_facts *facts)
{
	struct la_strbuf buf = { 0 };
	struct la_json json;

	la_json_init(&json, la_json_to_strbuf, &buf);
	la_json_object_begin(&json);
	la_json_member_text(&json, "form", facts->form);
	la_json_member_text(&json, "framework", facts->framework);
	la_json_member_text(&json, "backend", facts->backend);
	la_json_member_text(&json, "text", facts->text);
	la_json_member_uint(&json, "kind", facts->kind);
	la_json_member_uint(&json, "first", facts->line[0]);
	la_json_member_uint(&json, "last", facts->line[1]);
	la_json_member_uint(&json, "count", facts->count);
	add_int(&json, "device", facts->device);
	add_int(&json, "rank", facts->rank);
	add_int(&json, "pid", facts->pid);
	la_json_member_uint(&json, "since", facts->release[0]);
	la_json_member_uint(&json, "until", facts->release[1]);
	la_json_member_bool(&json, "unknown", facts->processes_unknown);
	la_json_member_bool(&json, "truncated", facts->truncated);
	add_amounts(&json, facts);
	la_json_object_end(&json);
	puts(la_strbuf_text(&buf));
	la_strbuf_release(&buf);
}

static int read_all(struct la_log *log, size_t piece)
{
	char *data = malloc(piece);
	size_t length;
	int err = data ? 0 : -1;

	while (err == 0 && (length = fread(data, 1, piece, stdin)) > 0)
		err = la_log_feed(log, data, length);
	free(data);
	return err < 0 ? err : la_log_finish(log);
}

int main(int argc, char **argv)
{
	size_t piece = argc > 1 ? strtoul(argv[1], NULL, 10) : 1 << 16;
	struct la_facts *facts;
	struct la_log *log;
	size_t count, i;

	if (piece == 0 || la_log_new(&log) < 0)
		return 2;
	if (read_all(log, piece) < 0) {
		la_log_free(log);
		return 1;
	}
	facts = la_log_facts(log, &count);
	for (i = 0; i < count; i++)
		print(&facts[i]);
	fprintf(stderr, "%" PRIu64 " lines, %" PRIu64 " lost\n",
		la_log_lines(log), la_log_lost(log));
	la_log_free(log);
	return 0;
}
