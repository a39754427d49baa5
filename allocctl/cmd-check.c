// SPDX-License-Identifier: Apache-2.0
/* allocctl check: what torch makes of a setting. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "cmd.h"
#include "json-lines.h"
#include "opt.h"
#include "report.h"
#include "util/json.h"
#include "util/size.h"
#include "util/util.h"

/* In the order of enum la_set_at. */
static const char *const set_at_names[] = { "import", "init", "runtime", NULL };

struct options {
	int set_at;
	int format;
	bool json_lines;
};

static void json_roundup(struct la_json *json, const uint64_t *slots)
{
	int i;

	la_json_key(json, "roundup_power2_divisions");
	la_json_array_begin(json);
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		la_json_uint(json, slots[i]);
	la_json_array_end(json);
}

static void json_bool(struct la_json *json, const char *key, bool value)
{
	la_json_key(json, key);
	la_json_bool(json, value);
}

static void json_bytes(struct la_json *json, const char *key, uint64_t value)
{
	la_json_key(json, key);
	la_json_uint(json, value);
}

static void json_values(struct la_json *json,
			const struct la_setting_values *v)
{
	la_json_object_begin(json);
	/* Signed, as torch's snapshot has it: no bound is -1. */
	la_json_key(json, "max_split_size");
	la_json_int(json, (int64_t)v->max_split_size);
	json_bytes(json, "max_non_split_rounding", v->max_non_split_rounding);
	json_bytes(json, "large_segment_size", v->large_segment_size);
	la_json_key(json, "garbage_collection_threshold");
	la_json_double(json, v->garbage_collection_threshold);
	la_json_key(json, "per_process_memory_fraction");
	la_json_double(json, v->per_process_memory_fraction);
	json_roundup(json, v->roundup_power2_divisions);
	json_bool(json, "expandable_segments", v->expandable_segments);
	la_json_key(json, "backend");
	la_json_text(json, v->cuda_malloc_async ? "cudaMallocAsync" : "native");
	json_bool(json, "release_lock_on_cudamalloc",
		  v->release_lock_on_cudamalloc);
	json_bool(json, "graph_capture_record_stream_reuse",
		  v->graph_capture_record_stream_reuse);
	json_bool(json, "pinned_use_cuda_host_register",
		  v->pinned_use_cuda_host_register);
	json_bool(json, "pinned_use_background_threads",
		  v->pinned_use_background_threads);
	la_json_key(json, "pinned_num_register_threads");
	la_json_uint(json, v->pinned_num_register_threads);
	json_bytes(json, "pinned_reserve_segment_size",
		   v->pinned_reserve_segment_size);
	la_json_object_end(json);
}

static void json_remarks(struct la_json *json,
			 const struct la_setting_check *check)
{
	const struct la_setting_remark *remark;
	size_t i, nr;
	char code[16];

	remark = la_setting_check_remarks(check, &nr);
	la_json_array_begin(json);
	for (i = 0; i < nr; i++) {
		la_json_object_begin(json);
		snprintf(code, sizeof(code), "LA%d", (int)remark[i].code);
		la_json_key(json, "code");
		la_json_text(json, code);
		la_json_key(json, "offset");
		la_json_uint(json, remark[i].offset);
		la_json_key(json, "length");
		la_json_uint(json, remark[i].length);
		la_json_key(json, "text");
		la_json_text(json, remark[i].text);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_refusal(struct la_json *json,
			 const struct la_setting_refusal *refusal)
{
	la_json_key(json, "type");
	la_json_text(json, refusal->exception);
	la_json_key(json, "offset");
	la_json_uint(json, refusal->offset);
	la_json_key(json, "length");
	la_json_uint(json, refusal->length);
	json_bool(json, "aborts_import", refusal->aborts_import);
}

static void print_json(const struct la_setting_check *check,
		       const struct options *options)
{
	const struct la_setting *setting = la_setting_check_setting(check);
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	struct la_json json;

	la_json_init(&json, report_json_sink, stdout);
	la_json_object_begin(&json);
	json_bool(&json, "accepted", setting);
	la_json_key(&json, "error");
	la_json_text(&json, refusal ? refusal->text : NULL);
	if (refusal)
		json_refusal(&json, refusal);
	la_json_key(&json, "set_at");
	la_json_text(&json, set_at_names[options->set_at]);
	la_json_key(&json, "settings");
	if (setting)
		json_values(&json, la_setting_values(setting));
	else
		la_json_null(&json);
	la_json_key(&json, "warnings");
	json_remarks(&json, check);
	la_json_object_end(&json);
	putchar('\n');
}

static void text_bytes(const char *name, uint64_t bytes, const char *none)
{
	char size[LA_SIZE_TEXT];

	if (none)
		printf("  %-34s %s\n", name, none);
	else
		printf("  %-34s %s (%" PRIu64 " bytes)\n", name,
		       la_size_format(size, bytes), bytes);
}

static void text_bool(const char *name, bool value)
{
	printf("  %-34s %s\n", name, value ? "True" : "False");
}

/* Runs of equal slots: "64 MiB to 1 GiB: 4". */
static void text_roundup(const uint64_t *slots)
{
	const char *const name = "roundup_power2_divisions";
	int from, to;

	for (from = 0; from < LA_ROUNDUP_SLOTS; from = to) {
		for (to = from; to < LA_ROUNDUP_SLOTS; to++)
			if (slots[to] != slots[from])
				break;
		printf("  %-34s ", from ? "" : name);
		if (slots[from] > 1)
			printf("%" PRIu64, slots[from]);
		else
			printf("off");
		if (from)
			printf(", from %d MiB", 1 << from);
		if (to < LA_ROUNDUP_SLOTS)
			printf(", below %d MiB", 1 << to);
		putchar('\n');
	}
}

static void text_values(const struct la_setting_values *v)
{
	text_bytes("max_split_size", v->max_split_size,
		   v->max_split_size == UINT64_MAX ? "no bound" : NULL);
	text_bytes("max_non_split_rounding", v->max_non_split_rounding, NULL);
	text_bytes("large_segment_size", v->large_segment_size, NULL);
	if (v->garbage_collection_threshold > 0)
		printf("  %-34s %g\n", "garbage_collection_threshold",
		       v->garbage_collection_threshold);
	else
		printf("  %-34s off\n", "garbage_collection_threshold");
	printf("  %-34s %g%s\n", "per_process_memory_fraction",
	       v->per_process_memory_fraction,
	       v->per_process_memory_fraction < 1 ? "" : " (no cap)");
	text_roundup(v->roundup_power2_divisions);
	text_bool("expandable_segments", v->expandable_segments);
	printf("  %-34s %s\n", "backend",
	       v->cuda_malloc_async ? "cudaMallocAsync" : "native");
	text_bool("release_lock_on_cudamalloc", v->release_lock_on_cudamalloc);
	text_bool("graph_capture_record_stream_reuse",
		  v->graph_capture_record_stream_reuse);
	text_bool("pinned_use_cuda_host_register",
		  v->pinned_use_cuda_host_register);
	text_bool("pinned_use_background_threads",
		  v->pinned_use_background_threads);
	printf("  %-34s %" PRIu64 "\n", "pinned_num_register_threads",
	       v->pinned_num_register_threads);
	text_bytes("pinned_reserve_segment_size",
		   v->pinned_reserve_segment_size,
		   v->pinned_reserve_segment_size ? NULL : "off");
}

/* The string, and ^~~~ under the bytes that are meant. */
static void text_caret(const char *text, size_t text_length, uint64_t offset,
		       uint64_t length)
{
	uint64_t i;

	fputs("    ", stdout);
	report_escaped(text, text_length);
	fputs("\n    ", stdout);
	for (i = 0; i < report_columns(text, offset); i++)
		putchar(' ');
	putchar('^');
	for (i = 1; i < report_columns(text + offset, length); i++)
		putchar('~');
	putchar('\n');
}

static void text_remarks(const struct la_setting_check *check, const char *text,
			 size_t length)
{
	static const char *const names[] = {
		[LA_SEVERITY_NOTE] = "note",
		[LA_SEVERITY_WARNING] = "warning",
		[LA_SEVERITY_HINT] = "hint",
	};
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++) {
		putchar('\n');
		report_paint(remark[i].severity == LA_SEVERITY_WARNING ?
				     REPORT_YELLOW :
				     REPORT_BOLD,
			     names[remark[i].severity]);
		printf(": %s [LA%d]\n", remark[i].text, (int)remark[i].code);
		text_caret(text, length, remark[i].offset, remark[i].length);
	}
}

/* What happens to the program, not only what the text is. */
static void text_refusal(const struct la_setting_refusal *refusal, int set_at)
{
	static const char *const when[] = {
		[LA_SET_AT_IMPORT] = "the first use of CUDA raises",
		[LA_SET_AT_INIT] = "the first use of CUDA raises",
		[LA_SET_AT_RUNTIME] = "the setter raises",
	};

	report_paint(REPORT_RED, "invalid");
	if (refusal->aborts_import)
		fputs(": import torch aborts with\n  ", stdout);
	else
		printf(": %s %s\n  ", when[set_at], refusal->exception);
	report_escaped(refusal->text, strlen(refusal->text));
	putchar('\n');
}

static void text_options(const struct la_setting_check *check)
{
	const struct la_setting_option *option;
	size_t i;

	for (i = 0; (option = la_setting_check_option(check, i)); i++) {
		putchar('\n');
		report_paint(REPORT_BOLD, option->name);
		printf(" (%s; default %s; since torch %s)\n", option->type,
		       option->fallback, option->since);
		printf("    takes %s\n", option->range);
		report_wrapped(4, option->summary);
	}
}

static void print_text(const struct la_setting_check *check, const char *text,
		       size_t length, const struct options *options)
{
	const struct la_setting *setting = la_setting_check_setting(check);
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);

	if (setting) {
		report_paint(REPORT_GREEN, "valid");
		fputs(" in torch 2.11\n", stdout);
		text_values(la_setting_values(setting));
	} else {
		text_refusal(refusal, options->set_at);
		text_caret(text, length, refusal->offset, refusal->length);
	}
	text_remarks(check, text, length);
	text_options(check);
}

static int check_one(const char *text, size_t length,
		     const struct options *options)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 11),
		.set_at = options->set_at,
	};
	struct la_setting_check *check;
	int status = STATUS_DONE;

	if (la_setting_check_new(&check, text, length, &context) < 0) {
		report_error("out of memory");
		return STATUS_CANNOT_TELL;
	}
	if (la_setting_check_refusal(check))
		status = STATUS_FINDINGS;
	if (options->json_lines || options->format == REPORT_JSON)
		print_json(check, options);
	else
		print_text(check, text, length, options);
	la_setting_check_free(check);
	return status;
}

static int check_line(void *arg, const char *text, size_t length)
{
	return check_one(text, length, arg);
}

static int check_operands(int nr, char **operands,
			  const struct options *options)
{
	int i, status, worst = STATUS_DONE;

	for (i = 0; i < nr; i++) {
		if (i && options->format == REPORT_TEXT)
			putchar('\n');
		status = check_one(operands[i], strlen(operands[i]), options);
		if (status > worst)
			worst = status;
	}
	return worst;
}

static int check_run(int argc, char **argv)
{
	struct options options = { 0 };
	const struct opt opts[] = {
		{ OPT_CHOICE, "set-at", &options.set_at, "WHEN",
		  "import (default), init or runtime: when torch sees it",
		  set_at_names },
		{ OPT_CHOICE, "format", &options.format, "FORMAT",
		  "text (default) or json, one object a line",
		  report_formats },
		{ OPT_FLAG, "json-lines", &options.json_lines, NULL,
		  "read JSON strings, one a line, from standard input", NULL },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "check SETTING... | check --json-lines",
		.about = "What torch 2.11 makes of PYTORCH_CUDA_ALLOC_CONF: "
			 "its values, or its error,\nand what it accepts but "
			 "ignores or misreads. Status 1 if one is invalid.",
		.opts = opts,
		.examples =
			"  allocctl check max_split_size_mb:128MB\n"
			"  allocctl check --set-at runtime "
			"garbage_collection_threshold:0.8\n"
			"  echo '\"debug:1\"' | allocctl check --json-lines",
	};
	int nr;

	nr = opt_parse(argc, argv, &spec);
	if (nr < 0)
		return nr == OPT_HELP ? STATUS_DONE : STATUS_USAGE;
	if (options.json_lines == (nr > 0)) {
		report_error("check wants settings or --json-lines, %s",
			     nr ? "not both" : "and got neither");
		return STATUS_USAGE;
	}
	if (options.json_lines)
		return json_lines_read(stdin, check_line, &options);
	return check_operands(nr, argv + 1, &options);
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "say what torch makes of a setting",
	.run = check_run,
};
