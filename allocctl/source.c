// SPDX-License-Identifier: Apache-2.0
/* Reading a recording, and what every report says of it first. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/probe.h>
#include <liballoc/trace.h>

#include "cmd.h"
#include "print.h"
#include "source.h"
#include "util/size.h"

const char *const source_limit_kinds[] = {
	[LA_LIMIT_NONE] = "none",
	[LA_LIMIT_CAP] = "cap",
	[LA_LIMIT_CARD] = "card",
};

static const char *const limit_sources[] = {
	[LA_LIMIT_FROM_CALLER] = "the command line",
	[LA_LIMIT_FROM_COMPANION] = "the companion file",
	[LA_LIMIT_FROM_FRACTION] = "per_process_memory_fraction",
	[LA_LIMIT_FROM_OOM] = "the OOM event of a full card",
	[LA_LIMIT_FROM_EVENTS] = "the events",
};

static const char *const release_sources[] = {
	[LA_RELEASE_ASSUMED] = "assumed",
	[LA_RELEASE_FROM_CALLER] = "the command line",
	[LA_RELEASE_FROM_COMPANION] = "the companion file",
	[LA_RELEASE_FROM_KEYS] = "the keys of the snapshot",
	[LA_RELEASE_FROM_TRIAL] = "trial",
};

/* How the release was learnt: "the companion file". */
static const char *source_release_source(const struct la_program_info *info)
{
	return release_sources[info->release_source];
}

/* The release of torch whose rules are taken, "2.11". */
const char *source_release(const struct la_program_info *info)
{
	return la_release_name(info->release);
}

const char *source_limit_source(const struct la_program_info *info)
{
	return limit_sources[info->limit_source];
}

const char *source_stream_text(char text[32],
			       const struct la_recording *recording,
			       uint32_t stream)
{
	uint64_t value = la_recording_stream(recording, stream);

	snprintf(text, 32, value ? "0x%" PRIx64 : "0", value);
	return text;
}

const char *source_count_text(char text[32], uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count), i;
	char *out = text;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}

const char *source_limit_text(char text[64], const struct la_limit *limit)
{
	char size[LA_SIZE_TEXT];

	if (limit->kind == LA_LIMIT_NONE)
		return strcpy(text, "none");
	snprintf(text, 64, "%s of %s", source_limit_kinds[limit->kind],
		 la_size_format(size, limit->bytes));
	return text;
}

static int cannot_read(struct source *source, const struct la_error *err)
{
	source->no_memory = err->code == -ENOMEM;
	print_error("cannot read '%s': %s", source->path, err->text);
	return STATUS_CANNOT_TELL;
}

void source_check_companion(const struct source *source)
{
	if (la_recording_companion(source->recording) ==
	    LA_COMPANION_UNREADABLE)
		print_error("warning: the companion file of '%s' is not read: "
			    "this build lacks jansson", source->path);
}

int source_open_recording(struct source *source)
{
	const struct la_recording_options options = {
		.partial = source->partial,
	};
	struct la_error err;
	unsigned int count;

	if (la_recording_open(&source->recording, source->path, &options,
			      &err) < 0)
		return cannot_read(source, &err);
	source_check_companion(source);
	count = la_recording_device_count(source->recording);
	if (source->device == SOURCE_MAIN_DEVICE)
		source->device = la_recording_main_device(source->recording);
	if (source->device < count)
		return STATUS_DONE;
	print_error("'%s' has no device %" PRIu64 ", it has %u", source->path,
		    source->device, count);
	return STATUS_USAGE;
}

static int no_history(const struct source *source)
{
	if (la_recording_is_probe(source->recording)) {
		print_error("'%s' has no allocations of device %" PRIu64,
			    source->path, source->device);
		return STATUS_CANNOT_TELL;
	}
	print_error("'%s' has no history of device %" PRIu64 ": nothing was "
		    "recorded; call torch.cuda.memory._record_memory_history()"
		    " first", source->path, source->device);
	return STATUS_CANNOT_TELL;
}

bool source_is_understood(const struct source *source)
{
	return source->info->understood == source->info->event_count;
}

/* Is there anything to replay? */
static bool has_program(const struct source *source)
{
	const struct la_program_info *info = source->info;

	return info->event_count &&
	       (source_is_understood(source) || info->request_count);
}

static int no_program(const struct source *source)
{
	const struct la_program_info *info = source->info;
	char count[32], limit[64];

	if (la_recording_is_partial(source->recording))
		print_error("cannot replay '%s': of a truncated file, the "
			    "history must begin with the first allocation",
			    source->path);
	else
		print_error("cannot replay '%s': nothing explains event %s "
			    "under the setting '%s' and the limit %s, from %s",
			    source->path,
			    source_count_text(count, info->understood),
			    info->setting,
			    source_limit_text(limit, &info->limit),
			    source_limit_source(info));
	return STATUS_CANNOT_TELL;
}

static const struct la_recorded_device *
recorded_device(const struct source *source)
{
	return la_recording_device(source->recording,
				   (unsigned int)source->device);
}

bool source_has_history(const struct source *source)
{
	return recorded_device(source)->event_count;
}

bool source_has_requests(const struct source *source)
{
	const struct la_recorded_device *device = recorded_device(source);
	size_t i;

	for (i = 0; i < device->event_count; i++)
		if (device->events[i].action == LA_ALLOC ||
		    device->events[i].action == LA_OOM)
			return true;
	return false;
}

const char *source_setting(const struct source *source)
{
	return recorded_device(source)->setting;
}

bool source_has_segments(const struct source *source)
{
	return recorded_device(source)->segment_count;
}

int source_open_program(struct source *source,
			const struct la_program_options *options)
{
	unsigned int device = (unsigned int)source->device;
	struct la_error err;
	int code;

	if (!source_has_history(source))
		return no_history(source);
	code = la_program_new(&source->program, source->recording, device,
			      options, &err);
	if (code < 0)
		return cannot_read(source, &err);
	source->info = la_program_info(source->program);
	if (source->info->refused_setting)
		print_error("warning: torch %s refuses the recorded setting "
			    "'%s'; it is read as '%s'",
			    source_release(source->info),
			    source->info->refused_setting,
			    source->info->setting);
	if (!has_program(source))
		return no_program(source);
	if (la_program_verify(source->program, &source->check, &err) < 0)
		return cannot_read(source, &err);
	return STATUS_DONE;
}

int source_open(struct source *source, const struct la_program_options *options)
{
	int status = source_open_recording(source);

	if (status != STATUS_DONE)
		return status;
	return source_open_program(source, options);
}

int source_check_program(const struct source *source)
{
	const struct la_program_info *info = source->info;
	char done[32], all[32];

	if (!info->request_count && !info->oom_count) {
		print_error("'%s' has no requests in its history: nothing to "
			    "replay", source->path);
		return STATUS_CANNOT_TELL;
	}
	if (source_is_understood(source))
		return STATUS_DONE;
	print_error("cannot tell of '%s': only %s of its %s events are "
		    "understood (private pools? another setting or limit?)",
		    source->path, source_count_text(done, info->understood),
		    source_count_text(all, info->event_count));
	return STATUS_CANNOT_TELL;
}

void source_close(struct source *source)
{
	la_program_free(source->program);
	la_recording_free(source->recording);
}

static void print_range(const struct la_program_info *info)
{
	char low[LA_SIZE_TEXT], high[LA_SIZE_TEXT];

	la_size_format(low, info->limit_range[0]);
	la_size_format(high, info->limit_range[1]);
	if (info->limit_range[1] == UINT64_MAX)
		printf(" (%s or more)", low);
	else
		printf(" (%s to %s)", low, high);
}

static void print_release(const struct la_program_info *info)
{
	static const char *const texts[] = {
		[LA_RELEASE_ASSUMED] = "taken, as nothing tells it",
		[LA_RELEASE_FROM_CALLER] = "from the command line",
		[LA_RELEASE_FROM_COMPANION] = "from the companion file",
		[LA_RELEASE_FROM_KEYS] = "the nearest to 2.11 that writes the "
					 "keys of the snapshot",
		[LA_RELEASE_FROM_TRIAL] = "which explains the events best of "
					  "those tried",
	};

	printf("torch       %s, %s\n", source_release(info),
	       texts[info->release_source]);
}

static void print_count(const char *label, uint64_t right, uint64_t all)
{
	char a[32], b[32];

	printf("%s of %s %s", source_count_text(a, right),
	       source_count_text(b, all), label);
}

static void print_check(const struct source *source)
{
	const struct la_verification *check = &source->check;

	fputs("self-check  ", stdout);
	print_paint(check->exact ? PRINT_GREEN : PRINT_RED,
		    check->exact ? "exact" : "not exact");
	fputs(": ", stdout);
	print_count("placements, ", check->placements_right,
		    check->placements);
	print_count("segment events", check->segment_events_right,
		    check->segment_events);
	if (check->ooms) {
		fputs(", ", stdout);
		print_count("OOMs", check->ooms_right, check->ooms);
	}
	fputs(" reproduced\n", stdout);
}

/* What the reading of the recording had to take for granted. */
static void print_reading(const struct la_program_info *info)
{
	char a[32], b[32];

	if (info->flush_count || info->refusal_count)
		printf("read        %s empty_cache calls, %s refusals of the "
		       "driver\n",
		       source_count_text(a, info->flush_count),
		       source_count_text(b, info->refusal_count));
	if (info->adopted_count)
		printf("adopted     %s events were taken as recorded, no rule "
		       "predicts them\n",
		       source_count_text(a, info->adopted_count));
	if (info->changed_to)
		printf("changed     setting to '%s' before event %s",
		       info->changed_to,
		       source_count_text(a, info->changed_at[0]));
	if (info->changed_to && info->changed_at[0] != info->changed_at[1])
		printf(" to %s: what fits the events",
		       source_count_text(a, info->changed_at[1]));
	if (info->changed_to)
		putchar('\n');
	if (info->understood < info->event_count)
		printf("stopped     nothing explains event %s; what follows is "
		       "left out\n",
		       source_count_text(a, info->understood));
	if (info->first_event)
		printf("left out    the first %s events: the history was paused "
		       "behind them, or\n"
		       "            begins inside a request\n",
		       source_count_text(a, info->first_event));
	if (info->inferred_count)
		printf("pools       %s segments that are gone by the end were "
		       "of private pools, as\n"
		       "            the events imply\n",
		       source_count_text(a, info->inferred_count));
	if (info->window)
		printf("window      the recording starts late; %s blocks of "
		       "unsure size (at most 1 MiB each)\n",
		       source_count_text(a, info->unsure_count));
}

void source_print(const struct source *source)
{
	const struct la_program_info *info = source->info;
	char limit[64], count[32];

	fputs("recording   ", stdout);
	print_escaped(source->path);
	printf(", device %" PRIu64 ", %s events\n", source->device,
	       source_count_text(count, info->event_count));
	fputs("recorded    setting '", stdout);
	print_escaped(info->setting);
	printf("', limit %s, from %s",
	       source_limit_text(limit, &info->limit),
	       source_limit_source(info));
	if (info->limit_range[0] != info->limit_range[1])
		print_range(info);
	putchar('\n');
	print_release(info);
	if (la_recording_is_partial(source->recording))
		puts("truncated   the file ends early; what came then is not "
		     "known");
	if (la_recording_is_probe(source->recording))
		puts("probe       recorded by cupti-probe: requests are "
		     "rounded, streams inferred");
	print_check(source);
	print_reading(info);
}

void source_json_limit(struct la_json *json, const char *key,
		       const struct la_limit *limit)
{
	la_json_key(json, key);
	la_json_object_begin(json);
	la_json_member_text(json, "kind", source_limit_kinds[limit->kind]);
	la_json_member_known_uint(json, "bytes", limit->kind != LA_LIMIT_NONE,
				  limit->bytes);
	la_json_object_end(json);
}

void source_json_range(struct la_json *json, const char *key,
		       const uint64_t range[2])
{
	int i;

	la_json_key(json, key);
	la_json_array_begin(json);
	for (i = 0; i < 2; i++)
		if (range[i] == UINT64_MAX)
			la_json_null(json);
		else
			la_json_uint(json, range[i]);
	la_json_array_end(json);
}

void source_json_operations(struct la_json *json, const char *key,
			    const struct la_device_operations *operations)
{
	la_json_key(json, key);
	la_json_object_begin(json);
	la_json_member_uint(json, "mallocs", operations->mallocs);
	la_json_member_uint(json, "frees", operations->frees);
	la_json_member_uint(json, "maps", operations->maps);
	la_json_member_uint(json, "unmaps", operations->unmaps);
	la_json_member_uint(json, "synchronisations",
			    operations->synchronisations);
	la_json_object_end(json);
}

static void json_event(struct la_json *json, const char *key,
		       const struct la_replay_event *event)
{
	if (event->action == LA_ACTION_COUNT) {
		la_json_member_null(json, key);
		return;
	}
	la_json_key(json, key);
	la_json_object_begin(json);
	la_json_member_text(json, "action", la_action_name(event->action));
	la_json_member_known_uint(json, "addr", event->action != LA_OOM,
				  event->addr);
	la_json_member_uint(json, "size", event->size);
	la_json_member_uint(json, "stream", event->stream);
	la_json_object_end(json);
}

/* Segments whose private pool the events imply, by the event that brought
 * them; the id is null where the pool too is gone by the end. */
static void json_inferred(struct la_json *json,
			  const struct la_program *program, size_t count)
{
	const struct la_inferred_pool *inferred =
		la_program_inferred_pools(program);
	size_t i;
	int k;

	la_json_key(json, "pools_inferred");
	la_json_array_begin(json);
	for (i = 0; i < count; i++) {
		la_json_object_begin(json);
		la_json_member_uint(json, "event", inferred[i].event);
		la_json_key(json, "pool");
		if (inferred[i].gone) {
			la_json_null(json);
		} else {
			la_json_array_begin(json);
			for (k = 0; k < 2; k++)
				la_json_uint(json, inferred[i].pool[k]);
			la_json_array_end(json);
		}
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

static void json_difference(struct la_json *json,
			    const struct la_verification *check)
{
	if (check->first_difference == UINT64_MAX) {
		la_json_member_null(json, "first_difference");
		return;
	}
	la_json_key(json, "first_difference");
	la_json_object_begin(json);
	la_json_member_uint(json, "event", check->first_difference);
	json_event(json, "recorded", &check->recorded);
	json_event(json, "replayed", &check->replayed);
	la_json_object_end(json);
}

static void json_check(struct la_json *json,
		       const struct la_verification *check)
{
	la_json_key(json, "self_check");
	la_json_object_begin(json);
	la_json_member_bool(json, "exact", check->exact);
	la_json_member_uint(json, "placements", check->placements);
	la_json_member_uint(json, "placements_right", check->placements_right);
	la_json_member_uint(json, "segment_events", check->segment_events);
	la_json_member_uint(json, "segment_events_right",
			    check->segment_events_right);
	la_json_member_uint(json, "ooms", check->ooms);
	la_json_member_uint(json, "ooms_right", check->ooms_right);
	la_json_member_uint(json, "events_adopted", check->adopted);
	la_json_member_uint(json, "peak_reserved_recorded",
			    check->reserved_peak_recorded);
	la_json_member_uint(json, "peak_reserved_replayed",
			    check->reserved_peak_replayed);
	json_difference(json, check);
	la_json_object_end(json);
}

static void json_recorded(const struct source *source, struct la_json *json)
{
	const struct la_program_info *info = source->info;

	la_json_key(json, "recorded");
	la_json_object_begin(json);
	la_json_member_text(json, "setting", info->setting);
	la_json_member_text(json, "refused_setting", info->refused_setting);
	la_json_member_text(json, "changed_to", info->changed_to);
	if (info->changed_to)
		source_json_range(json, "changed_at", info->changed_at);
	source_json_limit(json, "limit", &info->limit);
	la_json_member_text(json, "limit_source", source_limit_source(info));
	source_json_range(json, "limit_range", info->limit_range);
	la_json_member_text(json, "torch",
			    la_recording_torch(source->recording));
	la_json_member_text(json, "release", source_release(info));
	la_json_member_text(json, "release_source",
			    source_release_source(info));
	la_json_member_uint(json, "events", info->event_count);
	la_json_member_uint(json, "events_understood", info->understood);
	la_json_member_uint(json, "first_event", info->first_event);
	la_json_member_uint(json, "requests", info->request_count);
	la_json_member_uint(json, "ooms", info->oom_count);
	la_json_member_bool(json, "ends_in_oom", info->ends_in_oom);
	la_json_member_uint(json, "flushes_read", info->flush_count);
	la_json_member_uint(json, "refusals_read", info->refusal_count);
	la_json_member_bool(json, "window", info->window);
	la_json_member_bool(json, "partial",
			    la_recording_is_partial(source->recording));
	la_json_member_bool(json, "probe",
			    la_recording_is_probe(source->recording));
	la_json_member_uint(json, "blocks_of_unsure_size", info->unsure_count);
	json_inferred(json, source->program, info->inferred_count);
	la_json_object_end(json);
}

void source_json(const struct source *source, struct la_json *json)
{
	la_json_member_text(json, "file", source->path);
	la_json_member_uint(json, "device", source->device);
	json_recorded(source, json);
	json_check(json, &source->check);
	la_json_member_uint(json, "peak_live", source->info->peak_live);
}
