// SPDX-License-Identifier: Apache-2.0
/*
 * probe-of [--driver] SNAPSHOT OUT [DEVICE]: write what the probe would have
 * recorded; with --driver, where it saw the driver's calls alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/replay.h>

#include "support/probe-file.h"

/* The allocator was not seen: calls that failed are all there is of an OOM. */
static void forget_allocator(struct probe_file *file)
{
	size_t i, kept = 0;

	file->header.view[LA_PROBE_ALLOCATOR].from = 0;
	file->record_count[LA_PROBE_ALLOCATOR] = 0;
	for (i = 0; i < file->holding_count; i++)
		if (file->holding[i].kind != LA_PROBE_KIND_BLOCK)
			file->holding[kept++] = file->holding[i];
	file->holding_count = kept;
	for (i = 0; i < file->oom_count; i++) {
		file->oom[i].state = LA_PROBE_OOM_ASKED;
		file->oom[i].request = 0;
	}
}

static int write_file(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "wb");

	if (!out)
		return 1;
	if (fwrite(data, 1, size, out) != size) {
		fclose(out);
		return 1;
	}
	return fclose(out) != 0;
}

int main(int argc, char **argv)
{
	bool driver = argc > 1 && !strcmp(argv[1], "--driver");
	struct la_recording *recording;
	struct la_program *program;
	unsigned int device;
	struct probe_file file;
	uint8_t *data;
	size_t size;
	int status;

	argv += driver;
	argc -= driver;
	if (argc < 3 || la_recording_open(&recording, argv[1], NULL, NULL) < 0)
		return 2;
	device = argc > 3 ? (unsigned int)atoi(argv[3]) :
			    la_recording_main_device(recording);
	if (la_program_new(&program, recording, device, NULL, NULL) < 0)
		return 2;
	probe_file_init(&file);
	probe_file_play(&file, recording, device, program);
	if (driver)
		forget_allocator(&file);
	data = probe_file_bytes(&file, &size);
	status = write_file(argv[2], data, size);
	free(data);
	probe_file_release(&file);
	la_program_free(program);
	la_recording_free(recording);
	return status;
}
