// SPDX-License-Identifier: Apache-2.0
/* The choice of devices: all GPUs of the driver. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "torch/devices.h"
#include "torch/lazy.h"
#include "util/error.h"

/* Functions of the driver that say what there is, all of CUDA 11. */
struct driver {
	int (*init)(unsigned int flags);
	int (*count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*total)(size_t *bytes, int device);
};

static void *find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

static int open_driver(struct driver *driver, struct la_error *err)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return la_error_set(err, -ENODEV, LA_NO_OFFSET,
				    "the library of the CUDA driver, "
				    "libcuda.so.1, cannot be loaded");
	if (!find(library, "cuInit", &driver->init) ||
	    !find(library, "cuDeviceGetCount", &driver->count) ||
	    !find(library, "cuDeviceGet", &driver->get) ||
	    !find(library, "cuDeviceTotalMem_v2", &driver->total))
		return la_error_set(err, -ENODEV, LA_NO_OFFSET,
				    "libcuda.so.1 is too old");
	return 0;
}

static int open_one(struct la_devices *devices, const struct driver *driver,
		    unsigned int ordinal)
{
	size_t total;
	int device, status;

	status = la_lazy_new(&devices->device[ordinal], ordinal);
	if (status < 0)
		return status;
	devices->count = ordinal + 1;
	if (driver->get(&device, (int)ordinal) == 0 &&
	    driver->total(&total, device) == 0)
		devices->total[ordinal] = total;
	return 0;
}

int la_devices_open(struct la_devices *devices, struct la_error *err)
{
	struct driver driver = { .init = NULL };
	unsigned int i;
	int count = 0, code, status;

	*devices = (struct la_devices){ .count = 0 };
	status = open_driver(&driver, err);
	if (status < 0)
		return status;
	code = driver.init(0);
	if (code == 0)
		code = driver.count(&count);
	if (code != 0 || count < 1)
		return la_error_set(err, -ENODEV, LA_NO_OFFSET,
				    "the CUDA driver sees no GPU (error %d)",
				    code);
	for (i = 0; i < (unsigned int)count && i < LA_DEVICES_MAX; i++) {
		status = open_one(devices, &driver, i);
		if (status < 0)
			goto err_close;
	}
	return 0;

err_close:
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
