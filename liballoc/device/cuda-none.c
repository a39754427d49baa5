// SPDX-License-Identifier: Apache-2.0
/* Where the CUDA driver is not looked for. */

#include <errno.h>

#include <liballoc/device.h>

#include "util/error.h"
#include "util/util.h"

LA_EXPORT int la_device_cuda(struct la_device **out, unsigned int ordinal,
			     const struct la_device_cuda_options *options,
			     struct la_error *err)
{
	(void)out, (void)ordinal, (void)options;
	return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
			    "this build knows CUDA on Linux alone");
}

LA_EXPORT int la_device_cuda_peer(struct la_device *dev, unsigned int ordinal)
{
	(void)dev, (void)ordinal;
	return -ENOTSUP;
}

LA_EXPORT int la_device_cuda_memory(struct la_device *dev, uint64_t *free,
				    uint64_t *total)
{
	(void)dev, (void)free, (void)total;
	return -ENOTSUP;
}

LA_EXPORT int la_device_cuda_name(struct la_device *dev, char *name,
				  size_t size)
{
	(void)dev, (void)name, (void)size;
	return -ENOTSUP;
}

LA_EXPORT void la_device_cuda_message(const struct la_device *dev, char *text,
				      size_t size)
{
	(void)dev;
	if (size)
		text[0] = '\0';
}
