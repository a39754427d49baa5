/* SPDX-License-Identifier: Apache-2.0 */
/* The variables CUPTI_PROBE_*, read once; their table is variables.inc. */
#ifndef PROBE_CONFIG_H
#define PROBE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* What is set.  Texts are copies that last until the next config_read();
 * NULL: not set. */
struct config {
	bool off; /* CUPTI_PROBE=off, or a process with raised privileges */
	const char *directory; /* CUPTI_PROBE_DIR: named explicitly */
	uint64_t size; /* CUPTI_PROBE_SIZE: bytes of a file */
	/* CUPTI_PROBE_NODE_SIZE: of all in a directory; 0: not set */
	uint64_t node_size;
	bool allocator; /* CUPTI_PROBE_ALLOCATOR: may be seen */
	bool exclusive; /* CUPTI_PROBE_EXCLUSIVE: keep CUPTI's slot */
	const char *chain; /* CUPTI_PROBE_CHAIN: injected after us */
	const char *reporter; /* CUPTI_PROBE_REPORT: program, or "off" */
	bool nvml; /* CUPTI_PROBE_NVML: may be asked */
	bool arguments; /* CUPTI_PROBE_ARGUMENTS: keep the command line */
	const char *run; /* CUPTI_PROBE_RUN: set by the launcher */
	char note[256]; /* lines: values that were not understood */
};

void config_read(struct config *config);

#endif /* PROBE_CONFIG_H */
