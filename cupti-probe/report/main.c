// SPDX-License-Identifier: Apache-2.0
/* cupti-probe: its commands. */
#include <fcntl.h>
#include <unistd.h>

#include "allocctl/dispatch.h"
#include "allocctl/platform.h"
#include "allocctl/print.h"
#include "probe-cmd.h"

static const struct cmd *const cmds[] = {
	&cmd_run,  &cmd_report, &cmd_list,    &cmd_info,
	&cmd_stat, &cmd_prune,	&cmd_metrics, NULL,
};

const char print_program[] = "cupti-probe";

/* No file that is opened later may take the place of a standard stream; a
 * program that is run finds them closed as they were. */
static void fill_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	static const struct program program = {
		.about = "Records GPU memory of a program, and says why it "
			 "ran out.",
		.cmds = cmds,
	};

	fill_streams();
	if (!platform_start(&argc, &argv))
		return print_no_memory();
	return dispatch(&program, argc, argv);
}
