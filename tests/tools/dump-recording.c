// SPDX-License-Identifier: Apache-2.0
/* Print all that the reader knows of a recording, one thing a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/trace.h>

static void dump_pool(const struct la_recording *recording, uint16_t pool)
{
	uint64_t id[2];

	la_recording_pool(recording, pool, id);
	printf(" pool %" PRIu64 " %" PRIu64, id[0], id[1]);
}

/* " frames f x.py 3, g x.py 4", and the end of the line. */
static void dump_stack(const struct la_recording *recording, uint32_t stack)
{
	const struct la_frame *frame;
	const uint32_t *frames;
	size_t count = la_recording_stack(recording, stack, &frames), i;

	if (stack)
		printf(" frames");
	for (i = 0; i < count; i++) {
		frame = la_recording_frame(recording, frames[i]);
		printf("%s %s %s %u", i ? "," : "", frame->function,
		       frame->file, (unsigned int)frame->line);
	}
	putchar('\n');
}

static void dump_segments(const struct la_recording *recording,
			  const struct la_recorded_device *device)
{
	size_t i, j;

	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *s = &device->segments[i];

		printf("segment %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       " %" PRIu64 " %d %d",
		       s->addr, s->size, s->pool[0], s->pool[1],
		       la_recording_stream(recording, s->stream), s->small,
		       s->expandable);
		dump_stack(recording, s->stack);
		for (j = 0; j < s->block_count; j++) {
			const struct la_recorded_block *b =
				&device->blocks[s->first_block + j];

			printf("block %" PRIu64 " %" PRIu64 " %d", b->size,
			       b->requested, b->state);
			dump_stack(recording, b->stack);
		}
	}
}

static void dump_device(const struct la_recording *recording,
			unsigned int number)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, number);
	size_t i;

	printf("device %u setting %s cap %" PRIu64 " total %" PRIu64
	       " unknown %zu\n",
	       number, device->setting ? device->setting : "(none)",
	       device->cap, device->total, device->unknown_count);
	dump_segments(recording, device);
	for (i = 0; i < device->event_count; i++) {
		const struct la_event *e = &device->events[i];

		printf("event %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		       la_action_name((enum la_action)e->action), e->addr,
		       e->size, la_recording_stream(recording, e->stream),
		       e->time_us);
		if (device->has_pool_ids)
			dump_pool(recording, e->pool);
		dump_stack(recording, device->event_stacks ?
					      device->event_stacks[i] :
					      0);
	}
}

int main(int argc, char **argv)
{
	struct la_recording_options options = { 0 };
	struct la_recording *recording;
	struct la_error err;
	unsigned int i;

	options.partial = argc == 3 && !strcmp(argv[1], "--partial");
	if (argc != 2 && !options.partial) {
		fprintf(stderr, "usage: dump-recording [--partial] FILE\n");
		return 2;
	}
	if (la_recording_open(&recording, argv[argc - 1], &options, &err) < 0) {
		fprintf(stderr, "dump-recording: cannot read '%s': %s\n",
			argv[argc - 1], err.text);
		return EXIT_FAILURE;
	}
	printf("torch %s partial %d\n",
	       la_recording_torch(recording) ? la_recording_torch(recording)
					     : "(none)",
	       la_recording_is_partial(recording));
	for (i = 0; i < la_recording_device_count(recording); i++)
		dump_device(recording, i);
	la_recording_free(recording);
	return EXIT_SUCCESS;
}
