// SPDX-License-Identifier: Apache-2.0
/* How to look up a symbol where preload/, which has a better way, is not
 * linked: in programs that test the core. */

#include <dlfcn.h>

#include "core/core.h"

__attribute__((weak)) void *probe_symbol(void *handle, const char *name)
{
	return dlsym(handle, name);
}
