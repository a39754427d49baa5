// SPDX-License-Identifier: Apache-2.0
/* cupti-probe list: the recordings of a folder. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "allocctl/opt.h"
#include "allocctl/print.h"
#include "folder.h"
#include "probe-cmd.h"
#include "util/size.h"

/* In the order of enum ended_how. */
static const char *const states[] = {
	[ENDED_RUNNING] = "running", [ENDED_CLEAN] = "ended",
	[ENDED_KILLED] = "killed?",  [ENDED_SIGNAL] = "killed",
	[ENDED_HOST_MEMORY] = "killed",
};

/* Of the report, if it is about an OOM; else NULL. */
static const char *verdict_of(const struct entry *entry)
{
	enum la_cause cause = entry->stamp.cause;

	if (!entry->stamp.there ||
	    (!entry->ooms && cause == LA_CAUSE_CANNOT_TELL))
		return NULL;
	return la_cause_name(cause);
}

static void cell(const char *text, int columns)
{
	int pad = columns - (int)print_columns(text, strlen(text));

	print_escaped(text);
	printf("%*s  ", pad > 0 ? pad : 0, "");
}

/* Columns of what differs in width. */
struct widths {
	int host, verdict;
};

static void widen(int *width, const char *text)
{
	int columns = (int)print_columns(text, strlen(text));

	*width = columns > *width ? columns : *width;
}

static struct widths measure(const struct folder *folder)
{
	struct widths widths = { strlen("HOST"), strlen("VERDICT") };
	const char *verdict;
	size_t i;

	for (i = 0; i < folder->count; i++) {
		verdict = verdict_of(&folder->entry[i]);
		widen(&widths.host, folder->entry[i].host);
		widen(&widths.verdict, verdict ? verdict : "-");
	}
	return widths;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_entry(const struct entry *entry, const struct widths *widths)
{
	time_t began = (time_t)entry->began;
	char text[64] = "?", size[LA_SIZE_TEXT];
	const char *verdict = verdict_of(entry);
	struct tm tm;

	if (localtime_r(&began, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	cell(text, 19);
	cell(entry->host, widths->host);
	printf("%7" PRIu32 "  %-7s  %4" PRIu64 "%c  %10s  ", entry->pid,
	       states[entry->ended.how], entry->ooms,
	       entry_is_unseen(entry) ? '*' : ' ',
	       la_size_format(size, entry->size));
	cell(verdict ? verdict : "-", widths->verdict);
	print_escaped(base_name(entry->exe));
	putchar('\n');
}

static void print_text(const struct folder *folder)
{
	struct widths widths = measure(folder);
	size_t i;

	if (!folder->count) {
		fputs("no recordings in ", stdout);
		print_escaped(folder->path);
		putchar('\n');
	} else {
		cell("BEGAN", 19);
		cell("HOST", widths.host);
		printf("%7s  %-7s  %4s   %10s  ", "PID", "STATE", "OOMS",
		       "SIZE");
		cell("VERDICT", widths.verdict);
		puts("PROGRAM");
	}
	for (i = 0; i < folder->count; i++)
		print_entry(&folder->entry[i], &widths);
	if (folder->unreadable)
		printf("%zu more cannot be read: of others, or damaged\n",
		       folder->unreadable);
}

static void json_entry(struct la_json *json, const struct entry *entry)
{
	const struct stamp *stamp = &entry->stamp;

	la_json_object_begin(json);
	la_json_member_text(json, "name", entry->name);
	la_json_member_text(json, "host", entry->host);
	la_json_member_uint(json, "pid", entry->pid);
	la_json_member_text(json, "exe", entry->exe);
	la_json_member_text(json, "job", entry->job);
	la_json_member_text(json, "run", entry->run);
	la_json_key(json, "began");
	la_json_int(json, entry->began);
	la_json_key(json, "alive");
	la_json_int(json, entry->alive);
	la_json_member_text(json, "ended", ended_names[entry->ended.how]);
	la_json_member_uint(json, "ooms", entry->ooms);
	la_json_member_bool(json, "unseen", entry_is_unseen(entry));
	la_json_member_uint(json, "retries", entry->retries);
	la_json_member_uint(json, "size", entry->size);
	la_json_member_text(json, "verdict", verdict_of(entry));
	la_json_member_text(json, "grade",
			    stamp->there ? la_grade_name(stamp->grade) : NULL);
	la_json_member_text(json, "signature",
			    stamp->there ? stamp->signature : NULL);
	la_json_object_end(json);
}

static void print_json(const struct folder *folder)
{
	struct la_json json;
	size_t i;

	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "cupti-probe.list/1");
	la_json_member_text(&json, "folder", folder->path);
	la_json_key(&json, "recordings");
	la_json_array_begin(&json);
	for (i = 0; i < folder->count; i++)
		json_entry(&json, &folder->entry[i]);
	la_json_array_end(&json);
	la_json_member_uint(&json, "unreadable", folder->unreadable);
	la_json_object_end(&json);
	putchar('\n');
}

static int list(const char *path, int format)
{
	struct folder folder;
	int status = folder_open(&folder, path);

	if (status == STATUS_DONE && format == PRINT_JSON)
		print_json(&folder);
	else if (status == STATUS_DONE)
		print_text(&folder);
	folder_close(&folder);
	return status;
}

static int list_run(int argc, char **argv)
{
	int format = PRINT_TEXT, nr;
	const struct opt opts[] = {
		{ OPT_CHOICE, "format", &format, "FORMAT",
		  "text (default) or json", print_formats },
		{ OPT_END, NULL, NULL, NULL, NULL, NULL },
	};
	const struct opt_spec spec = {
		.usage = "list [DIR] [OPTIONS]",
		.about = "List recordings, newest first: *: an OOM that nobody "
			 "has read about; killed?: it\nended, and no launcher "
			 "saw how.",
		.opts = opts,
		.examples = "  cupti-probe list\n"
			    "  cupti-probe list /var/lib/cupti-probe "
			    "--format json",
	};

	nr = opt_parse(argc, argv, &spec);
	if (nr == OPT_HELP)
		return STATUS_DONE;
	if (nr > 1)
		print_error("list wants one DIR");
	return nr < 0 || nr > 1 ? STATUS_USAGE :
				  list(nr ? argv[1] : NULL, format);
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list recordings",
	.run = list_run,
};
