// SPDX-License-Identifier: Apache-2.0
/* What a device held when the recording ended: la_recording_picture(). */

#include <string.h>

#include <liballoc/replay.h>

#include "heap/internal.h"
#include "heap/picture.h"

/* Bytes that the large blocks of expandable segments map at once. */
static uint64_t large_granule(const struct la_recorded_device *device)
{
	const char *text = device->setting ? device->setting : "";
	struct la_setting *setting;
	uint64_t granule = 20 * MIB;

	if (la_setting_parse(&setting, text, strlen(text), LA_SET_AT_INIT,
			     NULL) < 0)
		return granule;
	granule = la_setting_values(setting)->large_segment_size;
	la_setting_free(setting);
	return granule;
}

static void add_segment(struct drawing *drawing,
			const struct la_recorded_device *device,
			const struct la_recorded_segment *segment,
			struct la_block_info *info)
{
	static const uint8_t states[] = {
		[LA_RECORDED_FREE] = LA_BLOCK_FREE,
		[LA_RECORDED_LIVE] = LA_BLOCK_LIVE,
		[LA_RECORDED_PENDING] = LA_BLOCK_PENDING,
	};
	uint32_t i;

	info->addr = segment->addr;
	for (i = 0; i < segment->block_count; i++) {
		const struct la_recorded_block *block =
			&device->blocks[segment->first_block + i];

		info->size = block->size;
		info->state = states[block->state];
		info->requested = info->state == LA_BLOCK_FREE ?
					  0 :
					  block->requested;
		drawing_add(drawing, info);
		info->addr += block->size;
	}
}

LA_EXPORT int la_recording_picture(const struct la_recording *recording,
				   unsigned int number, struct la_picture *out)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, number);
	uint64_t granule = large_granule(device);
	struct drawing drawing = { 0 };
	size_t i;

	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *segment =
			&device->segments[i];
		struct la_block_info info = {
			.segment_addr = segment->addr,
			.segment_size = segment->size,
			.stream = la_recording_stream(recording,
						      segment->stream),
			.pool = { segment->pool[0], segment->pool[1] },
			.block = LA_NO_BLOCK,
			.small = segment->small,
		};

		if (segment->expandable)
			info.granule = segment->small ? SMALL_SEGMENT : granule;
		add_segment(&drawing, device, segment, &info);
	}
	return drawing_finish(&drawing, out);
}
