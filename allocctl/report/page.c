// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <liballoc/version.h>

#include "allocctl/print.h"
#include "assets.h"
#include "data.h"
#include "html.h"
#include "page.h"
#include "pictures.h"
#include "util/error.h"
#include "util/size.h"

static void add_head(struct la_strbuf *out, const struct page *page)
{
	la_strbuf_addstr(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; script-src 'unsafe-inline'; "
		"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n"
		"<meta name=\"generator\" content=\"allocctl " LA_VERSION
		"\">\n<title>");
	html_text(out, page->title);
	la_strbuf_addstr(out, " – GPU memory</title>\n<style>\n");
	la_strbuf_addstr(out, page_style);
	la_strbuf_addstr(out, "</style>\n</head>\n<body>\n");
}

/* name: where there are several. */
static void add_view_facts(struct la_strbuf *out, const struct view *view,
			   bool name)
{
	const struct source *source = view->request.source;
	const struct la_timeline *timeline = &view->timeline;
	const struct la_card *card = view_card(view);
	const char *torch = view_torch(view);
	char text[LA_SIZE_TEXT], limit[64], count[32];

	la_strbuf_addstr(out, "<div>\n");
	if (name)
		html_element(out, "h2", view->name);
	la_strbuf_addstr(out, "<dl>\n");
	html_fact(out, "setting", *view->setting_text ? view->setting_text :
							"default");
	html_fact(out, "limit", source_limit_text(limit, &timeline->limit));
	if (timeline->total)
		html_fact(out, "card", la_size_format(text, timeline->total));
	if (card)
		html_fact(out, "GPU", card->name);
	if (torch)
		html_fact(out, "torch", torch);
	snprintf(text, sizeof(text), "%" PRIu64, source->device);
	html_fact(out, "device", text);
	html_fact(out, "events", source_count_text(count,
						   timeline->event_count));
	la_strbuf_addstr(out, "</dl>\n</div>\n");
}

static void begin_views(struct la_strbuf *out, const struct page *page)
{
	if (page->view_count > 1)
		la_strbuf_addstr(out, "<div class=\"compare\">\n");
}

static void end_views(struct la_strbuf *out, const struct page *page)
{
	if (page->view_count > 1)
		la_strbuf_addstr(out, "</div>\n");
}

static void add_header(struct la_strbuf *out, const struct page *page)
{
	size_t i;

	la_strbuf_addstr(out, "<header>\n");
	html_element(out, "h1", page->title);
	begin_views(out, page);
	for (i = 0; i < page->view_count; i++)
		add_view_facts(out, &page->view[i], page->view_count > 1);
	end_views(out, page);
	la_strbuf_addstr(out, "</header>\n<main>\n");
}

/* A picture with what it shows; none where there is nothing to be drawn. */
static int add_figure(struct la_strbuf *out, const struct page *page,
		      size_t number, enum picture picture, const char *caption)
{
	const struct picture_source source = {
		.view = page->view_count ? &page->view[number] : NULL,
		.tune = page->tune,
	};
	struct la_strbuf svg = { 0 };
	int code = picture_svg(&svg, picture, &source);

	if (code > 0) {
		la_strbuf_addf(out, "<figure data-view=\"%zu\">\n"
			       "<figcaption>", number);
		if (page->view_count > 1 && picture != PICTURE_SETTINGS) {
			html_text(out, page->view[number].name);
			la_strbuf_addstr(out, ": ");
		}
		html_text(out, caption);
		la_strbuf_addstr(out, "</figcaption>\n");
		la_strbuf_add(out, la_strbuf_text(&svg), svg.length);
		la_strbuf_addstr(out, "</figure>\n");
	}
	out->failed |= svg.failed;
	la_strbuf_release(&svg);
	return code < 0 ? code : 0;
}

/* The highest values, in words. */
static void add_peaks(struct la_strbuf *out, const struct la_timeline *timeline)
{
	char size[LA_SIZE_TEXT], count[32];

	la_strbuf_addf(out, "<p class=\"summary\">At most %s are live, ",
		       la_size_format(size, timeline->peak_live));
	la_strbuf_addf(out, "before event %s, and %s reserved",
		       source_count_text(count, timeline->peak),
		       la_size_format(size, timeline->peak_reserved));
	if (timeline->oom_count)
		la_strbuf_addf(out, "; %s %s",
			       source_count_text(count, timeline->oom_count),
			       timeline->oom_count > 1 ? "requests fail" :
							 "request fails");
	la_strbuf_addstr(out, ".</p>\n");
}

static int add_timeline(struct la_strbuf *out, const struct page *page,
			size_t number)
{
	const struct la_timeline *timeline = &page->view[number].timeline;

	add_peaks(out, timeline);
	return add_figure(out, page, number, PICTURE_TIMELINE,
			  "live and reserved bytes");
}

static int add_map(struct la_strbuf *out, const struct page *page,
		   size_t number)
{
	const struct view *view = &page->view[number];
	char text[48], caption[96];
	int code;

	snprintf(caption, sizeof(caption), "segments and blocks: %s",
		 view_moment_name(view, text));
	code = add_figure(out, page, number, PICTURE_MAP, caption);
	held_add_parts(out, view);
	return code;
}

static void add_room(struct la_strbuf *out, const struct view *view)
{
	const struct la_oom_state *moment = &view->moment;
	char size[LA_SIZE_TEXT], free[LA_SIZE_TEXT], largest[LA_SIZE_TEXT];

	la_size_format(free, moment->picture.total.holes.bytes);
	la_size_format(largest, view->failed ?
					moment->free[LA_FREE_OWN].largest :
					moment->picture.total.holes.largest);
	if (view->failed)
		la_strbuf_addf(out, "<p class=\"summary\">%s were asked for. "
			       "%s are free, but where the request looks the "
			       "largest hole has %s.</p>\n",
			       la_size_format(size, moment->size), free,
			       largest);
	else
		la_strbuf_addf(out, "<p class=\"summary\">%s are free, the "
			       "largest hole has %s.</p>\n", free, largest);
}

static int add_holes(struct la_strbuf *out, const struct page *page,
		     size_t number)
{
	const struct view *view = &page->view[number];
	int code;

	add_room(out, view);
	code = add_figure(out, page, number, PICTURE_HOLES, "holes by size");
	held_add_holes(out, view);
	return code;
}

static int add_holders(struct la_strbuf *out, const struct page *page,
		       size_t number)
{
	int code = add_figure(out, page, number, PICTURE_HOLDERS,
			      "who called whom");

	return code < 0 ? code : held_add_holders(out, &page->view[number]);
}

/* A section with a part for each view. */
struct part {
	const char *id, *title;
	int (*add)(struct la_strbuf *out, const struct page *page,
		   size_t number);
};

static int add_part(struct la_strbuf *out, const struct page *page,
		    const struct part *part)
{
	int code = 0;
	size_t i;

	if (!page->view_count)
		return 0;
	html_section(out, part->id, part->title);
	begin_views(out, page);
	for (i = 0; i < page->view_count && !code; i++) {
		if (page->view_count > 1)
			la_strbuf_addstr(out, "<div>\n");
		code = part->add(out, page, i);
		if (page->view_count > 1)
			la_strbuf_addstr(out, "</div>\n");
	}
	end_views(out, page);
	html_section_end(out);
	return code;
}

static void add_check(struct la_strbuf *out, const struct view *view)
{
	const struct source *source = view->request.source;
	const struct la_verification *check = &source->check;
	char a[32], b[32];

	la_strbuf_addstr(out, "<li>");
	html_text(out, view->name);
	if (view->request.replay) {
		la_strbuf_addstr(out, ": what the program asked for, replayed "
				      "on a simulated device.</li>\n");
		return;
	}
	if (!source->program) {
		la_strbuf_addf(out, ": there is nothing to replay%s; what was "
			       "held at the end is shown.</li>\n",
			       source_has_history(source) ? "" :
			       ", as no history was recorded (<code>"
			       "torch.cuda.memory._record_memory_history()"
			       "</code> does)");
		return;
	}
	la_strbuf_addf(out, ": replayed as it was recorded, %s of %s "
		       "allocations lie where they lay",
		       source_count_text(a, check->placements_right),
		       source_count_text(b, check->placements));
	la_strbuf_addf(out, ", and %s of %s operations of the device are the "
		       "same.",
		       source_count_text(a, check->segment_events_right),
		       source_count_text(b, check->segment_events));
	if (!source_is_understood(source))
		la_strbuf_addf(out, "  Nothing explains event %s.",
			       source_count_text(a,
						 source->info->understood));
	if (source->info->window)
		la_strbuf_addstr(out, "  The recording starts late: what was "
				      "held then is inferred.");
	la_strbuf_addf(out, "  The limit, %s, is from %s.</li>\n",
		       source_limit_text((char[64]){ 0 },
					 &source->info->limit),
		       source_limit_source(source->info));
}

static void add_sure(struct la_strbuf *out, const struct page *page)
{
	size_t i;

	if (!page->view_count)
		return;
	html_section(out, "sure", "How sure this is");
	la_strbuf_addstr(out, "<ul>\n");
	for (i = 0; i < page->view_count; i++)
		add_check(out, &page->view[i]);
	la_strbuf_addstr(out, "</ul>\n<p>Over time blocks take what was "
			      "requested, rounded up to 512 bytes; in the map "
			      "they have their size, with what the allocator "
			      "did not split off as unused.  Seconds are "
			      "estimates.</p>\n");
	if (!page->triage)
		la_strbuf_addstr(out, "<p>The allocctl that wrote this lacks "
				      "jansson: there is no verdict, and no "
				      "settings are shown.</p>\n");
	if (page->is_large)
		la_strbuf_addstr(out, "<p>Settings were not searched, as there "
				      "are many events: <code>allocctl "
				      "tune</code> does.</p>\n");
	html_section_end(out);
}

static int add_settings(struct la_strbuf *out, const struct page *page)
{
	struct la_strbuf figure = { 0 };
	int code = add_figure(&figure, page, 0, PICTURE_SETTINGS,
			      "memory and time of settings");

	judged_add_settings(out, page->tune, la_strbuf_text(&figure));
	out->failed |= figure.failed;
	la_strbuf_release(&figure);
	return code;
}

static int add_body(struct la_strbuf *out, const struct page *page)
{
	static const struct part before[] = {
		{ "timeline", "Memory over time", add_timeline },
		{ "map", "What lies where", add_map },
		{ "holes", "Holes", add_holes },
	};
	static const struct part holders = { "holders", "Who holds memory",
					     add_holders };
	int code = 0;
	size_t i;

	add_header(out, page);
	judged_add_verdict(out, page->triage);
	for (i = 0; i < sizeof(before) / sizeof(*before) && !code; i++)
		code = add_part(out, page, &before[i]);
	if (!code)
		code = add_settings(out, page);
	if (!code)
		code = add_part(out, page, &holders);
	add_sure(out, page);
	la_strbuf_addstr(out, "</main>\n");
	return code;
}

/* JSON as it stands in the script. */
static char *text_of(const struct judged *judged)
{
	return judged ? judged_text(judged) : NULL;
}

static int add_data(struct la_strbuf *out, const struct page *page,
		    struct la_error *err)
{
	char *tune = text_of(page->tune), *triage = text_of(page->triage);
	const struct data data = {
		.view = page->view,
		.view_count = page->view_count,
		.tune = tune,
		.triage = triage,
	};
	int code;

	la_strbuf_addstr(out, "<script type=\"application/json\" id=\"data\">");
	if ((page->tune && !tune) || (page->triage && !triage))
		code = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	else
		code = data_add(out, &data, err);
	la_strbuf_addstr(out, "</script>\n");
	free(tune);
	free(triage);
	return code;
}

int page_add(struct la_strbuf *out, const struct page *page,
	     struct la_error *err)
{
	int code;

	add_head(out, page);
	code = add_body(out, page);
	if (code == -ENOMEM)
		return la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	if (!code)
		code = add_data(out, page, err);
	la_strbuf_addstr(out, "<script>\n");
	la_strbuf_addstr(out, page_script);
	la_strbuf_addstr(out, "</script>\n");
	la_strbuf_addstr(out, "</body>\n</html>\n");
	return code;
}
