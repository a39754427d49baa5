// SPDX-License-Identifier: Apache-2.0
/* A device that fails one operation and passes the rest on. */

#include <errno.h>
#include <stdlib.h>

#include "device/forward.h"
#include "util/util.h"

struct fault {
	struct forward forward; /* first member */
	struct la_device *inner; /* owned */
	uint64_t left; /* operations up to the one that fails; 0: it did */
	int code;
};

static int fault_begin(struct forward *forward, struct la_device **inner)
{
	struct fault *fault = (struct fault *)forward;

	if (fault->left && !--fault->left)
		return fault->code;
	*inner = fault->inner;
	return 0;
}

static void fault_forget(struct la_device *dev, uint64_t event)
{
	struct fault *fault = (struct fault *)dev;

	fault->inner->ops->forget(fault->inner, event);
}

static void fault_destroy(struct la_device *dev)
{
	struct fault *fault = (struct fault *)dev;

	la_device_destroy(fault->inner);
	free(fault);
}

static const struct la_device_ops fault_ops = {
	FORWARD_OPS,
	.forget = fault_forget,
	.destroy = fault_destroy,
};

LA_EXPORT int la_device_fault(struct la_device **out, struct la_device *inner,
			      uint64_t nth, int code)
{
	struct fault *fault = malloc(sizeof(*fault));

	if (!fault)
		return -ENOMEM;
	*fault = (struct fault){
		.forward = { .device.ops = &fault_ops, .begin = fault_begin },
		.inner = inner,
		.left = nth,
		.code = code,
	};
	*out = &fault->forward.device;
	return 0;
}
