// SPDX-License-Identifier: Apache-2.0
/* What liballoc_torch.py asks by ctypes; all numbers are 64 bits wide. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "torch/plugin.h"
#include "util/error.h"
#include "util/util.h"

/* Words of a block, in the order of la_torch_blocks(). */
enum {
	BLOCK_ADDR,
	BLOCK_SIZE,
	BLOCK_REQUESTED,
	BLOCK_SEGMENT,
	BLOCK_SEGMENT_SIZE,
	BLOCK_STREAM,
	BLOCK_POOL,
	BLOCK_POOL_SECOND,
	BLOCK_STATE, /* enum la_block_state */
	BLOCK_FLAGS, /* 1: small, 2: of an expandable segment */
	BLOCK_WORDS
};

int la_torch_configure(const char *release, const char *options, char *why,
		       size_t room);
int la_torch_is_used(void);
int la_torch_device_count(void);
const char *la_torch_policy(void);
void la_torch_observe(la_plugin_observer *observer);
const char *la_torch_figure_names(void);
int la_torch_figures(unsigned int device, uint64_t *value);
int la_torch_reset_peaks(unsigned int device);
long la_torch_blocks(unsigned int device, uint64_t *word, size_t room);
long la_torch_history(unsigned int device, struct la_event *event,
		      size_t count, uint64_t *stream, size_t streams);
int la_torch_check(char *why, size_t room);

#define FIGURES(X)                                        \
	X(heap.reserved) X(heap.reserved_peak)            \
	X(heap.allocated) X(heap.allocated_peak)          \
	X(heap.active) X(heap.active_peak)                \
	X(heap.device_allocs) X(heap.device_frees)        \
	X(heap.retries) X(heap.ooms) X(heap.syncs)        \
	X(requested) X(requested_peak) X(live) X(live_peak) \
	X(served) X(freed) X(cached_hits) X(inactive)     \
	X(segments) X(segments_peak) X(driver_calls)      \
	X(stream_waits) X(stalls) X(time) X(device_time)

#define OFFSET(name) offsetof(struct la_allocator_stats, name),
#define NAME(name) #name " "

static const size_t figure_offsets[] = { FIGURES(OFFSET) };

/* Copy the text of an error to the caller's room. */
static int tell(int status, const struct la_error *err, char *why, size_t room)
{
	const char *text = err->code ? err->text : strerror(-status);
	size_t length = strlen(text);

	if (status == 0 || !room)
		return status;
	if (length >= room)
		length = room - 1;
	memcpy(why, text, length);
	why[length] = '\0';
	return status;
}

LA_EXPORT int la_torch_configure(const char *release, const char *options,
				 char *why, size_t room)
{
	struct la_error err = { .code = 0 };
	int status = la_plugin_configure(release, options, &err);

	return tell(status, &err, why, room);
}

LA_EXPORT int la_torch_is_used(void)
{
	return la_plugin_if_used() != NULL;
}

LA_EXPORT int la_torch_device_count(void)
{
	const struct la_plugin *plugin = la_plugin_if_used();

	return plugin ? (int)plugin->devices.count : 0;
}

LA_EXPORT const char *la_torch_policy(void)
{
	const struct la_plugin *plugin = la_plugin_if_used();

	return plugin ? la_plugin_policy(plugin) : NULL;
}

LA_EXPORT void la_torch_observe(la_plugin_observer *observer)
{
	la_plugin_observe(observer);
}

/* Names with a blank behind each, in the order of la_torch_figures(). */
LA_EXPORT const char *la_torch_figure_names(void)
{
	return FIGURES(NAME) "total cap ";
}

LA_EXPORT int la_torch_figures(unsigned int device, uint64_t *value)
{
	const struct la_plugin *plugin = la_plugin_if_used();
	struct la_allocator_stats stats;
	size_t i;
	int status;

	if (!plugin)
		return -ENODEV;
	status = la_allocator_stats(plugin->allocator, device, &stats);
	if (status < 0)
		return status;
	for (i = 0; i < ARRAY_SIZE(figure_offsets); i++)
		memcpy(&value[i], (const char *)&stats + figure_offsets[i],
		       sizeof(*value));
	value[i++] = plugin->devices.total[device];
	value[i] = plugin->cap[device];
	return 0;
}

LA_EXPORT int la_torch_reset_peaks(unsigned int device)
{
	const struct la_plugin *plugin = la_plugin_if_used();

	return plugin ? la_allocator_reset_peaks(plugin->allocator, device) :
			-ENODEV;
}

/* Blocks that la_allocator_walk() shows, while there is room. */
struct listing {
	uint64_t *word;
	size_t room; /* blocks */
	size_t count;
};

static void list_block(void *data, const struct la_block_info *info)
{
	struct listing *listing = data;
	uint64_t *word = listing->word + listing->count * BLOCK_WORDS;

	if (listing->count++ >= listing->room)
		return;
	word[BLOCK_ADDR] = info->addr;
	word[BLOCK_SIZE] = info->size;
	word[BLOCK_REQUESTED] = info->requested;
	word[BLOCK_SEGMENT] = info->segment_addr;
	word[BLOCK_SEGMENT_SIZE] = info->segment_size;
	word[BLOCK_STREAM] = info->stream;
	word[BLOCK_POOL] = info->pool[0];
	word[BLOCK_POOL_SECOND] = info->pool[1];
	word[BLOCK_STATE] = (uint64_t)info->state;
	word[BLOCK_FLAGS] = (info->small ? 1U : 0U) |
			    (info->granule ? 2U : 0U);
}

/* Returns the number of blocks; of more than room, the rest is left out. */
LA_EXPORT long la_torch_blocks(unsigned int device, uint64_t *word, size_t room)
{
	const struct la_plugin *plugin = la_plugin_if_used();
	struct listing listing = { .word = word, .room = room };
	int status;

	if (!plugin)
		return -ENODEV;
	status = la_allocator_walk(plugin->allocator, device, list_block,
				   &listing);
	return status < 0 ? status : (long)listing.count;
}

LA_EXPORT long la_torch_history(unsigned int device, struct la_event *event,
				size_t count, uint64_t *stream, size_t streams)
{
	const struct la_plugin *plugin = la_plugin_if_used();

	return plugin ? la_allocator_history(plugin->allocator, device, event,
					     count, stream, streams) :
			-ENODEV;
}

LA_EXPORT int la_torch_check(char *why, size_t room)
{
	const struct la_plugin *plugin = la_plugin_if_used();
	struct la_error err = { .code = 0 };

	return plugin ? tell(la_allocator_check(plugin->allocator, &err), &err,
			     why, room) :
			-ENODEV;
}
