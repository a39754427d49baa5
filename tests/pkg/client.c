// SPDX-License-Identifier: Apache-2.0
/* A program outside the tree: also compiled as C++. */
#include <stdio.h>
#include <string.h>

#include <liballoc/event.h>
#include <liballoc/version.h>

int main(void)
{
	printf("%s %s\n", LA_VERSION, la_action_name(LA_OOM));
	return strcmp(la_action_name(LA_OOM), "oom") != 0;
}
