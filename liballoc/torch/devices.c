// SPDX-License-Identifier: Apache-2.0
/* The choice of devices: all GPUs of the driver. */
#include <errno.h>

#include "device/cuda-driver.h"
#include "torch/devices.h"
#include "torch/lazy.h"
#include "util/error.h"

static int open_one(struct la_devices *devices, const struct la_cu *cu,
		    unsigned int ordinal)
{
	la_cu_device device;
	size_t total;
	int status;

	status = la_lazy_new(&devices->device[ordinal], ordinal);
	if (status < 0)
		return status;
	devices->count = ordinal + 1;
	if (!cu->device(&device, (int)ordinal) &&
	    !cu->device_total(&total, device))
		devices->total[ordinal] = total;
	return 0;
}

static int open_all(struct la_devices *devices, const struct la_cu *cu,
		    struct la_error *err)
{
	unsigned int i;
	int count = 0, status = 0;
	la_cu_result result = cu->device_count(&count);

	if (result || count < 1)
		return la_error_set(err, -ENODEV, LA_NO_OFFSET,
				    "the CUDA driver sees no GPU (error %d)",
				    result);
	for (i = 0; i < (unsigned int)count && i < LA_DEVICES_MAX && !status;
	     i++)
		status = open_one(devices, cu, i);
	return status;
}

int la_devices_open(struct la_devices *devices, struct la_error *err)
{
	struct la_cu cu;
	int status = la_cu_open(&cu, err);

	*devices = (struct la_devices){ .count = 0 };
	if (status < 0)
		return status;
	status = open_all(devices, &cu, err);
	la_cu_close(&cu);
	if (status < 0)
		la_devices_close(devices);
	return status;
}

void la_devices_close(struct la_devices *devices)
{
	while (devices->count)
		la_device_destroy(devices->device[--devices->count]);
}

uint64_t la_devices_free_bytes(const struct la_devices *devices,
			       unsigned int number)
{
	return number < devices->count ?
		       la_lazy_free_bytes(devices->device[number]) :
		       UINT64_MAX;
}

void la_devices_message(const struct la_devices *devices, unsigned int number,
			char *text, size_t size)
{
	*text = '\0';
	if (number < devices->count)
		la_lazy_message(devices->device[number], text, size);
}
