// SPDX-License-Identifier: Apache-2.0
/*
 * probe-open [fill|oom|wait|exec PROGRAM ...]...: open the probe's file as its
 * variables say and print its path and the notes in it, or "off: why" and exit
 * with 1.  Then do what the words say: write to every page, note an OOM, wait
 * until the standard input ends, become another program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store.h"

static void fill(void)
{
	struct la_probe_record record = { .op = LA_PROBE_OP_ALLOC };
	struct la_probe_holding holding = { .size = 1 };
	unsigned int level;
	uint64_t i;

	for (level = 0; level < LA_PROBE_LEVELS; level++)
		for (i = 0; i < store.header->chunk_count[level] *
				LA_PROBE_CHUNK_RECORDS; i++)
			store_record(level, &record);
	for (i = 1; i <= store.header->table_slots; i++) {
		holding.addr = i;
		store_add(&holding, NULL);
	}
}

static void act(const char *word, char **rest)
{
	char c;

	if (!strcmp(word, "fill")) {
		fill();
	} else if (!strcmp(word, "oom")) {
		store.header->ooms++;
	} else if (!strcmp(word, "wait")) {
		while (read(STDIN_FILENO, &c, 1) > 0)
			;
	} else if (!strcmp(word, "exec")) {
		execvp(rest[0], rest);
		exit(127);
	}
}

int main(int argc, char **argv)
{
	struct config config;
	char message[256];
	int i;

	config_read(&config);
	if (config.off) {
		puts("off");
		return EXIT_FAILURE;
	}
	if (store_open(&config, message) < 0) {
		printf("off: %s\n", message);
		return EXIT_FAILURE;
	}
	printf("%s\n%s", store.path, store.header->note);
	fflush(stdout);
	for (i = 1; i < argc; i++)
		act(argv[i], argv + i + 1);
	return EXIT_SUCCESS;
}
