// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "allocctl/cmd.h"
#include "allocctl/print.h"
#include "allocctl/safe.h"
#include "allocctl/triage-page.h"
#include "head.h"
#include "letter-file.h"

static const char *const fronts[] = {
	[LA_PROBE_FRONT_NONE] = "none",
	[LA_PROBE_FRONT_CUPTI] = "cupti",
	[LA_PROBE_FRONT_PRELOAD] = "preload",
};

static const char *front_name(const struct la_probe_header *header)
{
	return header->front <= LA_PROBE_FRONT_PRELOAD ?
		       fronts[header->front] :
		       "unknown";
}

/* "1.5 s" after the beginning. */
static void add_time(struct la_strbuf *out,
		     const struct la_probe_header *header, uint64_t time)
{
	la_strbuf_addf(out, "%.1f s", (double)head_since(header, time) / 1e9);
}

static void add_source(struct la_strbuf *out,
		       const struct la_probe_header *header,
		       enum la_probe_level level)
{
	unsigned int v = header->cupti_version;

	if (level == LA_PROBE_ALLOCATOR)
		la_strbuf_addstr(out, "PyTorch's allocator");
	else if (header->front == LA_PROBE_FRONT_CUPTI && v)
		la_strbuf_addf(out, "the driver's calls through CUPTI %u", v);
	else if (header->front == LA_PROBE_FRONT_CUPTI)
		la_strbuf_addstr(out, "the driver's calls through CUPTI");
	else
		la_strbuf_addstr(out, "the driver's calls, interposed");
}

/* A sentence: when and how a level was seen. */
static void letter_view(struct la_strbuf *out,
			const struct la_probe_header *header,
			enum la_probe_level level)
{
	const struct la_probe_view *view = &header->view[level];

	if (!view->from) {
		la_strbuf_addstr(out, level == LA_PROBE_DRIVER ?
			"nothing of the driver's calls: memory was only "
			"sampled" :
			"nothing of PyTorch's allocator: fragmentation cannot "
			"be told from lack of memory");
		return;
	}
	add_source(out, header, level);
	la_strbuf_addstr(out, ", from ");
	add_time(out, header, view->from);
	la_strbuf_addstr(out, " on");
	if (!view->until)
		return;
	la_strbuf_addstr(out, " until ");
	add_time(out, header, view->until);
}

static void add_loss(struct la_strbuf *out, uint64_t count, const char *what)
{
	if (count)
		la_strbuf_addf(out, "%s%" PRIu64 " %s", out->length ? "; " : "",
			       count, what);
}

/* A sentence: what is missing. */
static void letter_losses(struct la_strbuf *out,
			  const struct la_probe_losses *losses)
{
	add_loss(out, losses->overwritten, "older records made room for later "
					   "ones");
	add_loss(out, losses->torn, "were not finished");
	add_loss(out, losses->unwritten, "records found no room");
	add_loss(out, losses->unkept, "allocations found no room");
	add_loss(out, losses->damaged, "parts are damaged");
}

/* A sentence: how the process ended. */
static void letter_ended(struct la_strbuf *out, const struct ended *ended,
			 const struct la_probe_header *header)
{
	const char *name = strsignal(ended->number);

	switch (ended->how) {
	case ENDED_RUNNING:
		la_strbuf_addstr(out, "it is still running");
		break;
	case ENDED_CLEAN:
		la_strbuf_addstr(out, "it exited after ");
		add_time(out, header, header->ended);
		break;
	case ENDED_SIGNAL:
	case ENDED_HOST_MEMORY:
		la_strbuf_addf(out, "killed by signal %d (%s)", ended->number,
			       name ? name : "?");
		break;
	default:
		la_strbuf_addstr(out, "it ended without a clean exit, last "
				      "seen after ");
		add_time(out, header, header->heartbeat);
	}
	if (*ended->evidence)
		la_strbuf_addf(out, ": %s", ended->evidence);
}

void letter_paragraph(const char *label, const char *text)
{
	struct la_strbuf escaped = { 0 };

	if (!*text)
		return;
	page_cell(label, PAGE_INDENT, false);
	print_escaped_add(&escaped, text, strlen(text));
	print_wrapped_from(PAGE_INDENT, PAGE_INDENT, la_strbuf_text(&escaped));
	la_strbuf_release(&escaped);
}

static void process_text(struct la_strbuf *out,
			 const struct la_probe_header *header)
{
	time_t began = (time_t)(header->realtime / 1000000000);
	char text[64] = "?";
	struct tm tm;

	if (gmtime_r(&began, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	la_strbuf_addf(out, "%s, pid %" PRIu32 " on %s, began %s", header->exe,
		       header->pid, header->host, text);
	if (*header->job)
		la_strbuf_addf(out, ", %s", header->job);
	if (*header->torch)
		la_strbuf_addf(out, ", torch %s", header->torch);
}

static void print_notes(const struct la_probe_header *header)
{
	const char *line = header->note;
	struct la_strbuf text;
	size_t length;

	for (; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		text = (struct la_strbuf){ 0 };
		la_strbuf_add(&text, line, length);
		letter_paragraph("probe", la_strbuf_text(&text));
		la_strbuf_release(&text);
	}
}

/* The sentences that every form has. */
struct sentences {
	struct la_strbuf driver, allocator, lost, ended; /* owned */
};

static void say(struct sentences *s, const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);

	*s = (struct sentences){ 0 };
	letter_view(&s->driver, header, LA_PROBE_DRIVER);
	letter_view(&s->allocator, header, LA_PROBE_ALLOCATOR);
	letter_losses(&s->lost, la_probe_losses(file->probe));
	if (!s->lost.length)
		la_strbuf_addstr(&s->lost, "nothing");
	letter_ended(&s->ended, &file->ended, header);
}

static int release(struct sentences *s)
{
	bool failed = s->driver.failed || s->allocator.failed ||
		      s->lost.failed || s->ended.failed;

	la_strbuf_release(&s->driver);
	la_strbuf_release(&s->allocator);
	la_strbuf_release(&s->lost);
	la_strbuf_release(&s->ended);
	return failed ? print_no_memory() : STATUS_DONE;
}

/* What run --snapshot has left beside it tells more. */
static void print_snapshot(const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);
	char folder[PATH_MAX], name[STAMP_NAME], path[PATH_MAX + STAMP_NAME];

	if (!safe_split(folder, file->path) ||
	    !stamp_snapshot(name, header->host, header->pid, "pickle"))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (access(path, R_OK) < 0)
		return;
	letter_paragraph("snapshot", path);
	letter_paragraph("", "allocctl triage says more of it");
}

int letter_file_text(const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);
	struct la_strbuf process = { 0 };
	struct sentences s;

	say(&s, file);
	process_text(&process, header);
	putchar('\n');
	letter_paragraph("process", la_strbuf_text(&process));
	letter_paragraph("ended", la_strbuf_text(&s.ended));
	letter_paragraph("saw", la_strbuf_text(&s.driver));
	letter_paragraph("", la_strbuf_text(&s.allocator));
	letter_paragraph("lost", la_strbuf_text(&s.lost));
	print_notes(header);
	print_snapshot(file);
	la_strbuf_release(&process);
	return release(&s);
}

int letter_file_markdown(const struct letter_file *file)
{
	struct sentences s;

	say(&s, file);
	printf("\n- saw %s\n- saw %s\n- lost: %s\n",
	       la_strbuf_text(&s.driver), la_strbuf_text(&s.allocator),
	       la_strbuf_text(&s.lost));
	return release(&s);
}

static void view_json(struct la_json *json,
		      const struct la_probe_header *header,
		      enum la_probe_level level, const char *name)
{
	const struct la_probe_view *view = &header->view[level];

	la_json_key(json, name);
	if (!view->from) {
		la_json_null(json);
		return;
	}
	la_json_object_begin(json);
	la_json_member_uint(json, "from", head_since(header, view->from));
	la_json_member_known_uint(json, "until", view->until,
				  head_since(header, view->until));
	la_json_object_end(json);
}

static void losses_json(struct la_json *json,
			const struct la_probe_losses *losses)
{
	la_json_key(json, "lost");
	la_json_object_begin(json);
	la_json_member_uint(json, "overwritten", losses->overwritten);
	la_json_member_uint(json, "torn", losses->torn);
	la_json_member_uint(json, "unwritten", losses->unwritten);
	la_json_member_uint(json, "unkept", losses->unkept);
	la_json_member_uint(json, "damaged", losses->damaged);
	la_json_object_end(json);
}

void letter_file_json(struct la_json *json, const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);
	const struct ended *ended = &file->ended;

	la_json_object_begin(json);
	la_json_member_text(json, "file", file->path);
	la_json_member_uint(json, "pid", header->pid);
	la_json_member_text(json, "host", header->host);
	la_json_member_text(json, "exe", header->exe);
	la_json_member_text(json, "job", header->job);
	la_json_member_text(json, "run", header->run);
	la_json_member_uint(json, "began", header->realtime / 1000000000);
	la_json_member_text(json, "ended", ended_names[ended->how]);
	la_json_member_known_uint(json, "signal", ended->number > 0,
				  (uint64_t)ended->number);
	la_json_member_text(json, "evidence",
			    *ended->evidence ? ended->evidence : NULL);
	la_json_member_text(json, "front", front_name(header));
	view_json(json, header, LA_PROBE_DRIVER, "driver");
	view_json(json, header, LA_PROBE_ALLOCATOR, "allocator");
	losses_json(json, la_probe_losses(file->probe));
	la_json_member_uint(json, "ooms", header->ooms);
	la_json_member_uint(json, "retries", header->retries);
	la_json_member_text(json, "note", header->note);
	la_json_object_end(json);
}
