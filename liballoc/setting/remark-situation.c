// SPDX-License-Identifier: Apache-2.0
/* What is fine in itself and yet not here: releases, platforms, run time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "setting/scan.h"
#include "util/strbuf.h"
#include "util/util.h"

static void remark_platform(struct la_scan *s)
{
	const size_t field = LA_FIELD(expandable_segments);

	if (s->context->platform == LA_PLATFORM_WINDOWS)
		la_remark_field(s, field, LA_REMARK_PLATFORM,
				"torch for Windows warns once that the "
				"platform does not support it and goes on "
				"without");
	else if (s->context->platform == LA_PLATFORM_WSL)
		la_remark_field(s, field, LA_REMARK_PLATFORM,
				"under WSL it depends on the driver: look for "
				"torch's warning 'expandable_segments not "
				"supported on this platform'");
}

static void remark_sharing(struct la_scan *s)
{
	const char *text = "other processes open such memory through "
			   "pidfd_getfd(); programs that call "
			   "cudaIpcGetMemHandle themselves fail";

	if (s->context->release < LA_RELEASE(2, 5))
		text = "tensors in such memory cannot be sent to other "
		       "processes (CUDA IPC) before torch 2.5";
	if (s->context->platform != LA_PLATFORM_WINDOWS)
		la_remark_field(s, LA_FIELD(expandable_segments),
				LA_REMARK_SHARING, text);
}

/* Seen by others: pytorch issue 123548 and pull request 193400. */
static void remark_pair(struct la_scan *s)
{
	const size_t field = LA_FIELD(max_split_size);

	if (s->values->max_split_size == UINT64_MAX)
		return;
	if (s->context->release >= LA_RELEASE(2, 12))
		la_remark_field(s, field, LA_REMARK_HARMFUL_PAIR,
				"with expandable_segments, reserved memory "
				"grows without bound from torch 2.12 on: "
				"reported from 220 to 14060 MiB where at most "
				"306 MiB were in use");
	else if (s->context->release < LA_RELEASE(2, 4))
		la_remark_field(s, field, LA_REMARK_HARMFUL_PAIR,
				"with expandable_segments, torch up to 2.3 "
				"may give back memory that it must not and "
				"crash");
}

static void add_name(struct la_strbuf *list, const char *name)
{
	la_strbuf_addf(list, "%s%s", list->length ? ", " : "", name);
}

/* Of all options that are not named: which start anew, which stay. */
static void list_unnamed(const struct la_scan *s, struct la_strbuf *anew,
			 struct la_strbuf *kept)
{
	const struct la_setting_option *about;
	const struct la_option *option;
	size_t i;

	for (i = 0; (about = la_setting_option_at(i)); i++) {
		option = la_option_find(s->context->release, about->name,
					strlen(about->name));
		if (!option || s->seen[option->field].option ||
		    la_option_main_name(option) != about->name)
			continue;
		if (option->anew && option->anew <= s->context->release)
			add_name(anew, about->name);
		else if (option->kind != LA_OPTION_BACKEND)
			add_name(kept, about->name);
	}
}

static void remark_runtime(struct la_scan *s)
{
	struct la_strbuf anew = { 0 }, kept = { 0 };
	size_t end = s->tokens->source_length;

	list_unnamed(s, &anew, &kept);
	if (anew.length)
		la_remark(s->remarks, LA_REMARK_STARTS_ANEW, 0, end,
			  "not named and back at its default: %s", anew.data);
	if (kept.length)
		la_remark(s->remarks, LA_REMARK_STARTS_ANEW, 0, end,
			  "not named and as it was before: %s", kept.data);
	s->remarks->failed |= anew.failed | kept.failed;
	la_strbuf_release(&anew);
	la_strbuf_release(&kept);
	la_remark(s->remarks, LA_REMARK_SETTER, 0, end,
		  "memory that is held keeps its shape; of 42 random programs "
		  "that changed settings, 4 crashed torch 2.11.0 (none of 328 "
		  "without)");
}

/* Guides recommend values of one option alone. */
static void remark_guides(struct la_scan *s)
{
	const struct la_preset_replay *replay;
	char setting[64], text[256];
	size_t i;

	snprintf(setting, sizeof(setting), "max_split_size_mb:%" PRIu64,
		 s->values->max_split_size / MIB);
	for (i = 0; (replay = la_preset_replay_at(i)); i++) {
		if (strcmp(replay->setting, setting))
			continue;
		snprintf(text, sizeof(text),
			 "guides recommend it; programs that were replayed "
			 "need %.2f to %.2f of what the default needs, and "
			 "reserve %.2f to %.2f times as much where nothing "
			 "limits them: try 'allocctl tune'",
			 replay->needs[0], replay->needs[1],
			 replay->reserves[0], replay->reserves[1]);
		la_remark_field(s, LA_FIELD(max_split_size), LA_REMARK_GUIDES,
				text);
	}
}

void la_remark_situation(struct la_scan *s)
{
	if (!s->values->cuda_malloc_async)
		remark_guides(s);
	if (s->values->expandable_segments && !s->values->cuda_malloc_async) {
		remark_platform(s);
		remark_sharing(s);
		remark_pair(s);
	}
	if (s->context->set_at == LA_SET_AT_RUNTIME)
		remark_runtime(s);
}
