// SPDX-License-Identifier: Apache-2.0
/* probe-of SNAPSHOT OUT [DEVICE]: write what the probe would have recorded. */
#include <stdio.h>
#include <stdlib.h>

#include <liballoc/replay.h>

#include "support/probe-file.h"

int main(int argc, char **argv)
{
	struct la_recording *recording;
	struct la_program *program;
	unsigned int device;
	struct probe_file file;
	struct la_error err;
	uint8_t *data;
	size_t size;
	FILE *out;

	if (argc < 3 || la_recording_open(&recording, argv[1], NULL, &err) < 0)
		return 2;
	device = argc > 3 ? (unsigned int)atoi(argv[3]) :
			    la_recording_main_device(recording);
	if (la_program_new(&program, recording, device, NULL, &err) < 0)
		return 2;
	probe_file_init(&file);
	probe_file_play(&file, recording, device, program);
	data = probe_file_bytes(&file, &size);
	out = fopen(argv[2], "wb");
	if (!out || fwrite(data, 1, size, out) != size || fclose(out))
		return 1;
	free(data);
	probe_file_release(&file);
	la_program_free(program);
	la_recording_free(recording);
	return 0;
}
