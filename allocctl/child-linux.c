// SPDX-License-Identifier: Apache-2.0
/* Linux gives processes that lose their parent to an ancestor that asks. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "child.h"
#include "util/util.h"

/* What forks faster than it is ended, is left. */
enum { ROUNDS = 100 };

static void list_children(struct child_list *list)
{
	FILE *file = fopen("/proc/thread-self/children", "re");
	int pid;

	list->count = 0;
	while (file && fscanf(file, "%d", &pid) == 1) {
		if (list->count < ARRAY_SIZE(list->pid))
			list->pid[list->count] = pid;
		list->count++;
	}
	if (file)
		fclose(file);
}

static bool has(const struct child_list *list, int pid)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->pid[i] == pid)
			return true;
	return false;
}

void child_adopt(struct child_list *before)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	list_children(before);
}

/* False: there was none. */
static bool end_children(const struct child_list *before)
{
	struct child_list now;
	bool ended = false;
	size_t i;

	list_children(&now);
	for (i = 0; i < now.count && i < ARRAY_SIZE(now.pid); i++) {
		if (has(before, now.pid[i]))
			continue;
		kill(now.pid[i], SIGKILL);
		while (waitpid(now.pid[i], NULL, 0) < 0 && errno == EINTR)
			;
		ended = true;
	}
	return ended;
}

void child_end_adopted(const struct child_list *before)
{
	unsigned int i;

	for (i = 0; before->count <= ARRAY_SIZE(before->pid) && i < ROUNDS; i++)
		if (!end_children(before))
			break;
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

void child_end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}
