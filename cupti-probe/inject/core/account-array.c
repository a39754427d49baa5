// SPDX-License-Identifier: Apache-2.0
/* Arrays, by handle.  How the driver lays them out is its own affair: their
 * size is an estimate, elements times bytes of one. */

#include "core/account.h"

static const enum la_probe_kind array = LA_PROBE_KIND_ARRAY;

struct shape {
	uint64_t width, height, depth; /* elements; 0 is 1 */
	unsigned int format, channels, flags;
};

static unsigned int format_bytes(unsigned int format)
{
	switch (format) {
	case 0x02: /* unsigned, signed and floating point of 16 bits */
	case 0x09:
	case 0x10:
		return 2;
	case 0x03: /* the same of 32 bits */
	case 0x0a:
	case 0x20:
		return 4;
	default:
		return 1;
	}
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b ? b : 1, &product) ? UINT64_MAX :
								product;
}

static uint64_t shape_size(const struct shape *shape)
{
	uint64_t size = times(shape->channels, format_bytes(shape->format));

	if (shape->flags & (ARRAY_SPARSE | ARRAY_DEFERRED))
		return 0;
	return times(times(times(size, shape->width), shape->height),
		     shape->depth);
}

/* Each level halves what is not a layer. */
static uint64_t mipmap_size(struct shape shape, unsigned int levels)
{
	uint64_t size = 0;

	for (; levels; levels--) {
		if (__builtin_add_overflow(size, shape_size(&shape), &size))
			return UINT64_MAX;
		if (shape.width <= 1 && shape.height <= 1 && shape.depth <= 1)
			break;
		shape.width = shape.width > 1 ? shape.width / 2 : 1;
		shape.height /= 2;
		if (!(shape.flags & ARRAY_LAYERED))
			shape.depth /= 2;
	}
	return size;
}

static void gain(struct call *call, const void *handle, uint64_t size)
{
	account_gain(call, array, (uintptr_t)handle, size,
		     (uintptr_t)call->context);
}

static void create_v1(struct call *call)
{
	const struct cuArrayCreate_params *p = call->params;
	const CUDA_ARRAY_DESCRIPTOR_v1 *d = p->pAllocateArray;

	if (d)
		gain(call, account_succeeded(call) ? *p->pHandle : NULL,
		     shape_size(&(struct shape){ d->width, d->height, 0,
						 d->format, d->channels, 0 }));
}

static void create_v2(struct call *call)
{
	const struct cuArrayCreate_v2_params *p = call->params;
	const CUDA_ARRAY_DESCRIPTOR *d = p->pAllocateArray;

	if (d)
		gain(call, account_succeeded(call) ? *p->pHandle : NULL,
		     shape_size(&(struct shape){ d->width, d->height, 0,
						 d->format, d->channels, 0 }));
}

static void create_3d_v1(struct call *call)
{
	const struct cuArray3DCreate_params *p = call->params;
	const CUDA_ARRAY3D_DESCRIPTOR_v1 *d = p->pAllocateArray;

	if (d)
		gain(call, account_succeeded(call) ? *p->pHandle : NULL,
		     shape_size(&(struct shape){ d->width, d->height, d->depth,
						 d->format, d->channels,
						 d->flags }));
}

static struct shape shape_of(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return (struct shape){ d->width,  d->height,   d->depth,
			       d->format, d->channels, d->flags };
}

static void create_3d_v2(struct call *call)
{
	const struct cuArray3DCreate_v2_params *p = call->params;
	struct shape shape;

	if (!p->pAllocateArray)
		return;
	shape = shape_of(p->pAllocateArray);
	gain(call, account_succeeded(call) ? *p->pHandle : NULL,
	     shape_size(&shape));
}

static void create_mipmap(struct call *call)
{
	const struct cuMipmappedArrayCreate_params *p = call->params;

	if (p->pMipmappedArrayDesc)
		gain(call, account_succeeded(call) ? *p->pHandle : NULL,
		     mipmap_size(shape_of(p->pMipmappedArrayDesc),
				 p->numMipmapLevels));
}

static void destroy_enter(struct frame *frame)
{
	const struct cuArrayDestroy_params *p = frame->params;

	account_take(frame, (uintptr_t)p->hArray, &array, 1);
}

static void destroy_exit(struct call *call)
{
	const struct cuArrayDestroy_params *p = call->params;

	account_taken(call, (uintptr_t)p->hArray);
}

static void destroy_mipmap_enter(struct frame *frame)
{
	const struct cuMipmappedArrayDestroy_params *p = frame->params;

	account_take(frame, (uintptr_t)p->hMipmappedArray, &array, 1);
}

static void destroy_mipmap_exit(struct call *call)
{
	const struct cuMipmappedArrayDestroy_params *p = call->params;

	account_taken(call, (uintptr_t)p->hMipmappedArray);
}

const struct call_row calls_array[] = {
	{ PROBE_cuArrayCreate, LA_PROBE_OP_ARRAY_CREATE, NULL, create_v1 },
	{ PROBE_cuArrayCreate_v2, LA_PROBE_OP_ARRAY_CREATE, NULL, create_v2 },
	{ PROBE_cuArray3DCreate, LA_PROBE_OP_ARRAY_CREATE, NULL, create_3d_v1 },
	{ PROBE_cuArray3DCreate_v2, LA_PROBE_OP_ARRAY_CREATE, NULL,
	  create_3d_v2 },
	{ PROBE_cuMipmappedArrayCreate, LA_PROBE_OP_ARRAY_CREATE, NULL,
	  create_mipmap },
	{ PROBE_cuArrayDestroy, LA_PROBE_OP_ARRAY_DESTROY, destroy_enter,
	  destroy_exit },
	{ PROBE_cuMipmappedArrayDestroy, LA_PROBE_OP_ARRAY_DESTROY,
	  destroy_mipmap_enter, destroy_mipmap_exit },
	CALLS_END
};
