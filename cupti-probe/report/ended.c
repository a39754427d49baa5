// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "ended.h"

const char *const ended_names[ENDED_COUNT] = {
	[ENDED_RUNNING] = "running", [ENDED_CLEAN] = "clean",
	[ENDED_KILLED] = "killed",   [ENDED_SIGNAL] = "signal",
	[ENDED_HOST_MEMORY] = "host-memory",
};

void ended_of(struct ended *ended, const struct la_probe *probe)
{
	*ended = (struct ended){
		.how = la_probe_header(probe)->ended ? ENDED_CLEAN :
		       la_probe_is_running(probe)    ? ENDED_RUNNING :
						       ENDED_KILLED,
	};
}

enum ended_how ended_find(const char *name, size_t length)
{
	int how;

	for (how = 0; how < ENDED_COUNT; how++)
		if (strlen(ended_names[how]) == length &&
		    !memcmp(ended_names[how], name, length))
			break;
	return (enum ended_how)how;
}
