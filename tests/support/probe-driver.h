/* SPDX-License-Identifier: Apache-2.0 */
/* A driver for the probe to ask, which says what the test sets. */
#ifndef TESTS_PROBE_DRIVER_H
#define TESTS_PROBE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct probe_driver {
	uint64_t free, total; /* bytes, of every device */
	uintptr_t context; /* current one; 0: none */
	int device; /* of the current context */
	int active; /* state of the primary context */
	uint64_t delay; /* ns until an answer about memory */
	unsigned int asked; /* for memory, so often */
	unsigned int pools_asked; /* for attributes of pools */
	unsigned int mode; /* of capture, of the thread */
	uintptr_t captured; /* stream; 0: none */
	uint64_t reserved, used; /* bytes of the default pool */
	bool strict; /* asked in a mode that is not relaxed, in a capture */
};

extern struct probe_driver probe_driver;

/* A file of the probe in a new folder, with this driver, without NVML and
 * reporter unless the environment says otherwise.  Once a process. */
void probe_driver_start(void);

/* Removes the folder. */
void probe_driver_end(void);

#endif
