// SPDX-License-Identifier: Apache-2.0
/* The CUDA runtime comes with torch, in a wheel of its own. */
#include <stdio.h>
#include <string.h>

#include "cudart.h"
#include "platform.h"
#include "print.h"
#include "torch-find.h"
#include "util/util.h"

static const char *const names[] = { "libcudart.so.13", "libcudart.so.12",
				     "libcudart.so.11.0" };

/* Below the folder of python's packages. */
static const char *const folders[] = { "nvidia/cu13/lib",
				       "nvidia/cuda_runtime/lib", "torch/lib" };

static void *open_at(struct cudart *cudart, const char *folder,
		     const char *between, const char *name)
{
	int length = snprintf(cudart->path, sizeof(cudart->path), "%s%s%s%s%s",
			      folder, *folder ? "/" : "", between,
			      *between ? "/" : "", name);

	if (length < 0 || (size_t)length >= sizeof(cudart->path))
		return NULL;
	return platform_library_open(cudart->path);
}

static void *open_beside_torch(struct cudart *cudart)
{
	struct torch_found torch;
	void *library = NULL;
	size_t i, j;

	/* torch/version.py */
	if (!torch_seek(&torch, NULL) || !platform_cut(torch.path) ||
	    !platform_cut(torch.path))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		for (j = 0; !library && j < ARRAY_SIZE(names); j++)
			library = open_at(cudart, torch.path, folders[i],
					  names[j]);
	return library;
}

static void *open_somewhere(struct cudart *cudart)
{
	void *library = open_beside_torch(cudart);
	size_t i;

	for (i = 0; !library && i < ARRAY_SIZE(names); i++)
		library = open_at(cudart, "", "", names[i]);
	return library;
}

static bool take_calls(struct cudart *cudart, void *library)
{
	void *symbol;

#define TAKE(member, name, result, parameters)                        \
	symbol = platform_library_symbol(library, #name);             \
	if (!symbol) {                                                \
		print_error("'%s' lacks '%s'", cudart->path, #name); \
		return false;                                         \
	}                                                             \
	memcpy(&cudart->member, &symbol, sizeof(symbol));
	CUDART_CALLS(TAKE)
#undef TAKE
	return true;
}

void cudart_complain(const struct cudart *cudart, const char *call, int result)
{
	const char *text = cudart->error_text(result);

	print_error("cannot measure: %s: %s (%d, of '%s')", call,
		    text ? text : "unknown error", result, cudart->path);
}

bool cudart_open(struct cudart *cudart, const char *path, int device)
{
	void *library =
		path ? open_at(cudart, "", "", path) : open_somewhere(cudart);
	int result;

	if (!library) {
		if (path)
			print_error("cannot load the CUDA runtime '%s'", path);
		else
			print_error("no CUDA runtime here: neither with torch "
				    "nor on the system; say --cudart FILE");
		return false;
	}
	if (!take_calls(cudart, library))
		return false;
	result = cudart->set_device(device);
	if (result)
		cudart_complain(cudart, "cudaSetDevice", result);
	return !result;
}
