/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a device. */
#ifndef REPORT_DEVICE_H
#define REPORT_DEVICE_H

#include <stdbool.h>

#include <liballoc/probe-format.h>

#include "util/json.h"

/* "device", "physical" ...: by enum la_probe_kind, but for blocks, which
 * the allocator's sums tell. */
enum { DEVICE_KINDS = LA_PROBE_KIND_BLOCK };
extern const char *const device_kinds[DEVICE_KINDS];

/* Bytes that a process holds on it by what it asked the driver for. */
uint64_t device_live(const struct la_probe_device *device);

/* Was anything ever seen of it? */
bool device_is_used(const struct la_probe_device *device);

/* "GPU-..." as nvidia-smi prints it, or the ordinal where it is not known. */
enum { DEVICE_LABEL = 48 };
const char *device_label(char text[DEVICE_LABEL],
			 const struct la_probe_device *device,
			 unsigned int ordinal);

void device_json(struct la_json *json, const struct la_probe_device *device,
		 unsigned int ordinal);

#endif /* REPORT_DEVICE_H */
