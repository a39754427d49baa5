// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/cmd.h"
#include "allocctl/print.h"
#include "allocctl/setting.h"
#include "util/error.h"
#include "view.h"

/* Points of a timeline: more than a screen has, and an even number. */
enum { POINTS = 8192 };

/* A fraction in the setting caps the card, as torch does. */
static struct la_limit limit_of(const struct view *view)
{
	const struct view_request *request = &view->request;
	const struct la_program_info *info = request->source->info;
	double fraction = view->replay.setting->per_process_memory_fraction;

	if (request->limit)
		return *request->limit;
	if (fraction >= 1 || !request->setting || !info->total)
		return info->limit;
	return (struct la_limit){
		.kind = LA_LIMIT_CAP,
		.bytes = la_heap_cap(fraction, info->total,
				     view->replay.torch_release),
	};
}

static bool set_replay(struct view *view)
{
	const struct view_request *request = &view->request;
	const struct source *source = request->source;
	unsigned int torch = request->torch ? request->torch :
					      source->info->release;

	if (request->setting &&
	    setting_read(&view->setting, request->setting, torch) !=
		    STATUS_DONE)
		return false;
	view->setting_text = request->setting ? request->setting :
						source->info->setting;
	view->replay.setting = view->setting ?
				       la_setting_values(view->setting) :
				       la_program_setting(source->program);
	view->replay.torch_release = torch;
	view->replay.limit = limit_of(view);
	view->look.replay = &view->replay;
	return true;
}

const char *view_torch(const struct view *view)
{
	const struct source *source = view->request.source;
	const char *recorded = la_recording_torch(source->recording);

	if (view->request.torch)
		return la_release_name(view->request.torch);
	if (recorded || !source->program)
		return recorded;
	return source_release(source->info);
}

const struct la_card *view_card(const struct view *view)
{
	const struct la_card *card;
	size_t i;

	for (i = 0; (card = la_card_at(i)); i++)
		if (card->total == view->timeline.total)
			return card;
	return NULL;
}

/* The last part of the path, and what is replayed. */
static bool set_name(struct view *view)
{
	const char *path = view->request.source->path;
	const char *slash = strrchr(path, '/');
	struct la_strbuf name = { 0 };

	la_strbuf_addstr(&name, slash ? slash + 1 : path);
	if (view->request.setting)
		la_strbuf_addf(&name, ", %s",
			       *view->request.setting ?
				       view->request.setting :
				       "default setting");
	else if (view->request.replay)
		la_strbuf_addstr(&name, ", replayed");
	view->name = name.data;
	return !name.failed;
}

/* What is known of the last failure that ended it. */
static int find_failure(struct view *view, struct la_error *err)
{
	const struct source *source = view->request.source;
	struct la_replay_options options = view->replay;
	struct la_replay_result result;
	int code;

	if (!source->program ||
	    (!view->request.replay && !source->info->ends_in_oom))
		return 0;
	if (!view->request.replay) {
		options.setting = la_program_setting(source->program);
		options.as_recorded = true;
	}
	options.oom = &view->moment;
	options.holder_key = holders_key;
	options.holder_data = &view->holders;
	code = la_replay(source->program, &options, &result, err);
	view->failed = !code && !result.ran;
	return code;
}

/* The moment that the map shows. */
static uint64_t choose_moment(const struct view *view)
{
	const struct la_timeline *timeline = &view->timeline;

	if (view->request.at != VIEW_AT_WORST)
		return view->request.at;
	return timeline->oom_count ?
		       timeline->oom[timeline->oom_count - 1].event :
		       timeline->peak;
}

static int read_map(struct view *view, struct la_error *err)
{
	const struct source *source = view->request.source;
	const struct la_timeline *timeline = &view->timeline;
	uint64_t at = choose_moment(view);
	int code = la_map_read(&view->map, source->recording,
			       (unsigned int)source->device, source->program,
			       &view->look, at, err);

	if (code < 0)
		return code;
	/* What failed is numbered as it is shown. */
	view->failed &= timeline->oom_count &&
			timeline->oom[timeline->oom_count - 1].event ==
				view->map.event;
	if (view->failed) {
		view->moment.event = view->map.event;
		return 0;
	}
	la_oom_state_release(&view->moment);
	moment_of_map(&view->moment, &view->map);
	view->moment.limit = timeline->limit;
	return 0;
}

static int read_timeline(struct view *view, struct la_error *err)
{
	const struct source *source = view->request.source;
	int code;

	if (!set_name(view) || !holders_init(&view->holders, source))
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	code = find_failure(view, err);
	if (!code)
		code = la_timeline_read(&view->timeline, source->recording,
					(unsigned int)source->device,
					source->program, &view->look, err);
	return code;
}

/* False after a message: there is no such moment. */
static bool has_moment(const struct view *view)
{
	uint64_t at = view->request.at, count = view->timeline.event_count;

	if (at == VIEW_AT_WORST || at <= count)
		return true;
	print_error("'%s' has no event %" PRIu64 ", it has %" PRIu64,
		    view->request.source->path, at, count);
	return false;
}

static int cannot_show(const struct view *view, const struct la_error *err)
{
	print_error("cannot show '%s': %s", view->request.source->path,
		    err->text);
	return STATUS_CANNOT_TELL;
}

int view_open(struct view *view, const struct view_request *request)
{
	const struct source *source = request->source;
	struct la_error err;

	*view = (struct view){
		.request = *request,
		.look.point_count = POINTS,
	};
	view->setting_text = source->program ? source->info->setting :
					       source_setting(source);
	if (!view->setting_text)
		view->setting_text = "";
	if (request->replay && !set_replay(view))
		return STATUS_CANNOT_TELL;
	if (read_timeline(view, &err) < 0)
		return cannot_show(view, &err);
	if (!has_moment(view))
		return STATUS_USAGE;
	return read_map(view, &err) < 0 ? cannot_show(view, &err) :
					  STATUS_DONE;
}

void view_close(struct view *view)
{
	free(view->name);
	la_setting_free(view->setting);
	holders_release(&view->holders);
	la_timeline_release(&view->timeline);
	la_map_release(&view->map);
	la_oom_state_release(&view->moment);
}

const char *view_moment_name(const struct view *view, char text[48])
{
	const struct la_timeline *timeline = &view->timeline;
	size_t i;

	for (i = 0; i < timeline->oom_count; i++) {
		if (timeline->oom[i].event != view->map.event)
			continue;
		snprintf(text, 48, "OOM %zu", i + 1);
		return text;
	}
	if (view->map.event == timeline->peak)
		return "peak";
	if (view->map.event == timeline->event_count)
		return "end";
	snprintf(text, 48, "event %" PRIu64, view->map.event);
	return text;
}
