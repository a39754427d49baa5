/* SPDX-License-Identifier: Apache-2.0 */
/* names LIBRARY: what a real libcupti calls the ids of calls.txt. */
#include <dlfcn.h>
#include <stdio.h>

#include "abi/calls.h"
#include "abi/cupti.h"

static const struct {
	const char *name;
	unsigned int id;
} calls[] = {
#define CALL(name, id, since) { #name, id },
	PROBE_CALLS(CALL)
};

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	int (*name_of)(unsigned int, uint32_t, const char **);
	int (*version_of)(uint32_t *);
	uint32_t version = 0;
	const char *name;
	size_t i;

	if (!library) {
		fprintf(stderr, "names: %s\n", dlerror());
		return 1;
	}
	*(void **)&version_of = dlsym(library, "cuptiGetVersion");
	*(void **)&name_of = dlsym(library, "cuptiGetCallbackName");
	version_of(&version);
	printf("version %u\n", version);
	printf("subscribe_v2 %d\n", dlsym(library, "cuptiSubscribe_v2") != NULL);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		name = NULL;
		if (name_of(CUPTI_CB_DOMAIN_DRIVER_API, calls[i].id, &name) ==
			    CUPTI_SUCCESS && name)
			printf("%s %s\n", calls[i].name, name);
	}
	return 0;
}
