/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices the plug-in serves, and what the driver says of them. */
#ifndef LA_TORCH_DEVICES_H
#define LA_TORCH_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include <liballoc/device.h>
#include <liballoc/error.h>
#include <liballoc/plugin.h>

enum { LA_DEVICES_MAX = LA_REPORT_DEVICES };

struct la_devices {
	struct la_device *device[LA_DEVICES_MAX]; /* owned */
	uint64_t total[LA_DEVICES_MAX]; /* bytes of the card; 0: unknown */
	unsigned int count;
};

/* All GPUs that the process sees; none of them is used by that. */
int la_devices_open(struct la_devices *devices, struct la_error *err);
void la_devices_close(struct la_devices *devices);

/* Bytes free on a card; UINT64_MAX: unknown. */
uint64_t la_devices_free_bytes(const struct la_devices *devices,
			       unsigned int number);

/* What the driver last failed with on a device, one line; empty: nothing. */
void la_devices_message(const struct la_devices *devices, unsigned int number,
			char *text, size_t size);

#endif /* LA_TORCH_DEVICES_H */
