/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is linked with the driver. */
#include <string.h>

#include "mock.h"

#define DECLARE(name, parameters, names) CUresult name parameters;
PROBE_WRAPPERS(DECLARE)

void *mock_linked(const char *name);

/* What a name of the driver is linked to; NULL: not an entry point. */
MOCK_EXPORT void *mock_linked(const char *name)
{
#define FIND(entry, id, since)			\
	if (strcmp(name, #entry) == 0)		\
		return (void *)entry;
	PROBE_CALLS(FIND)
	return NULL;
}
