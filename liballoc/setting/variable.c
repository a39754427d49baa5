// SPDX-License-Identifier: Apache-2.0
/* Which names of variables a release and build of torch reads. */
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"

static const char *cuda_unread(const struct la_setting_context *context)
{
	if (context->build == LA_BUILD_ROCM &&
	    context->release < LA_RELEASE(2, 7))
		return "ROCm builds before torch 2.7 read "
		       "PYTORCH_HIP_ALLOC_CONF alone";
	return NULL;
}

static const char *hip_unread(const struct la_setting_context *context)
{
	if (context->build == LA_BUILD_ROCM)
		return NULL;
	if (context->release < LA_RELEASE(2, 10))
		return "only ROCm builds read it before torch 2.10";
	return "in a CUDA build the options of the CUDA allocator are not "
	       "read from it, only those common to all devices";
}

static const char *common_unread(const struct la_setting_context *context)
{
	if (context->release >= LA_RELEASE(2, 10))
		return NULL;
	if (context->release == LA_RELEASE(2, 9))
		return "torch 2.9 reads it for host memory only; the CUDA "
		       "allocator reads PYTORCH_CUDA_ALLOC_CONF";
	return "torch reads it from 2.10 on; before that, "
	       "PYTORCH_CUDA_ALLOC_CONF";
}

LA_EXPORT const char *
la_setting_variable_unread(const char *name,
			   const struct la_setting_context *context)
{
	if (!strcmp(name, "PYTORCH_CUDA_ALLOC_CONF"))
		return cuda_unread(context);
	if (!strcmp(name, "PYTORCH_HIP_ALLOC_CONF"))
		return hip_unread(context);
	if (!strcmp(name, "PYTORCH_ALLOC_CONF"))
		return common_unread(context);
	return "no release of torch reads a variable of that name";
}
