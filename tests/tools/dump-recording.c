// SPDX-License-Identifier: Apache-2.0
/* Print all that the reader knows of a recording, one thing a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/trace.h>

static void dump_segments(const struct la_recording *recording,
			  const struct la_recorded_device *device)
{
	size_t i, j;

	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *s = &device->segments[i];

		printf("segment %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       " %" PRIu64 " %d %d\n",
		       s->addr, s->size, s->pool[0], s->pool[1],
		       la_recording_stream(recording, s->stream), s->small,
		       s->expandable);
		for (j = 0; j < s->block_count; j++) {
			const struct la_recorded_block *b =
				&device->blocks[s->first_block + j];

			printf("block %" PRIu64 " %" PRIu64 " %d\n", b->size,
			       b->requested, b->state);
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

		printf("event %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       "\n",
		       la_action_name((enum la_action)e->action), e->addr,
		       e->size, la_recording_stream(recording, e->stream),
		       e->time_us);
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
