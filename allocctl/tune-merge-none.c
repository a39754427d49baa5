// SPDX-License-Identifier: Apache-2.0
/* tune-merge.c of a build without a JSON reader. */
#include "cmd.h"
#include "print.h"
#include "tune.h"

int tune_merge_read(struct tune_merge *merge, const struct opt_list *files)
{
	(void)merge;
	(void)files;
	print_error("this build cannot read JSON: it was made without "
		    "jansson");
	return STATUS_CANNOT_TELL;
}

int tune_merge_check(const struct tune_merge *merge, const struct tune *tune)
{
	(void)merge;
	(void)tune;
	return STATUS_DONE;
}

void tune_merge_release(struct tune_merge *merge)
{
	(void)merge;
}
